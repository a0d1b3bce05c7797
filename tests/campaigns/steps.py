#!/usr/bin/env python3
"""Predicted training steps beside measured ones, between hosts of the rig whose links have known rates (tests/rig/steps.sh).

usage: steps.py [FABRIC...]        RAILGAUGE is the program; without a name all fabrics are measured

Constants are those of ping_pong and stream between two hosts of each fabric; the topology says its rates; the algorithms are those that ran. Computations
are pauses. Prints a row for each step and the median of the errors. What stands in the notes (RAILGAUGE_JOB) is not measured again; with
RAILGAUGE_ONLY_LOOK nothing is measured at all. Exit code 1 when the median error is above 15 %, or a step was not measured; 4 where there is no rig.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

from prediction import chosen, folder_for, on_rig, topology

MOST_ERROR = 0.15
TIME = "8s"
GPT = "gpt3-175b --tensor 2 --layers 2 --micro-batches 2"
# Name: hosts, Mbit/s of the links, and the words of each step.
FABRICS = {
    "4 hosts, 100 Mbit/s": (4, 100, ("resnet50 --ranks 4 --scale 0.02", "resnet50 --ranks 4 --scale 0.1", GPT + " --data 2 --scale 0.0005")),
    "4 hosts, 300 Mbit/s": (4, 300, ("resnet50 --ranks 4 --scale 0.05", "resnet50 --ranks 4 --scale 0.2", GPT + " --data 2 --scale 0.001",
                                     GPT + " --pipeline 2 --scale 0.002")),
    "8 hosts, 100 Mbit/s": (8, 100, ("resnet50 --ranks 8 --scale 0.02", "resnet50 --ranks 8 --scale 0.1",
                                     GPT + " --pipeline 2 --data 2 --scale 0.0005", GPT + " --pipeline 2 --data 2 --scale 0.001")),
}


def stem(words):
    return re.sub(r"[^a-z0-9.]+", "_", words)


def measure(name, folder):
    hosts, rate, steps = FABRICS[name]
    on_rig(hosts, "steps.sh", folder, rate, TIME, *(f"{stem(words)}={words}" for words in steps))


def steps_in(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def algorithms_in(path):
    """Of the report of the run: what ran."""
    with open(path, encoding="utf-8") as file:
        line = next((it for it in file if it.startswith("algorithms: ")), "algorithms: ")
    return sorted({part.rsplit(" by ", 1)[1].strip() for part in line.removeprefix("algorithms: ").split(",") if " by " in part})


def predicted(program, folder, path, words, algorithms):
    output = os.path.join(folder, "predicted.jsonl")
    constants = ",".join(os.path.join(folder, it + ".jsonl") for it in ("ping_pong", "stream"))
    chosen = ["--algorithm", ",".join(algorithms)] if algorithms else []
    subprocess.run([program, "workload", *words.split(), "--topology", path, "--measured", constants, *chosen, "-o", output, "--force"], check=True,
                   capture_output=True, text=True)
    return steps_in(output)[0]


def look_at(program, name, folder, errors, failures):
    hosts, rate, steps = FABRICS[name]
    if any(not os.path.exists(os.path.join(folder, it + ".jsonl")) for it in ("ping_pong", "stream")):
        failures.append(f"{name}: ping_pong or stream is missing, and so are all of its steps")
        return
    path = topology(program, folder, hosts, rate, None)
    for words in steps:
        file = os.path.join(folder, stem(words))
        if not os.path.exists(file + ".jsonl"):
            failures.append(f"{name}: {words}")
            continue
        records = steps_in(file + ".jsonl")
        algorithms = algorithms_in(file + ".out")
        forecast = predicted(program, folder, path, words, algorithms)
        seconds, exposed, least = (statistics.median(it["seconds"] for it in records), statistics.median(it["exposed"] for it in records),
                                   min(it["seconds"] for it in records))
        error = forecast["seconds"] / seconds - 1
        errors.append(error)
        print(f"| {name} | {words} | {', '.join(algorithms)} | {len(records)} | {seconds * 1e3:.1f} | {least * 1e3:.1f} | {forecast['seconds'] * 1e3:.1f} "
              f"({error:+.1%}) | {exposed * 1e3:.1f} | {forecast['exposed'] * 1e3:.1f} |", flush=True)


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    program = os.path.realpath(os.environ["RAILGAUGE"])
    with tempfile.TemporaryDirectory() as room:
        folders = {name: folder_for(os.environ.get("RAILGAUGE_JOB", room), name) for name in chosen(FABRICS)}
        for name, folder in folders.items():
            if "RAILGAUGE_ONLY_LOOK" not in os.environ:
                measure(name, folder)
        errors, failures = [], []
        print("\n| fabric | step | algorithms | steps | measured, ms | least | predicted | exposed: measured | predicted |\n"
              "|---|---|---|---:|---:|---:|---:|---:|---:|")
        for name, folder in folders.items():
            look_at(program, name, folder, errors, failures)
    for line in failures:
        print(f"not measured: {line}")
    if not errors:
        sys.exit("steps.py: nothing was measured")
    median = statistics.median(abs(it) for it in errors)
    print(f"\nmedian error {median:.1%} of {len(errors)} steps, the largest {max(abs(it) for it in errors):.1%}")
    return 1 if failures or median > MOST_ERROR else 0


if __name__ == "__main__":
    sys.exit(main())
