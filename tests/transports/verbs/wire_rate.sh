#!/usr/bin/env bash
# wire_rate.sh RAILGAUGE: over a cable of 1 Gbit/s, the ring all-reduce of 64 MiB between two ranks must reach 0.95 of the payload that
# ib_write_bw -b moves over it in the same boot, in each direction. Inside the machine of ci/vm.
set -euo pipefail
program=$1
cable with rate 1gbit limit 10000
perftest() {
  ib_write_bw -F -x 1 -b -s 1048576 -n 200 -d rxe1 >/tmp/server 2>&1 &
  sleep 1
  ib_write_bw -F -x 1 -b -s 1048576 -n 200 -d rxe0 10.0.0.2 >/tmp/client 2>&1 || { cat /tmp/client >&2 && pkill ib_write_bw && return 1; }
  wait || true
  awk '$1 == 1048576 { print $5 }' /tmp/client # millions of messages a second, both directions
}
for turn in 1 2 3; do
  rate=0
  for try in 1 2 3 4 5; do # it is 0 where perftest could not find out how fast its clock runs
    rate=$(perftest) || rate=0
    awk "BEGIN { exit !(${rate:-0} > 0) }" && break
  done
  awk "BEGIN { exit !(${rate:-0} > 0) }" || { echo "ib_write_bw told no rate in $try tries" >&2 && exit 1; }
  "$program" bench all_reduce --algorithm ring --ranks 2 --transport verbs --bytes 64M --iterations 6 --max-time 60s --check last \
    --set verbs.ports=rxe0:1,rxe1:1 -o /tmp/ring$turn.jsonl >/tmp/ring.table
  echo "$rate $(python3 -c 'import json, sys; print(json.loads(open(sys.argv[1]).readline())["busbw"])' /tmp/ring$turn.jsonl)"
done >/tmp/rates
cat /tmp/rates
python3 - <<'P'
import statistics
pairs = [tuple(map(float, line.split())) for line in open("/tmp/rates", encoding="utf-8")]
theirs = statistics.median(rate * 1e6 * 1048576 / 2 / 1e9 for rate, _ in pairs)  # GB/s in one direction
mine = statistics.median(busbw for _, busbw in pairs)
print(f"{'ok' if mine >= 0.95 * theirs else 'FAILED'}: busbw {mine:.4f} GB/s, {mine / theirs:.3f} of the {theirs:.4f} GB/s of ib_write_bw -b in each direction")
raise SystemExit(0 if mine >= 0.95 * theirs else 1)
P
