#!/usr/bin/env python3
"""What others published of training steps on real clusters, beside what railgauge predicts of the same machines, generated.

usage: published_steps.py [FAMILY...]        RAILGAUGE is the program

Prints a row for each of tests/workload/published.csv, or of the families whose names begin so. How fast a GPU computes is not published, and no topology
tells it: in each family, rows of one source, software and kind of GPU, it is taken from the smallest number of GPUs, so that its predicted step is the
published one (--tflops). Nothing else is fitted. The other rows are predicted with that rate; what they lose or gain against it is what they have to
show. Exit code 0: it tells how far off it is, and holds nothing against a threshold.
"""
import csv
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "workload")
# Parameters, layers and hidden size of the models whose sources tell operations instead of times.
SHAPES = {"llama3-405b": (405.85e9, 126, 16384)}
LONG = 8192  # tokens of a sequence without --sequence


def operations(words):
    """Floating-point operations of a token, forward and backward: 6 a parameter, and those of causal attention."""
    parameters, layers, hidden = SHAPES[words[0]]
    tokens = int(words[words.index("--sequence") + 1]) if "--sequence" in words else LONG
    return 6 * parameters + 6 * layers * hidden * tokens


def published_step(row):
    """Seconds of a step."""
    items, value, ranks = float(row["items"]), float(row["value"]), int(row["ranks"])
    return {"s": lambda: value,
            "items/s": lambda: items / value,
            "items/s/GPU": lambda: items / (value * ranks),
            "TFLOP/s/GPU": lambda: items * operations(row["words"].split()) / (value * 1e12 * ranks)}[row["unit"]]()


def predicted(row, tflops):
    """The record of the step, in seconds."""
    topology = row["topology"] if not row["topology"].endswith(".txt") else os.path.join(FOLDER, row["topology"])
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "step.jsonl")
        command = [os.environ["RAILGAUGE"], "workload", *row["words"].split(), "--ranks", row["ranks"], "--topology", topology, "--tflops",
                   repr(tflops), "-o", output]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{shlex.join(command)}: {run.stderr.strip()}")
        with open(output, encoding="utf-8") as file:
            return json.loads(file.readline())


def rate_of(row):
    """TFLOP/s of a GPU with which the step of this row takes as long as published: a step is nearly a constant and a part that goes with 1/rate."""
    wanted, rate = published_step(row), 100.0
    for _ in range(8):
        record = predicted(row, rate)
        computing = record["alone_computation"]
        if abs(record["seconds"] / wanted - 1) < 1e-4:
            return rate
        rest = record["seconds"] - computing  # taken for constant, and found again in the next turn
        scale = record["seconds"] / wanted if rest >= wanted else computing / (wanted - rest)
        rate *= min(max(scale, 0.2), 5)
    sys.exit(f"{row['family']}: no rate of computation gives the published {wanted:.4g} s of {row['machines']}")


def cells(*values):
    print("| " + " | ".join(values) + " |", flush=True)


def main():
    with open(os.path.join(FOLDER, "published.csv"), encoding="utf-8", newline="") as file:
        rows = [it for it in csv.DictReader(file) if len(sys.argv) == 1 or it["family"].startswith(tuple(sys.argv[1:]))]
    print("| training | machines | GPUs | published | step, s | predicted, s | difference | exposed | from |\n|---|---|---:|---:|---:|---:|---:|---:|---|")
    errors, rates = [], {}
    for row in rows:
        begin = (row["family"], row["machines"], row["ranks"], f"{row['value']} {row['unit']}" if row["value"] else "-")
        if row["reason"]:
            cells(*begin, "-", "-", row["reason"], "", row["source"])
            continue
        if row["reference"]:
            rates[row["family"]] = rate_of(row)
        wanted, record = published_step(row), predicted(row, rates[row["family"]])
        error = record["seconds"] / wanted - 1
        if not row["reference"]:
            errors.append(error)
        told = f"with {rates[row['family']]:.4g} TFLOP/s{', ' + row['assumed'] if row['assumed'] else ''}" if row["reference"] else f"{error * 100:+.1f} %"
        cells(*begin, f"{wanted:.4g}", f"{record['seconds']:.4g}", told, f"{record['exposed'] / record['seconds'] * 100:.0f} %", row["source"])
    if errors:
        print(f"\n{len(errors)} steps predicted by the rate of another: median difference {statistics.median(map(abs, errors)) * 100:.1f} %, largest "
              f"{max(map(abs, errors)) * 100:.1f} %")
    return 0


sys.exit(main())
