#!/usr/bin/env python3
"""Schedules that are synthesised for hosts that are cabled to each other, one cable at a tenth, beside all algorithms of the catalog (tests/rig/mesh.sh).

usage: mesh.py [COLLECTIVE...]        RAILGAUGE is the program; without a name all of them

Four hosts of the rig, a cable between each two. The topology says the rates of the cables; constants are those of ping_pong and stream between two
of the hosts. Prints for each collective and size how many times as fast as the best algorithm of the catalog the synthesised schedule is: predicted, and
measured. What stands in the notes (RAILGAUGE_JOB) is not measured again. Exit code 1 when measured and predicted differ by more than 15 % where
the schedule is predicted to be faster by more than that, or something was not measured; 4 where there is no rig.
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

from prediction import on_rig, size_text

HOSTS, MEGABITS, SLOW, SIZES = 4, 100, 10, "512K,1M"
COLLECTIVES = ("all_gather", "reduce_scatter", "all_reduce", "broadcast", "reduce")
MOST_ERROR = 0.15


def topology(program, folder):
    """The hosts and their cables as ibnetdiscover tells them, with rates by the edits that a user would make."""
    port = {(a, b): (b if b < a else b - 1) + 1 for a, b in itertools.permutations(range(HOSTS), 2)}
    text = ""
    for a in range(HOSTS):
        text += f'caguid=0x3{a}\nCa {HOSTS - 1} "H-000000000000003{a}" # "n{a} mlx5_0"\n'
        for b in (it for it in range(HOSTS) if it != a):
            text += f'[{port[a, b]}](4{a}{b}) "H-000000000000003{b}"[{port[b, a]}] (4{b}{a}) # lid {a + 1} lmc 0 "n{b} mlx5_0" lid {b + 1} 1xSDR\n'
        text += "\n"
    cables, path = os.path.join(folder, "cables.out"), os.path.join(folder, "topology.json")
    with open(cables, "w", encoding="utf-8") as file:
        file.write(text)
    edits = []
    for a, b in itertools.combinations(range(HOSTS), 2):
        edits += ["--what-if", f"set n{a} - n{b} bandwidth={(SLOW if (a, b) == (1, 2) else MEGABITS) / 8000}"]
    if os.path.exists(path):
        os.remove(path)
    subprocess.run([program, "topo", cables, *edits, "--as", "json", "-o", path], check=True)
    return path


def predicted(program, folder, path, collective):
    constants = ",".join(os.path.join(folder, it + ".jsonl") for it in ("ping_pong", "stream"))
    trees = os.path.join(folder, collective + ".trees.jsonl")
    run = subprocess.run([program, "predict", collective, "--topology", path, "--measured", constants, "--bytes", SIZES, "--algorithm", "all," + trees,
                          "--format", "json"], check=True, capture_output=True, text=True)
    times = {}
    for column in json.loads(run.stdout)["algorithms"]:
        for it in column.get("predictions", []):
            times.setdefault(it["bytes"], {})[os.path.basename(column["algorithm"])] = it["seconds"]
    return times


def measured(folder, collective):
    times = {}
    with open(os.path.join(folder, collective + ".jsonl"), encoding="utf-8") as file:
        for it in map(json.loads, file):
            if it["status"] in ("ok", "not_converged") and it["median"]:
                times.setdefault(it["bytes"], {})[os.path.basename(it["algorithm"])] = it["median"]
    return times


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    program = os.path.realpath(os.environ["RAILGAUGE"])
    wanted = sys.argv[1:] or COLLECTIVES
    with tempfile.TemporaryDirectory() as room:
        folder = os.environ.get("RAILGAUGE_JOB", room)
        path = topology(program, folder)
        on_rig(HOSTS, "mesh.sh", folder, MEGABITS, SLOW, path, SIZES, *wanted)
        print("\n| collective | size | best of the catalog: predicted | measured | synthesised: predicted, ms | measured, ms | times as fast: predicted | "
              "measured | apart |\n|---|---:|---|---|---:|---:|---:|---:|---:|")
        worst, missing = 0.0, []
        for collective in wanted:
            if not os.path.exists(os.path.join(folder, collective + ".jsonl")):
                missing.append(collective)
                continue
            forecast, found = predicted(program, folder, path, collective), measured(folder, collective)
            trees = collective + ".trees.jsonl"
            for size, says in forecast.items():
                got = found.get(size, {})
                if set(says) - set(got):
                    missing.append(f"{collective} {size_text(size)}: {', '.join(sorted(set(says) - set(got)))}")
                    continue
                best = [min((it for it in times if it != trees), key=times.get) for times in (says, got)]
                factors = [times[name] / times[trees] for times, name in zip((says, got), best)]
                apart = factors[1] / factors[0] - 1
                if factors[0] > 1 + MOST_ERROR:
                    worst = max(worst, abs(apart))
                print(f"| {collective} | {size_text(size)} | {best[0]}, {says[best[0]] * 1e3:.1f} ms | {best[1]}, {got[best[1]] * 1e3:.1f} ms | {says[trees] * 1e3:.1f} | "
                      f"{got[trees] * 1e3:.1f} | {factors[0]:.2f} | {factors[1]:.2f} | {apart:+.1%} |")
    for line in missing:
        print(f"not measured: {line}")
    print(f"\nlargest difference of the factors {worst:.1%}, where the synthesised schedule is predicted to be faster by more than {MOST_ERROR:.0%}")
    return 1 if missing or worst > MOST_ERROR else 0


if __name__ == "__main__":
    sys.exit(main())
