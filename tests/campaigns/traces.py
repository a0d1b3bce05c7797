#!/usr/bin/env python3
"""Traces replayed: every file of a folder is read or refused for a true reason, and runs over shm and ucx with 2 to 8 ranks.

usage: traces.py FOLDER | --made [SEED]      RAILGAUGE is the program

FOLDER has an index.tsv with the names of the files. --made: traces of three formats, drawn at random, in place of a folder. For each run
the timeline (-o) must have, for each rank and group, the calls of the trace in its order and of its sizes, times --scale: traces/recount.py reads
them by itself. railgauge checks the data of every step. A step that is corrupted on purpose must end with exit code 6. Exit code 1 when anything
is wrong, 4 where there is no folder.
"""
import csv
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "traces"))
import recount  # noqa: E402

PROGRAM = os.path.realpath(os.environ.get("RAILGAUGE", "build/bin/railgauge"))
DEADLINE = 300
MOST_BYTES = 200_000  # of a call, after --scale
UCX = ("--set", "ucx.tls=tcp,self", "--set", "ucx.devices=lo")
# Why a trace is refused, in the words of the sentence.
REASONS = {"fewer ranks than asked for": ("are asked for", "has no trace, and no group of it is like group", "and nothing says which"),
           "needs a rank that is gone": ("which is not among those that are left",)}


def run(*words):
    done = subprocess.run([PROGRAM, "workload", *map(str, words)], capture_output=True, text=True, timeout=DEADLINE, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def scale_of(trace):
    largest = max(width * elements for calls in trace["known"].values() for _, _, width, elements, _, _ in calls)
    return min(1.0, MOST_BYTES / largest)


def expected_bytes(width, elements, members, scale):
    """The least and the most that a call may have: whole elements, for each rank as many, and at least one where there were any."""
    if isinstance(elements, list):
        exact = sum(max(1, round(it * scale)) if it else 0 for it in elements) * width
        return exact - width * len(elements), exact + width * len(elements)
    return max(0, elements * scale - 2 * members) * width, (max(elements * scale, 1 if elements else 0) + 2 * members) * width


def wrong_order(trace, ranks, scale, file):
    """What is not in the timeline as in the trace; None where all is. And the number of calls."""
    events = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))["traceEvents"]
    number = 0
    for rank in range(ranks):
        seen = {}
        mine = [it for it in events if it["ph"] == "X" and it["cat"] == "communication" and it["pid"] == rank]
        for it in sorted(mine, key=lambda it: it["ts"]):
            name = it["args"]["call"]
            key = it["args"]["group"], it["args"]["ranks"], name if name in ("send", "receive") else ""
            seen.setdefault(key, []).append((name, it["args"]["bytes"]))
        number += len(mine)
        # Groups have other names in the timeline: lists that have the same calls are the same group.
        wanted = recount.of_rank(trace, rank, ranks)
        rest = list(seen.values())
        for calls in wanted:
            limits = [(name, *expected_bytes(width, elements, members, scale)) for name, width, elements, members in calls]
            fits = [its for its in rest if len(its) == len(limits) and
                    all(one[0] == limit[0] and limit[1] <= one[1] <= limit[2] for one, limit in zip(its, limits))]
            if not fits:
                return f"rank {rank}: no group has the {len(calls)} calls that begin with {calls[:3]}, in their order", number
            rest.remove(fits[0])
        if rest:
            return f"rank {rank}: a group of the timeline has calls that the trace lacks: {rest[0][:3]}", number
    return None, number


def expected_refusal(trace, ranks):
    """The reason, for any rank; None where there is none."""
    for rank in range(ranks):
        try:
            recount.of_rank(trace, rank, ranks)
        except ValueError as reason:
            return str(reason)
    return None


def replay(name, path, ranks, transport, room, tell):
    """One run. None, or what was wrong with it."""
    trace = recount.recount(path)
    scale, file = scale_of(trace), os.path.join(room, "step.json")
    words = [path, "--ranks", ranks, "--scale", repr(scale), "--transport", transport, *(UCX if transport == "ucx" else ()), "--steps", 1,
             "--compute", "none", "-o", file, "--force"]
    code, out, err = run(*words)
    reason = expected_refusal(trace, ranks)
    if code == 2 and err.count("\n") == 1 and reason and any(it in err for it in REASONS[reason]):
        tell(f"{name}, {ranks} ranks over {transport}: refused: {err.strip()[:200]}")
        return None
    if code == 2 and err.count("\n") == 1 and "has no trace, and no group of it is like group" in err and missing(trace, ranks):
        tell(f"{name}, {ranks} ranks over {transport}: refused: {err.strip()[:200]}")
        return None
    if code != 0:
        return f"exit code {code}: {err.strip()[-300:]}"
    if reason:
        return f"it runs, though: {reason}"
    wrong, number = wrong_order(trace, ranks, scale, file)
    if wrong is None:
        tell(f"{name}, {ranks} ranks over {transport}: {number} calls in the order of the trace, data right ({out.splitlines()[0][:90]})")
    return wrong


def missing(trace, ranks):
    """Whether a rank without a trace is alone in a group of which the rank that stands for it has company, so that nobody can do as that one."""
    model = min(trace["known"])
    for rank in set(range(ranks)) - set(trace["known"]):
        for group in {it[0] for it in trace["known"][model]}:
            its = [sum(it < ranks for it in trace["members"](group, who)) for who in (model, rank)]
            if its[0] != its[1]:
                return True
    return False


def corrupted(path, ranks):
    """A transfer whose data is changed is found."""
    for transfer in range(4):
        code, _, err = run(path, "--ranks", ranks, "--scale", 0.01, "--transport", "memory", "--steps", 1, "--compute", "none", "--set",
                           "memory.fault=corrupt", "--set", "memory.rank=1", "--set", f"memory.transfer={transfer}")
        if code == 6:
            return None
    return f"data was changed and not found: exit code {code}: {err.strip()[-200:]}"


def make_traces(room, seed):
    """Files of PARAM, Chakra and SimAI, drawn at random."""
    draw = random.Random(seed)
    folder = os.path.join(room, "param")
    os.makedirs(folder)
    groups = {"0": [0, 1, 2, 3], "1": [0, 1], "2": [2, 3]}
    lists, requests = {rank: [] for rank in range(4)}, 0
    for _ in range(draw.randint(10, 30)):
        group = draw.choice(list(groups))
        call = draw.choice(["all_reduce", "broadcast", "all_gather", "reduce_scatter", "all_to_all"])
        share, size = draw.randint(1, 5000), len(groups[group])
        each = {"all_gather": (share, share * size), "reduce_scatter": (share * size, share)}.get(call, (share * size, share * size))
        requests += 1
        waits = draw.random() < 0.5
        for rank in groups[group]:
            entry = {"comms": call, "req": requests, "pg_id": int(group), "global_ranks": groups[group], "world_size": size, "in_msg_size": each[0],
                     "out_msg_size": each[1], "dtype": draw.choice(["float32"]), "startTime_ns": 1000 * requests}
            if call == "broadcast":
                entry["root"] = groups[group][0]
            lists[rank].append(entry)
            if waits:
                lists[rank].append({"comms": "wait", "req": requests, "pg_id": int(group), "startTime_ns": 1000 * requests + 500})
    for rank, entries in lists.items():
        with open(os.path.join(folder, f"rank-{rank}.json"), "w", encoding="utf-8") as file:
            json.dump(entries, file)
    chakra = os.path.join(room, "chakra")
    os.makedirs(chakra)
    code, _, err = run("gpt3-175b", "--tensor", 2, "--pipeline", 2, "--data", 1, "--layers", 2, "--micro-batches", draw.randint(1, 4), "--scale", 0.001,
                       "--chakra", os.path.join(chakra, "step"))
    if code != 0:
        sys.exit(f"traces.py: the Chakra traces were not written: {err}")
    layers = [["layer", "-1", "5", draw.choice(["ALLREDUCE", "ALLGATHER", "NONE"]), str(2 * draw.randint(1, 9999)), "7",
               draw.choice(["REDUCESCATTER", "ALLTOALL_EP", "NONE"]), str(2 * draw.randint(1, 9999)), "9", draw.choice(["ALLREDUCE", "NONE"]),
               str(2 * draw.randint(1, 9999)), "3"] for _ in range(draw.randint(2, 12))]
    layers.append(["head", "-1", "1", "ALLREDUCE", "4096", "1", "NONE", "0", "1", "NONE", "0", "1"])
    simai = os.path.join(room, "simai.txt")
    with open(simai, "w", encoding="utf-8") as file:
        file.write("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 1 ga: 1 all_gpus: 8 checkpoints: 0\n")
        file.write(f"{len(layers)}\n" + "".join("\t".join(it) + "\n" for it in layers))
    return {"PARAM": (folder, (4, 2)), "Chakra": (chakra, (4,)), "SimAI": (simai, (8, 4))}


def main():
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if words else 2
    with tempfile.TemporaryDirectory() as room:
        if words[0] == "--made":
            seed = int(words[1]) if len(words) > 1 else random.SystemRandom().randrange(1 << 30)
            print(f"seed {seed}")
            samples, again = make_traces(room, seed), ()
        else:
            folder = pathlib.Path(words[0])
            if not (folder / "index.tsv").exists():
                print(f"skipped: there is no index.tsv in {folder}")
                return 4
            with open(folder / "index.tsv", encoding="utf-8", newline="") as file:
                samples = {row["file"]: (str(folder / row["file"]), (2, 3, 4, 8)) for row in csv.DictReader(file, delimiter="\t")}
            fewest = min(samples, key=lambda it: sum(len(calls) for calls in recount.recount(samples[it][0])["known"].values()))
            again = [samples[fewest][0]]  # what the last of several calls that are alike leaves is what is checked
        failed = runs = refused = 0

        def tell(sentence):
            nonlocal refused
            refused += ": refused: " in sentence
            print(sentence, flush=True)

        for name, (path, numbers) in samples.items():
            for ranks in numbers:
                for transport in ("shm", "ucx"):
                    runs += 1
                    wrong = replay(name, path, ranks, transport, room, tell)
                    if wrong:
                        failed += 1
                        print(f"{name}, {ranks} ranks over {transport}: WRONG: {wrong}", flush=True)
        for path in again:
            runs += 1
            wrong = corrupted(path, 2)
            print(f"a transfer with other data: {wrong or 'found, exit code 6'}")
            failed += wrong is not None
    print(f"{len(samples)} traces: {runs} runs, {refused} refused for a true reason, {failed} wrong")
    return 1 if failed else 0


sys.exit(main())
