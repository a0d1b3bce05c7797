#!/usr/bin/env bash
# Kills a random rank of `bench --ranks 4` alternately over shm and ucx, at a random moment, COUNT times: the run must end soon, with exit code 5, name the dead
# rank, keep what was finished, and leave nothing behind.
set -uo pipefail
. "${0%/*}/lib.sh"
begin_campaign 100 "$@"

ranks=4 limit=10 too_late=0 with_results=0
declare -A hits=()
for ((run = 1; run <= count; run++)); do
  # One run in eight is short and dies near its end, one in eight dies while the ranks begin, the others anywhere.
  sizes=8:16M more=(--max-time 0.15 --precision 0.001%) microseconds=3000000
  case $((run % 8)) in
    3) sizes=8,16 more=(--iterations 50) microseconds=500000 ;;
    5) microseconds=60000 ;;
  esac
  draw $ranks && victim=$drawn
  transport=$([ $((run % 2)) = 0 ] && echo ucx || echo shm)
  draw $microseconds && moment=$drawn
  remember_surroundings
  (marked "$RAILGAUGE" bench all_reduce --ranks $ranks --transport $transport --bytes $sizes "${more[@]}" -o run.jsonl) \
    >run.out 2>run.err &
  supervisor=$!
  sleep "$(printf '0.%06d' $((moment % 1000000)) | sed "s/^0/$((moment / 1000000))/")"
  # The children in the order of their birth, which is that of the ranks. Before them the program has a child that tries one thing
  # and ends: who is alone is no rank.
  children=()
  while [ ${#children[@]} -lt $ranks ] && kill -0 $supervisor 2>/dev/null; do
    read -ra children <"/proc/$supervisor/task/$supervisor/children" || true
  done 2>/dev/null
  name="rank $victim, $(awk -v t=$moment 'BEGIN {printf "%.3f s", t / 1e6}'), sizes $sizes, $transport"
  process=${children[$victim]:-none}
  killed_at=$EPOCHREALTIME
  kill -KILL "$process" 2>/dev/null
  finish $supervisor
  took=$(seconds_since "$killed_at")
  if [ $code = 0 ] && [ ! -s run.err ] && [ "$(wc -l <run.jsonl)" = "$(tr , '\n' <<<"$sizes" | wc -l)" ]; then
    too_late=$((too_late + 1)) # it had ended: nothing to see, another one
    rm -f run.*
    run=$((run - 1))
    continue
  fi
  [ -n "$problems" ] || note_time "$took"
  problems+=$(
    [ $code = 5 ] || echo "exit code $code"
    [ "$(grep -c "^railgauge: rank $victim (process $process) was killed by signal 9" run.err)" = 1 ] || echo "the dead rank is not named"
    grep -vE "^railgauge: " run.err | head -2
    grep -E "^railgauge: rank [0-9]+ \(process [0-9]+\) was killed" run.err | grep -v "rank $victim " | sed 's/^/names another: /'
    bad_lines run.jsonl
    rows=$(grep -cE '(ucx  |shm  )' run.out)
    [ "$rows" = "$(cat run.jsonl 2>/dev/null | wc -l)" ] || echo "$rows rows in the table, $(cat run.jsonl 2>/dev/null | wc -l) lines in the file"
    left_behind
  )
  [ ! -s run.jsonl ] || with_results=$((with_results + 1))
  hits[$victim]=$((${hits[$victim]:-0} + 1))
  end_run $run "$name" "$problems"
done
end_campaign "slowest end $slowest s after the kill; rank 0 hit ${hits[0]:-0} times; $with_results runs had finished results;" \
  "$too_late kills came too late and were repeated"
