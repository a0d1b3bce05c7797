#!/usr/bin/env python3
"""judge_ends.py VERDICT_JSON nobody|both|HOST EXIT_CODE: whether the findings of a validation of two hosts, n0 with rxe0 and n1 with
rxe1, name nobody, both ends of the cable between them, or that host alone. Of two hosts nobody can tell which end it is: both ends are
named where the verdicts say both, faulty or suspected, and the validation has not passed. Prints a line; its exit code is 1 where they do not."""
import json, sys

path, expected, code = sys.argv[1], sys.argv[2], int(sys.argv[3])
try:
    with open(path, encoding="utf-8") as file:
        verdict = json.load(file)
except (OSError, ValueError) as error:
    print(f"exit code {code}, {error}")
    sys.exit(1)
findings = [one for one in verdict["verdicts"] if one["accused"]]
said = "; ".join(f"{one['blame']} {one.get('from')} - {one.get('to')} ({one.get('measure')})" for one in findings) or "nobody is named as faulty"


suspicions = [one for one in verdict["verdicts"] if one["accused"] or one["blame"] == "inconclusive"]
if not findings and suspicions:
    said = "not decided: " + "; ".join(one["sentence"] for one in suspicions)
names_both = all(any(f"n{host}:rxe{host}" in f"{one['from']} {one['to']} {one['sentence']}" for one in suspicions) for host in (0, 1))


if expected == "nobody":
    good = not findings and code in (0, 4)
elif expected == "both":
    good = names_both and code in (1, 4, 5) and verdict["outcome"] != "passed"
else:
    good = bool(findings) and all(one.get("host") == expected for one in findings) and code in (1, 5)
print(f"{'as it must be' if good else 'not ' + expected}: exit code {code}, {verdict['outcome']}; {said}")
sys.exit(0 if good else 1)
