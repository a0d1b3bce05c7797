#!/usr/bin/env python3
"""Says of made verdicts what judge.py must say, and fails where it says something else."""
import json, os, subprocess, sys, tempfile

SLOW3 = "n3|slow|before|cable/port,nic|bandwidth||link"
SENDS1 = "n1|sends|before|cable/port,nic|bandwidth|sending|link"
KILLED2 = "n2|killed|during|host configuration,unstable|presence,reach||host"


def verdict(host, blame="cable/port", measure="bandwidth", faulty=True, **more):
    return {"accused": faulty, "blame": blame, "host": host, "from": f"{host}:eth0", "to": "", "measure": measure, "way": "both ways",
            "hosts": [host], **more}


CASES = [
    # what is expected, verdicts (None: no file), exit code, hosts that were struck, the word
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
]

judge = os.path.join(os.path.dirname(os.path.abspath(__file__)), "judge.py")
bad = 0
for number, (expected, verdicts, code, struck, word) in enumerate(CASES):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "expected"), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in expected)
        for host in struck:
            open(os.path.join(folder, "struck." + host), "w", encoding="utf-8").close()
        if verdicts is not None:
            with open(os.path.join(folder, "verdict.json"), "w", encoding="utf-8") as file:
                json.dump({"outcome": "failed", "verdicts": verdicts}, file)
        said = subprocess.run([sys.executable, judge, folder, str(code), "1.0"], capture_output=True, text=True, check=True).stdout
        if said.split()[0] != word:
            print(f"case {number}: {said.strip()}, not {word}")
            bad += 1
print(f"{len(CASES) - bad} of {len(CASES)} judged as they must be")
sys.exit(1 if bad else 0)
