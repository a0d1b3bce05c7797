#!/usr/bin/env bash
# Corrupts one random transfer of a run over the memory transport, COUNT times: each run must exit with code 6 and name rank, index,
# expected and got.
# Every rank that is chosen sends at least one message in each iteration, and the struck one is among the first --iterations: so it
# is sent in each run, and mostly in a timed iteration (in a warm-up, which is checked alike, otherwise). Reductions are
# sums of integers: a wrong byte always changes those, where min and max drop most elements and a sum of floating-point numbers may
# round the last bits of one away. What only moves data is run with every type.
set -uo pipefail
. "${0%/*}/lib.sh"
begin_campaign 100 "$@"

cases=(
  "all_reduce ring" "all_reduce recursive_doubling" "all_reduce halving_doubling" "all_reduce one_shot" "all_reduce two_shot"
  "all_reduce binomial" "reduce_scatter ring" "reduce_scatter direct" "reduce_scatter pairwise" "reduce_scatter recursive_halving"
  "all_gather ring" "all_gather direct" "all_gather recursive_doubling" "all_gather bruck" "broadcast binomial"
  "broadcast direct" "broadcast ring" "broadcast scatter_all_gather" "reduce binomial" "reduce direct" "gather direct"
  "gather binomial" "scatter direct" "scatter binomial" "all_to_all direct" "all_to_all pairwise" "all_to_all bruck"
  "all_to_all_v direct" "all_to_all_v pairwise" "send_receive ring_shift" "hypercube hypercube" "ping_pong ping_pong"
  "stream window" "bidirectional window" "incast direct" "outcast direct" "permutation random_cycle" "bisection halves"
)
integers=(int8 uint8 int32 uint32 int64 uint64)
types=("${integers[@]}" float16 bfloat16 float32 float64 float8_e4m3 float8_e5m2)
sizes=(64 1K 16K 256K)
modes=("--mode isolated --cache warm" "--mode isolated" "--cache cold" "--mode back-to-back")
iterations=300 timed=0
limit=120
for ((run = 1; run <= count; run++)); do
  read -r collective algorithm <<<"${cases[$(((run - 1) % ${#cases[@]}))]}"
  case $collective in
    # Ranks that need not send in every iteration are not chosen.
    broadcast | scatter | outcast | stream) ranks=4 victim=0 ;;
    reduce | gather | incast) ranks=4 && draw 3 && victim=$((drawn + 1)) ;;
    ping_pong | bidirectional) ranks=2 && draw 2 && victim=$drawn ;;
    *) ranks=4 && draw 4 && victim=$drawn ;;
  esac
  case $collective in
    all_reduce | reduce_scatter | reduce) draw ${#integers[@]} && type=${integers[$drawn]} ;;
    *) draw ${#types[@]} && type=${types[$drawn]} ;;
  esac
  draw ${#modes[@]} && mode=${modes[$drawn]}
  draw ${#sizes[@]} && size=${sizes[$drawn]}
  if [[ $mode == *cold* ]]; then size=1M; fi # smaller ones do not exceed the caches of every machine
  draw $iterations && transfer=$drawn
  draw 1000000 && byte=$drawn
  remember_surroundings
  # shellcheck disable=SC2086 # words
  (marked "$RAILGAUGE" bench $collective --algorithm $algorithm --ranks $ranks --transport memory --type $type --op sum --bytes $size \
    $mode --iterations $iterations --set memory.fault=corrupt --set memory.rank=$victim --set memory.transfer=$transfer \
    --set memory.seed=$byte -o run.jsonl) >run.out 2>run.err &
  program=$!
  finish $program
  named='rank [0-9]+ has [0-9]+ wrong elements?; the first is element [0-9]+ of its output: expected .+, got .+'
  problems+=$(
    [ $code = 6 ] || echo "exit code $code"
    grep -qE "$named" run.out || echo "the table does not name it"
    grep -qE "\"status\":\"wrong\",\"reason\":\"$named" run.jsonl || echo "the file does not name it"
    head -2 run.err
    bad_lines run.jsonl
    left_behind
  )
  if grep -qE '"samples":[1-9]' run.jsonl; then timed=$((timed + 1)); fi
  end_run $run "$collective by $algorithm, $type, $size, $mode, rank $victim, transfer $transfer, seed $byte" "$problems"
done
end_campaign "struck in a timed iteration $timed times, while warming up otherwise"
