#!/usr/bin/env bash
# Runs `bench pairs` on 4 ranks COUNT times in each of eight situations: at 64 KiB and 1 MiB, with and without a busy loop on this
# machine, all ranks alike and one of them at half speed: its copies take as many times as long (shm.times) as make a message take
# twice as long, copy and handing over. Where all are alike nobody may be named; who is at half speed must be in 95 of 100. PAIRS_NOTES is a file of one line a run: given again, it goes on where it stopped.
set -uo pipefail
. "${0%/*}/lib.sh"
PAIRS_NOTES=${PAIRS_NOTES:-${RAILGAUGE_JOB:+$RAILGAUGE_JOB.pairs}}
[ -z "$PAIRS_NOTES" ] || PAIRS_NOTES=$(readlink -f "$PAIRS_NOTES")
export PAIRS_NOTES
begin_campaign 100 "$@"

limit=300 ranks=4
notes=${PAIRS_NOTES:-$room/notes}
touch "$notes"

# time_with SIZE TIMES: seconds of a message between two ranks whose copies take so many times as long, the fastest of three medians.
time_with() {
  local turn
  for turn in 1 2 3; do
    "$RAILGAUGE" bench pairs --ranks 2 --transport shm --bytes "$1" --max-time 0.3 --set shm.fault=slow --set shm.rank=0 \
      --set "shm.times=$2" -o run.times.jsonl >run.out 2>run.err
    grep -oE '"median":[^,}]+' run.times.jsonl | cut -d: -f2 | sort -g | head -1
    rm -f run.times.jsonl
  done | sort -g | head -1
}

# calibrate SIZE LOAD: into times[SIZE LOAD], the least number with which messages take twice as long.
declare -A times
calibrate() {
  local size=$1 load=$2 busy= alone with many
  if [ "$load" = busy ]; then
    (while :; do :; done) &
    busy=$!
  fi
  alone=$(time_with "$size" 1)
  for many in 2 2.5 3 3.5 4 5 6 8 10; do
    with=$(time_with "$size" $many)
    awk -v a="$alone" -v b="$with" 'BEGIN {exit !(b >= 1.95 * a)}' && break
  done
  [ -z "$busy" ] || { kill $busy && wait $busy; } 2>/dev/null
  times[$size $load]=$many
  awk -v size="$size" -v load="$load" -v times=$many -v a="$alone" -v b="$with" \
    'BEGIN {printf "half speed at %s, %s: copies take %s times as long, messages %.2f times\n", size, load, times, b / a}'
}
for load in idle busy; do
  for size in 64K 1M; do calibrate $size $load; done
done

# one_run SIZE LOAD SPEED: a line for the notes, and what was wrong with it in $problems.
one_run() {
  local size=$1 load=$2 speed=$3 victim=- busy= code named right faulty=()
  if [ "$speed" = half ]; then
    draw $ranks && victim=$drawn
    faulty=(--set shm.fault=slow --set "shm.rank=$victim" --set "shm.times=${times[$size $load]}")
  fi
  if [ "$load" = busy ]; then
    (while :; do :; done) &
    busy=$!
  fi
  (marked "$RAILGAUGE" bench pairs --ranks $ranks --transport shm --bytes "$size" --max-time 1 "${faulty[@]}") >run.out 2>run.err &
  local program=$!
  finish $program
  [ -z "$busy" ] || { kill $busy && wait $busy; } 2>/dev/null
  [ $code = 0 ] || problems+="exit code $code"$'\n'
  named=$(sed -nE 's/^slow: rank ([0-9]+).*/\1/p; s/^slow: (pair .*):.*/\1/p' run.out | tr ' \n' '_ ')
  right=no
  [ "${named% }" = "${victim/-/}" ] && right=yes
  printf '%s %s %s %s %s %s %s\n' "$size" "$load" "$speed" "$victim" "$right" "$(grep -c '^inconclusive: ' run.out)" "${named:--}" >>"$notes"
  [ "$speed" = half ] || [ $right = yes ] || problems+="named: $named"
}

for ((run = 1; run <= count; run++)); do
  for speed in alike half; do
    for load in idle busy; do
      for size in 64K 1M; do
        [ "$(grep -c "^$size $load $speed " "$notes")" -lt $run ] || continue
        one_run $size $load $speed
        end_run "$run" "$size, $load, $speed" "$problems"
      done
    done
  done
done

printf '\n%-6s %-6s %-6s %5s %6s %13s\n' size beside ranks runs right inconclusive
awk '{ key = sprintf("%-6s %-6s %-6s", $1, $2, $3); runs[key]++; right[key] += $5 == "yes"; doubt[key] += $6 > 0 }
     END { for (key in runs) printf "%s %5d %6d %13d\n", key, runs[key], right[key], doubt[key] }' "$notes" | sort
missed=$(awk '$3 == "half" { key = $1 $2; runs[key]++; right[key] += $5 == "yes" }
              END { for (key in runs) if (right[key] < 0.95 * runs[key]) missed++; print missed + 0 }' "$notes")
[ "$missed" = 0 ] || failed=$((failed + 1))
end_campaign "in $missed of 4 situations the rank at half speed was named in fewer than 95 of 100 runs"
