#!/usr/bin/env bash
# Kills a random rank under mpirun at a random moment (every second one early), COUNT times: the dead rank must be named once
# on stderr, and what was finished must be in the file. mpirun ends the other ranks itself and sets the exit code.
set -uo pipefail
. "${0%/*}/lib.sh"
command -v mpirun >/dev/null || skip "there is no mpirun"
begin_campaign 20 "$@"

ranks=4 limit=30 ours=0 theirs=0 with_results=0 too_late=0 hung=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
rank_processes() { # lines of: rank process
  local process rank
  for process in $(marked_processes); do
    [ "$(readlink "/proc/$process/exe")" = "$RAILGAUGE" ] || continue
    rank=$(tr '\0' '\n' <"/proc/$process/environ" | sed -n 's/^PMIX_RANK=//p')
    [ -z "$rank" ] || echo "$rank $process"
  done 2>/dev/null
}
for ((run = 1; run <= count; run++)); do
  draw $ranks && victim=$drawn
  draw 4000 && moment=$drawn
  # every second rank dies while the ranks still agree on what to measure
  [ $((run % 2)) = 0 ] || moment=$((moment / 40))
  remember_surroundings
  (marked mpirun --oversubscribe -n $ranks "$RAILGAUGE" bench all_reduce --transport ucx --bytes 8:1M --max-time 0.3 -o run.jsonl) \
    >run.out 2>run.err &
  launcher=$!
  process=''
  while [ -z "$process" ] && kill -0 $launcher 2>/dev/null; do
    process=$(rank_processes | sed -n "s/^$victim //p")
  done
  sleep "$((moment / 1000)).$(printf '%03d' $((moment % 1000)))"
  killed_at=$EPOCHREALTIME
  finished=$(cat run.jsonl 2>/dev/null | wc -l)
  if ! kill -KILL "${process:-none}" 2>/dev/null; then
    wait $launcher
    too_late=$((too_late + 1))
    rm -f run.*
    run=$((run - 1))
    [ $too_late -lt 20 ] || break
    continue
  fi
  finish $launcher
  # Open MPI's launcher hangs now and then once all ranks are gone: all but its end is looked at.
  if [ $hung -lt 3 ] && [[ $problems == "did not end"* ]] && [ -z "$(tr ';' '\n' <<<"${problems#*: }" | awk 'NF && $4 != "mpirun"')" ]; then
    hung=$((hung + 1))
    problems=''
  else
    note_time "$(seconds_since "$killed_at")"
  fi
  by_us=$(grep -cE "^railgauge: rank $victim( |:)" run.err)
  by_mpirun=$(grep -cE "(process rank|Process name:.*,) ?$victim\b" run.err)
  if [ "$by_us" -gt 0 ]; then ours=$((ours + 1)); elif [ "$by_mpirun" -gt 0 ]; then theirs=$((theirs + 1)); fi
  problems+=$(
    [ $code != 0 ] || echo "exit code 0"
    [ "$by_us" -gt 0 ] || [ "$by_mpirun" -gt 0 ] || echo "the dead rank is not named"
    [ "$by_us" -le 1 ] || echo "the dead rank is named $by_us times"
    [ "$(cat run.jsonl 2>/dev/null | wc -l)" -ge "$finished" ] || echo "finished lines are lost"
    bad_lines run.jsonl
    left_behind | grep -vE 'file .*(ompi|pmix|prte)'
  )
  [ ! -s run.jsonl ] || with_results=$((with_results + 1))
  end_run $run "rank $victim, $moment ms" "$problems"
done
end_campaign "named by railgauge $ours times, by mpirun alone $theirs times; slowest end $slowest s after the kill;" \
  "$with_results runs had finished results; $too_late kills came too late and were repeated; mpirun hung $hung times when no rank was left"
