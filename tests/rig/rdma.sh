#!/usr/bin/env bash
# rdma.sh RAILGAUGE COUNT [FAULT...]: two hosts with a soft-RoCE device each and a cable between them, inside the machine of ci/vm, as
# railgauge validate sees them; each fault of the cable (or those named) so many times. The verdict must name both ends of it: no third
# host is there that could tell which end it is. One that was killed, or says itself what is wrong with it, is named alone.
set -euo pipefail
rig_scripts=$(dirname "$(readlink -f "$0")")
. "$rig_scripts/../transports/verbs/lib.sh"
program=$(readlink -f "$1") count=$2
shift 2
"$program" validate --help 2>&1 | grep -q -- --quick || { echo "skipped: this railgauge has no command validate" && exit 4; }
# name | when (before the run, or during it) | what is done | what the verdict names: both ends, or one
faults='
healthy    | before | true                                   | nobody
far_down   | during | cable cut far                          | both
near_down  | during | cable cut near                         | both
all_lost   | during | cable with loss 100%                   | both
port_down  | before | cable cut near                         | both
slow_way   | before | tc qdisc replace dev cable1 root netem rate 100mbit limit 10000 | both
lossy      | before | cable with loss 5%                     | both
killed     | during | kill_rank                              | n1
'
folder=/tmp/rig
mkdir -p $folder
cd $folder
RAILGAUGE_TOKEN=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
export RAILGAUGE_TOKEN RAILGAUGE_RANKS=2 RAILGAUGE_RENDEZVOUS=127.0.0.1:4711

# host NUMBER: what is started on that host. All are told the same, and each sees one of the two devices; control is over lo.
host() {
  # shellcheck disable=SC2016 # for the shell in the namespace
  exec env RAILGAUGE_RANK="$1" RAILGAUGE_NODE="n$1" unshare --mount bash -c 'for kind in infiniband infiniband_verbs; do
  own=$(for entry in /sys/class/$kind/*; do
    case "$entry $(cat "$entry/ibdev" 2>/dev/null)" in *rxe$0*) readlink -f "$entry" ;; esac
  done)
  mount -t tmpfs none /sys/class/$kind && for entry in $own; do ln -s "$entry" /sys/class/$kind/; done
done
exec "$@"' "$1" timeout -k 5 180 "$program" validate --quick --relative --transport verbs --set verbs.events=on -o verdict.json >"out.$1" 2>"err.$1"
}
kill_rank() { kill -KILL "$(pgrep -P "$second")"; } # what timeout watches
heal() {
  cable plain
  cable mend
  local i
  for i in 0 1; do
    until grep -qs ACTIVE /sys/class/infiniband/rxe$i/ports/1/state && grep -qs '0a00:000' /sys/class/infiniband/rxe$i/ports/1/gids/*; do sleep 0.05; done
  done
}

before=$(resources)
total=0 bad=0
complain() {
  echo "$name, time $turn: $*"
  head -n 3 out.0 err.0 err.1 | sed 's/^/  /'
  bad=$((bad + 1))
}
while IFS='|' read -r name when what expected; do
  name=${name// /} when=${when// /} expected=${expected// /}
  [ -n "$name" ] || continue
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  for turn in $(seq "$count"); do
    total=$((total + 1))
    rm -f verdict.json
    [ "$when" = during ] || eval "$what"
    (host 0) & first=$!
    (host 1) & second=$!
    if [ "$when" = during ]; then
      sleep $((2 + turn % 5))
      eval "$what"
    fi
    code=0
    wait $first || code=$?
    wait $second || true
    said=$(python3 "$rig_scripts/judge_ends.py" verdict.json "$expected" "$code") || complain "$said"
    echo "$name: $said"
    [ -z "${RAILGAUGE_SHOW:-}" ] || cat out.0 err.0 err.1
    heal
    expect_no_leak "$before" || complain "left behind"
  done
done <<<"$faults"
echo "$((total - bad)) of $total as they must be"
[ $bad = 0 ]
