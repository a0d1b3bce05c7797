"""Collectives of railgauge over shared memory beside Open MPI and MPICH, between processes of this machine.

One loop for all: a barrier, then the same number of operations between two readings of the clock, out of place, with buffers made
beforehand and left alone in between (so small ones stay in the caches on all sides); the slowest rank counts. railgauge runs as the
drop-in for nccl-tests, after `railgauge bench tune` has found the algorithms; the MPIs run ci/peer/mpi_loop.c, bound to cores. A
launch of each side makes a group; the way from core to core is probed around each launch, and a group whose probes differ is measured
again. The ratio is to the faster of the peers within the group.

    ci/peers collectives                                         all_reduce of 2 ranks, 9 sizes, 10 groups
    ci/peers collectives --collectives all --launches 20
    ci/peers collectives --output docs/measured/collectives.md
"""
import argparse
import datetime
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

from peer import common

SIZES = [4, 1024, 4096, 65536, 262144, 1048576, 4194304, 16777216, 67108864]
PROGRAMS = {"all_reduce": "all_reduce_perf", "all_gather": "all_gather_perf", "reduce_scatter": "reduce_scatter_perf",
            "broadcast": "broadcast_perf", "reduce": "reduce_perf", "all_to_all": "alltoall_perf"}
# Beyond what the interval of the ratio may not lie: for all_reduce of two ranks by size, for everything else alike.
LIMITS = {4: 0.45, 1024: 0.6, 4096: 0.65, 65536: 0.15, 262144: 0.2, 1048576: 0.35, 4194304: 0.35, 16777216: 0.4, 67108864: 0.3}
MPIS = {"openmpi": ("Open MPI", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "core"]),
        "mpich": ("MPICH", ["mpirun.mpich", "-bind-to", "core"])}


def limit_of(collective, ranks, size):
    return LIMITS.get(size, 1.0) if collective == "all_reduce" and ranks == 2 else 1.0


def iterations(size):
    """As many for all: about 20 ms of them, never fewer than 10."""
    return max(10, min(20000, int(0.02 / (0.4e-6 + size / 8e9))))


def build(folder):
    programs = {}
    for name in MPIS:
        compiler = f"mpicc.{name}"
        common.need(compiler, f"it is in lib{name}-dev")
        programs[name] = folder / f"mpi_loop.{name}"
        done = subprocess.run([compiler, "-O2", str(common.ROOT / "ci/peer/mpi_loop.c"), "-o", str(programs[name])], capture_output=True,
                              text=True)
        if done.returncode:
            common.stop(f"{compiler}: {done.stderr.strip()[:300]}")
    return programs


def run_mpi(options, name, collective, size):
    launcher = list(MPIS[name][1])
    if options.ranks > len(options.cores.split(",")) and name == "openmpi":
        launcher[-1] = "none"  # it refuses to bind two to one core
    command = [*launcher, "-n", str(options.ranks), str(options.loops[name]), collective, str(size), str(iterations(size)),
               str(max(5, iterations(size) // 10))]
    done = subprocess.run(["taskset", "-c", options.cores, *command], capture_output=True, text=True, timeout=common.LAUNCH_DEADLINE)
    if done.returncode:
        raise ValueError(f"{name} exited with {done.returncode}: {done.stderr.strip()[-300:]}")
    return float(done.stdout.strip().splitlines()[-1])


def run_railgauge(options, collective, size):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "result.json")
        program = pathlib.Path(options.program).resolve().parent / PROGRAMS[collective]
        command = ["taskset", "-c", options.cores, str(program), "-b", str(size), "-e", str(size), "-g", str(options.ranks), "-d", "float",
                   "-n", str(iterations(size)), "-w", str(max(5, iterations(size) // 10)), "-c", "0", "-a", "3", "-J", output]
        done = subprocess.run(command, capture_output=True, text=True, timeout=common.LAUNCH_DEADLINE,
                              env=dict(os.environ, XDG_CACHE_HOME=str(options.cache)))
        if done.returncode:
            raise ValueError(f"railgauge exited with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        with open(output, encoding="utf-8") as file:
            return float(json.load(file)["results"][0]["out_of_place"]["time"]) * 1e-6


def sides_of(options, collective, size):
    sides = {name: lambda name=name: run_mpi(options, name, collective, size) for name in MPIS}
    return {"railgauge": lambda: run_railgauge(options, collective, size), **sides}


def tune(options):
    command = ["taskset", "-c", options.cores, options.program, "bench", "tune", "--ranks", str(options.ranks), "--transport", "shm",
               "--bytes", ",".join(map(str, options.sizes)), "--cache", "warm", "--check", "last"]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, XDG_CACHE_HOME=str(options.cache)))
    if done.returncode:
        common.stop(f"railgauge bench tune exited with {done.returncode}: {done.stderr.strip()[-300:]}")


def microseconds(seconds):
    return f"{seconds * 1e6:,.3g}" if seconds < 1e-3 else f"{seconds * 1e6:,.0f}"


def table(groups, options):
    lines = ["| collective | bytes | railgauge, us | Open MPI, us | MPICH, us | ratio to the faster | 95 % interval | at most | groups | verdict |",
             "|---|---:|---:|---:|---:|---:|---|---:|---:|---|"]
    failed = []
    for collective in options.collectives:
        for size in options.sizes:
            measured = common.steady_only(groups.get((collective, size), {}))
            if len(measured) < 3:
                lines.append(f"| {collective} | {size:,} | | | | | | | {len(measured)} | too few |")
                failed.append((collective, size))
                continue
            ratios = [one["railgauge"] / min(one[name] for name in MPIS) for one in measured]
            low, high = common.interval(ratios, options.seed)
            limit = limit_of(collective, options.ranks, size)
            judged = "ok" if low <= limit else "slower"
            if judged != "ok":
                failed.append((collective, size))
            mine, *others = (statistics.median(one[name] for one in measured) for name in ("railgauge", *MPIS))
            lines.append(f"| {collective} | {size:,} | {microseconds(mine)} | " + " | ".join(map(microseconds, others)) +
                         f" | {statistics.median(ratios):.3f} | {low:.3f} to {high:.3f} | {limit} | {len(measured)} | {judged} |")
    return lines, failed


def page(rows, options, weather):
    found = [common.first_line([program, *arguments]) for program, *arguments in (("mpirun.openmpi", "--version"), ("mpichversion",))]
    versions = ", ".join(" ".join(line.split()) for line in found)
    command = "ci/peers collectives" + "".join(f" {shlex.quote(word)}" for word in sys.argv[2:])
    return [
        f"# Collectives between {options.ranks} processes, beside Open MPI and MPICH", "",
        *__doc__.split("\n\n")[1].replace("\n", " ").split("\n"), "", *rows, "",
        f"Made by `{command}` on {datetime.date.today().isoformat()}: {common.machine(options)}; {versions}. {weather.sentence()}", ""]


def read_options():
    parser = argparse.ArgumentParser(prog="ci/peers collectives", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_options(parser, "peers-collectives.jsonl")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--launches", type=int, default=10, help="on each side, for each size (default 10)")
    parser.add_argument("--collectives", default="all_reduce", help="names separated by commas, or all")
    options = parser.parse_args(sys.argv[2:])
    options.sizes = options.sizes or SIZES
    options.collectives = list(PROGRAMS) if options.collectives == "all" else options.collectives.split(",")
    if unknown := [one for one in options.collectives if one not in PROGRAMS]:
        common.stop(f"--collectives takes {', '.join(PROGRAMS)}, not {unknown[0]!r}")
    return options


def main():
    options = read_options()
    common.need(options.program, "build it first: ci/quickstart")
    for name, (_, launcher) in MPIS.items():
        common.need(launcher[0], f"it is in {name}")
    raw = common.open_raw(options)
    with tempfile.TemporaryDirectory() as folder:
        options.cache = pathlib.Path(folder)
        options.loops = build(options.cache)
        common.wait_until_quiet(options.patience)
        weather = common.Weather()
        tune(options)
        wanted = [(number, collective, size) for number in range(options.launches) for collective in options.collectives
                  for size in options.sizes]
        groups = common.measure_all(options, raw, ("collective", "bytes"), wanted, sides_of,
                                    lambda collective, size: f"{collective}, {size} bytes")
    rows, failed = table(groups, options)
    rows += ["", common.how_many(groups)]
    print("\n".join(rows))
    common.write_page(options, page(rows, options, weather))
    return 1 if failed else 0
