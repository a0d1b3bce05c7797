#!/usr/bin/env python3
"""What others published of collectives on real clusters, beside what railgauge predicts of the same machines, generated.

usage: published.py        RAILGAUGE is the program

Prints a row for each of tests/topo/published.csv: nothing is fitted, and no row is left out. Exit code 0: it tells how far off it is, and holds
nothing against a threshold. A row whose algorithm is named is compared with that one of the catalog, but for rings of several machines and of meshes:
those of NCCL and RCCL take all NICs or links and the one of the catalog takes one, so that they are compared, as rows that name none are, with
the best of the catalog and, up to 64 ranks, of what is synthesised; where none is named, also of what NVSwitches add. Algorithms of the catalog that are named have 8 lanes, so that reductions and transfers overlap as
those of NCCL's channels do. A size in brackets is not published, and assumed.
"""
import csv
import json
import os
import statistics
import subprocess
import sys

TABLE = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "topo", "published.csv")
ASSUMED_SIZE = "8 GB"  # figures without a size are those of the largest messages
MOST_SYNTHESISED = 64  # ranks, for which trees are made in seconds
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

# The topology of each system, with more words; or a reason why it has none.
NO_RACKS = "racks that are joined have no generated topology"
NO_TRAYS = "trays that NICs join have no generated topology"
TOPOLOGIES = {
    "8 A100": ["dgx-a100"],
    "8 A100 (Azure ND v4)": ["dgx-a100"],
    "8 H100": ["dgx-h100"],
    "8 H100 (Azure ND v5)": ["dgx-h100"],
    "8 H100 (AWS p5)": ["dgx-h100"],
    "8 H200": ["dgx-h200"],
    "8 H200 (Azure ND v5)": ["dgx-h200"],
    "8 B200": ["dgx-b200"],
    "8 MI300X": ["mi300x"],
    "2 p4de (8 A100)": ["rail:hosts=2,host=dgx-a100,rate=4xEDR", "--what-if", "rails=4"],
    "2 p5 (8 H100)": ["rail:hosts=2"],  # 32 NICs of 100 Gbit/s carry what 8 of 400 do
    "2 AWS H100": ["rail:hosts=2"],
    "2 hosts of 8 H100 with 8 NDR": ["rail:hosts=2"],
    "2 Together H100": ["rail:hosts=2"],
    "8 H100 hosts with SHARP": ["rail:hosts=8,sharp=1"],
    "12 H100 hosts with SHARP": ["rail:hosts=12,sharp=1"],
    "4 H200 hosts with EFA": ["rail:hosts=4,host=dgx-h200"],
    "16 p5en (8 H200)": ["rail:hosts=16,host=dgx-h200"],
    "4 p6-b200 (8 B200)": ["rail:hosts=4,host=dgx-b200"],
    "2 a3-mega (8 H100) with TCPXO": ["rail:hosts=2,rate=4xHDR"],
    "2 GB200 trays": ["nvl72"],
    "2 GCP GB200 trays": ["nvl72"],
    "4 AWS GB200 trays": ["nvl72"],
    "4 AWS GB200 trays, EFA": NO_TRAYS,
    "8 AWS GB300 trays": ["gb300-nvl72"],
    "8 AWS GB300 trays, RoCE": NO_TRAYS,
    "GB200 NVL72": ["nvl72"],
    "2 GB200 NVL72": NO_RACKS,
    "20 GB200 NVL72": NO_RACKS,
}
MESHES = {"8 MI300X"}  # whose rings take all links of each GPU, as those of several machines take all NICs
IN_NETWORK = {"nvls": "nvls", "nvls tree": "nvls_tree", "sharp": "sharp"}
LANES = "8"  # NCCL's channels, of which one sends while another reduces


def bytes_of(size):
    number, unit = size.split()
    return int(number) * UNITS[unit]


def algorithm_of(row, rows):
    """That of the row; where it names none, one in the switches if the same source says so of the same machines at another size."""
    if row["algorithm"]:
        return row["algorithm"]
    alike = {it["algorithm"] for it in rows if all(it[key] == row[key] for key in ("system", "collective", "ranks", "source"))}
    return next((it for it in IN_NETWORK if it in alike), "")


def words_of(row, algorithm):
    """The words of railgauge predict, behind the size."""
    topology, *more = TOPOLOGIES[row["system"]]
    ranks, collective = int(row["ranks"]), {"pair": "ping_pong"}.get(row["collective"], row["collective"])
    words = [collective, "--topology", topology, *more, "--ranks", row["ranks"]]
    several = row["machines"] != "1" and row["shape"] != "rack"
    if algorithm in ("", "path") or (algorithm == "ring" and (several or (row["system"] in MESHES and ranks > 2))):
        chosen = ["all"]
        if collective not in ("all_to_all", "ping_pong") and ranks <= MOST_SYNTHESISED:
            chosen.append("synthesised")
        if not algorithm and collective == "all_reduce":
            chosen.append("nvls_tree" if several else "nvls")
        return [*words, "--algorithm", ",".join(chosen)]
    if algorithm in IN_NETWORK:
        return [*words, "--algorithm", IN_NETWORK[algorithm]]
    return [*words, "--lanes", LANES, "--algorithm", algorithm, *(["--ranks-per-node", row["gpus"]] if algorithm == "hierarchical" else [])]


def predicted(program, row, algorithm, size):
    run = subprocess.run([program, "predict", *words_of(row, algorithm), "--bytes", str(bytes_of(size)), "--format", "json"], capture_output=True,
                         text=True)
    if run.returncode != 0:
        sys.exit(f"{row['system']}, {row['collective']}: {run.stderr.strip()}")
    answer = json.loads(run.stdout)
    answer = answer.get("after", answer)
    found = [(it["algorithm"], it["predictions"][0]) for it in answer["algorithms"] if "predictions" in it]
    if not found:
        sys.exit(f"{row['system']}, {row['collective']}: no algorithm was predicted")
    name, best = max(found, key=lambda it: it[1]["busbw_gigabytes_per_second"])
    return name, best["busbw_gigabytes_per_second"]


def main():
    program = os.environ["RAILGAUGE"]
    with open(TABLE, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    unknown = {it["system"] for it in rows} - set(TOPOLOGIES)
    if unknown:
        sys.exit(f"published.py: it knows no topology of {', '.join(sorted(unknown))}")
    print("| machines | ranks | collective | published algorithm | published busbw | from | predicted | by | difference |\n"
          "|---|---:|---|---|---:|---|---:|---|---:|")
    errors = []
    for row in rows:
        size, algorithm, topology = row["size"] or ASSUMED_SIZE, algorithm_of(row, rows), TOPOLOGIES[row["system"]]
        shown = size if row["size"] else f"({size})"
        begin = (f"| {row['system']} | {row['ranks']} | {row['collective']}, {shown} | {row['algorithm'] or '-'} | {row['busbw']} | "
                 f"{row['source']} |")
        why_not = topology if isinstance(topology, str) else None
        if why_not:
            print(f"{begin} - | {why_not} | |", flush=True)
            continue
        name, value = predicted(program, row, algorithm, size)
        errors.append(value / float(row["busbw"]) - 1)
        print(f"{begin} {value:.4g} | {name} | {errors[-1] * 100:+.0f} % |", flush=True)
    print(f"\n{len(errors)} rows predicted of {len(rows)}: median difference {statistics.median(map(abs, errors)) * 100:.0f} %, largest "
          f"{max(map(abs, errors)) * 100:.0f} %")
    return 0


sys.exit(main())
