#!/usr/bin/env bash
# run.sh FOLDER SEED [FAULT:HOST...]: one validation of the rig with these faults, judged. Run by tests/launch/slurm.sh --rig N. What
# was said and found is in FOLDER; the last line is the judgement: a word of judge.py, the seconds, and what was wrong.
# A fault in mid-run strikes at a moment drawn by the seed, within RAILGAUGE_RIG_SPAN seconds (default 3) after the first process of
# its host was seen. RAILGAUGE_RIG_MODE is quick (the default) or whole, with a budget of 3 minutes. RAILGAUGE_RIG_LEVEL is what is said
# of the level that links must have (by default what one direction of a pair must carry; --relative: none is known), and RAILGAUGE_RIG_WORDS
# what else stands on the command line.
set -uo pipefail
rig_scripts=$(dirname "$(readlink -f "$0")")
folder_of_run=$1 seed=$2
shift 2
. "$rig_scripts/lib.sh"
case ${RAILGAUGE_RIG_MODE:-quick} in
  quick) mode=--quick limit_seconds=150 ;;
  whole) mode='--budget 3m' limit_seconds=330 ;;
  *) echo "RAILGAUGE_RIG_MODE is quick or whole, not $RAILGAUGE_RIG_MODE" && exit 2 ;;
esac
limit_seconds=${RAILGAUGE_RIG_LIMIT:-$limit_seconds}
# The kernel says 10 Gbit/s of each of these interfaces, whatever they carry: what 1 Gbit/s comes to is said here.
level=${RAILGAUGE_RIG_LEVEL-"--expect pair=0.1"}
"$RAILGAUGE" validate --help 2>&1 | grep -q -- --quick || skip "this railgauge has no command validate"
mkdir -p "$folder_of_run" && cd "$folder_of_run" || exit 2
rm -f verdict.json judgement struck.*
RANDOM=$((seed % 32768))

# The one place where the command stands, as README has it: railgauge itself has srun end what is left of lost ranks.
validate() {
  # shellcheck disable=SC2086 # words
  exec timeout -k 5 "$limit_seconds" srun --mpi=pmix -N "$nodes" -n "$nodes" \
    "${comes_first[@]}" "$RAILGAUGE" validate $mode --transport ucx --set ucx.tls=tcp \
    --set ucx.devices=eth0 $level ${RAILGAUGE_RIG_WORDS:-} -o verdict.json
}

# strike HOST FAULT SECONDS: once the host has processes of the program, and so many seconds more.
strike() {
  local until=$((SECONDS + 30))
  while [ -z "$(processes_of "$1")" ] && [ $SECONDS -lt $until ]; do sleep 0.05; done
  sleep "$3"
  [ -n "$(processes_of "$1")" ] || return # it was over
  inject "$2" "$1" && date +%s.%N >"struck.$1"
}
milliseconds=$(awk -v span="${RAILGAUGE_RIG_SPAN:-3}" 'BEGIN {printf "%d", 1000 * span}')
strikes=()
: >expected
for word in "$@"; do
  fault=${word%:*} host=${word#*:}
  fault_row "$fault" || exit 2
  echo "n$host|$fault|$when|$blames|$measures|$direction|$where" >>expected
  moment=$(awk -v m=$((RANDOM % milliseconds)) 'BEGIN {printf "%.3f", m / 1000}')
  if [ "$when" = before ]; then inject "$fault" "$host" || skip "$fault cannot be made here"; else strikes+=("$host $fault $moment"); fi
done
began=$EPOCHREALTIME
(validate) >out 2>err &
run=$!
watching=()
for one in ${strikes[@]+"${strikes[@]}"}; do
  # shellcheck disable=SC2086 # words
  strike $one 2>>strike.err &
  watching+=($!)
done
wait $run
code=$?
took=$(awk -v now="$EPOCHREALTIME" -v then="$began" 'BEGIN {printf "%.1f", now - then}')
# A task that was killed gives srun the code that `timeout` gives where srun had to be killed.
awk -v took="$took" -v most="$limit_seconds" 'BEGIN {exit !(took >= most)}' && code=124
# Where there is no verdict, Slurm may know why.
[ -f verdict.json ] || cp "$(dirname "$SLURM_CONF")"/log/*.log . 2>/dev/null
[ ${#watching[@]} = 0 ] || kill "${watching[@]}" 2>/dev/null
python3 "$rig_scripts/judge.py" . "$code" "$took" | tee judgement
[[ $(cat judgement) == "right "* ]]
