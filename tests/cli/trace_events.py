# python3 trace_events.py FILE RANKS: reads a file by the rules of the Trace Event Format (JSON object format; the phases X, M, s, f), as a viewer does
# that is strict: types of fields, names of metadata, nodes of a thread that do not overlap, flows that begin and end within a node. Prints what is
# wrong, and the number of events of each phase.
import collections
import json
import sys

problems = []


def wrong(event, words):
    problems.append(f"{words}: {json.dumps(event)[:160]}")


def refuse_constant(name):
    raise ValueError(f"{name} is no number of JSON")


def number(event, field):
    value = event.get(field)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        wrong(event, f"{field} is no number of at least 0")
        return 0
    return value


def whole(event, field):
    value = event.get(field)
    if isinstance(value, bool) or not isinstance(value, int):
        wrong(event, f"{field} is no whole number")
        return -1
    return value


def nanoseconds(event, field):
    exact = number(event, field) * 1000
    if abs(exact - round(exact)) > 1e-3:
        wrong(event, f"{field} is no whole number of nanoseconds")
    return round(exact)


metadata = {"process_name": ("name", str), "thread_name": ("name", str), "process_labels": ("labels", str),
            "process_sort_index": ("sort_index", int), "thread_sort_index": ("sort_index", int)}

with open(sys.argv[1], encoding="utf-8") as file:
    trace = json.load(file, parse_constant=refuse_constant)
if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
    sys.exit("no object with traceEvents")
if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
    sys.exit("displayTimeUnit is neither ms nor ns")

slices = collections.defaultdict(list)
named = {}
flows = collections.defaultdict(list)
phases = collections.Counter()
for event in trace["traceEvents"]:
    phase = event.get("ph")
    phases[phase] += 1
    for field in ("name", "cat") if phase != "M" else ("name",):
        if not isinstance(event.get(field), str) or not event[field]:
            wrong(event, f"{field} is no text")
    place = whole(event, "pid"), whole(event, "tid")
    if not isinstance(event.get("args", {}), dict):
        wrong(event, "args is no object")
    if phase == "X":
        begin = nanoseconds(event, "ts")
        slices[place].append((begin, begin + nanoseconds(event, "dur"), event))
    elif phase == "M":
        field, kind = metadata.get(event.get("name"), (None, None))
        if field is None or not isinstance(event.get("args", {}).get(field), kind):
            wrong(event, "metadata of no known name and value")
        else:
            named[event["name"], place[0] if event["name"].startswith("process") else place] = event["args"][field]
    elif phase in ("s", "f"):
        if not isinstance(event.get("id"), (int, str)):
            wrong(event, "a flow without id")
        if phase == "f" and event.get("bp") != "e":
            wrong(event, "the end of a flow binds to the next slice, not to its own")
        flows[event["cat"], event["name"], event.get("id")].append((nanoseconds(event, "ts"), phase, place, event))
    else:
        wrong(event, "a phase that is not expected")

for place, its in slices.items():
    its.sort(key=lambda one: (one[0], one[1]))
    for before, after in zip(its, its[1:]):
        if after[0] < before[1]:
            wrong(after[2], "overlaps the node before it")
    for what, key in (("process_name", place[0]), ("thread_name", place)):
        if (what, key) not in named:
            wrong(its[0][2], f"no {what}")
for its in flows.values():
    its.sort(key=lambda one: one[0])
    if [phase for _, phase, _, _ in its] != ["s", "f"]:
        wrong(its[0][3], "a flow is no begin and one end")
    for at, _, place, event in its:
        if not any(begin <= at <= end for begin, end, _ in slices[place]):
            wrong(event, "a flow touches no node")
ranks = {place[0] for place in slices}
if ranks != set(range(int(sys.argv[2]))):
    problems.append(f"the processes are {sorted(ranks)}")

print(dict(phases))
for problem in problems[:10]:
    print(f"wrong: {problem}")
sys.exit(1 if problems else 0)
