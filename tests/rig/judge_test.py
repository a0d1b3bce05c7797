#!/usr/bin/env python3
"""Says of made verdicts what judge.py must say, and fails where it says something else."""
import json, os, subprocess, sys, tempfile

SLOW3 = "n3|slow|before|cable/port,nic|bandwidth||link"
SENDS1 = "n1|sends|before|cable/port,nic|bandwidth|sending|link"
SLOW = [f"n{host}|slow|before|cable/port,nic|bandwidth||link" for host in range(4)]
RECEIVES2 = "n2|receives|before|cable/port,nic|bandwidth|receiving|link"
LATENCY2 = "n2|latency|before|cable/port,nic|latency,bandwidth||link"
FLAP1 = "n1|flap33_0.5|before|unstable,cable/port,nic|bandwidth||host"
LOSS2 = "n2|loss0.1|before|cable/port,nic|loss||link"
KILLED2 = "n2|killed|during|host configuration,unstable|presence,reach||host"


def verdict(host, blame="cable/port", measure="bandwidth", faulty=True, **more):
    return {"accused": faulty, "blame": blame, "host": host, "from": f"{host}:eth0", "to": "", "measure": measure, "way": "both ways",
            "hosts": [host], **more}


def group(*hosts, **more):
    return verdict("", hosts=list(hosts), **more) | {"from": ""}


def states(**hosts):
    """The hosts n0 to n3: good where nothing is said of them."""
    return {"hosts": [{"name": f"n{host}", "state": hosts.get(f"n{host}", "good")} for host in range(4)]}


def power(share):
    return {"power": {"share_of_time": share}}


ALL_FAULTY = states(n0="accused", n1="accused", n2="accused", n3="accused")
NONE_KNOWN = states(n0="doubtful", n1="doubtful", n2="doubtful", n3="doubtful")
TWO_FAULTY = states(n0="accused", n1="accused")
BELOW = {"figures": [{"below": True}]}
RECEIVING2, LATE2 = verdict("n2", way="receiving"), verdict("n2", measure="latency")

CASES = [
    # what is expected, verdicts (None: no file), exit code, hosts that were struck, the word, and what else is in the file
    ([SLOW3], [verdict("n3")], 1, [], "right"),
    ([SLOW3], [verdict("n3"), verdict("n1", faulty=False)], 1, [], "right"),
    ([SLOW3], [verdict("n3", blame="gpu"), verdict("n3")], 1, [], "right"),
    ([SLOW3], [verdict("n1")], 1, [], "wrong"),
    ([SLOW3], [], 0, [], "missed"),
    ([SLOW3], [verdict("n3", faulty=False)], 4, [], "missed"),
    ([SLOW3], [verdict("n3"), verdict("n0")], 1, [], "false"),
    ([SLOW3], [verdict("n3"), verdict("", blame="leaf", hosts=[])], 1, [], "false"),
    ([SLOW3], [verdict("n3", blame="gpu")], 1, [], "unlike"),
    ([SLOW3], [verdict("n3", measure="latency")], 1, [], "unlike"),
    ([SLOW3], [{**verdict("n3"), "from": "n3:eth1"}], 1, [], "unlike"),
    ([SLOW3], [verdict("n3")], 0, [], "unlike"),
    ([SLOW3], [verdict("n3")], 124, [], "hung"),
    ([SLOW3], None, 2, [], "silent"),
    ([SENDS1], [verdict("n1", way="sending")], 1, [], "right"),
    ([SENDS1], [verdict("n1", way="receiving")], 1, [], "unlike"),
    ([KILLED2], [verdict("n2", "unstable", "presence")], 5, ["2"], "right"),
    ([KILLED2], [verdict("n2", "unstable", "presence")], 137, ["2"], "right"),
    ([KILLED2], [verdict("n2", "unstable", "presence")], 0, ["2"], "unlike"),
    ([KILLED2], [], 0, [], "late"),
    ([SLOW3, SENDS1], [verdict("n3"), verdict("n1", way="sending")], 1, [], "right"),
    ([SLOW3, SENDS1], [verdict("n3")], 1, [], "missed"),
    ([SLOW3, SENDS1], [verdict("n3"), verdict("n2")], 1, [], "wrong"),
    ([], [], 0, [], "right"),
    ([], [], 4, [], "right"),
    ([], [], 2, [], "unlike"),
    ([], [verdict("n0")], 1, [], "false"),
    # two of four are slow: each by itself, or as a group
    (SLOW[:2], [verdict("n0"), verdict("n1")], 1, [], "right", TWO_FAULTY),
    (SLOW[:2], [group("n0", "n1")], 1, [], "right", TWO_FAULTY),
    (SLOW[:2], [group("n0", "n1", blame="gpu")], 1, [], "unlike", TWO_FAULTY),
    (SLOW[:2], [group("n2", "n3")], 1, [], "wrong", TWO_FAULTY),
    (SLOW[:2], [group("n0", "n1", "n2")], 1, [], "false", TWO_FAULTY),
    (SLOW[:2], [], 0, [], "missed", states()),
    (SLOW[:2], [], 1, [], "missed", NONE_KNOWN | BELOW),
    # all are slow: each, as a group, or by a finding or a figure about the level
    (SLOW, [verdict(f"n{host}") for host in range(4)], 1, [], "right", ALL_FAULTY),
    (SLOW, [group("n0", "n1", "n2", "n3")], 1, [], "right", ALL_FAULTY),
    (SLOW, [verdict("", hosts=[])], 1, [], "right", NONE_KNOWN),
    (SLOW, [], 1, [], "right", NONE_KNOWN | BELOW),
    (SLOW, [], 4, [], "missed", NONE_KNOWN),
    (SLOW, [], 0, [], "missed", states()),
    (SLOW, [], 1, [], "missed", states() | BELOW),
    (SLOW, [verdict("n0"), verdict("n1")], 1, [], "missed", TWO_FAULTY),
    (SLOW, [verdict(f"n{host}") for host in range(4)], 0, [], "unlike", ALL_FAULTY),
    # two faults of one host
    ([RECEIVES2, LATENCY2], [RECEIVING2, LATE2], 1, [], "right"),
    ([RECEIVES2, LATENCY2], [LATE2, verdict("n2"), RECEIVING2], 1, [], "right"),
    ([RECEIVES2, LATENCY2], [verdict("n2"), LATE2], 1, [], "unlike"),
    ([RECEIVES2, LATENCY2], [RECEIVING2], 1, [], "unlike"),
    ([RECEIVES2, LATENCY2], [LATE2], 1, [], "unlike"),
    ([RECEIVES2, LATENCY2], [RECEIVING2, verdict("n2")], 1, [], "unlike"),
    ([SENDS1.replace("n1", "n2").replace("sending", ""), RECEIVES2], [RECEIVING2], 1, [], "unlike"),
    # slow at times: found, or announced as too rare for this run
    ([FLAP1], [verdict("n1", blame="unstable")], 1, [], "right"),
    ([FLAP1], [verdict("n1")], 1, [], "right", power(0.5)),
    ([FLAP1], [verdict("n1", measure="latency")], 1, [], "unlike"),
    ([FLAP1], [], 0, [], "announced", power(0.4)),
    ([FLAP1], [], 4, [], "announced", power(0.4)),
    ([FLAP1], [], 1, [], "unlike", power(0.4)),
    ([FLAP1], [], 0, [], "missed", power(0.2)),
    ([FLAP1], [], 0, [], "missed", power(None)),
    ([FLAP1], [], 0, [], "missed"),
    ([FLAP1], [verdict("n2")], 1, [], "false", power(0.4)),
    ([FLAP1, SLOW3], [verdict("n3")], 1, [], "announced", power(0.4)),
    ([FLAP1, SLOW3], [], 0, [], "missed", power(0.4)),
    ([SLOW3], [], 0, [], "missed", power(0.4)),
    # lost frames
    ([LOSS2], [verdict("n2", measure="loss")], 1, [], "right"),
    ([LOSS2], [verdict("n2", measure="loss"), verdict("n2")], 1, [], "right"),
    ([LOSS2], [verdict("n2")], 1, [], "unlike"),
    ([LOSS2], [], 0, [], "missed"),
]

judge = os.path.join(os.path.dirname(os.path.abspath(__file__)), "judge.py")
bad = 0
for number, (expected, verdicts, code, struck, word, *more) in enumerate(CASES):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "expected"), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in expected)
        for host in struck:
            open(os.path.join(folder, "struck." + host), "w", encoding="utf-8").close()
        if verdicts is not None:
            with open(os.path.join(folder, "verdict.json"), "w", encoding="utf-8") as file:
                json.dump({"outcome": "failed", "verdicts": verdicts} | (more[0] if more else {}), file)
        said = subprocess.run([sys.executable, judge, folder, str(code), "1.0"], capture_output=True, text=True, check=True).stdout
        if said.split()[0] != word:
            print(f"case {number}: {said.strip()}, not {word}")
            bad += 1
print(f"{len(CASES) - bad} of {len(CASES)} judged as they must be")
sys.exit(1 if bad else 0)
