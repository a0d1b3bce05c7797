#!/usr/bin/env python3
"""Random clusters, schedules and sizes: the time that railgauge predicts beside the one that SimGrid simulates.

usage: simgrid.py [COUNT [SEED]]        RAILGAUGE_BUILD is the folder that railgauge was built in

Prints a row for each case (tab separated: seed, what it is, method, predicted and simulated seconds, difference) and a table of the whole.

Some cases have no certain time: who begins a moment earlier decides who waits for whom hundreds of rounds later. So where both differ by more than
1 %, SimGrid simulates the case again with latencies that differ by some parts in a billion, and the row ends with the range of its times. Exit
code 1 when a prediction is more than 1 % outside of that range, 4 where SimGrid (Debian: libsimgrid-dev) is not there.
"""
import os
import random
import statistics
import subprocess
import sys
import tempfile

LIMIT = 0.01
AGAIN = 8
OPTIONS = ["--cfg=network/model:CM02", "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:0", "--cfg=contexts/stack-size:64",
           "--log=root.threshold:error"]
# Its precision, for times of microseconds: in version 3 and since 4.
PRECISION = {3: ["--cfg=surf/precision:1e-12", "--cfg=maxmin/precision:1e-9"],
             4: ["--cfg=precision/timing:1e-12", "--cfg=precision/work-amount:1e-9"]}
VERSION = "#include <simgrid/version.h>\nSIMGRID_VERSION_MAJOR\n"


def simulate(reference, path, options):
    run = subprocess.run([reference, path, *options], check=True, capture_output=True, text=True)
    return float(run.stdout.split()[-1])


def shaken(path, seed):
    """The same case with latencies that differ by up to a part in a billion, in a file of its own."""
    draw = random.Random(seed)
    lines = open(path).read().split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("channels "))
    for i in range(first + 1, first + 1 + int(lines[first].split()[1])):
        words = lines[i].split(" ")
        words[2] = repr(float(words[2]) * (1 + 1e-9 * draw.random()))
        lines[i] = " ".join(words)
    with open(path + ".again", "w") as file:
        file.write("\n".join(lines))
    return path + ".again"


def main():
    count = sys.argv[1] if len(sys.argv) > 1 else "200"
    seed = sys.argv[2] if len(sys.argv) > 2 else "1"
    here = os.path.dirname(os.path.realpath(__file__))
    cases = os.path.join(os.environ["RAILGAUGE_BUILD"], "tests", "railgauge_simgrid_cases")
    with tempfile.TemporaryDirectory() as room:
        reference = os.path.join(room, "reference")
        built = subprocess.run(["c++", "-O2", "-std=c++17", os.path.join(here, "simgrid", "reference.cpp"), "-o", reference, "-lsimgrid"],
                               capture_output=True, text=True)
        if built.returncode != 0:
            print(built.stderr[-2000:], file=sys.stderr)
            print("skipped: SimGrid's headers are not there (libsimgrid-dev)")
            return 4
        version = subprocess.run(["c++", "-E", "-P", "-x", "c++", "-"], input=VERSION, check=True, capture_output=True, text=True)
        options = OPTIONS + PRECISION[min(4, int(version.stdout.split()[-1]))]
        drawn = subprocess.run([cases, seed, count, room], check=True, capture_output=True, text=True).stdout
        by_method = {}
        failed = 0
        for line in drawn.splitlines():
            name, words = line.split("\t")
            path = os.path.join(room, name + ".case")
            with open(path) as file:
                _, predicted, method = file.readline().split()
            predicted = float(predicted)
            simulated = simulate(reference, path, options)
            difference = abs(predicted / simulated - 1)
            by_method.setdefault(method, []).append(difference)
            row = f"{name}\t{words}\t{method}\t{predicted:.6g}\t{simulated:.6g}\t{difference:.2e}"
            if difference > LIMIT:
                times = [simulated] + [simulate(reference, shaken(path, seed), options) for seed in range(AGAIN)]
                row += f"\t{min(times):.6g} to {max(times):.6g}"
                failed += not min(times) * (1 - LIMIT) <= predicted <= max(times) * (1 + LIMIT)
            print(row, flush=True)
            os.remove(path)
    print("\n| method | cases | median difference | largest | to nine digits | more than 1 % |\n|---|---:|---:|---:|---:|---:|")
    for method, differences in sorted(by_method.items()):
        print(f"| {method} | {len(differences)} | {statistics.median(differences):.1e} | {max(differences):.1e} | "
              f"{sum(it < 1e-9 for it in differences)} | {sum(it > LIMIT for it in differences)} |")
    print(f"\n{failed} outside of what SimGrid itself gives by more than 1 %")
    return 1 if failed else 0


sys.exit(main())
