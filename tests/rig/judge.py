#!/usr/bin/env python3
"""judge.py FOLDER EXIT_CODE SECONDS: whether verdict.json of a run of the rig names what was made wrong and nobody else.

Prints one line: a word, the seconds, and what is wrong. The words, the first that fits:
hung (it had to be stopped: 124), late (a fault struck nobody, for the run was over), silent (no verdict.json that can be read), wrong
(another host is named as faulty and one at fault is not), missed (one at fault is not named), false (another is named too), unlike (the
hosts are right, and class, measure, direction or link is not, or one finding stands for two faults of a host), announced (who is not
named is slow for a smaller share of the time than the run says that it would have found), right.
Where the links of all hosts are slow there is nobody to compare them with: all must be named, or one finding or figure must say that the
level is too low, and no host may be called good."""
import itertools, json, os, re, sys


class Fault:
    """A line of the file `expected`, which run.sh writes."""

    def __init__(self, line):
        self.host, self.name, self.when, blames, measures, self.direction, self.where = line.rstrip("\n").split("|")
        self.blames, self.measures = blames.split(","), measures.split(",")

    def slow_share(self):
        """Of the time; nothing where it does not come and go."""
        name = re.fullmatch(r"flap([0-9.]+)_[0-9.]+", self.name)
        return float(name[1]) / 100 if name else None


def named_hosts(finding):
    return {finding["host"]} if finding.get("host") else set(finding.get("hosts", []))


def unlike(finding, fault, measures):
    """What is wrong with the finding as an answer to that fault."""
    complaint = []
    if finding["blame"] not in fault.blames:
        complaint.append(f"class {finding['blame']}")
    if finding.get("measure") not in measures:
        complaint.append(f"measure {finding.get('measure')}")
    if fault.direction and finding.get("way") != fault.direction:
        complaint.append(f"direction {finding.get('way')}")
    # A finding about a group of hosts has no link of its own.
    if fault.where == "link" and finding.get("host") and f"{fault.host}:eth0" not in (finding.get("from"), finding.get("to")):
        complaint.append(f"ends {finding.get('from')} and {finding.get('to')}")
    return complaint


def unanswered(findings, faults):
    """What is wrong with the findings about a host; nothing where each of its faults has a finding of its own."""
    answers = []
    for fault in faults:
        # What another fault must be known by does not count for this one.
        others = {other.measures[0] for other in faults if other is not fault and len(other.measures) == 1}
        measures = [one for one in fault.measures if one not in others] or fault.measures
        complaints = [unlike(one, fault, measures) for one in findings]
        answers.append([number for number, complaint in enumerate(complaints) if not complaint])
        if not answers[-1]:
            return [f"{fault.name} of {fault.host}: {', '.join(complaints[0])}"]
    if any(len(set(chosen)) == len(faults) for chosen in itertools.product(*answers)):
        return []
    return [f"{' and '.join(fault.name for fault in faults)} of {faults[0].host}: one finding for both"]


def judge(expected, verdict, code):
    """The word, and sentences."""
    findings = [one for one in verdict["verdicts"] if one["accused"]]
    faulty = {fault.host for fault in expected}
    named = set().union(*map(named_hosts, findings))
    said = "named: " + (", ".join(f"{'+'.join(sorted(named_hosts(one))) or '(no host)'} {one['blame']} {one.get('measure')}" for one in findings) or "nobody")
    outcome = f"exit code {code}, outcome {verdict.get('outcome')}"
    states = {host["name"]: host["state"] for host in verdict.get("hosts", [])}
    if states and faulty == set(states) and all(fault.measures == ["bandwidth"] for fault in expected):
        good = sorted(name for name, state in states.items() if state == "good")
        low = any(not named_hosts(one) for one in findings) or any(figure["below"] for figure in verdict.get("figures", []))
        if good or not (named == faulty or low):
            return "missed", [f"{outcome}, called good: {', '.join(good) or 'nobody'}", said]
        return ("right", []) if code == 1 else ("unlike", [outcome])
    if any(not named_hosts(one) for one in findings):
        named.add("(no host)")

    least = (verdict.get("power") or {}).get("share_of_time")
    missing = faulty - named
    seen_at_times = [fault for fault in expected if least is not None and fault.slow_share() is not None and fault.slow_share() < least]
    announced = missing - {fault.host for fault in expected if fault not in seen_at_times}
    if missing - announced:
        return "wrong" if named - faulty else "missed", [f"{outcome}, not named: {', '.join(sorted(missing))}", said]
    if named - faulty:
        return "false", [said]
    complaints = []
    for host in sorted(faulty - announced):
        complaints += unanswered([one for one in findings if host in named_hosts(one)], [fault for fault in expected if fault.host == host])
    # Of a step with a task that was killed srun tells that task's code, and not that of rank 0.
    some_died = any(fault.name in ("stopped", "killed") for fault in expected)
    allowed = (1, 5) if faulty - announced else (0, 4)
    if code not in allowed and not (some_died and code != 0):
        complaints.append(outcome)
    if complaints:
        return "unlike", complaints
    if announced:
        return "announced", [f"less than {100 * least:.0f} % of the time would not have been seen: {', '.join(sorted(announced))}"]
    return "right", [] if expected or code == 0 else [outcome]


def judge_folder(folder, code):
    with open(os.path.join(folder, "expected"), encoding="utf-8") as file:
        expected = [Fault(line) for line in file]
    if code == 124:
        return "hung", []
    for fault in expected:
        if fault.when == "during" and not os.path.exists(os.path.join(folder, "struck." + fault.host[1:])):
            return "late", [f"{fault.name} of {fault.host}"]
    try:
        with open(os.path.join(folder, "verdict.json"), encoding="utf-8") as file:
            verdict = json.load(file)
        return judge(expected, verdict, code)
    except (OSError, ValueError, KeyError) as error:
        return "silent", [f"exit code {code}, {error}"]


word, why = judge_folder(sys.argv[1], int(sys.argv[2]))
print(f"{word:<6} {sys.argv[3]:>6} s  {'; '.join(why)}".rstrip())
