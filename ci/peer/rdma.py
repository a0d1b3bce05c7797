"""The card's own operations by railgauge (`bench write`, `read`, `send`, `fetch_add`) beside perftest, over soft-RoCE.

Both use the same memory for each message (perftest always does; `--cache warm`), start a process for each size, and run between the
two devices of the virtual machine of ci/vm, in the same boot, in pairs of launches whose order turns. The ratio is that of medians, its
interval from pairs drawn anew. In user-mode Linux, which has one core, latencies are those of ranks that sleep
until the card wakes them (perftest's -e), and all of the machine is kept on one core of this one: its processes wake each other at
each system call, which takes three times as long from core to core. In QEMU's two cores writes are polled for.

    ci/peers rdma                                                      15 pairs, in user-mode Linux
    ci/peers rdma --kind qemu --tests write_lat
    ci/peers rdma --tests write_bw,read_bw --output docs/measured/rdma.md
"""
import argparse
import datetime
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

from peer import common

SIZES = [2, 64, 1024, 8192, 65536, 1048576, 8388608]
# name: perftest's program and words, railgauge's operation and words, whether more is better
TESTS = {
    "write_bw": (["ib_write_bw"], ["write", "--algorithm", "bandwidth"]),
    "read_bw": (["ib_read_bw"], ["read", "--algorithm", "bandwidth"]),
    "send_bw": (["ib_send_bw"], ["send", "--algorithm", "bandwidth"]),
    "send_lat": (["ib_send_lat", "-e"], ["send", "--algorithm", "latency", "--events"]),
    "read_lat": (["ib_read_lat", "-e"], ["read", "--algorithm", "latency", "--events"]),
    "atomic_lat": (["ib_atomic_lat", "-e"], ["fetch_add", "--algorithm", "latency", "--events"]),
    "write_lat": (["ib_write_lat"], ["write", "--algorithm", "latency"]),
}
USUAL = {"uml": "write_bw,read_bw,send_bw,send_lat,read_lat,atomic_lat", "qemu": "write_lat"}
DEADLINE = 120


def is_latency(test):
    return test.endswith("_lat")


def sizes_of(test, options):
    return [8] if test == "atomic_lat" else options.sizes


def iterations(test, size):
    """Perftest's: about half a second at what soft-RoCE does."""
    each = 40e-6 + size / 4e8 if is_latency(test) else 4e-6 + size / 4e8
    return max(20, min(5000, int(0.5 / each)))


def value_of(test, text):
    """Seconds, or bytes a second, of the one line of numbers that perftest prints."""
    for line in text.splitlines():
        words = line.split()
        if len(words) > 4 and words[0].isdigit():
            # Latency: the median, in us. Bandwidth: the rate of messages, in millions, which has more digits than the bandwidth.
            value = float(words[4])
            if not 0 < value < float("inf"):  # where perftest could not find out how fast its clock runs
                break
            return value * 1e-6 if is_latency(test) else value * 1e6 * int(words[0])
    raise ValueError(f"perftest printed no result: {text.strip()[-300:]!r}")


def run_perftest(test, size):
    words = [*TESTS[test][0], "-F", "-x", "1", "-n", str(iterations(test, size))]
    words += ["-s", str(size)] if test != "atomic_lat" else []
    with tempfile.TemporaryFile("w+") as log:
        server = subprocess.Popen([*words, "-d", "rxe1"], stdout=log, stderr=log)
        try:
            for _ in range(40):  # until the server listens
                time.sleep(0.05)
                client = subprocess.run([*words, "-d", "rxe0", "10.0.0.2"], capture_output=True, text=True, timeout=DEADLINE, check=False)
                if client.returncode == 0:
                    return value_of(test, client.stdout)
                if server.poll() is not None:
                    break
            raise ValueError(f"{words[0]} exited with {client.returncode}: {(client.stderr or client.stdout).strip()[-300:]}")
        finally:
            common.end(server)


def again(launch, times=9):
    """perftest fails now and then, where its clock cannot be calibrated."""
    for left in reversed(range(times)):
        try:
            return launch()
        except ValueError:
            if left == 0:
                raise


def run_railgauge(program, test, size):
    """A process for each size, as perftest has."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "result.jsonl")
        command = [program, "bench", *TESTS[test][1], "--ranks", "2", "--bytes", str(size), "--device", "rxe0,rxe1",
                   "--max-time", "1s", "--depth", "128", "--cache", "warm", "--check", "last", "-o", output]
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
        if done.returncode:
            raise ValueError(f"railgauge exited with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
        with open(output, encoding="utf-8") as lines:
            median = float(json.loads(lines.readline())["median"])
        return median if is_latency(test) else size / median


def inside(options):
    """In the virtual machine: a JSON line for each pair of launches."""
    for number in range(options.pairs):
        for test in options.tests:
            sizes = sizes_of(test, options)
            sides = {"railgauge": lambda: {size: run_railgauge(options.program, test, size) for size in sizes},
                     "perftest": lambda: {size: again(lambda: run_perftest(test, size)) for size in sizes}}
            try:
                pair = {name: sides[name]() for name in sorted(sides, reverse=number % 2 == 1)}
            except (ValueError, OSError, KeyError, subprocess.TimeoutExpired) as fault:
                print(json.dumps({"test": test, "fault": str(fault)}), flush=True)
                continue
            print(json.dumps({"test": test, "number": number, **pair}), flush=True)
    return 0


def interval(pairs, seed, resamples=4000):
    draw = random.Random(seed)
    ratios = sorted(ratio_of(draw.choices(pairs, k=len(pairs))) for _ in range(resamples))
    return ratios[int(0.025 * resamples)], ratios[int(0.975 * resamples) - 1]


def ratio_of(pairs):
    mine, theirs = zip(*pairs)
    return statistics.median(mine) / statistics.median(theirs)


def table(results, options):
    lines = ["| test | bytes | railgauge | perftest | ratio | 95 % interval | pairs | verdict |", "|---|---:|---:|---:|---:|---|---:|---|"]
    failed = 0
    for test in options.tests:
        unit, scale = ("us", 1e6) if is_latency(test) else ("MB/s", 1e-6)
        for size in sizes_of(test, options):
            pairs = [(one["railgauge"][str(size)], one["perftest"][str(size)]) for one in results if one["test"] == test]
            if len(pairs) < 3:
                lines.append(f"| {test} | {size:,} | | | | | {len(pairs)} | too few |")
                failed += 1
                continue
            low, high = interval(pairs, options.seed)
            # Latencies are to be no higher, bandwidths no lower.
            good = low <= 1 if is_latency(test) else high >= 1
            failed += not good
            mine, theirs = (statistics.median(side) * scale for side in zip(*pairs))
            lines.append(f"| {test} | {size:,} | {mine:,.4g} {unit} | {theirs:,.4g} {unit} | {ratio_of(pairs):.3f} | {low:.3f} to {high:.3f} | "
                         f"{len(pairs)} | {'ok' if good else 'WORSE'} |")
    return lines, failed


def page(rows, options, weather):
    command = "ci/peers rdma" + "".join(f" {shlex.quote(word)}" for word in sys.argv[2:])
    version = common.first_line(["dpkg-query", "-W", "-f", "perftest ${Version}", "perftest"])
    return ["# Operations of the card beside perftest", "", *__doc__.split("\n\n")[1].replace("\n", " ").split("\n"), "", *rows, "",
            f"Made by `{command}` on {datetime.date.today().isoformat()}: {common.machine(options)}; {version}. {weather.sentence()}", ""]


def read_options():
    parser = argparse.ArgumentParser(prog="ci/peers rdma", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(common.ROOT / "build/bin/railgauge"), help="default: build/bin/railgauge")
    parser.add_argument("--kind", choices=("uml", "qemu"), default="uml")
    parser.add_argument("--pairs", type=int, default=15, help="of launches (default 15)")
    parser.add_argument("--tests", help=f"separated by commas: {', '.join(TESTS)}")
    parser.add_argument("--sizes", type=common.sizes_of, default=SIZES, help="bytes, separated by commas")
    parser.add_argument("--core", default="1", help="of this machine, for user-mode Linux (default 1)")
    parser.add_argument("--seed", type=int, default=1, help="of the resampling")
    parser.add_argument("--patience", type=float, default=300, help="seconds to wait for a quiet machine (default 300)")
    parser.add_argument("--output", help="also write a page with machine, versions and date to this file")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(sys.argv[2:])
    options.tests = (options.tests or USUAL[options.kind]).split(",")
    if unknown := [one for one in options.tests if one not in TESTS]:
        common.stop(f"--tests takes {', '.join(TESTS)}, not {unknown[0]!r}")
    return options


def main():
    options = read_options()
    if options.inside:
        return inside(options)
    common.need(options.program, "build it first: ci/quickstart")
    common.need("ib_write_bw", "it is in perftest")
    common.wait_until_quiet(options.patience)
    weather = common.Weather()
    pinned = ["taskset", "-c", options.core] if options.kind == "uml" else []
    command = [*pinned, str(common.ROOT / "ci/vm"), "--kind", options.kind, "--timeout", "7200", "--", str(common.ROOT / "ci/peers"), "rdma", "--inside",
               "--program", options.program, "--pairs", str(options.pairs), "--tests", ",".join(options.tests),
               "--sizes", ",".join(map(str, options.sizes))]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for one in lines:
        if "fault" in one:
            print(f"peers: {one['test']}: {one['fault']}", file=sys.stderr)
    if done.returncode or not lines:
        common.stop(f"the virtual machine ended with {done.returncode}: {done.stdout.strip()[-300:]}")
    rows, failed = table([one for one in lines if "fault" not in one], options)
    print("\n".join(rows))
    common.write_page(options, page(rows, options, weather))
    return 1 if failed else 0
