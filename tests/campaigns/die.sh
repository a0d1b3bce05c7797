#!/usr/bin/env bash
# Lets a random rank of the memory transport, whose ranks are threads, die at a random round, COUNT times: the run must end with exit
# code 5, name the dead rank, keep what was finished, and leave nothing behind.
set -uo pipefail
. "${0%/*}/lib.sh"
begin_campaign 100 "$@"

limit=60 with_results=0
for ((run = 1; run <= count; run++)); do
  draw 3 && ranks=$((drawn + 2))
  draw $ranks && victim=$drawn
  # Rounds of the first point, or of any: a point of 50 iterations posts some hundred rounds on each rank.
  case $((run % 2)) in 0) draw 100 ;; 1) draw 3000 ;; esac
  round=$drawn
  remember_surroundings
  began=$EPOCHREALTIME
  (marked "$RAILGAUGE" bench all_reduce --ranks $ranks --transport memory --algorithm all --bytes 8,4K,1M --iterations 50 \
    --set memory.fault=die --set memory.rank=$victim --set memory.round=$round -o run.jsonl) >run.out 2>run.err &
  program=$!
  finish $program
  note_time "$(seconds_since "$began")"
  problems+=$(
    [ $code = 5 ] || echo "exit code $code"
    [ "$(cat run.err)" = "railgauge: rank $victim died at round $round (injected fault)" ] || echo "stderr: $(head -2 run.err)"
    bad_lines run.jsonl
    left_behind
  )
  [ ! -s run.jsonl ] || with_results=$((with_results + 1))
  end_run $run "rank $victim of $ranks, round $round" "$problems"
done
end_campaign "slowest run $slowest s; $with_results runs had finished results"
