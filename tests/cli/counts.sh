#!/usr/bin/env bash
# counts.sh NAME: one test of all_to_all_v with counts of one's own: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"

case_busbw() { # a matrix stands in for sizes, and what a rank keeps crosses no link
  printf '# to 0, 1, 2\n0, 5, 1000\n7 0 0\n3 0 2\n' >counts
  bench all_to_all_v --counts counts --transport memory --algorithm all --iterations 4 -o a.jsonl
  expect_results a.jsonl 2
  expect_words a.jsonl '"ranks":3.*"bytes":4020,"count":1005'
  bench all_to_all_v --counts counts --ranks 2 --transport memory
  expect_refusal '2 ranks exchange 4 blocks with all_to_all_v, and 9 counts are given'
  bench all_reduce --counts counts --ranks 2 --transport memory
  expect_refusal '--counts is of all_to_all_v: leave the other collectives out'
  # What a rank keeps crosses no link.
  printf '90000 1 4000\n1 0 0\n0 0 0\n' >kept
  bench --counts kept --transport memory --iterations 4 -o b.jsonl
  expect_results b.jsonl 1
  python3 - <<'PYTHON' || wrong "busbw is not of what crosses a link"
import json
one, = map(json.loads, open("b.jsonl"))
assert one["collective"] == "all_to_all_v" and one["count"] == 94001, one
assert abs(one["busbw"] / one["algbw"] * 94001 / 4001 - 1) < 1e-3, one
PYTHON
}

case_tuned() { # figures of counts are none of the fixed weights
  printf '0 5 1000\n7 0 0\n3 0 2\n' >counts
  bench tune all_to_all_v --counts counts --transport memory --tuning t.jsonl
  expect_refusal 'bench tune --counts: auto chooses by size'
  for algorithm in direct pairwise; do
    bench all_to_all_v --counts counts --transport memory --algorithm $algorithm --iterations 4 -o $algorithm.jsonl
    expect_code 0
  done
  bench all_to_all_v --ranks 3 --transport memory --bytes 4K --iterations 4 -o plain.jsonl
  # By these, the other one would be by far the fastest.
  python3 - <<'PYTHON'
import json
plain = json.loads(open("plain.jsonl").readline())["algorithm"]
for which in "direct", "pairwise":
    for line in open(which + ".jsonl"):
        one = json.loads(line)
        one["median"] = 1 if which == plain else 1e-6
        open("figures.jsonl", "a").write(json.dumps(one, separators=(",", ":")) + "\n")
PYTHON
  bench all_to_all_v --ranks 3 --transport memory --bytes 4K --iterations 4 --algorithm auto --tuning figures.jsonl -o tuned.jsonl
  expect_code 0
  [ "$(grep -o '"algorithm":"[a-z_]*"' plain.jsonl)" = "$(grep -o '"algorithm":"[a-z_]*"' tuned.jsonl)" ] ||
    wrong "auto went by figures of counts"
}

isolate "$name"
enter_room
"case_$name"
exit $failed
