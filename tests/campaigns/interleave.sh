#!/usr/bin/env bash
# Compares a benchmark with itself, COUNT times, by launches that take turns: to say "worse" or "better" is wrong then, and may
# happen once in 50.
set -uo pipefail
. "${0%/*}/lib.sh"
begin_campaign 50 "$@"
export RAILGAUGE_BENCH_CACHE=warm # 1 MiB of 16 sets takes twice as long to make and to check

launches=5 limit=300 wrong=0
declare -A verdicts=()
transports=(shm memory shm ucx)
"$RAILGAUGE" list transports 2>&1 | grep -E '^ucx ' | grep -qv unavailable || transports=(shm memory)
for ((run = 1; run <= count; run++)); do
  transport=${transports[$((run % ${#transports[@]}))]}
  command="bench all_reduce --ranks 2 --transport $transport --algorithm ring --bytes 8,4K,64K,1M --max-time 0.1"
  remember_surroundings
  (marked "$RAILGAUGE" compare --interleave $launches --base "$command" --new "$command" --format json) >run.json 2>run.err &
  program=$!
  finish $program
  verdict=$(sed -nE 's/^ *"verdict": "([a-z]+)".*/\1/p' run.json | head -1)
  problems+=$(
    case $verdict/$code in same/0 | better/0 | worse/1 | inconclusive/4) ;; *) echo "exit code $code, verdict '$verdict'" ;; esac
    head -2 run.err
    left_behind
  )
  case $verdict in worse | better) wrong=$((wrong + 1)) ;; esac
  verdicts[$verdict]=$((${verdicts[$verdict]:-0} + 1))
  case $verdict in worse | better) echo "run $run, $transport: $verdict" && cp run.json "$room/$verdict-$run.json" ;; esac
  end_run $run "$transport" "$problems"
done
# Fewer than 50 may have one as well.
[ $wrong -le $((count / 50 > 1 ? count / 50 : 1)) ] || failed=$((failed + 1))
end_campaign "$wrong of $count comparisons of a thing with itself were wrong (${verdicts[same]:-0} same," \
  "${verdicts[inconclusive]:-0} inconclusive, ${verdicts[worse]:-0} worse, ${verdicts[better]:-0} better)"
