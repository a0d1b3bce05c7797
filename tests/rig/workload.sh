#!/usr/bin/env bash
# workload.sh FOLDER RATE TIME SIZES: training steps between hosts whose links carry RATE megabits a second. Each folder NAME in FOLDER has traces
# of its ranks, a host each, rank-0.json and on; NAME.jsonl gets the steps and NAME.json the timeline, unless they are there, measured for
# TIME; and NAME.alone.jsonl all-reduces of two hosts of SIZES bytes alone, measured by bench just before. Run by tests/launch/slurm.sh --rig N. How links are made like cables: shape.sh.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/lib.sh"
. "$rig_folder/shape.sh"
results=$1 rate=$2 time=$3 sizes=$4
shape_links "$rate"
failed=0
for traces in "$results"/*/; do
  name=${traces%/} name=${name##*/}
  ranks=("$traces"rank-*.json)
  [ ! -s "$results/$name.jsonl" ] || continue
  rm -f "$results/$name.part.jsonl" "$results/$name.part.json" "$results/$name.alone.jsonl"
  echo "$name: load $(cut -d' ' -f1-3 /proc/loadavg)"
  if timeout 300 srun --mpi=pmix -N 2 -n 2 "${comes_first[@]}" "$RAILGAUGE" bench all_reduce --algorithm ring --mode isolated --bytes "$sizes" \
    "${over_ucx[@]}" --cache warm --check last --min-time 1s --max-time 2s -o "$results/$name.alone.jsonl" >"$results/$name.out" 2>&1 </dev/null &&
    timeout 300 srun --mpi=pmix -N ${#ranks[@]} -n ${#ranks[@]} "${comes_first[@]}" "$RAILGAUGE" workload "$traces" --scale 1 "${over_ucx[@]}" \
    --max-time "$time" -o "$results/$name.part.jsonl" -o "$results/$name.part.json" >"$results/$name.out" 2>&1 </dev/null; then
    mv "$results/$name.part.json" "$results/$name.json" && mv "$results/$name.part.jsonl" "$results/$name.jsonl"
  else
    tail -n 5 "$results/$name.out"
    failed=1
  fi
done
exit $failed
