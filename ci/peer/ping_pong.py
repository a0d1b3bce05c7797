"""Ping-pong of railgauge over UCX beside ucx_perftest's tag_lat.

Both run as two processes on the same two cores, over shared memory and over TCP, in pairs of launches. Launches of one command
differ more than the measurements within it, so the unit is the pair: its ratio, and the interval of the median ratio when pairs are
resampled (bootstrap, seeded). A virtual machine may move its cores meanwhile, and then everything between them takes several times as
long: the path from core to core is probed before, between and after the two launches (8 bytes over shm), and a pair whose probes
differ is measured again. Each pair is appended to a raw file when it ends, and a second start goes on where the first was
interrupted; another file or --fresh begins anew.

    ci/peers ping_pong                                  everything: 20 pairs, 8 sizes, shared memory and TCP
    ci/peers ping_pong --sizes 8,4096 --tls tcp         a part of it
    ci/peers ping_pong --output docs/measured/ping-pong.md
"""
import argparse
import datetime
import os
import shlex
import socket
import statistics
import subprocess
import sys
import time

from peer import common

SIZES = [8, 64, 512, 4096, 32768, 262144, 2097152, 16777216]
TLS = {"shm": "shared memory", "tcp": "TCP"}
UCX_TLS = {"shm": "shm,self", "tcp": "tcp,self"}  # "shm" is what UCX takes for local ranks when nothing is asked for
RATIO_LIMIT, NANOSECONDS_LIMIT = 1.05, 15.0
WIDEST = 1.25  # the upper end of an interval over the lower one, beyond which it says nothing


def round_trips(tls, size):
    """As many on both sides; about a third of a second, and never so few that a median means nothing."""
    expected = (6e-6 if tls == "tcp" else 0.3e-6) + size / 2.5e9
    return max(60, min(200000, int(0.3 / (2 * expected))))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def parse_perftest(text):
    """Half a round trip in seconds, the 50th percentile, from the last line of CSV output."""
    rows = [line.split(",") for line in map(str.strip, text.splitlines()) if line[:1].isdigit()]
    if not rows or len(rows[-1]) < 3:
        raise ValueError(f"ucx_perftest printed no result: {text.strip()[-200:]!r}")
    return float(rows[-1][1]) * 1e-6


def run_perftest(options, tls, size):
    environment = dict(os.environ, UCX_TLS=UCX_TLS[tls])
    port = str(free_port())
    trips = round_trips(tls, size)
    cores = options.cores.split(",")
    server = subprocess.Popen(["taskset", "-c", cores[0], options.perftest, "-p", port], env=environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        command = ["taskset", "-c", cores[1], options.perftest, "127.0.0.1", "-p", port, "-t", "tag_lat", "-f", "-v",
                   "-s", str(size), "-n", str(trips), "-w", str(max(20, trips // 10))]
        for attempt in range(50):  # until the server listens
            client = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=common.LAUNCH_DEADLINE)
            if client.returncode == 0:
                return parse_perftest(client.stdout)
            if server.poll() is not None:
                break
            time.sleep(0.1)
        raise ValueError(f"ucx_perftest exited with {client.returncode}: {client.stderr.strip()[-200:]}")
    finally:
        common.end(server)


def run_railgauge(options, tls, size):
    return common.ping_pong(options, size, ["--transport", "ucx", "--set", f"ucx.tls={UCX_TLS[tls]}", *shlex.split(options.extra)])


SIDES = {"railgauge": run_railgauge, "ucx_perftest": run_perftest}


def sides_of(options, tls, size):
    return {name: lambda run=run: run(options, tls, size) for name, run in SIDES.items()}


def verdict(low, high, difference):
    if high > WIDEST * low:
        return "unclear: interval too wide"
    return "ok" if low <= RATIO_LIMIT or difference < NANOSECONDS_LIMIT else "slower"


def nanoseconds(seconds):
    value = seconds * 1e9
    return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def table(pairs, options):
    lines = ["| path | bytes | railgauge, ns | ucx_perftest, ns | ratio | 95 % interval | difference, ns | pairs | verdict |",
             "|---|---:|---:|---:|---:|---|---:|---:|---|"]
    failed = []
    for tls in options.tls:
        for size in options.sizes:
            measured = common.steady_only(pairs.get((tls, size), {}))
            if len(measured) < 5:
                lines.append(f"| {TLS[tls]} | {size:,} | | | | | | {len(measured)} | too few pairs |")
                failed.append((tls, size))
                continue
            ratios = [one["railgauge"] / one["ucx_perftest"] for one in measured]
            difference = statistics.median((one["railgauge"] - one["ucx_perftest"]) * 1e9 for one in measured)
            low, high = common.interval(ratios, options.seed)
            judged = verdict(low, high, difference)
            if judged != "ok":
                failed.append((tls, size))
            mine, other = (statistics.median(one[side] for one in measured) for side in SIDES)
            lines.append(f"| {TLS[tls]} | {size:,} | {nanoseconds(mine)} | {nanoseconds(other)} | {statistics.median(ratios):.3f} | "
                         f"{low:.3f} to {high:.3f} | {difference:+,.1f} | {len(measured)} | {judged} |")
    return lines, failed


def page(rows, options, weather):
    ucx = "UCX " + common.first_line(["ucx_info", "-v"]).split()[-1]
    command = "ci/peers ping_pong" + "".join(f" {shlex.quote(word)}" for word in sys.argv[2:])
    today = datetime.date.today().isoformat()
    return [
        "# Ping-pong over UCX against ucx_perftest",
        "",
        "Half a round trip between two processes on two cores of one machine. Launches are made in pairs, one of each side, and a pair "
        "counts when the path from core to core, probed before, between and after its launches, stayed the same (within "
        f"{common.STEADY}). The times are medians over all pairs, the ratio is the median of the pairs' ratios, and its interval that of pairs "
        f"resampled (10,000 times, seed {options.seed}). A size is ok when the interval reaches {RATIO_LIMIT} or below, or the median "
        f"difference is under {NANOSECONDS_LIMIT:.0f} ns; an interval whose ends are further apart than {WIDEST} is unclear.",
        "",
        *rows,
        "",
        f"Made by `{command}` on {today}: {common.machine(options)}, {ucx}. The other side of each line: `ucx_perftest -t tag_lat` with "
        "the same UCX_TLS and as many round trips as fit into 0.3 s. Buffers are warm on both sides. "
        f"{weather.sentence()}",
        ""]


def read_options():
    parser = argparse.ArgumentParser(prog="ci/peers ping_pong", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_options(parser, "peers-ping-pong.jsonl")
    parser.add_argument("--sizes", type=common.sizes_of, help="bytes, separated by commas")
    parser.add_argument("--perftest", default="ucx_perftest")
    parser.add_argument("--launches", type=int, default=20, help="on each side, for each size (default 20)")
    parser.add_argument("--tls", default=",".join(TLS), help="shm, tcp or both, separated by commas")
    parser.add_argument("--extra", default="--max-time 0.3s", help="further options of railgauge bench")
    options = parser.parse_args(sys.argv[2:])
    options.sizes = options.sizes or SIZES
    options.tls = options.tls.split(",")
    if unknown := [one for one in options.tls if one not in TLS]:
        common.stop(f"--tls takes shm and tcp, not {unknown[0]!r}")
    return options


def main():
    options = read_options()
    common.need(options.program, "build it first: ci/quickstart")
    common.need(options.perftest, "it is in ucx-utils")
    common.need("taskset", "it is in util-linux")
    raw = common.open_raw(options)
    common.wait_until_quiet(options.patience)
    weather = common.Weather()
    wanted = [(number, tls, size) for number in range(options.launches) for tls in options.tls for size in options.sizes]
    pairs = common.measure_all(options, raw, ("tls", "bytes"), wanted, sides_of, lambda tls, size: f"{TLS[tls]}, {size} bytes")
    rows, failed = table(pairs, options)
    rows += ["", common.how_many(pairs)]
    print("\n".join(rows))
    common.write_page(options, page(rows, options, weather))
    return 1 if failed else 0
