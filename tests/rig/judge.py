#!/usr/bin/env python3
"""judge.py FOLDER EXIT_CODE SECONDS: whether verdict.json of a run of the rig names what was made wrong and nobody else.

Prints one line: a word, the seconds, and what is wrong. The words, the first that fits:
hung (it had to be stopped: 124), late (a fault struck nobody, for the run was over), silent (no verdict.json that can be read), wrong
(another host is named as faulty and one at fault is not), missed (one at fault is not named), false (another is named too), unlike (the
hosts are right, and class, measure, direction or link is not), right."""
import json, os, sys

folder, code, seconds = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def end(word, *why):
    print(f"{word:<6} {seconds:>6} s  {'; '.join(why)}".rstrip())
    sys.exit(0)


def named_hosts(verdict):
    return {verdict["host"]} if verdict.get("host") else set(verdict.get("hosts", []))


def unlike(verdicts, host, fault, blames, measures, direction, where):
    """What is wrong with all findings that name that host; nothing where one of them is right."""
    complaints = []
    for verdict in verdicts:
        complaint = []
        if verdict["blame"] not in blames.split(","):
            complaint.append(f"class {verdict['blame']}")
        if verdict.get("measure") not in measures.split(","):
            complaint.append(f"measure {verdict.get('measure')}")
        if direction and verdict.get("way") != direction:
            complaint.append(f"direction {verdict.get('way')}")
        if where == "link" and f"{host}:eth0" not in (verdict.get("from"), verdict.get("to")):
            complaint.append(f"ends {verdict.get('from')} and {verdict.get('to')}")
        if not complaint:
            return []
        complaints.append(f"{fault} of {host}: " + ", ".join(complaint))
    return complaints[:1]


with open(os.path.join(folder, "expected"), encoding="utf-8") as file:
    expected = [line.rstrip("\n").split("|") for line in file]
if code == 124:
    end("hung")
for host, fault, when, *_ in expected:
    if when == "during" and not os.path.exists(os.path.join(folder, "struck." + host[1:])):
        end("late", f"{fault} of {host}")
try:
    with open(os.path.join(folder, "verdict.json"), encoding="utf-8") as file:
        verdict = json.load(file)
    findings = [one for one in verdict["verdicts"] if one["accused"]]
except (OSError, ValueError, KeyError) as error:
    end("silent", f"exit code {code}, {error}")
right = {row[0] for row in expected}
named = set().union(*map(named_hosts, findings)) if findings else set()
said = [f"{'+'.join(sorted(named_hosts(one))) or '(no host)'} {one['blame']} {one.get('measure')}" for one in findings]
if any(not named_hosts(one) for one in findings):
    named.add("(no host)")
if right - named and named - right:
    end("wrong", "named: " + ", ".join(said))
if right - named:
    end("missed", f"exit code {code}, outcome {verdict.get('outcome')}, not named: " + ", ".join(sorted(right - named)))
if named - right:
    end("false", "named: " + ", ".join(said))
complaints = []
for host, fault, _, blames, measures, direction, where in expected:
    complaints += unlike([one for one in findings if host in named_hosts(one)], host, fault, blames, measures, direction, where)
# Of a step with a task that was killed srun tells that task's code, and not that of rank 0.
some_died = any(row[1] in ("stopped", "killed") for row in expected)
if expected and code not in (1, 5) and not (some_died and code != 0):
    complaints.append(f"exit code {code}")
if not expected and code not in (0, 4):
    complaints.append(f"exit code {code}")
if complaints:
    end("unlike", *complaints)
end("right", *([] if expected or code == 0 else [f"outcome {verdict.get('outcome')}"]))
