"""A training step of railgauge beside torch.distributed with Gloo or NCCL: the same calls, in the same order, of the same sizes, types and groups.

`railgauge workload --chakra` writes the calls of the step; ci/peer/torch_loop.py runs them by torch.distributed on processes that share this
machine, and `railgauge workload --compute none` does over each transport. Calls begin once those that they wait for have ended, without
computations between them; each launch makes --steps steps and the one of median length counts. A call takes from the moment at which its last
rank has begun it to the end of its last rank. A launch of each side makes a group. What stands in the table is the median over groups, for calls
that are alike the median of these too; the ratio is between the medians of torch.distributed and of railgauge, its interval from groups drawn
anew. For all-reduces of float32 Gloo is measured without torch as well (ci/peer/gloo_loop.cpp, operations back to back): what torch.distributed
takes beyond that is the framework's own.

Gloo has no reduce_scatter, which runs as an all_reduce of the same buffer, and no bfloat16, which is float16 there. Where PyTorch has CUDA and
a GPU for each rank, NCCL is the backend instead (--backend), in memory of GPUs, beside railgauge over nccl and cuda_ipc: calls end when the host
sees that the GPU has done them, on both sides.

    ci/peers torch                                                    resnet50 on 2 ranks, scaled to a hundredth, 10 groups
    ci/peers torch dlrm --ranks 4 --cores 0,1
    ci/peers torch gpt3-175b --tensor 2 --pipeline 2 --layers 2 --scale 0.0005 --ranks 4
    ci/peers torch --output docs/measured/torch.md
"""
import argparse
import datetime
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

from peer import chakra, common

# Of each backend the transports of railgauge that have the same memory, with their words.
TRANSPORTS = {"gloo": {"shm": [], "ucx": ["--set", "ucx.tls=tcp,self", "--set", "ucx.devices=lo"]},
              "nccl": {"nccl": ["--memory", "cuda"], "cuda_ipc": ["--memory", "cuda"]}}
NAMES = {"torch": "torch.distributed", "shm": "railgauge over shm", "ucx": "railgauge over ucx (TCP)", "gloo": "Gloo alone",
         "nccl": "railgauge over nccl", "cuda_ipc": "railgauge over cuda_ipc"}
KEY = ("workload",)
GLOO_ITERATIONS = 50
# Its version, and how many GPUs it can use by NCCL.
HAS_TORCH = ("import torch.distributed as d, torch; assert d.is_gloo_available(); "
             "print(torch.__version__, torch.cuda.device_count() if torch.cuda.is_available() and d.is_nccl_available() else 0)")


def environment():
    return dict(os.environ, OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo", UCX_RNDV_THRESH="256k")


def finished(command, what):
    done = subprocess.run(command, capture_output=True, text=True, timeout=common.LAUNCH_DEADLINE, env=environment())
    if done.returncode:
        raise ValueError(f"{what} exited with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")


def calls_of(options):
    """Groups, and for each rank its nodes; written to a file for torch_loop.py."""
    prefix = str(options.room / "calls")
    command = [options.program, "workload", *options.words, "--chakra", prefix]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        common.stop((done.stderr or done.stdout).strip().removeprefix("railgauge: "))
    groups, ranks = chakra.steps_of_export(prefix, options.ranks)
    if not any(it["call"] for nodes in ranks for it in nodes):
        common.stop(f"{' '.join(options.words)}: it has no calls")
    (options.room / "calls.json").write_text(json.dumps({"groups": groups, "ranks": ranks}), encoding="utf-8")
    return groups, ranks


def matches_of(groups, ranks):
    """The calls as (class, [(rank, number of its call)]), in the order in which the first of their ranks has them."""
    found, counts = {}, {}
    for rank, nodes in enumerate(ranks):
        for number, it in enumerate(one for one in nodes if one["call"]):
            pair = (rank, it["peer"], it["tag"]) if it["call"] == "send" else (it["peer"], rank, it["tag"]) if it["call"] == "receive" else ()
            which = (it["group"], *pair)
            place = counts[rank, which] = counts.get((rank, which), 0) + 1
            kind = groups[it["group"]]
            call = "message" if pair else it["call"]
            size = "uneven" if call == "all_to_all_v" else it["bytes"]
            found.setdefault((which, place), ((call, kind["kind"] or kind["name"], it["type"], size), []))[1].append((rank, number))
    return list(found.values())


def median_step(steps, matches):
    """Seconds of the median of `steps` (by rank, begin and end of each call), and of each class of calls in it."""
    lengths = [max(end for its in step for _, end in its) - min(begin for its in step for begin, _ in its) for step in steps]
    middle = sorted(range(len(steps)), key=lambda it: lengths[it])[len(steps) // 2]
    step, classes = steps[middle], {}
    for name, members in matches:
        begin, end = (max(step[rank][number][at] for rank, number in members) for at in (0, 1))
        classes.setdefault(name, []).append(end - begin)
    return {"step": lengths[middle], "classes": {json.dumps(name): statistics.median(times) for name, times in classes.items()}}


def run_torch(options):
    with tempfile.TemporaryDirectory() as folder:
        results = [os.path.join(folder, f"{rank}.json") for rank in range(options.ranks)]
        running = [subprocess.Popen(["taskset", "-c", options.cores, options.python, "-P", str(common.ROOT / "ci/peer/torch_loop.py"),
                                     options.backend, str(options.room / "calls.json"), str(rank), str(options.steps),
                                     os.path.join(folder, "meeting"), results[rank]],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment())
                   for rank in range(options.ranks)]
        try:
            errors = [it.communicate(timeout=common.LAUNCH_DEADLINE)[1] for it in running]
        finally:
            for it in running:
                common.end(it)
        for rank, it in enumerate(running):
            if it.returncode:
                raise ValueError(f"torch_loop.py, rank {rank}, exited with {it.returncode}: {errors[rank].strip()[-300:]}")
        ranks = [json.loads(pathlib.Path(it).read_text(encoding="utf-8")) for it in results]
    return median_step([list(step) for step in zip(*ranks, strict=True)], options.matches)


def run_railgauge(options, transport):
    """railgauge writes the timeline of its median step."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "step.json")
        finished(["taskset", "-c", options.cores, options.program, "workload", *options.words, "--compute", "none", "--transport", transport,
                  *TRANSPORTS[options.backend][transport], "--steps", str(options.steps), "-o", output], "railgauge")
        events = json.loads(pathlib.Path(output).read_text(encoding="utf-8"))["traceEvents"]
    step = [[] for _ in range(options.ranks)]
    for it in events:
        if it["ph"] == "X" and it["cat"] == "communication":
            step[it["pid"]].append((it["ts"] * 1e-6, (it["ts"] + it["dur"]) * 1e-6))
    return median_step([step], options.matches)


def run_gloo(options):
    """Of each size of a float32 all-reduce between all ranks."""
    times = {}
    for name in gloo_classes(options):
        with tempfile.TemporaryDirectory() as meeting:
            command = [str(options.gloo), meeting, str(options.ranks), options.cores, "all_reduce", *(str(name[3]) for _ in range(2)), "2",
                       str(GLOO_ITERATIONS), "5"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=common.LAUNCH_DEADLINE)
        if done.returncode:
            raise ValueError(f"gloo_loop exited with {done.returncode}: {done.stderr.strip()[-300:]}")
        times[json.dumps(name)] = float(done.stdout.split()[1])
    return {"classes": times}


def gloo_classes(options):
    if options.backend != "gloo":
        return []
    whole = {options.groups[it["group"]]["kind"] or options.groups[it["group"]]["name"] for it in options.ranks_calls[0]
             if it["call"] and len(options.groups[it["group"]]["ranks"]) == options.ranks}
    return sorted({name for name, _ in options.matches if name[0] == "all_reduce" and name[1] in whole and name[2] == "float32" and name[3] >= 4})


def build_gloo(options):
    source, options.gloo = common.ROOT / "ci/peer/gloo_loop.cpp", options.room / "gloo_loop"
    done = subprocess.run(["g++", "-std=c++17", "-O2", str(source), "-o", str(options.gloo), "-lgloo", "-pthread"], capture_output=True, text=True)
    if done.returncode:
        common.stop(f"g++ (and libgloo-dev): {done.stderr.strip()[:300]}")


def sides_of(options, _workload):
    return {"torch": lambda: run_torch(options), **{it: lambda it=it: run_railgauge(options, it) for it in options.transports},
            **({"gloo": lambda: run_gloo(options)} if gloo_classes(options) else {})}


def ratios_of(groups, side, value):
    """Of torch.distributed over the other side, of each group of launches."""
    return [value(it["torch"]) / value(it[side]) for it in groups]


def microseconds(seconds):
    return f"{seconds * 1e6:,.3g}" if abs(seconds) < 1e-3 else f"{seconds * 1e6:,.0f}"


def table(groups, options):
    sides = [*options.transports, *(["gloo"] if gloo_classes(options) else [])]
    lines = ["| call | group | type | bytes | calls | torch.distributed, us | " +
             "".join(f"{NAMES[it]}, us | ratio, 95 % interval | " for it in sides) +
             ("torch beyond Gloo, us |" if "gloo" in sides else ""), "|---|---|---|---:|---:|---:|" + "---:|---|" * len(sides) +
             ("---:|" if "gloo" in sides else "")]
    numbers = {}
    for name, _ in options.matches:
        numbers[name] = numbers.get(name, 0) + 1
    rows = [(f"{name[0]} | {name[1]} | {name[2]} | {name[3] if name[3] == 'uneven' else format(name[3], ',')} | {count}",
             lambda side, name=name: side.get("classes", {}).get(json.dumps(name))) for name, count in numbers.items()]
    for text, value in [*rows, ("whole step | | | | ", lambda side: side.get("step"))]:
        torch_time = statistics.median(value(it["torch"]) for it in groups)
        line = f"| {text} | {microseconds(torch_time)} | "
        for side in sides:
            if value(groups[0][side]) is None:
                line += "| | "
                continue
            ratios = ratios_of(groups, side, value)
            low, high = common.interval(ratios, options.seed)
            line += (f"{microseconds(statistics.median(value(it[side]) for it in groups))} | {statistics.median(ratios):.2f}, "
                     f"{low:.2f} to {high:.2f} | ")
        if "gloo" in sides:
            own = None if value(groups[0]["gloo"]) is None else torch_time - statistics.median(value(it["gloo"]) for it in groups)
            line += "|" if own is None else f"{microseconds(own)} |"
        lines.append(line.rstrip())
    return lines


def page(rows, options, weather):
    command = "ci/peers torch" + "".join(f" {shlex.quote(word)}" for word in sys.argv[2:])
    return ["# A training step beside torch.distributed", "", *" ".join(__doc__.split("\n\n")[1:3]).replace("\n", " ").split("\n"), "", *rows, "",
            f"Made by `{command}` on {datetime.date.today().isoformat()}: {common.machine(options)}, PyTorch {options.version}. "
            f"{weather.sentence()}", ""]


def find_torch(options):
    """Debian's is not seen by a Python of another origin that comes first in PATH."""
    for options.python in [options.python] if options.python else [sys.executable, "/usr/bin/python3"]:
        options.version = common.first_line([options.python, "-P", "-c", HAS_TORCH], patience=60)  # it loads for long
        if options.version != "unknown":
            break
    else:
        common.stop(f"{options.python} has no PyTorch with Gloo; it is in python3-torch")
    options.version, gpus = options.version.split()
    if options.backend == "auto":
        options.backend = "nccl" if int(gpus) >= options.ranks else "gloo"
    elif options.backend == "nccl" and int(gpus) < options.ranks:
        common.stop(f"--backend nccl: {options.python} has {gpus} GPUs that it can use by NCCL, and {options.ranks} ranks need one each")
    its = TRANSPORTS[options.backend]
    options.transports = options.transports.split(",") if options.transports else list(its)
    if unknown := [it for it in options.transports if it not in its]:
        common.stop(f"--transports takes {', '.join(its)} beside {options.backend}, not {unknown[0]!r}")


def read_options():
    parser = argparse.ArgumentParser(prog="ci/peers torch", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False, epilog="Other options are those of railgauge workload that make the step.")
    common.add_options(parser, "peers-torch.jsonl")
    parser.add_argument("workload", nargs="*", default=["resnet50"], help="a model, or files of traces (default resnet50)")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--scale", type=float, default=0.01, help="bytes of calls times this (default 0.01)")
    parser.add_argument("--steps", type=int, default=20, help="of a launch (default 20)")
    parser.add_argument("--launches", type=int, default=10, help="on each side (default 10)")
    parser.add_argument("--python", help="that has PyTorch (default: this one, or else /usr/bin/python3)")
    parser.add_argument("--backend", choices=("auto", "gloo", "nccl"), default="auto",
                        help="of torch.distributed (default: nccl where there is a GPU for each rank, or else gloo)")
    parser.add_argument("--transports", help="of railgauge (default: shm,ucx beside gloo, nccl,cuda_ipc beside nccl)")
    options, more = parser.parse_known_intermixed_args(sys.argv[2:])
    if not 2 <= options.ranks <= 64 or options.steps < 1 or options.launches < 1:
        common.stop("--ranks takes 2 to 64, --steps and --launches at least 1")
    options.words = [*(options.workload or ["resnet50"]), "--ranks", str(options.ranks), "--scale", str(options.scale), *more]
    options.probing = options.probing and options.ranks <= len(options.cores.split(","))
    return options


def main():
    options = read_options()
    common.need(options.program, "build it first: ci/quickstart")
    find_torch(options)
    raw = common.open_raw(options)
    with tempfile.TemporaryDirectory() as folder:
        options.room = pathlib.Path(folder)
        options.groups, options.ranks_calls = calls_of(options)
        options.matches = matches_of(options.groups, options.ranks_calls)
        if gloo_classes(options):
            build_gloo(options)
        common.wait_until_quiet(options.patience)
        weather = common.Weather()
        what = " ".join(options.words)
        common.measure_all(options, raw, KEY, [(number, what) for number in range(options.launches)], sides_of, lambda _: what)
        groups = common.read_groups(raw, KEY).get((what,), {})
    taken = common.steady_only(groups)
    if len(taken) < 3:
        common.stop(f"{len(taken)} groups of launches were measured, and at least 3 make a table")
    rows = [f"`railgauge workload {what}`, {len(taken)} groups of launches:", "", *table(taken, options), "", common.how_many({what: groups})]
    print("\n".join(rows))
    common.write_page(options, page(rows, options, weather))
    return 0
