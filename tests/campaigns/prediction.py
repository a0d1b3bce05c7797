#!/usr/bin/env python3
"""What railgauge predicts beside what it measures, between hosts of the rig whose links have known rates (tests/rig/collectives.sh).

usage: prediction.py [FABRIC...]        RAILGAUGE is the program; without a name all fabrics are measured

Constants are those of ping_pong and stream between two hosts of each fabric; the topology says its rates. Prints a row for each case and a table of
the whole. What stands in the notes (RAILGAUGE_JOB) is not measured again; with RAILGAUGE_ONLY_LOOK nothing is measured at all, and what stands
there is looked at. Exit code 1 when the median error is above 10 %, or the best algorithm is named right in less than 90 % of the cases where it
leads by more than 10 %, or a case of the fabrics is missing or was not measured; 4 where there is no rig, or no algorithm leads in any case.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
TESTS = os.path.dirname(HERE)
MIB = 1 << 20
MOST_ERROR, LEAST_RIGHT, LEAD = 0.10, 0.90, 1.10
# Name: hosts, Mbit/s of the links, sizes, and what is different about one of them.
SMALL, LARGE = "64K,256K,1M,4M,16M", "64K,256K,1M,4M,16M,64M"
FABRICS = {
    "4 hosts, 100 Mbit/s": (4, 100, SMALL),
    "4 hosts, 300 Mbit/s": (4, 300, SMALL),
    "4 hosts, 1 Gbit/s": (4, 1000, LARGE),
    "8 hosts, 100 Mbit/s": (8, 100, SMALL),
    "8 hosts, 200 Mbit/s": (8, 200, SMALL),
    "4 hosts, 300 Mbit/s, n2 at 100": (4, 300, SMALL, "slow", 2, 100),
    "8 hosts, 100 Mbit/s, n5 at 25": (8, 100, SMALL, "slow", 5, 25),
    "4 hosts, 200 Mbit/s, leaves 2:1": (4, 200, SMALL, "leaves", 200),
    "8 hosts, 100 Mbit/s, leaves 4:1": (8, 100, SMALL, "leaves", 100),
}
EAGER = "inf"  # UCX sends without asking: rndv_thresh of tests/rig/shape.sh
PARTS = {"all_reduce": ("ring", "recursive_doubling", "halving_doubling", "hierarchical"), "all_to_all": ("direct", "pairwise", "bruck")}


def expected(name):
    """Collective, algorithm and size of each case of a fabric."""
    sizes = [int(it[:-1]) * {"K": 1 << 10, "M": MIB}[it[-1]] for it in FABRICS[name][2].split(",")]
    return [(collective, algorithm, size) for collective, algorithms in PARTS.items() for algorithm in algorithms for size in sizes]


def cabled(hosts, leaves):
    """The fabric as ibnetdiscover tells it: host k below leaf k * leaves / hosts, the leaves joined by one cable."""
    text = ""
    for leaf in range(leaves):
        text += f'switchguid=0x1{leaf}(1{leaf})\nSwitch 40 "S-000000000000001{leaf}" # "leaf{leaf}" base port 0 lid {leaf + 1} lmc 0\n'
        for host in range(hosts // leaves * leaf, hosts // leaves * (leaf + 1)):
            text += f'[{host + 1}] "H-000000000000003{host}"[1](4{host}) # "n{host} mlx5_0" lid 9 1xSDR\n'
        if leaves == 2:
            text += f'[40] "S-000000000000001{1 - leaf}"[40] # "leaf{1 - leaf}" lid 3 1xSDR\n'
        text += "\n"
    for host in range(hosts):
        leaf = host * leaves // hosts
        text += f'caguid=0x3{host}\nCa 1 "H-000000000000003{host}" # "n{host} mlx5_0"\n[1](4{host}) "S-000000000000001{leaf}"[{host + 1}] # "leaf{leaf}" 1xSDR\n\n'
    return text


def topology(program, folder, hosts, rate, _sizes, kind="", *what):
    """The file of the fabric with its rates, by the edits that a user would make."""
    leaves = 2 if kind == "leaves" else 1
    rates = {f"n{host} - leaf{host * leaves // hosts}": rate for host in range(hosts)}
    if kind == "slow":
        rates[f"n{what[0]} - leaf0"] = what[1]
    if kind == "leaves":
        rates["leaf0 - leaf1"] = what[0]
    cables, path = os.path.join(folder, "fabric.out"), os.path.join(folder, "topology.json")
    with open(cables, "w", encoding="utf-8") as file:
        file.write(cabled(hosts, leaves))
    edits = [word for link, megabits in rates.items() for word in ("--what-if", f"set {link} bandwidth={megabits / 8000}")]
    if os.path.exists(path):
        os.remove(path)
    subprocess.run([program, "topo", cables, *edits, "--as", "json", "-o", path], check=True)
    return path


def chosen(fabrics):
    """The names on the command line, or all."""
    for name in sys.argv[1:]:
        if name not in fabrics:
            sys.exit(f"{os.path.basename(sys.argv[0])}: there is no fabric {name}: {', '.join(fabrics)}")
    return sys.argv[1:] or list(fabrics)


def folder_for(notes, name):
    folder = os.path.join(notes, name.replace(" ", "_").replace("/", "p").replace(",", ""))
    os.makedirs(folder, exist_ok=True)
    return folder


def on_rig(hosts, script, *words):
    """Runs a script of tests/rig on so many hosts; ends this program where there is no rig."""
    command = [os.path.join(TESTS, "launch", "slurm.sh"), "--rig", str(hosts), "bash", os.path.join(TESTS, "rig", script), *map(str, words)]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if run.returncode == 4:
        print(run.stdout.strip().split("\n")[-1])
        sys.exit(4)
    print(run.stdout, end="", flush=True)
    if run.returncode != 0:
        print(run.stderr[-2000:], flush=True)


def measure(name, folder):
    hosts, rate, sizes, *more = FABRICS[name]
    on_rig(hosts, "collectives.sh", folder, rate, sizes, *more)


def measured(folder):
    """Seconds by collective, size and algorithm, and what became of the other cases."""
    times, others = {}, {}
    for part in ("all_reduce", "hierarchical", "all_to_all"):
        path = os.path.join(folder, part + ".jsonl")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            for it in map(json.loads, file):
                if it["status"] in ("ok", "not_converged") and it["median"]:
                    times.setdefault((it["collective"], it["bytes"]), {})[it["algorithm"]] = it["median"], it["samples"]
                else:
                    others[it["collective"], it["algorithm"], it["bytes"]] = it["status"]
    return times, others


def predicted(program, folder, path, collective, sizes):
    constants = ",".join(os.path.join(folder, it + ".jsonl") for it in ("ping_pong", "stream"))
    run = subprocess.run([program, "predict", collective, "--topology", path, "--measured", constants, "--eager", EAGER, "--ranks-per-node", "2", "--bytes", sizes,
                          "--algorithm", ",".join(PARTS[collective]), "--format", "json"], check=True, capture_output=True, text=True)
    answer = json.loads(run.stdout)
    times = {}
    for column in answer["algorithms"]:
        for it in column["predictions"]:
            times.setdefault((collective, it["bytes"]), {})[column["algorithm"]] = it["seconds"]
    return times, answer["assumed"]


def size_text(size):
    return f"{size // MIB} MiB" if size >= MIB else f"{size / 1024:.0f} KiB"


def look_at(program, name, folder, errors, choices, failures):
    absent = [it for it in ("ping_pong", "stream") if not os.path.exists(os.path.join(folder, it + ".jsonl"))]
    if absent:
        failures += [f"{name}: {' and '.join(absent)} missing, and so all of its {len(expected(name))} cases"]
        return
    times, others = measured(folder)
    for collective, algorithm, size in expected(name):
        if algorithm not in times.get((collective, size), {}):
            failures.append(f"{name}: {collective} by {algorithm} at {size_text(size)}: {others.get((collective, algorithm, size), 'missing')}")
    path = topology(program, folder, *FABRICS[name])
    for collective in PARTS:
        if not any(key[0] == collective for key in times):
            continue
        forecast, assumed = predicted(program, folder, path, collective, FABRICS[name][2])
        if collective == "all_reduce":
            print(f"\n{name}\n" + "".join(f"  {line}\n" for line in assumed if "measured" in line), end="")
        for key in sorted(it for it in times if it[0] == collective):
            for algorithm, (seconds, samples) in times[key].items():
                error = forecast[key][algorithm] / seconds - 1
                errors.append((name, collective, algorithm, key[1], error))
                print(f"{name}\t{collective}\t{algorithm}\t{size_text(key[1])}\t{forecast[key][algorithm] * 1e3:.3f} ms\t{seconds * 1e3:.3f} ms"
                      f"\t{samples}\t{error * 100:+.1f} %")
            ranked = sorted(times[key], key=lambda it: times[key][it][0])
            if len(ranked) > 1 and times[key][ranked[1]][0] > LEAD * times[key][ranked[0]][0]:
                chosen = min(ranked, key=lambda it: forecast[key][it])
                choices.append((name, collective, key[1], ranked[0], chosen, times[key][chosen][0] / times[key][ranked[0]][0]))


def table(title, errors, place):
    print(f"\n| {title} | cases | median error | 90 % within | largest |\n|---|---:|---:|---:|---:|")
    for what in dict.fromkeys(place(it) for it in errors):
        some = sorted(abs(it[4]) for it in errors if place(it) == what)
        print(f"| {what} | {len(some)} | {statistics.median(some) * 100:.1f} % | {some[int(0.9 * (len(some) - 1))] * 100:.1f} % | "
              f"{some[-1] * 100:.1f} % |")


def main():
    program = os.path.realpath(os.environ["RAILGAUGE"])
    names = chosen(FABRICS)
    with tempfile.TemporaryDirectory() as room:
        notes = os.environ.get("RAILGAUGE_JOB", room)
        errors, choices, failures = [], [], []
        for name in names:
            folder = folder_for(notes, name)
            if "RAILGAUGE_ONLY_LOOK" not in os.environ:
                measure(name, folder)
            look_at(program, name, folder, errors, choices, failures)
    for line in failures:
        print(f"not measured: {line}")
    if not errors:
        sys.exit("prediction.py: nothing was measured")
    table("fabric", errors, lambda it: it[0])
    table("algorithm", errors, lambda it: f"{it[1]} by {it[2]}")
    table("size", errors, lambda it: size_text(it[3]))
    table("all", errors, lambda it: "all")
    for it in choices:
        if it[3] != it[4]:
            print(f"{it[0]}, {it[1]}, {size_text(it[2])}: {it[3]} was the best, {it[4]} was predicted, which took {it[5]:.2f} times as long")
    right = sum(it[3] == it[4] for it in choices)
    median = statistics.median(abs(it[4]) for it in errors)
    print(f"\nmedian error {median * 100:.1f} % of {len(errors)} cases; the best algorithm named in {right} of {len(choices)} cases where it led by "
          "more than 10 %")
    if failures:
        print("not all cases were measured")
    if failures or median > MOST_ERROR:
        return 1
    if not choices:
        print("in no case one algorithm leads by more than 10 %: whether the best one is named right is not known")
        return 4
    return 0 if right >= LEAST_RIGHT * len(choices) else 1


if __name__ == "__main__":
    sys.exit(main())
