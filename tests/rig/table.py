#!/usr/bin/env python3
"""table.py faults|healthy RUNS SEED: the closing table of tests/campaigns/rig.sh, and whether that is good enough.

A line of RUNS is KIND-HOSTS-NUMBER|FAULT:HOST ...|WORD SECONDS s WHAT. The words are those of judge.py, and broken."""
import sys
from collections import Counter, defaultdict

mode, path, seed = sys.argv[1:]
words = ["right", "wrong", "missed", "false", "unlike", "hung", "silent", "late", "broken"]
table, times = defaultdict(Counter), defaultdict(list)
for line in open(path, encoding="utf-8"):
    name, _, rest = line.rstrip("\n").split("|", 2)
    kind, hosts, _ = name.rsplit("-", 2)
    word, seconds = rest.split()[:2]
    table[kind, hosts][word] += 1
    times[kind, hosts].append(float(seconds))
print(f"{'fault':<12}{'hosts':>5}" + "".join(f"{word:>8}" for word in words) + f"{'median s':>10}{'worst s':>9}")
total = Counter()
for key in table:
    total.update(table[key])
    took = sorted(times[key])
    print(f"{key[0]:<12}{key[1]:>5}" + "".join(f"{table[key][word] or '-':>8}" for word in words) +
          f"{took[len(took) // 2]:>10.1f}{took[-1]:>9.1f}")
runs = sum(total.values())
falsely_named = total["wrong"] + total["false"]
hung = total["hung"]
if mode == "faults":
    good = runs > 0 and total["right"] >= 0.95 * runs and hung == 0
else:
    good = runs > 0 and falsely_named <= max(1, runs // 100) and total["right"] + falsely_named == runs
print(f"rig.sh {mode}: {total['right']} of {runs} runs right ({100 * total['right'] / max(runs, 1):.1f} %), {falsely_named} name somebody who is "
      f"well, {hung} hung (seed {seed})")
sys.exit(0 if good else 1)
