#!/usr/bin/env python3
"""table.py MODE RUNS SEED: the closing table of tests/campaigns/rig.sh MODE, and whether that is good enough. Of the modes that run with
--quick and with a budget, it is one for docs/measured/rig.md.

A line of RUNS is KIND-HOSTS-NUMBER|FAULT:HOST ...|WORD SECONDS s WHAT. The words are those of judge.py, and broken."""
import sys
from collections import Counter, defaultdict

WORDS = ["right", "announced", "wrong", "missed", "false", "unlike", "hung", "silent", "late", "broken"]


def as_columns(table, times):
    words = [word for word in WORDS if word != "announced"]
    print(f"{'fault':<12}{'hosts':>5}" + "".join(f"{word:>8}" for word in words) + f"{'median s':>10}{'worst s':>9}")
    for key, counts in table.items():
        took = sorted(times[key])
        print(f"{key[0]:<12}{key[1]:>5}" + "".join(f"{counts[word] or '-':>8}" for word in words) + f"{took[len(took) // 2]:>10.1f}{took[-1]:>9.1f}")


def as_page(table, times):
    """A row a fault, whatever the number of hosts was: with --quick, and with a budget."""
    cells, took = defaultdict(Counter), defaultdict(list)
    for (kind, hosts), counts in table.items():
        mode, _, fault = kind.rpartition(":")
        cells[fault, mode].update(counts)
        took[fault, mode] += times[kind, hosts]

    def cell(key):
        if not cells[key]:
            return "  |  |"
        others = ", ".join(f"{cells[key][word]} {word}" for word in WORDS if word != "right" and cells[key][word])
        seconds = sorted(took[key])
        return f" {cells[key]['right']} of {sum(cells[key].values())}{f' ({others})' if others else ''} | {seconds[len(seconds) // 2]:.0f}, {seconds[-1]:.0f} |"

    print("| fault | --quick: right | median, worst s | 3 minutes: right | median, worst s |\n|---|---:|---:|---:|---:|")
    for fault in dict.fromkeys(fault for fault, _ in cells):
        print(f"| {fault} |" + cell((fault, "")) + cell((fault, "whole")))


def main(mode, path, seed):
    table, times, total = defaultdict(Counter), defaultdict(list), Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, _, rest = line.rstrip("\n").split("|", 2)
            kind, hosts, _ = name.rsplit("-", 2)
            word, seconds = rest.split()[:2]
            table[kind, hosts][word] += 1
            times[kind, hosts].append(float(seconds))
            total[word] += 1
    paged = mode in ("levels", "times", "loss", "two")
    (as_page if paged else as_columns)(table, times)
    runs = sum(total.values())
    good = total["right"] + total["announced"]
    falsely_named = total["wrong"] + total["false"]
    if mode in ("healthy", "loaded"):
        enough = falsely_named <= (max(1, runs // 100) if mode == "healthy" else 0) and good + falsely_named == runs
    else:
        enough = good >= 0.95 * runs and total["hung"] == 0 and not (paged and falsely_named)
    print(f"rig.sh {mode}: {good} of {runs} runs right ({100 * good / max(runs, 1):.1f} %)" +
          (f", {total['announced']} of them announced" if total["announced"] else "") +
          f", {falsely_named} name somebody who is well, {total['hung']} hung (seed {seed})")
    return 0 if runs > 0 and enough else 1


sys.exit(main(*sys.argv[1:]))
