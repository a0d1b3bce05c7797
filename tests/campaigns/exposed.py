#!/usr/bin/env python3
"""Exposed communication beside known answers: training steps made for it, between hosts of the rig whose links have a known rate.

usage: exposed.py [NAME...]        RAILGAUGE is the program; without a name all steps are measured

Computations are pauses of known length, and a call takes T, as `railgauge bench` measures it alone just before (or H, of half the bytes; or S, where two groups
share a link, as two jobs of bench measure it that run at once, one for each group): what is exposed, how long a step takes and how much of it is hidden follow. Prints a row for each step, and T beside bytes over the payload rate of the link. Errors
are shares of the answer, or of T where the answer is less; all is measured in several launches, since the hosts share the cores of one machine with
whatever else runs there. What stands in the notes (RAILGAUGE_JOB) is not measured again. Exit code 1 when the median error of a time
is above 5 %, or what is reported differs from a sum over the timeline; 4 where there is no rig.
"""
import collections
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
MEGABITS = 300
PACKET = MEGABITS * 15  # bytes of IP, as tests/rig/shape.sh chooses them
PAYLOAD = (PACKET - 52) / (PACKET + 14)  # headers of IP and TCP with timestamps; of Ethernet
BYTES = 3_000_000
NOMINAL = BYTES * 8 / (MEGABITS * 1e6) / PAYLOAD  # seconds, of T
MOST_ERROR = 0.05
TIME = "6s"
LAUNCHES = 3


def compute(seconds):
    return [("compute", seconds)]


def blocking(group=0, share=1.0):
    return [("call", group, share, True)]


def started(group=0, share=1.0):
    return [("call", group, share, False)]


# Steps: name, the ranks of each group, the nodes of each rank, and the answers for a T, an H and an S: of each rank what is exposed, then how long
# the step takes, and how much of it is hidden, in seconds.
def steps():
    two, three, long = {0: [0, 1]}, {0: [0, 1], 1: [0, 2]}, NOMINAL
    yield "nothing overlaps", two, [compute(0.06) + blocking() + compute(0.06)] * 2, lambda T, H, S: ([T, T], 0.12 + T, 0)
    yield "all is hidden", two, [started() + compute(2 * long)] * 2, lambda T, H, S: ([0, 0], 2 * long, T)
    yield "half is hidden", two, [started() + compute(long / 2)] * 2, lambda T, H, S: ([T - long / 2] * 2, T, long / 2)
    bucket = started(share=0.5) + compute(0.8 * long)
    yield ("four buckets, the last exposed", two, [compute(0.8 * long) + bucket * 3 + blocking(share=0.5)] * 2,
           lambda T, H, S: ([H, H], 3.2 * long + H, 3 * H))
    yield ("two groups share the link of rank 0", three, [started(0) + started(1), started(0), started(1)],
           lambda T, H, S: ([S] * 3, S, 0))
    yield ("two groups share a link, half hidden", three, [started(0) + started(1) + compute(long), started(0) + compute(long), started(1) + compute(long)],
           lambda T, H, S: ([S - long] * 3, S, long))
    yield "rank 1 comes late", two, [compute(0.05) + blocking(), compute(0.15) + blocking()], lambda T, H, S: ([0.1 + T, T], 0.15 + T, 0)


def entries(rank, nodes, groups):
    """As PARAM's communication traces have it: what stands behind an asynchronous call, until the next entry, is computation."""
    now, requests, out, open_requests = 0.0, {group: 0 for group in groups}, [], []
    for node in nodes:
        at = {"startTime_ns": round(now * 1e9)}
        if node[0] == "compute":
            out.append({**at, "compute": "pause"})
            now += node[1]
            continue
        _, group, share, blocks = node
        elements = int(BYTES * share) // 4
        requests[group] += 1
        request = [requests[group], group]
        out.append({**at, "comms": "all_reduce", "req": str(request), "pg_id": group, "global_ranks": groups[group], "world_size": len(groups[group]),
                    "in_msg_size": elements, "out_msg_size": elements, "dtype": "float32"})
        (out.append({**at, "comms": "wait", "req": str(request), "pg_id": group}) if blocks else open_requests.append((request, group)))
    for request, group in open_requests:
        out.append({"startTime_ns": round(now * 1e9), "comms": "wait", "req": str(request), "pg_id": group})
    out.append({"startTime_ns": round(now * 1e9), "comms": "wait", "req": "the end", "pg_id": next(g for g in groups if rank in groups[g])})
    return out


def file_name(step):
    return step.replace(" ", "_").replace(",", "")


def write_traces(folder, wanted):
    for name, groups, ranks, _ in wanted:
        room = os.path.join(folder, file_name(name))
        os.makedirs(room, exist_ok=True)
        for rank, nodes in enumerate(ranks):
            with open(os.path.join(room, f"rank-{rank}.json"), "w", encoding="utf-8") as file:
                json.dump(entries(rank, nodes, groups), file)
        with open(room + ".groups", "w", encoding="utf-8") as file:
            file.writelines(" ".join(map(str, ranks)) + "\n" for ranks in groups.values())


def united(spans):
    result = []
    for begin, end in sorted(spans):
        if result and begin <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        elif end > begin:
            result.append([begin, end])
    return result


def exposed_in(file, ranks):
    """Of each rank, by the events of the timeline: the length of all of its spans, without that of computations alone."""
    with open(file, encoding="utf-8") as source:
        events = [it for it in json.load(source)["traceEvents"] if it["ph"] == "X"]
    answer = []
    for rank in range(ranks):
        mine = [(it["cat"] == "computation", it["ts"], it["ts"] + it["dur"]) for it in events if it["pid"] == rank]
        length = [sum(end - begin for begin, end in united([it[1:] for it in mine if it[0] or every])) for every in (True, False)]
        answer.append((length[0] - length[1]) * 1e-6)
    return answer


# Of a launch: T and S, the steps that were measured, and of each figure what is known and what was measured.
Launch = collections.namedtuple("Launch", "T S steps exposed step hidden by_rank")
FIGURES = "exposed", "step", "hidden"


def medians(file):
    with open(file, encoding="utf-8") as source:
        return {it["bytes"]: it["median"] for it in map(json.loads, source)}


def read_launch(stem, ranks, answers):
    """None where it was not measured. Also whether the report of a step and its timeline say the same."""
    if not os.path.exists(stem + ".jsonl"):
        return None, False
    with open(stem + ".jsonl", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    T, H = (medians(stem + ".alone.jsonl")[size] for size in (BYTES, BYTES // 2))
    S = statistics.mean([medians(name)[BYTES] for name in glob.glob(glob.escape(stem) + ".together.*.jsonl")] or [T])
    exposed, length, hidden = answers(T, H, S)

    def middle(value):
        return statistics.median(value(it) for it in records)

    by_rank = exposed_in(stem + ".json", len(ranks))
    launch = Launch(T, S, len(records), (statistics.mean(exposed), middle(lambda it: it["exposed"])), (length, middle(lambda it: it["seconds"])),
                    (hidden, middle(lambda it: it["alone_computation"] + it["alone_communication"] - it["seconds"])),
                    list(zip(exposed, by_rank)))
    nearest = min(abs(it["exposed"] - statistics.mean(by_rank)) for it in records)
    if nearest > 1e-5:
        print(f"{stem}: no step has the exposed communication of the timeline, {statistics.mean(by_rank) * 1e3:.3f} ms")
    return launch, nearest <= 1e-5


def error_of(launch, figure):
    known, measured = getattr(launch, figure)
    return (measured - known) / max(known, launch.T)


def look_at(folders, wanted):
    print(f"\n{BYTES} bytes take {NOMINAL * 1e3:.1f} ms at {MEGABITS} Mbit/s, of which {PAYLOAD:.1%} are payload. Medians of {len(folders)} launches, "
          "in ms; in brackets the median error, and that of each launch.\n")
    print("| step | T | S | steps | exposed: known | measured | step: known | measured | hidden: known | measured |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    worst, failed = 0.0, False
    for name, _, ranks, answers in wanted:
        launches = []
        for folder in folders:
            launch, same = read_launch(os.path.join(folder, file_name(name)), ranks, answers)
            failed = failed or not same
            launches += [launch] if launch else []
        if not launches:
            print(f"| {name} | not measured |")
            continue
        T, S = (statistics.median(getattr(it, figure) for it in launches) for figure in ("T", "S"))
        row = f"| {name} | {T * 1e3:.1f} | {f'{S * 1e3:.1f}' if S != T else '-'} | {sum(it.steps for it in launches)} |"
        for figure in FIGURES:
            known, measured = (statistics.median(getattr(it, figure)[place] for it in launches) * 1e3 for place in (0, 1))
            errors = [error_of(it, figure) for it in launches]
            worst = max(worst, abs(statistics.median(errors)))
            row += f" {known:.1f} | {measured:.1f} ({statistics.median(errors):+.1%}: {', '.join(f'{it:+.1%}' for it in errors)}) |"
        print(row)
        by_rank = [[statistics.median(it.by_rank[rank][place] for it in launches) for place in (0, 1)] for rank in range(len(ranks))]
        if len({known for known, _ in by_rank}) > 1:
            print(f"{name}: exposed by rank, known {', '.join(f'{it[0] * 1e3:.1f}' for it in by_rank)}, in the timeline "
                  f"{', '.join(f'{it[1] * 1e3:.1f}' for it in by_rank)} ms", file=sys.stderr)
            worst = max([worst] + [abs(got - known) / max(known, T) for known, got in by_rank])
    print(f"\nlargest median error {worst:.1%}" + ("; not all is there" if failed else ""))
    return 1 if failed or worst > MOST_ERROR else 0


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    wanted = [it for it in steps() if not sys.argv[1:] or it[0] in sys.argv[1:]]
    if len(wanted) < len(sys.argv) - 1:
        sys.exit("exposed.py: choose from " + "; ".join(it[0] for it in steps()))
    with tempfile.TemporaryDirectory() as room:
        folders = [os.path.join(os.environ.get("RAILGAUGE_JOB", room), str(launch)) for launch in range(LAUNCHES)]
        for folder in folders:
            write_traces(folder, wanted)
            command = [os.path.join(TESTS, "launch", "slurm.sh"), "--rig", "3", "bash", os.path.join(TESTS, "rig", "workload.sh"), folder, str(MEGABITS),
                       TIME, f"{BYTES // 2},{BYTES}"]
            run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if run.returncode == 4:
                print(run.stdout.strip().split("\n")[-1])
                return 4
            print(run.stdout, end="", flush=True)
            if run.returncode:
                print(run.stderr[-2000:])
        return look_at(folders, wanted)


sys.exit(main())
