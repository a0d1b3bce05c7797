"""Ping-pong of 8 bytes over shared memory beside two bare flags.

ci/peer/flags_loop.c is two processes, each waiting for a cache line that the other one writes, with nothing around it: the usual loop,
and one that pauses between two looks, which is what no library can be faster than. All run on the same two cores, one after the other, between probes
of the path from core to core; a launch whose probes differ is made again. The ratio is the median over launches, its interval that of
launches drawn anew; it is to be at most 1.1 of the usual loop.

    ci/peers flags
    ci/peers flags --launches 40 --output docs/measured/flags.md
"""
import argparse
import datetime
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

from peer import common

LIMIT = 1.1
ROUND_TRIPS = 20000
LOOPS = {"usual": "two flags", "pausing": "two flags, with pauses"}


def run_flags(options):
    done = subprocess.run([str(options.loop), *options.cores.split(","), str(ROUND_TRIPS)], capture_output=True, text=True,
                          timeout=common.LAUNCH_DEADLINE)
    if done.returncode:
        raise ValueError(f"flags_loop exited with {done.returncode}: {done.stderr.strip()[-300:]}")
    return dict(zip(LOOPS, map(float, done.stdout.split()), strict=True))


def sides_of(options, size):
    return {"railgauge": lambda: common.ping_pong(options, size, ["--transport", "shm", "--max-time", "0.3s"]),
            "flags": lambda: run_flags(options)}


def table(measured, options):
    lines = ["| beside | railgauge, ns | it, ns | ratio | 95 % interval | to reach | launches | verdict |", "|---|---:|---:|---:|---|---:|---:|---|"]
    if len(measured) < 5:
        return [*lines, f"| | | | | | {LIMIT} | {len(measured)} | too few |"], 1
    failed = 0
    for name, words in LOOPS.items():
        ratios = [one["railgauge"] / one["flags"][name] for one in measured]
        low, high = common.interval(ratios, options.seed)
        mine, other = (statistics.median(side) * 1e9 for side in zip(*((one["railgauge"], one["flags"][name]) for one in measured)))
        limit, verdict = "", ""
        if name == "usual":
            limit, verdict = LIMIT, "below" if high <= LIMIT else "touches" if low <= LIMIT else "ABOVE"
            failed = int(low > LIMIT)
        lines.append(f"| {words} | {mine:.1f} | {other:.1f} | {statistics.median(ratios):.3f} | {low:.3f} to {high:.3f} | {limit} | {len(measured)} | {verdict} |")
    return lines, failed


def main():
    parser = argparse.ArgumentParser(prog="ci/peers flags", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_options(parser, "peers-flags.jsonl")
    parser.add_argument("--launches", type=int, default=20, help="on each side (default 20)")
    parser.add_argument("--judge", nargs="+", metavar="RAW", help="measure nothing: one table of all launches that these raw files hold")
    options = parser.parse_args(sys.argv[2:])
    if options.judge:
        runs = [common.read_groups(pathlib.Path(one), ("bytes",)) for one in options.judge]
        rows, failed = table([one for pairs in runs for one in common.steady_only(pairs.get((8,), {}))], options)
        print("\n".join(rows))
        return failed
    common.need(options.program, "build it first: ci/quickstart")
    common.need("gcc", "it is in gcc")
    raw = common.open_raw(options)
    with tempfile.TemporaryDirectory() as folder:
        options.loop = pathlib.Path(folder) / "flags_loop"
        done = subprocess.run(["gcc", "-O2", str(common.ROOT / "ci/peer/flags_loop.c"), "-o", str(options.loop)], capture_output=True, text=True)
        if done.returncode:
            common.stop(f"gcc: {done.stderr.strip()[:300]}")
        common.wait_until_quiet(options.patience)
        weather = common.Weather()
        wanted = [(number, 8) for number in range(options.launches)]
        pairs = common.measure_all(options, raw, ("bytes",), wanted, sides_of, lambda size: f"{size} bytes")
    rows, failed = table(common.steady_only(pairs.get((8,), {})), options)
    rows += ["", common.how_many(pairs)]
    print("\n".join(rows))
    command = "ci/peers flags" + "".join(f" {shlex.quote(word)}" for word in sys.argv[2:])
    common.write_page(options, [
        "# Ping-pong over shared memory beside bare flags", "", *__doc__.split("\n\n")[1].replace("\n", " ").split("\n"), "", *rows, "",
        f"Made by `{command}` on {datetime.date.today().isoformat()}: {common.machine(options)}. {weather.sentence()}", ""])
    return 1 if failed else 0
