"""Steps of a workload by torch.distributed over Gloo or NCCL, on one rank; started by ci/peers torch.

    torch_loop.py BACKEND CALLS.json RANK STEPS MEETING RESULT.json

CALLS.json has groups and, for each rank, nodes as ci/peer/chakra.py says. Nodes of a stream run one after the other; streams overlap; a node
begins once those in `after` have ended, as `railgauge workload --compute none` does it. Data of the first step, which is not timed, is checked.
RESULT.json gets, for each step, begin and end of each call in seconds of the clock that all processes of this machine share. Over NCCL a call
ends when the host sees that the GPU has done it.
"""
import concurrent.futures
import datetime
import json
import os
import sys
import time

import torch
import torch.distributed as dist

NCCL = sys.argv[1] == "nccl"
# Gloo has no bfloat16 in this release: float16 has as many bytes.
TYPES = {"float32": torch.float32, "float64": torch.float64, "float16": torch.float16, "bfloat16": torch.bfloat16 if NCCL else torch.float16,
         "int8": torch.int8, "uint8": torch.uint8, "int32": torch.int32, "int64": torch.int64}
OPS = {"max": dist.ReduceOp.MAX, "min": dist.ReduceOp.MIN, "prod": dist.ReduceOp.PRODUCT}
DEADLINE = datetime.timedelta(seconds=60)


def expected_sum(step, size):
    return {None: size * (size + 1) // 2, "sum": size * (size + 1) // 2, "max": size, "min": 1}.get(step["op"])


class Message:
    """A send or receive. Gloo's know that they are complete only where somebody waits: a thread does it when others are in flight."""

    def __init__(self, work, waiters):
        self.work, self.waiters, self.waited = work, waiters, None

    def is_completed(self):
        if self.waited is None:
            self.waited = self.waiters.submit(self.work.wait)
        return self.waited.done()

    def wait(self):
        if self.waited is None:
            self.work.wait()
        else:
            self.waited.result()


class Call:
    """One call with its tensors. `begin` returns what is to be waited for; `check` says what is wrong after a step that `fill` came before."""

    def __init__(self, step, group, ranks, me, buffers, waiters):
        self.step, self.group, self.ranks, self.waiters = step, group, ranks, waiters
        self.place, self.size = ranks.index(me), len(ranks)
        element = torch.empty(0, dtype=TYPES[step["type"]]).element_size()
        # Calls that are alike share their tensors, and run one after the other.
        key = (step["call"], step["group"], step["type"], step["bytes"], step.get("peer"), step["name"] if "send" in step else "")
        count = step["bytes"] // element
        made = buffers.get(key)
        if made is None:
            output = sum(step["receive"]) if "receive" in step else count
            made = buffers[key] = [torch.zeros(max(1, it), dtype=TYPES[step["type"]], device="cuda" if NCCL else "cpu")[:it] for it in (count, output)]
        self.key, (self.input, self.output) = key, made
        share = self.size if step["call"] not in ("send", "receive") else 1
        self.parts = list(self.output[:count // share * share].chunk(share)) if count >= share else []

    def fill(self):
        self.input.fill_(self.place + 1)
        self.output.zero_()
        if self.step["call"] in ("all_reduce", "reduce", "reduce_scatter") or (self.step["call"] == "broadcast" and self.place == self.step["root"]):
            self.output.copy_(self.input)

    def begin(self):
        call, group, step = self.step["call"], self.group, self.step
        op = OPS.get(step["op"], dist.ReduceOp.SUM)
        own = self.input[:len(self.parts[0])] if self.parts else self.input
        if NCCL and call == "reduce_scatter" and self.parts:
            return dist.reduce_scatter_tensor(self.parts[0], self.input[:len(self.parts[0]) * self.size], op, group, async_op=True)
        if NCCL and call == "all_gather" and self.parts:
            return dist.all_gather_into_tensor(self.output[:len(own) * self.size], own, group, async_op=True)
        if call in ("all_reduce", "reduce_scatter"):  # Gloo has no reduce_scatter
            return dist.all_reduce(self.output, op, group, async_op=True)
        if call == "broadcast":
            return dist.broadcast(self.output, self.ranks[step["root"]], group, async_op=True)
        if call == "reduce":
            return dist.reduce(self.output, self.ranks[step["root"]], op, group, async_op=True)
        if call == "all_gather":
            return dist.all_gather(self.parts, own, group, async_op=True)
        if call == "all_to_all":
            return dist.all_to_all_single(self.output, self.input, group=group, async_op=True)
        if call == "all_to_all_v":
            return dist.all_to_all_single(self.output, self.input, step["receive"], step["send"], group, async_op=True)
        if NCCL and call in ("send", "receive"):
            return dist.isend(self.input, step["peer"], group) if call == "send" else dist.irecv(self.output, step["peer"], group)
        if call == "send":
            return Message(dist.isend(self.input, step["peer"], group, step["tag"]), self.waiters)
        if call == "receive":
            return Message(dist.irecv(self.output, step["peer"], group, step["tag"]), self.waiters)
        if call == "barrier":
            return dist.barrier(group, async_op=True)
        at_root = self.place == step["root"]
        if call == "gather":
            return dist.gather(own, self.parts if at_root else None, self.ranks[step["root"]], group, async_op=True)
        return dist.scatter(own, self.parts if at_root else None, self.ranks[step["root"]], group, async_op=True)

    def check(self):
        call, step, output = self.step["call"], self.step, self.output
        if output.numel() == 0:
            return None
        if call in ("all_reduce", "reduce_scatter"):
            want = [(self.parts[0] if NCCL and call == "reduce_scatter" and self.parts else output, expected_sum(step, self.size))]
        elif call == "broadcast":
            want = [(output, step["root"] + 1)]
        elif call == "receive":
            want = [(output, self.ranks.index(step["peer"]) + 1)]
        elif call in ("all_gather", "all_to_all"):
            want = [(part, rank + 1) for rank, part in enumerate(self.parts)]
        elif call == "all_to_all_v":
            want = [(part, rank + 1) for rank, part in enumerate(output.split(step["receive"]))]
        else:
            want = []
        for part, value in want:
            if value is not None and part.numel() and not bool((part == value).all()):
                return f"{step['name']}: {call} gave {part[0].item()} where {value} was expected"
        return None


class Rank:
    def __init__(self, calls, me):
        groups, self.nodes = calls["groups"], calls["ranks"][me]
        everybody = len(calls["ranks"])
        made = [dist.group.WORLD if len(it["ranks"]) == everybody else dist.new_group(it["ranks"], DEADLINE) for it in groups]
        buffers, waiters = {}, concurrent.futures.ThreadPoolExecutor(16)
        self.calls = [None if it["call"] is None else Call(it, made[it["group"]], groups[it["group"]]["ranks"], me, buffers, waiters)
                      for it in self.nodes]
        self.streams = {}
        for place, it in enumerate(self.nodes):
            self.streams.setdefault(it["stream"], []).append(place)

    def step(self, checked):
        """Begin and end of each call, in the order of the list."""
        times, done, in_use, wrong = {}, [False] * len(self.nodes), set(), None
        streams = [list(reversed(todo)) for todo in self.streams.values()]
        flying = []  # stream, node, work
        since = time.monotonic()
        while flying or any(streams):
            moved = False
            busy = {id(stream) for stream, _, _ in flying}
            for stream in streams:
                while stream and id(stream) not in busy and all(done[before] for before in self.nodes[stream[-1]]["after"]):
                    call = self.calls[stream[-1]]
                    if call is not None and call.key in in_use:
                        break
                    moved = True
                    if call is None:
                        done[stream.pop()] = True
                        continue
                    if checked:
                        call.fill()
                    in_use.add(call.key)
                    times[stream[-1]] = [time.monotonic(), 0]
                    flying.append((stream, stream[-1], call.begin()))
                    busy.add(id(stream))
            if moved:
                continue  # others may have become ready
            if not flying:
                raise ValueError("no call can begin")
            # Over NCCL, wait() has the GPU's stream wait, and not the host.
            ended = flying if len(flying) == 1 and not NCCL else [it for it in flying if it[2].is_completed()]
            if not ended and time.monotonic() > since + DEADLINE.total_seconds():
                raise ValueError("no call ended within 60 s: " + ", ".join(self.nodes[node]["name"] for _, node, _ in flying))
            for stream, node, work in ended:
                work.wait()
                times[node][1] = time.monotonic()
                in_use.discard(self.calls[node].key)
                if checked:
                    wrong = wrong or self.calls[node].check()
                done[stream.pop()] = True
            flying = [it for it in flying if not done[it[1]]]
            if ended:
                since = time.monotonic()
            else:
                os.sched_yield()
        if wrong:
            raise ValueError(wrong)
        return [times[node] for node in sorted(times)]


def main():
    backend, file, rank, steps, meeting, result = sys.argv[1:]
    with open(file, encoding="utf-8") as source:
        calls = json.load(source)
    torch.set_num_threads(1)
    if NCCL:
        torch.cuda.set_device(int(rank))
    dist.init_process_group(backend, init_method=f"file://{meeting}", rank=int(rank), world_size=len(calls["ranks"]), timeout=DEADLINE)
    it = Rank(calls, int(rank))
    measured = []
    for step in range(int(steps) + 1):
        dist.barrier()
        times = it.step(step == 0)
        if step:
            measured.append(times)
    dist.barrier()
    with open(result, "w", encoding="utf-8") as target:
        json.dump(measured, target)
    dist.destroy_process_group()


main()
