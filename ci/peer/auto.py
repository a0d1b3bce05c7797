"""`--algorithm auto` beside every algorithm of the catalog, on this machine.

A group is one `railgauge bench tune`, a launch that says what auto takes by it, and another tune, between probes of the path from core
to core. In the second tune all algorithms of a size stand next to each other, five times: what auto took is compared there with the
algorithm that is fastest by the median of all other groups (so that nobody is best by luck), within each of the five, and their
median is the group's ratio. What is shown is the median over the groups, its interval from groups drawn anew. The limit is 5 % behind.

    ci/peers auto                                  all_reduce of 2 ranks over shared memory
    ci/peers auto --collectives all --ranks 4
    ci/peers auto --transport ucx --collectives broadcast --launches 20
"""
import argparse
import datetime
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile

from peer import common

COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "gather", "scatter", "all_to_all")
SIZES = [4 ** power for power in range(1, 13)]
LIMIT = 1.05


def bench(options, words, output, more):
    command = ["taskset", "-c", options.cores, options.program, "bench", *words, "--ranks", str(options.ranks), "--transport",
               options.transport, "--bytes", ",".join(map(str, options.sizes)), "--cache", "warm", "--check", "last", *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10 * common.LAUNCH_DEADLINE)
    if done.returncode:
        raise ValueError(f"railgauge exited with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
    times = {}
    with open(output, encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["status"] in ("ok", "not_converged"):
                times.setdefault(record["bytes"], {}).setdefault(record["algorithm"], []).append(record["median"])
    return times


def tune(options, collective, table):
    """{bytes: {algorithm: seconds of each pass}}"""
    return bench(options, ["tune", collective], table, ["--tuning", table])


def choice(options, collective):
    """{bytes: algorithm} that auto takes after a tune of its own."""
    with tempfile.TemporaryDirectory() as folder:
        table, output = os.path.join(folder, "tuning.jsonl"), os.path.join(folder, "result.jsonl")
        tune(options, collective, table)
        taken = bench(options, [collective], output, ["--tuning", table, "--algorithm", "auto", "--max-time", "0.05s", "-o", output])
        return {size: next(iter(each)) for size, each in taken.items()}


def every(options, collective):
    with tempfile.TemporaryDirectory() as folder:
        return tune(options, collective, os.path.join(folder, "tuning.jsonl"))


def sides_of(options, collective):
    return {"auto": lambda: choice(options, collective), "all": lambda: every(options, collective)}


def behind(group, size, name, other):
    """How much longer `name` takes than `other`: the median over the passes of one tune."""
    mine, theirs = group["all"][size][name], group["all"][size][other]
    return statistics.median(a / b for a, b in zip(mine, theirs))


def fastest(groups, size):
    """The algorithm that is least behind the best of its pass, by the median of all."""
    def distance(name):
        return statistics.median(
            passes[at] / min(each[at] for each in group["all"][size].values() if at < len(each))
            for group in groups for passes in [group["all"][size][name]] for at in range(len(passes)))
    return min(sorted(groups[0]["all"][size]), key=distance)


def ratios_of(groups, size):
    return [behind(group, size, group["auto"][size], fastest([other for other in groups if other is not group], size))
            for group in groups]


def verdict(low, high):
    return "behind" if low > LIMIT else "within" if high <= LIMIT else "open"


def taken_words(groups, size):
    names = [group["auto"][size] for group in groups]
    return ", ".join(f"{name} {names.count(name)}" for name in sorted(set(names), key=lambda name: (-names.count(name), name)))


def table(groups, options):
    lines = ["| collective | bytes | auto takes, in groups | fastest | auto / fastest | 95 % interval | groups | verdict |",
             "|---|---:|---|---|---:|---|---:|---|"]
    failed = 0
    for collective in options.collectives:
        measured = common.steady_only(groups.get((collective,), {}))
        if len(measured) < 3:
            lines.append(f"| {collective} | | | | | | {len(measured)} | too few |")
            failed += 1
            continue
        for size in sorted(measured[0]["auto"], key=int):
            ratios = ratios_of(measured, size)
            low, high = common.interval(ratios, options.seed)
            failed += low > LIMIT
            lines.append(f"| {collective} | {int(size):,} | {taken_words(measured, size)} | {fastest(measured, size)} | "
                         f"{statistics.median(ratios):.3f} | {low:.3f} to {high:.3f} | {len(measured)} | {verdict(low, high)} |")
    return lines, failed


def read_options():
    parser = argparse.ArgumentParser(prog="ci/peers auto", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_options(parser, "peers-auto.jsonl")
    parser.add_argument("--sizes", type=common.sizes_of, default=SIZES, help="bytes, separated by commas")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--transport", default="shm")
    parser.add_argument("--launches", type=int, default=10, help="groups for each collective (default 10)")
    parser.add_argument("--collectives", default="all_reduce", help="names separated by commas, or all")
    options = parser.parse_args(sys.argv[2:])
    options.collectives = list(COLLECTIVES) if options.collectives == "all" else options.collectives.split(",")
    if unknown := [one for one in options.collectives if one not in COLLECTIVES]:
        common.stop(f"--collectives takes {', '.join(COLLECTIVES)} or all, not {unknown[0]!r}")
    return options


def main():
    options = read_options()
    common.need(options.program, "build it first: ci/quickstart")
    raw = common.open_raw(options)
    common.wait_until_quiet(options.patience)
    weather = common.Weather()
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
