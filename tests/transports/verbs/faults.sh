#!/usr/bin/env bash
# faults.sh RAILGAUGE COUNT [FAULT...]: each fault (or those named) so many times, inside the machine of ci/vm, in the middle of an
# all-reduce between two ranks over the cable. What must end ends within ten seconds of its fault (30 s where the program's start, in an
# emulated machine, counts too), with exit code and sentence; what must go on does, and is slower where the cable is; results that were
# finished are whole; no process, queue pair or region is left.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
program=$1 count=$2
shift 2
# name | what is done, and when (before: the run starts; during: its first result is there) | exit code | what the sentence says, or
# how many times as long as without a fault the large message takes at least
faults='
far_down   | during | cable cut far            | 5 | port rxe[01]/1 is DOWN
near_down  | during | cable cut near           | 5 | port rxe[01]/1 is DOWN
all_lost   | during | cable with loss 100%     | 5 | no acknowledgement came
killed     | during | kill_rank                | 5 | rank 1
slow       | during | cable with rate 100mbit limit 10000 | 0 | 3 times
delay      | during | cable with delay 20ms    | 0 | 3 times
loss       | before | lossy                    | 0 |
duplicate  | during | cable with duplicate 10% | 0 |
wrong_key  | before | key                      | 5 | the far end refused the key
memlock    | before | memlock                  | 2 | ibv_reg_mr of .* may lock 64 KiB
no_gid     | before | no_addresses             | 2 | no route between the two
port_down  | before | cable cut near           | 2 | port rxe[01]/1 is DOWN
'
before=$(resources)
folder=/tmp/faults
mkdir -p $folder
chmod 777 $folder

kill_rank() { kill -KILL "$(pgrep -P "$run" | sort -n | tail -1)" 2>/dev/null; }
no_addresses() { for i in 0 1; do ip addr flush dev cable$i; done; }
lossy() {
  cable with loss 1%
  settings+=(--set verbs.retries=7)
}
key() { settings+=(--set verbs.fault=key); }
memlock() {
  chmod 666 /dev/infiniband/*
  runner=(setpriv --reuid 65534 --regid 65534 --clear-groups prlimit --memlock=65536:65536)
}
heal() {
  cable plain
  ip addr replace 10.0.0.1/24 dev cable0
  ip addr replace 10.0.0.2/24 dev cable1
  cable mend
  local i
  for i in 0 1; do
    until grep -qs ACTIVE /sys/class/infiniband/rxe$i/ports/1/state && grep -qs '0a00:000' /sys/class/infiniband/rxe$i/ports/1/gids/*; do
      nap 0.05
    done
  done
}
# last KEY: of the last result, that of the large message, in seconds.
last() { python3 -c 'import json, sys
print([json.loads(line) for line in open(sys.argv[1])][-1][sys.argv[2]])' $folder/results.jsonl "$1"; }
# In a shell of its own, which becomes the program: its process is the one that starts the ranks.
measure() { exec "${runner[@]}" "$program" bench all_reduce --algorithm ring --ranks 2 --transport verbs --bytes $sizes --duration 2s \
  "${settings[@]}" -o $folder/results.jsonl >$folder/table 2>$folder/errors; }
complain() {
  echo "$name, time $turn: $*"
  sed 's/^/  /' $folder/errors
  bad=$((bad + 1))
}

total=0 bad=0
settings=(--set verbs.ports=rxe0:1,rxe1:1) runner=() sizes=4K,256K
rm -f $folder/results.jsonl
(measure) || { cat $folder/errors; exit 1; }
healthy=$(last median)
echo "without a fault: $healthy s"
while IFS='|' read -r name when what expected says; do
  name=${name// /} when=${when// /} expected=${expected// /} says=${says# }
  [ -n "$name" ] || continue
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
  slowest=0
  for turn in $(seq "$count"); do
    total=$((total + 1))
    settings=(--set verbs.ports=rxe0:1,rxe1:1) runner=() sizes=4K,256K
    # A run that a fault ends has more before it than a shell on a busy machine takes to do it.
    [ "$when $expected" != 'during 5' ] || sizes=4K,8K,16K,32K,64K,128K,256K
    rm -f $folder/results.jsonl
    [ "$when" = during ] || eval "$what"
    measure &
    run=$!
    began=$(cut -d' ' -f1 /proc/uptime)
    if [ "$when" = during ]; then
      until [ "$(wc -l 2>/dev/null <$folder/results.jsonl || echo 0)" -ge 1 ] || ! kill -0 $run 2>/dev/null; do nap 0.05; done
      began=$(cut -d' ' -f1 /proc/uptime)
      eval "$what" || complain "the run had ended before it was done"
    fi
    code=0
    (sleep 60 && kill -KILL $run) 2>/dev/null & watch=$!
    wait $run || code=$?
    kill $watch 2>/dev/null || true
    took=$(echo "$(cut -d' ' -f1 /proc/uptime) $began" | awk '{ print $1 - $2 }')
    [ "$code" = "$expected" ] || complain "exit code $code, not $expected"
    if [[ "$says" = *" times" ]]; then
      awk "BEGIN { exit !($(last max) >= ${says% times} * $healthy) }" || # the first samples come before the fault
        complain "at most $(last max) s where it takes $healthy s without a fault: not $says as long"
    elif [ -n "$says" ]; then
      grep -qE "$says" $folder/errors || complain "its sentence does not say \"$says\""
    fi
    if [ "$expected" != 0 ]; then
      slowest=$(echo "$took $slowest" | awk '{ print ($1 > $2) ? $1 : $2 }')
      limit=30
      [ "$when" != during ] || limit=10
      awk "BEGIN { exit ($took > $limit) }" || complain "it took $took s"
    fi
    if [ "$when" = during ] && ! python3 -c 'import json, sys
sys.exit(0 if [json.loads(line) for line in open(sys.argv[1])] else 1)' $folder/results.jsonl; then complain "no whole results were kept"; fi
    ! pgrep -x railgauge >/dev/null || complain "processes were left: $(pgrep -x railgauge | xargs)"
    heal
    expect_no_leak "$before" || complain "left behind"
  done
  echo "$name: $count times, slowest end $slowest s"
done <<<"$faults"
echo "$((total - bad)) of $total as they must be"
[ $bad = 0 ]
