"""Copies between the host and one GPU, and within it, beside nvbandwidth, on a machine with a GPU.

Launches of the two programs alternate; in each, both measure the same copies of 256 MiB, and the chase of 2 MiB. The unit is the pair of
launches: its ratio (railgauge over nvbandwidth; of the latency the other way around, so that more is better in each line), and the interval
of the median ratio when pairs are resampled (bootstrap, seeded).

    ci/peers copies --program bin/railgauge --nvbandwidth ./nvbandwidth
    ci/peers copies --launches 10 --gpu 1 --output copies.md
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

# nvbandwidth's name: from, to, mover, algorithm
CASES = {
    "host_to_device_memcpy_ce": ("numa", "cuda", "engine", "one_way"),
    "device_to_host_memcpy_ce": ("cuda", "numa", "engine", "one_way"),
    "host_to_device_bidirectional_memcpy_ce": ("numa", "cuda", "engine", "two_way"),
    "host_to_device_memcpy_sm": ("numa", "cuda", "kernel", "one_way"),
    "device_to_host_memcpy_sm": ("cuda", "numa", "kernel", "one_way"),
    "device_local_copy": ("cuda", "cuda", "engine", "one_way"),
    "host_device_latency_sm": ("numa", "cuda", "kernel", "chase"),
}
LATENCY = "host_device_latency_sm"
COPY_BYTES, CHASE_BYTES = 256 << 20, 2 << 20


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=common.LAUNCH_DEADLINE)
    if done.returncode:
        raise ValueError(f"{command[0]} exited with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


def parse_nvbandwidth(text, gpu):
    """{case: GB/s, or ns} of one GPU's column."""
    found = {}
    for case in json.loads(text)["nvbandwidth"]["testcases"]:
        if case.get("status") == "Passed":
            found[case["name"]] = float(case["bandwidth_matrix"][0][gpu])
    return found


def parse_railgauge(text):
    """{case: GB/s, or ns} of JSON lines."""
    found = {}
    for line in text.splitlines():
        record = json.loads(line)
        if record.get("status") not in ("ok", "not_converged"):
            continue
        ends = [record[end].rstrip("0123456789").rstrip(":") for end in ("from_node", "to_node")]
        size = CHASE_BYTES if record["algorithm"] == "chase" else COPY_BYTES
        if record["bytes"] != size:
            continue
        for name, case in CASES.items():
            if (*ends, record["transport"].split("_")[0], record["algorithm"]) == case and name not in found:
                found[name] = record["median"] * 1e9 if name == LATENCY else record["busbw"]
    return found


def run_nvbandwidth(options):
    return parse_nvbandwidth(run([options.nvbandwidth, "-j", "-b", str(COPY_BYTES >> 20), "-t", *CASES]), options.gpu)


def run_railgauge(options):
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for words in (["--way", "all", "--algorithm", "one_way,two_way", "--bytes", str(COPY_BYTES)],
                      ["--algorithm", "chase", "--bytes", str(CHASE_BYTES)]):
            output = os.path.join(folder, "result.jsonl")
            run([options.program, "bench", "copy", "--gpu", str(options.gpu), "--max-time", "0.3", *words, "-o", output])
            with open(output, encoding="utf-8") as lines:
                found.update(parse_railgauge(lines.read()))
            os.remove(output)
    return found


def table(groups, options):
    lines = ["| nvbandwidth's name | railgauge | nvbandwidth | ratio | 95 % interval | pairs |", "|---|---:|---:|---:|---|---:|"]
    measured = [group for one in groups.values() for group in one.values()]
    for name in CASES:
        pairs = [(one["railgauge"].get(name), one["nvbandwidth"].get(name)) for one in measured]
        pairs = [(mine, other) for mine, other in pairs if mine and other]
        if not pairs:
            lines.append(f"| {name} | | | | | none |")
            continue
        ratios = [other / mine if name == LATENCY else mine / other for mine, other in pairs]
        low, high = common.interval(ratios, options.seed)
        unit = "ns" if name == LATENCY else "GB/s"
        mine, other = (statistics.median(column) for column in zip(*pairs))
        lines.append(f"| {name} | {mine:.2f} {unit} | {other:.2f} {unit} | {statistics.median(ratios):.3f} | {low:.3f} to {high:.3f} | "
                     f"{len(pairs)} |")
    return lines


def page(rows, options):
    gpu = common.first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "-i", str(options.gpu)])
    command = "ci/peers copies" + "".join(f" {shlex.quote(word)}" for word in sys.argv[2:])
    return ["# Copies beside nvbandwidth", "", *rows, "",
            f"Made by `{command}` on {datetime.date.today().isoformat()}: {gpu} (name, driver), {common.machine(options)}.", ""]


def read_options():
    parser = argparse.ArgumentParser(prog="ci/peers copies", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_options(parser, "peers-copies.jsonl")
    parser.add_argument("--nvbandwidth", default="nvbandwidth", help="the program (default: on the path)")
    parser.add_argument("--gpu", type=int, default=0)
    parser.add_argument("--launches", type=int, default=5, help="on each side (default 5)")
    options = parser.parse_args(sys.argv[2:])
    options.probing = False  # cores take no part
    return options


def main():
    options = read_options()
    common.need(options.program, "build it first: ci/quickstart")
    common.need(options.nvbandwidth, "it is built from NVIDIA's sources")
    raw = common.open_raw(options)
    sides = {"railgauge": lambda: run_railgauge(options), "nvbandwidth": lambda: run_nvbandwidth(options)}
    groups = common.measure_all(options, raw, ("gpu",), [(number, options.gpu) for number in range(options.launches)],
                                lambda options, gpu: sides, lambda gpu: f"GPU {gpu}")
    rows = table(groups, options)
    print("\n".join(rows))
    common.write_page(options, page(rows, options))
    return 2 if all(row.endswith("none |") for row in rows[2:]) else 0
