"""Collectives of railgauge beside those of Open MPI, MPICH and Gloo, between processes of this machine.

One loop for all: a barrier, then the same number of operations between two readings of the clock, out of place, with buffers made
beforehand and left alone in between (so small ones stay in the caches on all sides); the slowest rank counts. Where ranks share cores,
MPICH makes a twentieth of the operations. railgauge runs as the drop-in for nccl-tests, without its rotation of buffers, after
`railgauge bench tune` has found the algorithms; the MPIs run ci/peer/mpi_loop.c, bound to cores, and Gloo (all_reduce over TCP)
ci/peer/gloo_loop.cpp. all_gather, reduce_scatter and all_to_all of less than 64 bytes, which nccl-tests would round, are measured by
`railgauge bench`. A launch measures all sizes of a band, one after the other; a launch of each side makes a group. The path from
core to core is probed around each launch, and a group whose probes differ is measured again; not where ranks share cores, since their
turns decide there and not that path, and not with --no-probes. The ratio is between the medians of railgauge and of the peer whose
median is lowest, its interval from groups drawn anew. A peer whose launch does not end in time is left out of that band from then on,
which the table says.

    ci/peers collectives                                         all_reduce of 2 ranks over shared memory, 10 groups
    ci/peers collectives --collectives all --launches 20
    ci/peers collectives --over tcp                              over TCP on the loopback interface
    ci/peers collectives --output docs/measured/collectives.md
"""
import argparse
import datetime
import json
import os
import pathlib
import random
import shlex
import statistics
import subprocess
import sys
import tempfile

from peer import common

FACTOR = 4
SPLIT = ("all_gather", "reduce_scatter", "all_to_all")  # nccl-tests rounds a rank's share of these down to whole blocks of 16 bytes
SMALLEST_SPLIT = 64
BANDS = {"tiny": (8, 32), "small": (4, 4096), "middle": (16384, 1048576), "large": (4194304, 67108864)}
ITERATIONS = {"shm": {"tiny": 20000, "small": 20000, "middle": 400, "large": 10},
              "tcp": {"tiny": 2000, "small": 2000, "middle": 100, "large": 8},
              "shared cores": {"tiny": 200, "small": 200, "middle": 40, "large": 4}}  # ranks wait for each other's turns there
PROGRAMS = {"all_reduce": "all_reduce_perf", "all_gather": "all_gather_perf", "reduce_scatter": "reduce_scatter_perf",
            "broadcast": "broadcast_perf", "reduce": "reduce_perf", "all_to_all": "alltoall_perf"}
# What the ratio of all_reduce between two ranks over shared memory is to reach; everything else is to be no slower than the peer.
LIMITS = {4: 0.45, 1024: 0.6, 4096: 0.65, 65536: 0.15, 262144: 0.2, 1048576: 0.35, 4194304: 0.35, 16777216: 0.4, 67108864: 0.3}
WELL_AHEAD = 0.8
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "gloo": "Gloo"}
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "core"],
             "mpich": ["mpirun.mpich", "-bind-to", "core"]}
OVER_TCP = {"openmpi": ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"], "mpich": []}
# railgauge and MPICH move what they move by UCX. Its rendezvous makes messages of 64 KiB over TCP two to three times as slow, and
# those of megabytes faster.
TCP_ENVIRONMENT = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo", "UCX_RNDV_THRESH": "256k", "MPIR_CVAR_NOLOCAL": "1", "RAILGAUGE_TRANSPORT": "ucx"}
VERDICTS = ("below", "touches", "ABOVE")


def range_of(collective, band):
    first, last = BANDS[band]
    return max(first, SMALLEST_SPLIT) if collective in SPLIT and band != "tiny" else first, last


def sizes_in(band, collective):
    if band == "tiny" and collective not in SPLIT:
        return
    size, last = range_of(collective, band)
    while size <= last:
        yield size
        size *= FACTOR


def limit_of(options, collective, size):
    if collective == "all_reduce" and options.ranks == 2 and options.over == "shm":
        return LIMITS.get(size, 1.0)
    return 1.0


def peers_of(options, collective):
    return [*LAUNCHERS, *(["gloo"] if options.over == "tcp" and collective == "all_reduce" else [])]


def environment(options):
    return dict(os.environ, XDG_CACHE_HOME=str(options.cache), RAILGAUGE_ROTATE="no", **(TCP_ENVIRONMENT if options.over == "tcp" else {}))


def build(options):
    compilers = {name: ([f"mpicc.{name}"], "mpi_loop.c", f"lib{name}-dev") for name in LAUNCHERS}
    if options.over == "tcp":
        compilers["gloo"] = (["g++", "-std=c++17"], "gloo_loop.cpp", "libgloo-dev")
    options.loops = {}
    for name, (compiler, source, package) in compilers.items():
        common.need(compiler[0], f"it is in {package}")
        options.loops[name] = options.cache / f"loop.{name}"
        done = subprocess.run([*compiler, "-O2", str(common.ROOT / "ci/peer" / source), "-o", str(options.loops[name]),
                               *(["-lgloo", "-pthread"] if name == "gloo" else [])], capture_output=True, text=True)
        if done.returncode:
            common.stop(f"{compiler[0]} (of {package}): {done.stderr.strip()[:300]}")


def shares_cores(options):
    return options.ranks > len(options.cores.split(","))


def iterations(options, band):
    return ITERATIONS["shared cores" if shares_cores(options) else options.over][band]


def arguments_of(options, collective, band, name=None):
    count = iterations(options, band)
    # It takes 10 ms for what others do in a few microseconds where ranks share cores: a hundredth would show it.
    if name == "mpich" and shares_cores(options):
        count = max(2, count // 20)
    return [collective, *map(str, (*range_of(collective, band), FACTOR, count, max(3, count // 10)))]


def lines_of(options, command):
    """{bytes: seconds} from the lines of a loop; None when it does not end in time."""
    with subprocess.Popen(["taskset", "-c", options.cores, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment(options)) as running:
        try:
            output, errors = running.communicate(timeout=common.LAUNCH_DEADLINE)
        except subprocess.TimeoutExpired:
            common.end(running)  # the launchers end their processes then
            return None
    if running.returncode:
        raise ValueError(f"{command[0]} exited with {running.returncode}: {errors.strip()[-300:]}")
    return {int(size): float(seconds) for size, seconds in (line.split() for line in output.splitlines() if line[:1].isdigit())}


def run_mpi(options, name, collective, band):
    launcher = list(LAUNCHERS[name])
    if shares_cores(options) and name == "openmpi":
        launcher[-1] = "none"  # it refuses to bind two to one core
    if options.over == "tcp":
        launcher += OVER_TCP[name]
    return lines_of(options, [*launcher, "-n", str(options.ranks), str(options.loops[name]), *arguments_of(options, collective, band, name)])


def run_gloo(options, collective, band):
    with tempfile.TemporaryDirectory() as meeting:
        return lines_of(options, [str(options.loops["gloo"]), meeting, str(options.ranks), options.cores,
                                  *arguments_of(options, collective, band)])


def run_peer(options, name, collective, band):
    lines = run_gloo(options, collective, band) if name == "gloo" else run_mpi(options, name, collective, band)
    if lines is None:
        print(f"\npeers: {NAMES[name]} did not end within {common.LAUNCH_DEADLINE} s: {collective}, {band} sizes", file=sys.stderr)
        options.hung.add((name, collective, band))
    return lines


def run_bench(options, collective, band):
    """Sizes that nccl-tests would round: by railgauge's own loop, on one buffer set."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "result.jsonl")
        command = ["taskset", "-c", options.cores, options.program, "bench", collective, "--ranks", str(options.ranks), "--transport",
                   transport_of(options), "--bytes", ",".join(map(str, sizes_in(band, collective))), "--cache", "warm", "--check", "last",
                   "--max-time", "0.1", "-o", output]
        done = subprocess.run(command, capture_output=True, text=True, timeout=common.LAUNCH_DEADLINE, env=environment(options))
        if done.returncode:
            raise ValueError(f"railgauge exited with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        with open(output, encoding="utf-8") as lines:
            return {record["bytes"]: record["median"] for record in map(json.loads, lines)}


def run_railgauge(options, collective, band):
    if band == "tiny":
        return run_bench(options, collective, band)
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "result.json")
        program = pathlib.Path(options.program).resolve().parent / PROGRAMS[collective]
        first, last = range_of(collective, band)
        count = iterations(options, band)
        command = ["taskset", "-c", options.cores, str(program), "-b", str(first), "-e", str(last), "-f", str(FACTOR), "-g",
                   str(options.ranks), "-d", "float", "-n", str(count), "-w", str(max(3, count // 10)), "-c", "0", "-a", "3", "-J", output]
        done = subprocess.run(command, capture_output=True, text=True, timeout=common.LAUNCH_DEADLINE, env=environment(options))
        if done.returncode:
            raise ValueError(f"railgauge exited with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        with open(output, encoding="utf-8") as file:
            results = json.load(file)["results"]
        return {size: float(one["out_of_place"]["time"]) * 1e-6 for size, one in zip(sizes_in(band, collective), results, strict=True)}


def sides_of(options, collective, band):
    peers = [name for name in peers_of(options, collective) if (name, collective, band) not in options.hung]
    return {"railgauge": lambda: run_railgauge(options, collective, band),
            **{name: lambda name=name: run_peer(options, name, collective, band) for name in peers}}


def ended(groups, peers):
    """Those of `peers` whose every launch ended."""
    return [name for name in peers if all(one.get(name) for one in groups)]


def transport_of(options):
    return "ucx" if options.over == "tcp" else "shm"


def tune(options):
    sizes = ",".join(str(size) for size in sorted({size for band in BANDS for collective in PROGRAMS for size in sizes_in(band, collective)}))
    command = ["taskset", "-c", options.cores, options.program, "bench", "tune", *options.collectives, "--ranks", str(options.ranks), "--transport",
               transport_of(options), "--bytes", sizes, "--cache", "warm", "--check", "last", *options.tune]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(options))
    if done.returncode:
        common.stop(f"railgauge bench tune exited with {done.returncode}: {done.stderr.strip()[-300:]}")


def microseconds(seconds):
    return f"{seconds * 1e6:,.3g}" if seconds < 1e-3 else f"{seconds * 1e6:,.0f}"


def ratio_of(groups, peers):
    """Of medians: railgauge over the peer whose median is the lowest."""
    middle = {name: statistics.median(one[name] for one in groups) for name in ("railgauge", *peers)}
    return middle["railgauge"] / min(middle[name] for name in peers)


def interval(runs, peers, seed, resamples=4000):
    """95 % interval of the ratio when the groups of each run are drawn anew."""
    draw = random.Random(seed)
    ratios = sorted(ratio_of([one for groups in runs for one in draw.choices(groups, k=len(groups))], peers) for _ in range(resamples))
    return ratios[int(0.025 * resamples)], ratios[int(0.975 * resamples) - 1]


def table(groups, options):
    shown = [*LAUNCHERS, *(["gloo"] if options.over == "tcp" else [])]
    lines = ["| collective | bytes | railgauge, us | " + "".join(f"{NAMES[name]}, us | " for name in shown) +
             "ratio to the best | 95 % interval | to reach | groups | verdict |", "|---|" + "---:|" * (len(shown) + 3) + "---|---:|---:|---|"]
    failed, ahead = [], {}
    for collective in options.collectives:
        every_peer = peers_of(options, collective)
        for band in options.bands:
            measured = common.steady_only(groups.get((collective, band), {}))
            peers = ended(groups.get((collective, band), {}).values(), every_peer)
            for size in sizes_in(band, collective):
                here = [{name: one[name][str(size)] for name in ("railgauge", *peers)} for one in measured]
                if len(here) < 3:
                    lines.append(f"| {collective} | {size:,} | " + "| " * (len(shown) + 4) + f"{len(here)} | too few |")
                    failed.append((collective, size))
                    continue
                ratio = ratio_of(here, peers)
                low, high = interval([here], peers, options.seed)
                limit = limit_of(options, collective, size)
                verdict = VERDICTS[verdict_of(low, high, limit)]
                if low > limit:
                    failed.append((collective, size))
                ahead.setdefault(collective, []).append(ratio <= WELL_AHEAD)
                times = "".join(f"{microseconds(statistics.median(one[name] for one in here))} | " if name in ("railgauge", *peers) else
                                "did not end | " if name in every_peer else "| " for name in ("railgauge", *shown))
                lines.append(f"| {collective} | {size:,} | {times}{ratio:.3f} | {low:.3f} to {high:.3f} | {limit} | {len(here)} | {verdict} |")
    lines += ["", "At most 0.8 of the best peer: " +
              ", ".join(f"{collective} {sum(those)} of {len(those)} sizes" for collective, those in ahead.items()) + "."]
    return lines, failed


def verdict_of(low, high, limit):
    return 0 if high <= limit else 1 if low <= limit else 2


def judged(options):
    """Several runs in one table: ratio and interval of each and of all launches together, which decide."""
    runs = [common.read_groups(pathlib.Path(raw), ("collective", "band")) for raw in options.judge]
    heads = "".join(f"run {number}: ratio, 95 % interval, groups | " for number in range(1, len(runs) + 1))
    lines = [f"| collective | bytes | railgauge, us | best peer, us | {heads}all runs: ratio, 95 % interval | to reach | verdict |",
             "|---|---:|---:|---:|" + "---|" * (len(runs) + 1) + "---:|---|"]
    failed = []
    for collective in options.collectives:
        for band in options.bands:
            peers = ended([one for groups in runs for one in groups.get((collective, band), {}).values()], peers_of(options, collective))
            for size in sizes_in(band, collective):
                measured = [[{name: one[name][str(size)] for name in ("railgauge", *peers)}
                             for one in common.steady_only(groups.get((collective, band), {}))] for groups in runs]
                line = judged_line(measured, peers, limit_of(options, collective, size), options.seed)
                lines.append(f"| {collective} | {size:,} | {line}")
                if not line.endswith((f"{VERDICTS[0]} |", f"{VERDICTS[1]} |")):
                    failed.append((collective, size))
    return lines, failed


def judged_line(runs, peers, limit, seed):
    short = next((len(groups) for groups in runs if len(groups) < 3), None)
    if short is not None:
        return "| " * (len(runs) + 4) + f"too few ({short}) |"
    cells, worst = "", 0
    for groups in runs:
        ratio, (low, high) = ratio_of(groups, peers), interval([groups], peers, seed)
        cells += f"{ratio:.3f}, {low:.3f} to {high:.3f}, {len(groups)} | "
        worst = max(worst, 2 if low > limit else 1 if ratio > limit else 0)
    every = [one for groups in runs for one in groups]
    middle = {name: statistics.median(one[name] for one in every) for name in ("railgauge", *peers)}
    best = min(peers, key=lambda name: middle[name])
    low, high = interval(runs, peers, seed)
    worst = max(worst, verdict_of(low, high, limit))
    return (f"{microseconds(middle['railgauge'])} | {microseconds(middle[best])} {NAMES[best]} | {cells}"
            f"{middle['railgauge'] / middle[best]:.3f}, {low:.3f} to {high:.3f} | {limit} | {VERDICTS[worst]} |")


def page(rows, options, weather):
    found = [common.first_line([program, *arguments]) for program, *arguments in (("mpirun.openmpi", "--version"), ("mpichversion",))]
    versions = ", ".join(" ".join(line.split()) for line in found)
    command = "ci/peers collectives" + "".join(f" {shlex.quote(word)}" for word in sys.argv[2:])
    where = "TCP on the loopback interface" if options.over == "tcp" else "shared memory"
    return [f"# Collectives between {options.ranks} processes over {where}, beside other libraries", "",
            *__doc__.split("\n\n")[1].replace("\n", " ").split("\n"), "", *rows, "",
            f"Made by `{command}` on {datetime.date.today().isoformat()}: {common.machine(options)}; {versions}. {weather.sentence()}", ""]


def chosen(words, known, option):
    words = list(known) if words == "all" else words.split(",")
    if unknown := [one for one in words if one not in known]:
        common.stop(f"{option} takes {', '.join(known)} or all, not {unknown[0]!r}")
    return words


def read_options():
    parser = argparse.ArgumentParser(prog="ci/peers collectives", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_options(parser, "peers-collectives.jsonl")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--over", choices=("shm", "tcp"), default="shm", help="what the ranks speak over (default shm)")
    parser.add_argument("--launches", type=int, default=10, help="on each side, for each band of sizes (default 10)")
    parser.add_argument("--collectives", default="all_reduce", help="names separated by commas, or all")
    parser.add_argument("--bands", default="all", help=f"of sizes: {', '.join(BANDS)}, separated by commas, or all (default)")
    parser.add_argument("--tune", type=shlex.split, default=[], help="more options for railgauge bench tune")
    parser.add_argument("--judge", nargs="+", metavar="RAW", help="measure nothing: one table of the runs that these raw files hold")
    options = parser.parse_args(sys.argv[2:])
    options.collectives = chosen(options.collectives, PROGRAMS, "--collectives")
    options.bands = chosen(options.bands, BANDS, "--bands")
    options.probing = options.probing and not shares_cores(options)
    return options


def main():
    options = read_options()
    if options.judge:
        rows, failed = judged(options)
        print("\n".join(rows))
        return 1 if failed else 0
    common.need(options.program, "build it first: ci/quickstart")
    for name, launcher in LAUNCHERS.items():
        common.need(launcher[0], f"it is in {name}")
    raw = common.open_raw(options)
    with tempfile.TemporaryDirectory() as folder:
        options.cache = pathlib.Path(folder)
        options.hung = {(name, *point) for point, those in common.read_groups(raw, ("collective", "band")).items()
                        for one in those.values() for name in NAMES if name in one and one[name] is None}
        build(options)
        common.wait_until_quiet(options.patience)
        weather = common.Weather()
        tune(options)
        wanted = [(number, collective, band) for number in range(options.launches) for collective in options.collectives
                  for band in options.bands if list(sizes_in(band, collective))]
        key, describe = ("collective", "band"), lambda collective, band: f"{collective}, {band} sizes"
        common.measure_all(options, raw, key, wanted, sides_of, describe)
        # As they were written, so that a run that went on and one that did not are judged alike.
        groups = common.read_groups(raw, key)
        # In place of those that were not steady; as many once more at the most.
        for number in range(options.launches, 2 * options.launches):
            short = [point for point in groups if len(common.steady_only(groups[point])) < options.launches]
            common.measure_all(options, raw, key, [(number, *point) for point in short], sides_of, describe)
            groups = common.read_groups(raw, key)
    rows, failed = table(groups, options)
    rows += ["", common.how_many(groups)]
    print("\n".join(rows))
    common.write_page(options, page(rows, options, weather))
    return 1 if failed else 0
