#!/usr/bin/env bash
# Run by tests/launch/slurm.sh --links 4: all links carry 1 Gbit/s, one of them 100 Mbit/s in one direction or both, and
# `railgauge bench pairs` must name that host, before any other, and the direction.
set -uo pipefail
RAILGAUGE=${RAILGAUGE:?the program to test: RAILGAUGE=build/bin/railgauge}
links=${RAILGAUGE_LINKS:?run this through tests/launch/slurm.sh --links 4}
"$RAILGAUGE" list transports 2>&1 | grep -E '^ucx ' | grep -qv unavailable || {
  echo "skipped: the transport ucx is unavailable"
  exit 4
}
command -v tc >/dev/null || {
  echo "skipped: tc is not installed"
  exit 4
}
folder=$(mktemp -d "${TMPDIR:-/tmp}/railgauge-pairs.XXXXXX")
trap 'rm -rf "$folder"' EXIT
failed=0

# limit NODE SEND RECEIVE: what leaves its eth0, and what the switch sends to it.
limit() {
  if ! tc -n "$links$1" qdisc replace dev eth0 root tbf rate "$2" burst 128kb limit 4mb ||
    ! tc -n "${links}sw" qdisc replace dev "v$1" root tbf rate "$3" burst 128kb limit 4mb; then
    echo "skipped: tc cannot limit the links here"
    exit 4
  fi
}

# expect NODE WORD SEND RECEIVE ALGORITHM: with that limit on the node, its sentence has the word.
expect() {
  local node=$1 word=$2 send=$3 receive=$4 algorithm=$5 other
  for other in 0 1 2 3; do limit $other 1gbit 1gbit; done
  limit "$node" "$send" "$receive"
  rm -f "$folder/a.jsonl"
  timeout 120 srun -N4 -n4 --mpi=pmix "$RAILGAUGE" bench pairs --algorithm "$algorithm" --transport ucx --set ucx.tls=tcp,self \
    --set ucx.devices=eth0 --bytes 1M --cache warm --iterations 8 -o "$folder/a.jsonl" >"$folder/out" 2>"$folder/err"
  local code=$? sentences
  sentences=$(grep '^slow: ' "$folder/out")
  # Four hosts share the cores of one machine: what else runs here may slow another host down a little, but none as much.
  if [ $code = 0 ] && [[ $sentences == "slow: host n$node (rank $node), $word: "* ]] &&
    [ "$(wc -l <"$folder/a.jsonl")" = 12 ]; then
    echo "ok: $(head -n 1 <<<"$sentences")"
    return
  fi
  echo "FAILED: exit code $code; expected that host n$node is the first to be named, with '$word':"
  cat "$folder/out" "$folder/err"
  failed=1
}

expect 2 both 100mbit 100mbit one_way
expect 1 send 100mbit 1gbit one_way
expect 3 receive 1gbit 100mbit one_way
expect 0 exchanges 100mbit 100mbit two_way
exit $failed
