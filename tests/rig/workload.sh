#!/usr/bin/env bash
# workload.sh FOLDER RATE TIME SIZES: training steps between hosts whose links carry RATE megabits a second. Each folder NAME in FOLDER has traces
# of its ranks, a host each, rank-0.json and on; NAME.jsonl gets the steps and NAME.json the timeline, unless they are there, measured for
# TIME; NAME.alone.jsonl all-reduces of two hosts of SIZES bytes alone, measured by bench just before; and, where NAME.groups has several lines of
# hosts, NAME.together.LINE.jsonl those of the last size while the jobs of all lines run at once. Run by tests/launch/slurm.sh --rig N. How links are made like cables: shape.sh.
set -uo pipefail
. "${0%/*}/lib.sh"
. "$rig_folder/shape.sh"
results=$1 rate=$2 time=$3 sizes=$4
shape_links "$rate"
failed=0
# all_reduce FILE SIZES TIME WORDS_OF_SRUN...: how long it takes two hosts.
all_reduce() {
  local file=$1 bytes=$2 least=$3
  shift 3
  timeout 300 srun --mpi=pmix "$@" -N 2 -n 2 "${comes_first[@]}" "$RAILGAUGE" bench all_reduce --algorithm ring --mode isolated --bytes "$bytes" \
    "${over_ucx[@]}" --cache warm --check last --min-time "$least" --max-time "$least" -o "$file" </dev/null
}
# together NAME: all groups at once, a job each.
together() {
  local name=$1 line=0 group jobs=() code=0
  while read -ra group; do
    line=$((line + 1))
    all_reduce "$results/$name.together.$line.jsonl" "${sizes##*,}" 6s --nodelist "$(printf 'n%s,' "${group[@]}")" &
    jobs+=($!)
  done <"$results/$name.groups"
  for line in "${jobs[@]}"; do wait "$line" || code=1; done
  return $code
}
step() {
  local name=$1 ranks=("$results/$1/"rank-*.json)
  all_reduce "$results/$name.alone.jsonl" "$sizes" 2s || return
  [ "$(wc -l <"$results/$name.groups")" = 1 ] || together "$name" || return
  timeout 300 srun --mpi=pmix -N ${#ranks[@]} -n ${#ranks[@]} "${comes_first[@]}" "$RAILGAUGE" workload "$results/$name" --scale 1 "${over_ucx[@]}" \
    --max-time "$time" -o "$results/$name.part.jsonl" -o "$results/$name.part.json" </dev/null
}
for traces in "$results"/*/; do
  name=${traces%/} name=${name##*/}
  [ ! -s "$results/$name.jsonl" ] || continue
  rm -f "$results/$name".part.* "$results/$name".alone.* "$results/$name".together.*
  echo "$name: load $(cut -d' ' -f1-3 /proc/loadavg)"
  if step "$name" >"$results/$name.out" 2>&1; then
    mv "$results/$name.part.json" "$results/$name.json" && mv "$results/$name.part.jsonl" "$results/$name.jsonl"
  else
    tail -n 5 "$results/$name.out"
    failed=1
  fi
done
exit $failed
