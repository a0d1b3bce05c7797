#!/usr/bin/env bash
# collectives.sh RAILGAUGE RANKS [WHAT]: all collectives (or WHAT) by all algorithms over the verbs transport, inside the machine of
# ci/vm: no wrong data, nothing left behind.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
program=$1 ranks=$2 what=${3:-all}
before=$(resources)
"$program" bench "$what" --algorithm all --ranks "$ranks" --transport verbs --bytes 0,4,1K,64K --iterations 4 --max-time 100ms --check every \
  -o /tmp/results.jsonl >/tmp/table 2>/tmp/errors || { code=$? && tail -5 /tmp/table && cat /tmp/errors && exit $code; }
python3 - /tmp/results.jsonl <<'P'
import collections
import json
import sys
count = collections.Counter()
wrong = []
for line in open(sys.argv[1], encoding="utf-8"):
    one = json.loads(line)
    count[one["status"]] += 1
    if one["status"] not in ("ok", "not_converged", "skipped") or (one["status"] != "skipped" and one["checked"] <= 0):
        wrong.append(f"{one['collective']} {one['algorithm']} {one['bytes']}: {one['status']} {one.get('reason', '')}")
print(*wrong, sep="\n")
print(dict(count))
sys.exit(1 if wrong or count["ok"] == 0 else 0)
P
expect_no_leak "$before"
