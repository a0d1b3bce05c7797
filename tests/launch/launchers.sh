#!/bin/bash
# launchers.sh mpirun|srun PROGRAM PLUGINS: starts the test program under a real launcher and checks what it says and how it ends.
set -u
launcher=$1
program=$2
export RAILGAUGE_PLUGIN_PATH=$3
failures=0

skip() {
  echo "skipped: $1"
  exit 4
}
[ -f "$RAILGAUGE_PLUGIN_PATH/railgauge_pmix.so" ] || skip "the pmix plugin was not built"

# check TITLE CODE PATTERN COUNT COMMAND...: COMMAND ends with CODE (any when -), and COUNT lines (at least) have PATTERN.
check() {
  local title=$1 code=$2 pattern=$3 count=$4
  shift 4
  local said ended
  said=$(timeout 100 "$@" 2>&1)
  ended=$?
  local lines
  lines=$(grep -c -E "$pattern" <<< "$said")
  if { [ "$code" = - ] || [ "$ended" = "$code" ]; } && [ "$lines" -ge "$count" ]; then
    echo "ok: $title"
  else
    echo "FAILED: $title: ended with $ended (expected $code), $lines lines with '$pattern' (expected $count). It said:"
    echo "$said"
    failures=$((failures + 1))
  fi
}

case $launcher in
  mpirun)
    command -v mpirun > /dev/null || skip "mpirun is not installed"
    mpirun --version 2>&1 | grep -q 'Open MPI\|Open RTE' || skip "mpirun is not that of Open MPI"
    run=(mpirun --oversubscribe)
    [ "$(id -u)" = 0 ] && run+=(--allow-run-as-root)
    check "four ranks meet" 0 'rank [0-3] of 4, local [0-3] of 4 on .*, sum 10' 4 "${run[@]}" -n 4 "$program"
    check "one rank is alone" 0 'alone' 1 "${run[@]}" -n 1 "$program"
    check "a killed rank is named" - 'told: rank 2 on .* was lost' 1 "${run[@]}" -n 4 "$program" kill 2
    check "rank 0 killed is named" - 'told: rank 0 on .* was lost' 1 "${run[@]}" -n 4 "$program" kill 0
    check "a failing rank is quoted" - 'told: rank 1 ended: element 7 is wrong' 1 "${run[@]}" -n 4 "$program" fail 1
    check "other arguments are refused" 2 "refused: rank 1 was started with '1' and rank 0 with '0'" 1 "${run[@]}" -n 2 "$program" differ
    RAILGAUGE_PLUGIN_PATH=/nowhere
    check "without the plugin all are refused" 2 'refused: mpirun of Open MPI started 2 processes, but each would run alone' 1 \
      "${run[@]}" -n 2 "$program"
    ;;
  srun)
    # One task a node at a time: MPI's own launch is not wanted here.
    check "four nodes meet" 0 'rank [0-3] of 4, local 0 of 1 on n[0-3], sum 10' 4 srun -N4 -n4 --mpi=pmix "$program"
    check "two nodes of two ranks meet" 0 'rank [0-3] of 4, local [01] of 2 on n[0-3], sum 10' 4 srun -N2 --ntasks-per-node=2 --mpi=pmix "$program"
    check "one rank is alone" 0 'alone' 1 srun -N1 -n1 --mpi=pmix "$program"
    check "a killed rank is named" - 'told: rank 2 on n[0-3] was lost' 1 srun -N4 -n4 --mpi=pmix "$program" kill 2
    check "a failing rank is quoted" - 'told: rank 1 ended: element 7 is wrong' 1 srun -N4 -n4 --mpi=pmix "$program" fail 1
    check "without PMIx all are refused" 2 "refused: srun started 4 processes, .*use 'srun --mpi=pmix'" 4 srun -N4 -n4 --mpi=none "$program"
    ;;
esac
exit $((failures > 0))
