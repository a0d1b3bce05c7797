"""Reads Chakra execution traces (protobuf, NAME.RANK.et), without the schema's compiler: nodes with their attributes, in the order of the file."""
import json
import pathlib
import struct

SEND, RECEIVE, COLLECTIVE = 5, 6, 7
CALLS = ("all_reduce", "reduce", "all_gather", "gather", "scatter", "broadcast", "all_to_all", "reduce_scatter", "reduce_scatter", "barrier")
INTEGER_LISTS = (8, 10, 12, 14)
ZIGZAG = (15, 17)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number has more than 64 bits")


def fields(data):
    """Number and value of each field: an int, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
            value, at = data[at:at + length], at + length
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            raise ValueError(f"a field of kind {kind}")
        if at > len(data):
            raise ValueError("the file ends within a field")
        yield number, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def integers(data):
    """A list of varints, packed or one by one."""
    return [one for number, value in fields(data) if number == 1 for one in packed(value)]


def packed(value):
    """One varint, or several one behind the other."""
    if isinstance(value, int):
        return [signed(value)]
    values, at = [], 0
    while at < len(value):
        one, at = varint(value, at)
        values.append(signed(one))
    return values


def attribute(data):
    name, value = "", None
    for number, it in fields(data):
        if number == 1:
            name = it.decode("utf-8", "replace")
        elif number == 29:
            value = it.decode("utf-8", "replace")
        elif number in INTEGER_LISTS:
            value = integers(it)
        elif number == 3:
            value = struct.unpack("<d", it)[0]
        elif number == 5:
            value = struct.unpack("<f", it)[0]
        elif number in ZIGZAG:
            value = (it >> 1) ^ -(it & 1)
        elif isinstance(it, int):
            value = signed(it)
        elif number in (19, 21, 23, 25):
            value = int.from_bytes(it, "little", signed=number > 21)
    return name, value


def messages(data):
    """Each behind its length."""
    at = 0
    while at < len(data):
        length, at = varint(data, at)
        if at + length > len(data):
            raise ValueError("the file ends within a message")
        yield data[at:at + length]
        at += length


def node(data):
    it = {"id": 0, "name": "", "type": 0, "after": [], "control": [], "micros": 0}
    for number, value in fields(data):
        if number == 1:
            it["id"] = value
        elif number == 2:
            it["name"] = value.decode("utf-8", "replace")
        elif number == 3:
            it["type"] = value
        elif number in (4, 5):
            it["control" if number == 4 else "after"] += packed(value)
        elif number == 7:
            it["micros"] = value
        elif number == 10:
            name, its = attribute(value)
            it[name] = its
    return it


def read(data):
    """The attributes of the header, and the nodes."""
    header, nodes = {}, []
    for index, message in enumerate(messages(data)):
        if index == 0:
            header = dict(attribute(value) for number, value in fields(message) if number == 2)
        else:
            nodes.append(node(message))
    return header, nodes


def steps_of_export(prefix, ranks):
    """What `railgauge workload --chakra` wrote: groups, and for each rank its nodes as {after, stream, call, ...}."""
    lists, groups = [], []
    for rank in range(ranks):
        header, nodes = read(pathlib.Path(f"{prefix}.{rank}.et").read_bytes())
        if rank == 0:
            groups = [{"name": it["name"], "kind": it["pg_desc"], "ranks": it["ranks"]} for it in json.loads(header["groups"])]
        lists.append([step_of(it) for it in nodes])
    return groups, lists


def step_of(it):
    step = {"after": it["after"], "stream": it.get("stream", 0), "name": it["name"], "call": None}
    if it["type"] not in (SEND, RECEIVE, COLLECTIVE):
        return step
    step.update(group=int(it["pg_name"]), type=it["element_type"], bytes=it["comm_size"], op=it.get("reduction"))
    if it["type"] == COLLECTIVE:
        step["call"] = CALLS[it["comm_type"]]
        step["root"] = it.get("comm_root", 0)
        if "send_counts" in it:
            step.update(call="all_to_all_v", send=it["send_counts"], receive=it["receive_counts"])
    else:
        step["call"] = "send" if it["type"] == SEND else "receive"
        step.update(peer=it["comm_dst"] if it["type"] == SEND else it["comm_src"], tag=it["comm_tag"])
    return step
