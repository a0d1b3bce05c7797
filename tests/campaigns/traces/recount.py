"""The calls of a trace, read by a script that shares nothing with railgauge: for each rank and group their order, names and bytes.

A trace is {"ranks": number or None where the file does not say it, "known": {rank: calls}, "members": function of a group's key and a rank, which
gives the ranks of that rank's group}. A call is (group, name, bytes of an element, elements, counts to each rank or None, root or peer or None).
"""
import gzip
import io
import json
import pathlib
import re
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ci" / "peer"))
import chakra  # noqa: E402

NAMES = {"allreduce": "all_reduce", "allgather": "all_gather", "reducescatter": "reduce_scatter", "alltoall": "all_to_all",
         "alltoallv": "all_to_all_v", "broadcast": "broadcast", "recv": "receive", "send": "send", "reduce": "reduce"}
WIDTHS = {"float": 4, "float32": 4, "int": 4, "int32": 4, "long": 8, "longint": 8, "int64": 8, "half": 2, "bfloat16": 2, "float16": 2, "double": 8}
ROOTED = ("broadcast", "reduce", "gather", "scatter")


def contents(path):
    """Name and bytes of each file in it."""
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data[257:262] != b"ustar":
        return [(pathlib.Path(path).name, data)]
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return [(it.name, archive.extractfile(it).read()) for it in archive if it.isfile() and not pathlib.PurePath(it.name).name.startswith("._")]


def call_name(word):
    return NAMES[word.lower().replace("_", "").replace("nccl:", "")]


def everybody(_group, _rank):
    return range(64)  # as many as anything here runs with, and more


def numels(value):
    """Of tensors [id, storage, offset, elements, width, device], in lists of any depth."""
    if isinstance(value, list) and len(value) == 6 and isinstance(value[5], str):
        return [value[3]]
    return [one for it in value for one in numels(it)] if isinstance(value, list) else []


def pytorch_et(files):
    known, ranks = {}, 0
    for name, data in files:
        calls, size, own = [], 0, None
        nodes = sorted((it for it in json.loads(data)["nodes"] if it["name"] == "record_param_comms"), key=lambda it: it["id"])
        for it in nodes:
            inner = isinstance(it["inputs"], dict)
            values, outputs = (it[which]["values"] if inner else it[which] for which in ("inputs", "outputs"))
            types = it["inputs"]["types"] if inner else it["input_types"]
            at = next(place for place, value in enumerate(values) if place > 2 and isinstance(value, str))
            if values[at] in ("wait", "init", "barrier"):
                continue
            call = call_name(values[at])
            sent, received = sum(numels(values[0])), sum(numels(outputs))
            attributes = {one["name"]: one["value"] for one in it.get("attrs", [])}
            sent, received = attributes.get("in_msg_nelems", sent), attributes.get("out_msg_nelems", received)
            width = WIDTHS[re.search(r"Tensor\(([a-z0-9 ]+)\)", types[0])[1].replace(" ", "")]
            counts = values[at + 1] if call == "all_to_all_v" else None
            elements = max(sent, received) if call in ("all_gather", "reduce_scatter") else sent
            rest = values[at + 3:]
            size = rest[-1] if rest else size or len(values[at + 1])
            root = values[at - 1] if call in ROOTED else None
            if root is None:
                own = values[at - 1]
            calls.append((json.dumps(values[at - 2]), call, width, elements, counts, root))
        known[own] = calls
        ranks = max(ranks, size, len(files))
    return {"ranks": ranks, "known": known, "members": everybody}


def kineto(files):
    document = json.loads(files[0][1])
    calls = []
    events = [it for it in document["traceEvents"] if it.get("args", {}).get("Collective name") and it["cat"] == "cpu_op"]
    kernels = {it["args"]["External id"]: it["ts"] for it in document["traceEvents"] if it.get("cat") == "kernel" and "External id" in it.get("args", {})}
    for it in sorted(events, key=lambda it: kernels.get(it["args"].get("External id"), it["ts"])):
        details = it["args"]
        if details["Collective name"] == "wait":
            continue
        call = call_name(details["Collective name"])
        calls.append((details["Process Group Name"], call, WIDTHS[details["dtype"].lower()], max(details["In msg nelems"], details["Out msg nelems"]),
                      None, 0 if call in ROOTED else None))
    return {"ranks": document["distributedInfo"]["world_size"], "known": {document["distributedInfo"]["rank"]: calls}, "members": everybody}


def chakra_et(files):
    known, ranks, groups = {}, None, {}
    for name, data in files:
        rank = int(re.search(r"\.(\d+)\.et$", name)[1])
        header, nodes = chakra.read(data)
        own = header.get("schema") == "railgauge-1"
        if own:
            ranks = header["ranks"]
            groups = {str(place): it["ranks"] for place, it in enumerate(json.loads(header["groups"]))}
        elif "input_file" in header:
            ranks = int(re.search(r'ngpus="(\d+)"', header["input_file"])[1])
        calls = []
        for it in nodes:
            if it["type"] not in (chakra.SEND, chakra.RECEIVE, chakra.COLLECTIVE) or it.get("is_cpu_op"):
                continue
            width = WIDTHS.get(it.get("element_type"), 8 if it["comm_size"] % 53 == 0 and it["comm_size"] < 1000 else 4)
            group, elements = it.get("pg_name", "all"), it["comm_size"] // width
            if it["type"] == chakra.COLLECTIVE:
                call = "all_to_all_v" if "send_counts" in it else chakra.CALLS[it["comm_type"]]
                root = it.get("comm_root", 0) if call in ROOTED else None
            else:
                call = "send" if it["type"] == chakra.SEND else "receive"
                root = it["comm_dst" if call == "send" else "comm_src"]
            calls.append((group, call, width, elements, it.get("send_counts"), root))
        known[rank] = calls
    return {"ranks": ranks, "known": known, "members": (lambda group, _rank: groups[group]) if groups else everybody}


def param(files):
    known, groups = {}, {}
    for name, data in files:
        calls = []
        for it in json.loads(data):
            if it.get("comms") in (None, "wait", "init"):
                continue
            call = call_name(it["comms"])
            groups[str(it["pg_id"])] = it["global_ranks"]
            elements = max(it["in_msg_size"], it["out_msg_size"])
            calls.append((str(it["pg_id"]), call, WIDTHS[it["dtype"].lower()], elements, None, it.get("root")))
        known[int(re.search(r"(\d+)\.json$", name)[1])] = calls
    return {"ranks": 1 + max(rank for its in groups.values() for rank in its), "known": known, "members": lambda group, _rank: groups[group]}


def simai(files):
    lines = files[0][1].decode().splitlines()
    head = lines[0].split()
    sizes = {key.rstrip(":"): int(value) for key, value in zip(head[1::2], head[2::2]) if value.isdigit()}
    tensor, expert, ranks = sizes["model_parallel_NPU_group"], sizes["ep"], sizes["all_gpus"]
    layers = [line.split() for line in lines[2:] if line.strip()]
    calls = []

    def add(layer, column, weights):
        word, size = layer[column], int(layer[column + 1])
        if word == "NONE":
            return
        kind = "data of experts" if word.endswith("_DP_EP") else "expert" if word.endswith("_EP") else "data" if weights else "tensor"
        width = 2 if size % 2 == 0 else 1
        calls.append((kind, call_name(word.split("_")[0]), width, size // width, None, None))

    for layer in layers:
        add(layer, 3, False)
    for layer in reversed(layers):
        add(layer, 6, False)
        add(layer, 9, True)
    stage = ranks // sizes["pp"]
    stride = {"tensor": (1, tensor), "data": (tensor, stage // tensor), "expert": (tensor, expert),
              "data of experts": (tensor * expert, stage // tensor // expert)}

    def members(kind, rank):
        step, count = stride[kind]
        inner, block = rank % step, rank // (step * count) * (step * count)
        return range(block + inner, block + step * count, step)

    return {"ranks": ranks, "known": {0: calls}, "members": members}


def recount(path):
    """Of a file, or of a folder of files."""
    path = pathlib.Path(path)
    paths = [it for it in sorted(path.iterdir()) if it.name != "groups.json" and not it.name.endswith(".groups.json")] if path.is_dir() else [path]
    files = [one for it in paths for one in contents(it)]
    begin = files[0][1][:200].lstrip()
    if begin.startswith(b"HYBRID"):
        return simai(files)
    if begin.startswith(b"["):
        return param(files)
    if not begin.startswith(b"{"):
        return chakra_et(files)
    return kineto(files) if b"traceEvents" in files[0][1] else pytorch_et(files)


def of_rank(trace, rank, ranks):
    """What a replay on `ranks` ranks has of a rank, by group: [[(name, width, elements, members), ...], ...]; ValueError: why there is none."""
    if trace["ranks"] is not None and ranks > trace["ranks"]:
        raise ValueError("fewer ranks than asked for")
    model = rank if rank in trace["known"] else min(trace["known"])
    groups = {}
    for group, name, width, elements, counts, other in trace["known"][model]:
        if other is not None and other >= ranks:
            raise ValueError("needs a rank that is gone")
        members = [it for it in trace["members"](group, rank) if it < ranks]
        if len(members) < 2:
            continue
        if counts:
            place = {it: at for at, it in enumerate(trace["members"](group, rank)) if it < ranks}
            elements = [counts[at] for at in place.values()]
        groups.setdefault((group, name) if name in ("send", "receive") else group, []).append((name, width, elements, len(members)))
    return list(groups.values())
