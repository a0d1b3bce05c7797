#!/usr/bin/env bash
# Validations of a rig of hosts (tests/rig) with faults, judged by what they name as faulty. Goes on where it was interrupted when
# RAILGAUGE_JOB names a path for its notes.
set -uo pipefail
usage="usage: rig.sh faults [COUNT4 [COUNT8 [PAIRS [SEED]]]]   each fault alone COUNT4 times on 4 hosts and COUNT8 on 8, and PAIRS pairs
                                                        of faults of two hosts, of 8 (default 10 5 20)
       rig.sh healthy [COUNT [SEED]]                     nothing is wrong, alternately on 4 and 8 hosts (default 100)
       rig.sh loaded [COUNT [SEED]]                      the same, with a compiler on each core beside the hosts (default 20)
       rig.sh levels|times|loss|two [QUICK [WHOLE [SEED]]]   each of these QUICK times with --quick and WHOLE times with a budget of 3
                                                        minutes (default 20 20):
         levels   K of 4, 6 and 8 hosts have half or a tenth, for each K; half of them and all but one add 1 ms
         times    a link of one of 4 to 8 hosts is slow 5, 10, 33 or 60 % of the time, with periods of 0.5, 3 and 20 s
         loss     the cable of one of 4 to 8 hosts loses 0.1 or 1 % of the frames
         two      two different faults of one of 4 to 8 hosts
FAULTS=\"slow cut\" limits it to those, by their names in the table. It passes when 95 % of all runs are right and none hangs; when at most one
healthy run in a hundred, none of those with compilers and none of the last four modes names something that is well as faulty."
mode=${1:-}
case $mode in
  faults) count4=${2:-10} count8=${3:-5} pairs=${4:-20} seed=${5:-} ;;
  -h | --help) echo "$usage" && exit 0 ;;
  healthy) count=${2:-100} seed=${3:-} ;;
  loaded) count=${2:-20} seed=${3:-} ;;
  levels | times | loss | two) quick=${2:-20} whole=${3:-20} seed=${4:-} ;;
  *) echo "$usage" && exit 2 ;;
esac
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../cli/lib.sh"
rig=$tests/rig
enter_room
notes=${RAILGAUGE_JOB:-$room/notes}
mkdir -p "$notes"
# The first start draws the seed; who goes on has the same.
[ -s "$notes/seed" ] || echo "${seed:-$((RANDOM * 32768 + RANDOM))}" >"$notes/seed"
seed=$(<"$notes/seed")
touch "$notes/runs"
echo "rig.sh $mode: seed $seed, notes in $notes, $(wc -l <"$notes/runs") runs done before"
export RAILGAUGE_RELAY=${RAILGAUGE_RELAY:-${RAILGAUGE%/*}/../tests/relay}

# one KIND NUMBER HOSTS [FAULT:HOST...]: a run, unless its line stands in the notes. Its random numbers are its own. A KIND that begins
# with whole: is measured with a budget, and not with --quick.
one() {
  local hosts=$3 name=$1-$3-$2 try code line run_mode
  shift 3
  case $name in whole:*) run_mode=whole ;; *) run_mode=${RAILGAUGE_RIG_MODE:-quick} ;; esac
  ! grep -q "^$name|" "$notes/runs" || return 0
  for try in 1 2 3 4 5; do
    RAILGAUGE_RIG_MODE=$run_mode RAILGAUGE_RIG_SPAN=${span[$hosts]:-3} "$tests/launch/slurm.sh" --rig "$hosts" bash "$rig/run.sh" "$room/run" $((seed + try * 7919 + drawn_of_run)) "$@" \
      </dev/null >"$room/said" 2>&1
    code=$?
    [ $code != 4 ] || skip "$(tail -n 1 "$room/said")"
    line=$(tail -n 1 "$room/run/judgement" 2>/dev/null)
    [ -n "$line" ] || line="broken      0 s  $(tail -n 1 "$room/said")"
    [[ $line == late* ]] || break # it struck nobody: again, at another moment
  done
  if [[ $line != right* ]]; then
    mkdir -p "$notes/kept"
    rm -rf "$notes/kept/$name"
    cp -r "$room/run" "$notes/kept/$name" 2>/dev/null
  fi
  rm -rf "$room/run"
  printf '%s|%s|%s\n' "$name" "$*" "$line" | tee -a "$notes/runs"
}
# seed_run WORDS: the random numbers of one run, which do not depend on those before it.
seed_run() {
  drawn_of_run=$(cksum <<<"$seed $*" | cut -d' ' -f1)
  RANDOM=$((drawn_of_run % 32768))
}
# A fault in mid-run strikes while a healthy run would measure: such a run says how long that is.
declare -A span=()
measure_span() {
  local hosts=$1 file=$notes/span-$1
  if [ ! -s "$file" ]; then
    "$tests/launch/slurm.sh" --rig "$hosts" bash "$rig/run.sh" "$room/run" 1 </dev/null >"$room/said" 2>&1
    [ $? != 4 ] || skip "$(tail -n 1 "$room/said")"
    awk '{printf "%.2f", 0.8 * $2}' "$room/run/judgement" >"$file"
    echo "a healthy run of $hosts hosts: $(<"$room/run/judgement")"
    rm -rf "$room/run"
  fi
  span[$hosts]=$(<"$file")
}

# draw_hosts COUNT HOSTS: so many different ones, into `drawn_hosts`.
draw_hosts() {
  local left place
  mapfile -t left < <(seq 0 $(($2 - 1)))
  drawn_hosts=()
  while [ ${#drawn_hosts[@]} -lt "$1" ]; do
    draw ${#left[@]} && place=$drawn
    drawn_hosts+=("${left[place]}")
    left=("${left[@]:0:place}" "${left[@]:place+1}")
  done
}
# kinds_of MODE: what a campaign measures with --quick and with a budget: FAULTKofHOSTS, a fault, or FAULT+FAULT of one host.
kinds_of() {
  local fault hosts share period
  case $1 in
    levels)
      for hosts in 4 6 8; do for fault in half slow; do seq -f "${fault}%gof$hosts" "$hosts"; done; done
      echo latency2of4 latency3of4 latency4of8 latency7of8
      ;;
    times) for share in 5 10 33 60; do for period in 0.5 3 20; do echo "flap${share}_$period"; done; done ;;
    loss) echo loss0.1 loss1 ;;
    two) echo receives+latency sends+latency half+latency receives+loss1 ;;
  esac
}
# one_of KIND TURN PREFIX: a run of it, on hosts that are drawn.
one_of() {
  local hosts words=() fault host
  seed_run "$3$1" "$2"
  if [[ $1 =~ ^([a-z]+)([0-9]+)of([0-9]+)$ ]]; then
    hosts=${BASH_REMATCH[3]}
    draw_hosts "${BASH_REMATCH[2]}" "$hosts"
    for host in "${drawn_hosts[@]}"; do words+=("${BASH_REMATCH[1]}:$host"); done
  else
    draw 5 && hosts=$((4 + drawn))
    draw "$hosts"
    for fault in ${1//+/ }; do words+=("$fault:$drawn"); done
  fi
  one "$3$1" "$2" "$hosts" "${words[@]}"
}

names=${FAULTS:-$(sed -nE 's/^([a-z][a-z0-9_]*) +[|] (before|during) .*/\1/p' "$rig/faults.sh")}
# Both directions together are one fault.
names=$(sed 's/^receives$//; s/^sends$/one_way/' <<<"$(xargs -n 1 <<<"$names")" | xargs)
# draw_fault HOST: one of them at random, in one of its forms, as FAULT:HOST into `drawn_fault`.
form_of() {
  case $1 in one_way) draw 2 && [ "$drawn" = 0 ] && drawn_fault=sends:$2 || drawn_fault=receives:$2 ;; *) drawn_fault=$1:$2 ;; esac
}
if [ "$mode" = faults ]; then
  measure_span 4
  [ $((count8 + pairs)) = 0 ] || measure_span 8
  read -ra list <<<"$names"
  for hosts in 4 8; do
    for ((turn = 1; turn <= (hosts == 4 ? count4 : count8); turn++)); do
      for fault in "${list[@]}"; do
        seed_run "$fault" $hosts $turn
        draw $hosts
        form_of "$fault" "$drawn"
        one "$fault" $turn $hosts "$drawn_fault"
      done
    done
  done
  for ((turn = 1; turn <= pairs; turn++)); do
    seed_run pair $turn
    draw 8 && first=$drawn
    draw 7 && second=$(((first + 1 + drawn) % 8))
    draw ${#list[@]} && form_of "${list[$drawn]}" "$first" && words=("$drawn_fault")
    draw ${#list[@]} && form_of "${list[$drawn]}" "$second" && words+=("$drawn_fault")
    one pair $turn 8 "${words[@]}"
  done
elif [ "$mode" = healthy ] || [ "$mode" = loaded ]; then
  if [ "$mode" = loaded ]; then
    command -v g++ >/dev/null || skip "g++ is not installed"
    for ((core = 0; core < $(nproc); core++)); do
      (marked bash -c 'while g++ -std=c++20 -O2 -I "$0" -c "$0/tests/rig/relay.cpp" -o /dev/null; do :; done' "$tests/..") >/dev/null 2>&1 &
      disown # or the shell reports its end, below the table
    done
  fi
  for ((turn = 1; turn <= count; turn++)); do
    seed_run "$mode" $turn
    one "$mode" $turn $((turn % 2 == 1 ? 4 : 8))
  done
else
  read -ra list <<<"${FAULTS:-$(kinds_of "$mode" | xargs)}"
  for ((turn = 1; turn <= quick || turn <= whole; turn++)); do
    for kind in "${list[@]}"; do
      [ $turn -gt "$quick" ] || one_of "$kind" $turn ''
      [ $turn -gt "$whole" ] || one_of "$kind" $turn whole:
    done
  done
fi
echo
python3 "$rig/table.py" "$mode" "$notes/runs" "$seed"
