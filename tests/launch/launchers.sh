#!/bin/bash
# launchers.sh mpirun|mpich|srun|variables PROGRAM PLUGINS: starts the test program under a real launcher and checks what it says and how it ends.
set -u
launcher=$1
program=$2
export RAILGAUGE_PLUGIN_PATH=$3
. "${0%/*}/check.sh"

case $launcher in
  mpirun | srun) [ -f "$RAILGAUGE_PLUGIN_PATH/railgauge_pmix.so" ] || skip "the pmix plugin was not built" ;;
esac
export RAILGAUGE_TOKEN=00112233445566778899aabbccddeeff

# taken in_turn|together: two processes that are both rank 0 at one port; one after the other, the second starts once the first listens.
taken() {
  # shellcheck disable=SC2046 # variables, one a word
  env $(one_of own 0 2) timeout 10 "$program" &
  if [ "$1" = in_turn ]; then
    for _ in {1..80}; do
      (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null && break
      sleep 0.1
    done
  fi
  # shellcheck disable=SC2046
  env $(one_of own 0 2) timeout 10 "$program"
  kill %1 2> /dev/null
  wait
}
# sleeper RANK SECONDS MEETING: that rank comes so much later than the others, who wait for so long at each step.
sleeper() {
  if [ "${OMPI_COMM_WORLD_RANK:-${SLURM_PROCID:-}}" = "$1" ]; then sleep "$2"; fi
  RAILGAUGE_RENDEZVOUS_TIMEOUT=$3 exec "$program"
}
port=$(free_port)
export -f taken sleeper
export program port

case $launcher in
  variables)
    check "torchrun's variables bring four ranks together" 0 'rank [0-3] of 4, local [01] of 2 on .*\.[01], sum 10' 4 \
      bash -c 'by_variables torchrun 4'
    check "variables of our own do" 0 'rank [0-2] of 3, local 0 of 1 on n[0-2], sum 6' 3 bash -c 'by_variables own 3'
    check "a killed rank is named" - 'told: rank 2 on n2 was lost' 2 bash -c 'by_variables own 3 kill 2'
    check "rank 0 killed is named" - 'told: rank 0 on n0 was lost' 2 bash -c 'by_variables own 3 kill 0'
    check "without a token all are refused" 2 'refused: torchrun started 4 processes, .*RAILGAUGE_TOKEN is not set' 4 \
      env -u RAILGAUGE_TOKEN bash -c 'by_variables torchrun 4'
    check "a port that is taken is said" - 'refused: rank 0 cannot listen on port [0-9]*: bind: Address already in use' 1 \
      bash -c 'taken in_turn'
    # Of two at once both may bind; the kernel then lets one listen, or neither.
    check "two that take it at once are told the port" - 'refused: rank 0 cannot listen on port [0-9]*: [a-z]*: Address already in use' 1 \
      bash -c 'taken together'
    ;;
  mpich)
    command -v mpirun.mpich > /dev/null || skip "MPICH's mpirun is not installed"
    run=(mpirun.mpich)
    check "four ranks meet" 0 'rank [0-3] of 4, local [0-3] of 4 on .*, sum 10' 4 "${run[@]}" -n 4 "$program"
    check "one rank is alone" 0 'alone' 1 "${run[@]}" -n 1 "$program"
    # It kills the others as soon as the output of the dead one is closed, whatever it is asked; a shell keeps that open for a moment.
    check "a killed rank is named" - 'told: rank 2 on .* was lost' 1 "${run[@]}" -disable-auto-cleanup -n 4 \
      bash -c '"$0" "$@"; code=$?; sleep 1; exit $code' "$program" kill 2
    check "a failing rank is quoted" - 'told: rank 1 ended: element 7 is wrong' 1 "${run[@]}" -n 4 "$program" fail 1
    check "at a port of PMI all are refused" 2 'refused: a launcher with PMI started 2 processes, but each would run alone' 1 \
      "${hydra[@]}" -n 2 env -u PMI_FD "$program"
    ;;
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
    check "a rank that comes after the fence was given up takes part" 0 'rank [0-3] of 4, local [0-3] of 4 on .*, sum 10' 4 \
      "${run[@]}" -n 4 bash -c 'sleeper 2 7 5'
    check "so does rank 0" 0 'rank [0-3] of 4, local [0-3] of 4 on .*, sum 10' 4 "${run[@]}" -n 4 bash -c 'sleeper 0 18 30'
    check "a rank that does not come is named" - 'refused: rank 2 did not come to the rendezvous within 5 s' 1 \
      "${run[@]}" -n 4 bash -c 'sleeper 2 20 5'
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
    check "a rank that comes after the fence was given up takes part" 0 'rank [0-3] of 4, local 0 of 1 on n[0-3], sum 10' 4 \
      srun -N4 -n4 --mpi=pmix bash -c 'sleeper 2 7 5'
    check "so does rank 0" 0 'rank [0-3] of 4, local 0 of 1 on n[0-3], sum 10' 4 srun -N4 -n4 --mpi=pmix bash -c 'sleeper 0 18 30'
    check "a rank that does not come is named" - 'refused: rank 2 did not come to the rendezvous within 5 s' 1 \
      srun -N4 -n4 --mpi=pmix bash -c 'sleeper 2 20 5'
    check "four nodes meet by PMI" 0 'rank [0-3] of 4, local 0 of 1 on n[0-3], sum 10' 4 srun -N4 -n4 --mpi=pmi2 "$program"
    check "two nodes of two and one rank meet by PMI" 0 'rank [0-2] of 3, local [01] of [12] on n[0-3], sum 6' 3 srun -N2 -n3 --mpi=pmi2 "$program"
    check "a killed rank is named over PMI" - 'told: rank 2 on n[0-3] was lost' 1 srun -N4 -n4 --mpi=pmi2 "$program" kill 2
    check "four nodes meet by a token" 0 'rank [0-3] of 4, local 0 of 1 on n[0-3], sum 10' 4 \
      env RAILGAUGE_RENDEZVOUS=localhost:$port srun -N4 -n4 --mpi=none "$program"
    # Slurm may end a step at the killed task before it has passed on what the others said; a shell keeps it open for a moment.
    check "a killed rank is named over a token" - 'told: rank 2 on n[0-3] was lost' 1 \
      env RAILGAUGE_RENDEZVOUS=localhost:$port srun -N4 -n4 --mpi=none bash -c '"$0" "$@"; code=$?; sleep 1; exit $code' "$program" kill 2
    check "without all of it all are refused" 2 "refused: srun started 4 processes, .*use 'srun --mpi=pmix'" 4 \
      env -u RAILGAUGE_TOKEN srun -N4 -n4 --mpi=none "$program"
    ;;
esac
exit $((failures > 0))
