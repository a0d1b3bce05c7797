#!/usr/bin/env python3
"""nccl_tests_readers.py TABLE [JSON]: reads the output of a program of nccl-tests as its usual readers do, and compares them.

By titles: columns are found by the words of the title line, the second of two equal ones being in place. By a pattern: each row is
one regular expression of 13 columns. By words: the mean is the last number of its line. The JSON: its rows, and the iterations of
each as a straggler analysis needs them. Exit code 1 and a sentence where two readers do not agree."""

import json
import re
import sys

ROW = re.compile(
    r"^\s*(\d+)\s+(\d+)\s+(\w+)\s+(\w+)\s+(-?\d+)"
    r"\s+([\d.e+]+)\s+([\d.e+]+)\s+([\d.e+]+)\s+(\d+|N/A)"
    r"\s+([\d.e+]+)\s+([\d.e+]+)\s+([\d.e+]+)\s+(\d+|N/A)\s*$"
)
DEVICE = re.compile(r"^#\s+Rank\s+(\d+)\s+Group\s+(\d+)\s+Pid\s+(\d+)\s+on\s+(\S+)\s+device\s+(\d+)\s+\[([0-9a-fx:]+)\]\s+(.*)$")


def by_titles(lines):
    titles, rows = None, []
    for index, line in enumerate(lines):
        if "out-of-place" in line:
            titles = lines[index + 1].lstrip("#").split()
        elif titles and not line.startswith("#") and line.strip():
            words = line.split()
            if titles[-1] == "timestamp":
                words[-2:] = [" ".join(words[-2:])]
            assert len(words) == len(titles), f"{len(words)} words below {len(titles)} titles: {line!r}"
            time = "cputime" if "cputime" in titles else "time"
            in_place = len(titles) - 1 - titles[::-1].index(time)
            rows.append(
                {
                    "size": int(words[titles.index("size")]),
                    "out_of_place": [float(words[titles.index(time) + i]) for i in range(3)],
                    "in_place": [float(words[in_place + i]) for i in range(3)],
                }
            )
    return rows


def by_pattern(lines):
    rows = []
    for match in filter(None, map(ROW.match, lines)):
        numbers = match.groups()
        rows.append(
            {
                "size": int(numbers[0]),
                "out_of_place": [float(each) for each in numbers[5:8]],
                "in_place": [float(each) for each in numbers[9:12]],
            }
        )
    return rows


def near(a, b):
    return abs(a - b) <= 0.006 + 0.01 * abs(b)


def read_json(path, rows):
    with open(path, encoding="ascii") as file:
        run = json.load(file)
    assert len(run["results"]) == len(rows), "the JSON has other rows"
    for row, result in zip(rows, run["results"]):
        assert result["size"] == row["size"]
        for half in ("out_of_place", "in_place"):
            values = result[half]
            time = values.get("time", values.get("cpu_time"))
            assert near(row[half][0], time) and near(row[half][1], values["alg_bw"]) and near(row[half][2], values["bus_bw"])
            if run["config"]["per_iter_timing"] != "true":
                continue
            iterations = result[half + "_per_iter"]
            skipped = iterations["skipped_iterations"]
            assert skipped == run["config"]["per_iter_skip"]
            assert len(iterations["times_us"]) == result["actual_iterations"] == run["config"]["iterations"]
            kept = iterations["times_us"][skipped:]
            assert near(iterations["min_us"], min(kept)) and near(iterations["max_us"], max(kept))
            assert near(iterations["avg_us"], sum(kept) / len(kept))
            assert near(iterations["p50_us"], sorted(kept)[len(kept) // 2])
            for process in iterations.get("per_process_max_times_us", []):
                assert len(process) == len(iterations["times_us"])
                assert all(mine <= all_of_them + 1e-6 for mine, all_of_them in zip(process, iterations["times_us"]))
    return run


def main(table, *files):
    with open(table, encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert any(re.match(r"^# nccl-tests version \d+\.\d+\.\d+ nccl-headers=\d+ nccl-library=\d+$", line) for line in lines)
    devices = list(filter(None, map(DEVICE.match, lines)))
    assert devices and [int(each.group(1)) for each in devices] == list(range(len(devices))), "ranks are not listed"
    rows = by_titles(lines)
    assert rows, "there are no rows"
    pattern = by_pattern(lines)
    assert not pattern or pattern == rows, "the pattern reads other rows than the titles"
    mean = [line.split() for line in lines if "Avg bus bandwidth" in line]
    assert len(mean) == 1
    value = float(mean[0][mean[0].index(":") + 1])
    busbw = [row[half][2] for row in rows for half in ("out_of_place", "in_place")]
    assert abs(sum(busbw) / len(busbw) - value) <= 0.01 + 0.01 * value, "the mean is not that of the rows"
    bounds = [line for line in lines if "Out of bounds values" in line]
    assert len(bounds) == 1 and re.search(r"Out of bounds values : (\d+) (OK|FAILED)$", bounds[0])
    for path in files:
        run = read_json(path, rows)
        assert abs(run["average_bus_bandwidth"]["bandwidth"] - value) <= 0.01 + 0.01 * value
        assert len(run["config"]["devices"]) == len(devices)
    print(f"{len(rows)} rows, {len(pattern)} by the pattern")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (AssertionError, KeyError, ValueError) as fault:
        sys.exit(f"{sys.argv[1]}: {fault!r}")
