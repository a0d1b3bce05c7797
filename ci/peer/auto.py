"""`--algorithm auto` beside every algorithm of the catalog, on this machine.

After `railgauge bench tune`, a group is one launch with `--algorithm auto` and one with `--algorithm all`, each over all sizes, between
probes of the way from core to core. The best algorithm of a size is the one whose median over the groups is lowest; the ratio is
auto's median to it, its interval from groups drawn anew. The limit is 5 % behind.

    ci/peers auto                                  all_reduce of 2 ranks over shared memory
    ci/peers auto --collectives all --ranks 4
    ci/peers auto --transport ucx --collectives broadcast --launches 20
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

COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "gather", "scatter", "all_to_all")
SIZES = [4 ** power for power in range(1, 13)]
LIMIT = 1.05


def bench(options, what, more):
    """{bytes: {algorithm: seconds}} of one launch."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "result.jsonl")
        command = ["taskset", "-c", options.cores, options.program, "bench", what, "--ranks", str(options.ranks), "--transport",
                   options.transport, "--bytes", ",".join(map(str, options.sizes)), "--cache", "warm", "--check", "last", "--tuning",
                   str(options.tuning), *more, "-o", output]
        done = subprocess.run(command, capture_output=True, text=True, timeout=10 * common.LAUNCH_DEADLINE)
        if done.returncode:
            raise ValueError(f"railgauge exited with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        times = {}
        if what == "tune":
            return times
        with open(output, encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                if record["status"] in ("ok", "not_converged"):
                    times.setdefault(record["bytes"], {})[record["algorithm"]] = record["median"]
        return times


def sides_of(options, collective):
    each = ["--max-time", options.max_time]
    return {"auto": lambda: bench(options, collective, [*each, "--algorithm", "auto"]),
            "all": lambda: bench(options, collective, [*each, "--algorithm", "all"])}


def ratio_of(groups, size):
    """Auto's median over the lowest of the catalog's, and whose that is."""
    mine = statistics.median(next(iter(one["auto"][size].values())) for one in groups)
    best = min((statistics.median(one["all"][size][name] for one in groups), name) for name in groups[0]["all"][size])
    return mine / best[0], best[1]


def interval(groups, size, seed, resamples=4000):
    draw = random.Random(seed)
    ratios = sorted(ratio_of(draw.choices(groups, k=len(groups)), size)[0] for _ in range(resamples))
    return ratios[int(0.025 * resamples)], ratios[int(0.975 * resamples) - 1]


def table(groups, options):
    lines = ["| collective | bytes | auto takes | fastest | auto / fastest | 95 % interval | groups | verdict |",
             "|---|---:|---|---|---:|---|---:|---|"]
    failed = 0
    for collective in options.collectives:
        measured = common.steady_only(groups.get((collective,), {}))
        if len(measured) < 3:
            lines.append(f"| {collective} | | | | | | {len(measured)} | too few |")
            failed += 1
            continue
        for size in sorted(measured[0]["auto"], key=int):
            ratio, best = ratio_of(measured, size)
            low, high = interval(measured, size, options.seed)
            failed += low > LIMIT
            lines.append(f"| {collective} | {int(size):,} | {next(iter(measured[0]['auto'][size]))} | {best} | {ratio:.3f} | "
                         f"{low:.3f} to {high:.3f} | {len(measured)} | {'behind' if low > LIMIT else 'ok'} |")
    return lines, failed


def read_options():
    parser = argparse.ArgumentParser(prog="ci/peers auto", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_options(parser, "peers-auto.jsonl")
    parser.add_argument("--sizes", type=common.sizes_of, default=SIZES, help="bytes, separated by commas")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--transport", default="shm")
    parser.add_argument("--launches", type=int, default=10, help="on each side, for each collective (default 10)")
    parser.add_argument("--collectives", default="all_reduce", help="names separated by commas, or all")
    parser.add_argument("--max-time", default="0.1s", help="for each size and algorithm of a launch (default 0.1s)")
    options = parser.parse_args(sys.argv[2:])
    options.collectives = list(COLLECTIVES) if options.collectives == "all" else options.collectives.split(",")
    if unknown := [one for one in options.collectives if one not in COLLECTIVES]:
        common.stop(f"--collectives takes {', '.join(COLLECTIVES)} or all, not {unknown[0]!r}")
    return options


def main():
    options = read_options()
    common.need(options.program, "build it first: ci/quickstart")
    raw = common.open_raw(options)
    with tempfile.TemporaryDirectory() as folder:
        options.tuning = pathlib.Path(folder) / "tuning.jsonl"
        common.wait_until_quiet(options.patience)
        weather = common.Weather()
        bench(options, "tune", [])
        wanted = [(number, collective) for number in range(options.launches) for collective in options.collectives]
        common.measure_all(options, raw, ("collective",), wanted, sides_of, lambda collective: collective)
    groups = common.read_groups(raw, ("collective",))
    rows, failed = table(groups, options)
    rows += ["", common.how_many(groups)]
    print("\n".join(rows))
    command = "ci/peers auto" + "".join(f" {shlex.quote(word)}" for word in sys.argv[2:])
    common.write_page(options, [
        f"# Does auto take the best algorithm? {options.ranks} ranks over {options.transport}", "",
        " ".join(__doc__.split("\n\n")[1].split("\n")), "", *rows, "",
        f"Made by `{command}` on {datetime.date.today().isoformat()}: {common.machine(options)}. {weather.sentence()}", ""])
    return 1 if failed else 0
