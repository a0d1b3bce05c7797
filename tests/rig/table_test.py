#!/usr/bin/env python3
"""Says of made notes of tests/campaigns/rig.sh what table.py must say: the last line's beginning, and whether that is good enough."""
import os, subprocess, sys, tempfile

RIGHT, ANNOUNCED, MISSED, FALSE, HUNG = "right 20.0 s", "announced 20.0 s  why", "missed 20.0 s  why", "false 20.0 s  why", "hung 150.0 s"
CASES = [
    # mode, judgements, what the last line begins with, the exit code
    ("faults", [RIGHT] * 20, "20 of 20 runs right (100.0 %), 0 name", 0),
    ("faults", [RIGHT] * 19 + [FALSE], "19 of 20 runs right (95.0 %), 1 name", 0),
    ("faults", [RIGHT] * 18 + [MISSED] * 2, "18 of 20 runs right", 1),
    ("faults", [RIGHT] * 99 + [HUNG], "99 of 100 runs right (99.0 %), 0 name somebody who is well, 1 hung", 1),
    ("faults", [], "0 of 0 runs right", 1),
    ("healthy", [RIGHT] * 99 + [FALSE], "99 of 100 runs right", 0),
    ("healthy", [RIGHT] * 98 + [FALSE] * 2, "98 of 100 runs right", 1),
    ("healthy", [RIGHT] * 99 + [HUNG], "99 of 100 runs right", 1),
    ("loaded", [RIGHT] * 99 + [FALSE], "99 of 100 runs right", 1),
    ("times", [RIGHT] * 10 + [ANNOUNCED] * 9 + [MISSED], "19 of 20 runs right (95.0 %), 9 of them announced, 0 name", 0),
    ("times", [RIGHT] * 99 + [FALSE], "99 of 100 runs right", 1),
    ("levels", [RIGHT] * 18 + [MISSED] * 2, "18 of 20 runs right", 1),
]

table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "table.py")
bad = 0
for number, (mode, judgements, begins, code) in enumerate(CASES):
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as runs:
        for turn, judgement in enumerate(judgements):
            runs.write(f"{'whole:' if turn % 2 else ''}slow-4-{turn}|slow:1|{judgement}\n")
        runs.flush()
        run = subprocess.run([sys.executable, table, mode, runs.name, "7"], capture_output=True, text=True, check=False)
    last = run.stdout.splitlines()[-1].removeprefix(f"rig.sh {mode}: ") if run.stdout else run.stderr
    if run.returncode != code or not last.startswith(begins):
        print(f"case {number}: {last}, exit code {run.returncode}")
        bad += 1
print(f"{len(CASES) - bad} of {len(CASES)} tables as they must be")
sys.exit(1 if bad else 0)
