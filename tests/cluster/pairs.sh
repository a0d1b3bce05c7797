#!/usr/bin/env bash
# Run by tests/launch/slurm.sh --links 4: all links carry 1 Gbit/s, one of them 100 Mbit/s in one direction or both, and
# `railgauge bench pairs` must name that host, before any other, and the direction.
set -uo pipefail
. "${0%/*}/lib.sh"
failed=0

# expect NODE WORD SEND RECEIVE ALGORITHM: with that limit on the node, its sentence has the word, in one of three attempts: four hosts share
# the cores of one machine with whatever else runs there.
expect() {
  local node=$1 word=$2 send=$3 receive=$4 algorithm=$5 attempt code sentences
  limit_all 1gbit
  limit "$node" "$send" "$receive"
  for attempt in 1 2 3; do
    rm -f "$folder/a.jsonl"
    timeout 120 srun -N4 -n4 --mpi=pmix "${comes_first[@]}" "$RAILGAUGE" bench pairs --algorithm "$algorithm" --transport ucx "${over_eth0[@]}" \
      --bytes 1M --cache warm --iterations 4 -o "$folder/a.jsonl" >"$folder/out" 2>"$folder/err"
    code=$?
    sentences=$(grep '^slow: ' "$folder/out")
    # What else runs here may slow another host down a little, but none as much.
    if [ $code = 0 ] && [[ $sentences == "slow: host n$node (rank $node), $word: "* ]] &&
      [ "$(wc -l <"$folder/a.jsonl")" = 12 ]; then
      echo "ok: $(head -n 1 <<<"$sentences")"
      return
    fi
    echo "attempt $attempt: exit code $code; expected that host n$node is the first to be named, with '$word':"
    cat "$folder/out" "$folder/err"
  done
  failed=1
}

expect 2 both 100mbit 100mbit one_way
expect 1 send 100mbit 1gbit one_way
expect 3 receive 1gbit 100mbit one_way
expect 0 exchanges 100mbit 100mbit two_way
exit $failed
