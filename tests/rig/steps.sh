#!/usr/bin/env bash
# steps.sh FOLDER RATE TIME CASE...: training steps of built-in models between hosts whose links carry RATE megabits a second, a rank each, as
# results in FOLDER. A CASE is NAME=WORDS, the words of `railgauge workload`: NAME.jsonl gets its steps, measured for TIME; and ping_pong.jsonl
# and stream.jsonl what two hosts measure, for predictions. Files that are there are not measured again. Run by tests/launch/slurm.sh
# --rig N. How links are made like cables: shape.sh.
set -uo pipefail
. "${0%/*}/lib.sh"
. "$rig_folder/measure.sh"
results=$1 rate=$2 time=$3
shift 3
mkdir -p "$results" || exit 2
shape_links "$rate"
measure_constants
for case in "$@"; do
  read -ra words <<<"${case#*=}"
  measure "${case%%=*}" "$nodes" workload "${words[@]}" --max-time "$time"
done
exit $failed
