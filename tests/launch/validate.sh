#!/bin/bash
# validate.sh mpirun|mpich|srun|lost|variables|pods: `railgauge validate` under a real launcher: the same words everywhere, and what it says and
# how it ends. RAILGAUGE is the program.
set -u
launcher=$1
program=$(readlink -f "${RAILGAUGE:?the program to test: RAILGAUGE=build/bin/railgauge}")
. "${0%/*}/check.sh"
plugins=$(dirname "$program")/../lib/railgauge
case $launcher in
  mpirun | srun | lost) [ -f "$plugins/railgauge_pmix.so" ] || skip "the pmix plugin was not built" ;;
esac
[ -f "$plugins/railgauge_ucx.so" ] || skip "the ucx plugin was not built"
room=$(mktemp -d "${TMPDIR:-/tmp}/railgauge-test.XXXXXX")
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 2
# Without its plugins beside it.
mkdir bin && cp "$program" bin/ || exit 2

export RAILGAUGE_TOKEN=00112233445566778899aabbccddeeff
port=$(free_port)
words=(validate --quick --budget 2m --rounds 2 --measured 50ms --skip watch --set "ucx.tls=tcp,self")
export program port room
# Where hosts share a machine one may fall behind: what is found is no matter here.
any=0,1,4
no_pairs='pairs +skipped .* pairs need two hosts, and 1 of 1 take part'
alone='inconclusive: one host takes part, and there is nobody to compare it with: start ranks on two or more hosts'
lonely='railgauge: .* started [0-9]+ processes, but each would run alone'

# of_one_machine LAUNCHER...: a launcher that cannot pretend that this machine is several.
of_one_machine() {
  timeout 100 "$@" -n 4 "$program" "${words[@]}" >"$room/said" 2>&1
  local as_said=(bash -c "cat '$room/said'; exit $?")
  check "ranks of one host measure it by itself" 4 'all_reduce of its 4 ranks' 1 "${as_said[@]}"
  check "and are told why there are no pairs" 4 "$no_pairs" 1 "${as_said[@]}"
  check "and what to do" 4 "$alone" 1 "${as_said[@]}"
  check "what is asked of all hosts is refused of one" 2 'expect is asked of all hosts together, and there is one' 1 \
    "$@" -n 2 "$program" "${words[@]}" --expect all_reduce=1
  # shellcheck disable=SC2016 # for the shell of the rank
  check "other arguments are refused by what differs" 2 "rank 1 was started with '--seed 1' and rank 0 with '--seed 0'" 1 \
    "$@" -n 2 bash -c 'exec "$program" validate --quick --seed ${OMPI_COMM_WORLD_RANK:-$PMI_RANK}'
}
# pods NODES LOCAL: as many processes as nodes, each of which starts its ranks. What the first says is in $room/out and err.
pods() {
  local nodes=$1 local=$2 node pods=() code
  shift 2
  for ((node = nodes - 1; node >= 0; node--)); do
    env RAILGAUGE_NODES="$nodes" RAILGAUGE_LOCAL_RANKS="$local" JOB_COMPLETION_INDEX=$node RAILGAUGE_NODE=pod-$node \
      RAILGAUGE_RENDEZVOUS="localhost:$port" "$program" "$@" >"$room/out.$node" 2>"$room/err.$node" &
    pods+=($!)
  done
  wait "${pods[-1]}"
  code=$?
  wait
  cat "$room"/out.* "$room"/err.*
  return $code
}
export -f pods

# lost SIGNAL HOST WORDS...: as soon as the journal has a round of pairs, all processes of the host's task get the signal, and
# nobody tells srun what to do then.
lost() {
  local signal=$1 host=$2 run process mark=railgauge-test-$$-$RANDOM left
  shift 2
  rm -f "$room/run.jsonl"
  RAILGAUGE_TEST_MARK=$mark timeout -k 5 90 srun -N3 -n3 "$@" "$program" "${words_of_lost[@]}" --rounds 6 --journal "$room/run.jsonl" &
  run=$!
  until grep -q '"key":"pairs round' "$room/run.jsonl" 2>/dev/null || ! kill -0 $run 2>/dev/null; do sleep 0.1; done
  for process in $(processes_of_mark "$mark"); do
    tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "SLURMD_NODENAME=n$host" && kill -"$signal" "$process"
  done
  wait $run
  local code=$?
  for _ in {1..50}; do
    left=$(processes_of_mark "$mark")
    [ -n "$left" ] || break
    sleep 0.1
  done
  [ -z "$left" ] || echo "left behind: processes $(echo $left)"
  echo "srun ended with $code"
  return $code
}
# Of this test alone: other tests may run on this machine.
processes_of_mark() {
  local process environment
  for environment in $(grep -lsz "^RAILGAUGE_TEST_MARK=$1$" /proc/[0-9]*/environ); do
    process=${environment#/proc/}
    process=${process%/environ}
    case $(cat "/proc/$process/comm" 2>/dev/null) in railgauge*) echo "$process" ;; esac
  done
}
words_of_lost=(validate --quick --budget 60s --skip watch --measured 50ms --set "ucx.tls=tcp,self")

case $launcher in
  mpirun)
    command -v mpirun >/dev/null || skip "mpirun is not installed"
    mpirun --version 2>&1 | grep -q 'Open MPI\|Open RTE' || skip "mpirun is not that of Open MPI"
    run=(mpirun --oversubscribe)
    [ "$(id -u)" = 0 ] && run+=(--allow-run-as-root)
    of_one_machine "${run[@]}"
    check "without PMIx all are refused" 2 "$lonely, because the plugin pmix" 1 "${run[@]}" -n 2 bin/railgauge "${words[@]}"
    ;;
  mpich)
    command -v mpirun.mpich >/dev/null || skip "MPICH's mpirun is not installed"
    of_one_machine mpirun.mpich
    check "at a port of PMI all are refused" 2 "$lonely" 1 "${hydra[@]}" -n 2 env -u PMI_FD "$program" "${words[@]}"
    ;;
  srun)
    for mpi in pmix pmi2; do
      check "three hosts are measured over $mpi" $any '^3 hosts, 3 ranks, 1 rail, over ucx, started by srun' 1 \
        srun -N3 -n3 --mpi=$mpi "$program" "${words[@]}"
      check "two hosts of two rails are over $mpi" $any '^2 hosts, 4 ranks, 2 rails, over ucx, started by srun' 1 \
        srun -N2 --ntasks-per-node=2 --mpi=$mpi "$program" "${words[@]}"
    done
    check "three hosts are by a token" $any '^3 hosts, 3 ranks, 1 rail, over ucx, started by srun' 1 \
      env RAILGAUGE_RENDEZVOUS=localhost:"$port" srun -N3 -n3 --mpi=none "$program" "${words[@]}"
    check "without all of it all are refused" 2 "$lonely.*use 'srun --mpi=pmix'" 3 \
      env -u RAILGAUGE_TOKEN srun -N3 -n3 --mpi=none "$program" "${words[@]}"
    ;;
  lost)
    # Over PMI Slurm ends the run too, and keeps the code of the signal with which it does so.
    for row in pmix:5 pmi2:137; do
      mpi=${row%:*}
      for signal in KILL STOP; do
        said=$(lost $signal 2 --mpi="$mpi" 2>&1)
        check "SIG$signal to a task over $mpi: the verdict names its host" 0 'n2 no longer takes part' 1 cat <<<"$said"
        check "the exit code is ${row#*:}" 0 "^srun ended with ${row#*:}\$" 1 cat <<<"$said"
        check "and nothing is left" 0 '^0$' 1 bash -c 'grep -c "left behind" || true' <<<"$said"
      done
    done
    ;;
  variables)
    check "torchrun's variables bring four ranks of two hosts together" $any '^2 hosts, 4 ranks, 2 rails, over ucx' 1 \
      bash -c 'by_variables torchrun 4 "$@"' bash "${words[@]}"
    check "variables of our own do" $any '^3 hosts, 3 ranks, 1 rail, over ucx' 1 bash -c 'by_variables own 3 "$@"' bash "${words[@]}"
    check "without a token all are refused" 2 'railgauge: torchrun started 4 processes, .*RAILGAUGE_TOKEN is not set' 4 \
      env -u RAILGAUGE_TOKEN bash -c 'by_variables torchrun 4 validate --quick'
    ;;
  pods)
    check "pods that start their ranks are hosts" $any '^2 hosts, 4 ranks, 2 rails, over ucx' 1 \
      bash -c 'pods 2 2 "$@"' bash "${words[@]}"
    check "a verdict is no failure of a rank" 4 "$alone" 1 bash -c 'pods 1 2 "$@"' bash "${words[@]}"
    check "and stderr has nothing" 0 '^0$' 1 bash -c 'cat "$room"/err.* | wc -l'
    check "a mistake is said" 2 "railgauge: rank 0: there is no stage 'pears'" 1 bash -c 'pods 1 2 "$@"' bash validate --stages pears
    ;;
esac
exit $((failures > 0))
