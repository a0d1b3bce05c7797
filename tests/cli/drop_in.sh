#!/usr/bin/env bash
# drop_in.sh NAME: one test of the program under its names of nccl-tests, either a line of drop_in.txt or a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
here=$tests/cli
. "$here/expect.sh"
PATH=${RAILGAUGE%/*}:$PATH

# expect_text PATTERN: somewhere in what was printed, blanks being one.
expect_text() {
  cat out err | tr -s ' ' >both
  PATTERN=$1 perl -0777 -ne 'exit(/$ENV{PATTERN}/m ? 0 : 1)' both || { wrong "nothing matches '$1'" && show; }
}
# expect_table ROWS: so many whole rows, read as programs that read nccl-tests do.
expect_table() {
  [ "$(grep -cE '^ +[0-9]+ +[0-9]+ ' out)" = "$1" ] || { wrong "not $1 rows" && show; }
  ! grep -E '^ +[0-9]+ ' out | awk 'NF != 13 && NF != 15 && NF != 21 {print "odd row: " $0}' | grep . || wrong "rows that are odd"
}

line() { # of drop_in.txt
  local expected pattern arguments
  IFS='~' read -r _ expected pattern arguments <<<"$(sed -E 's/^([a-z_0-9]+) +\| +([0-9]+) +\| +(.*) +\| (.*)$/\1~\2~\3~\4/' <<<"$1")"
  eval "arguments=($arguments)"
  echo one >file.json
  run "${arguments[@]}"
  expect_code "$expected"
  expect_text "$(sed 's/ *$//' <<<"$pattern")"
  [ "$(cat file.json)" = one ] || wrong "a file was overwritten"
  if [ "$expected" != 0 ] && [ "$expected" != 7 ]; then
    [ "$(grep -c '^railgauge: ' err)" = 1 ] || { wrong "not one sentence on standard error" && show; }
    [ ! -e a.json ] || wrong "a file was left"
  fi
}

case_eight_ranks() {
  run all_reduce_perf -b 8 -e 64K -f 2 -g 8
  expect_code 0
  expect_quiet
  expect_table 14
  [ "$(grep -c '^#  Rank' out)" = 8 ] || wrong "not 8 ranks"
}

case_parser_of_averages() { # the last word of the one line that has the mean is a number
  run all_reduce_perf -b 1M -e 4M -f 2 -g 2
  expect_code 0
  local mean
  mean=$(awk '/Avg bus bandwidth/ {print $NF}' out)
  awk -v mean="$mean" 'BEGIN {exit !(mean + 0 > 0)}' || { wrong "'$mean' is no mean" && show; }
  # It is the mean of the columns 8 and 12 of all rows, to what is printed of them.
  awk -v mean="$mean" '/^ +[0-9]/ {sum += $8 + $12; n += 2} END {d = sum / n - mean; exit !(d < 0.02 && d > -0.02)}' out ||
    { wrong "the mean is not that of the rows" && show; }
}

case_readers() { # what people read nccl-tests with reads this: each program, and each option that changes columns
  command -v python3 >/dev/null || skip "python3 is not installed"
  local name options
  for name in all_reduce all_gather broadcast reduce reduce_scatter alltoall alltoallv gather scatter sendrecv; do
    run "${name}_perf" -b 4K -e 16K -f 4 -g 2 -n 5
    expect_code 0
    [ "$(python3 "$here/nccl_tests_readers.py" out)" = '2 rows, 2 by the pattern' ] || { wrong "$name is not read" && show; }
  done
  for options in '-I 1' '-I 1 -K 2' '-S 1' '-C 1' '-c 0' '-I 1 -S 1' '-z 3 -m 2' '-a 3'; do
    # shellcheck disable=SC2086 # words
    run all_reduce_perf -b 4K -e 16K -f 4 -g 2 -n 5 $options -J a.json
    expect_code 0
    python3 "$here/nccl_tests_readers.py" out a.json || { wrong "$options is not read" && show; }
    rm -f a.json
  done
}

case_hypercube_has_no_operation() { # an empty column redop, as there
  run hypercube_perf -b 1K -e 1K -g 4
  expect_code 0
  expect_words out '^ {8}1024 {12}64     float              -1 '
}

case_documented() { # the tables of docs/nccl-tests.md have what --help has, and --help has what nccl-tests has
  local documentation=$here/../../docs/nccl-tests.md flag
  run all_reduce_perf --help
  expect_code 0
  grep -oE '^ +-[A-Za-z],( *)--[a-z_]+' out | tr -d ' ' | sort >flags
  grep -oE '^\| `-[A-Za-z],--[a-z_]+`' "$documentation" | grep -oE -- '-[A-Za-z],--[a-z_]+' | sort >documented
  diff flags documented || wrong "flags of --help (<) and of the table (>) differ"
  sed -n '/^Environment:/,/^Examples:/p' out | grep -oE '^  [A-Z_]+' | tr -d ' ' | sort >variables
  grep -oE '^\| `[A-Z_]+`' "$documentation" | grep -oE '[A-Z_]+' | sort >documented
  diff variables documented || wrong "variables of --help (<) and of the table (>) differ"
  for flag in t,--nthreads g,--ngpus b,--minbytes e,--maxbytes i,--stepbytes f,--stepfactor n,--iters m,--agg_iters w,--warmup_iters \
    N,--run_cycles p,--parallel_init c,--check o,--op d,--datatype r,--root z,--blocking y,--stream_null T,--timeout G,--cudagraph \
    C,--report_cputime S,--report_timestamps J,--output_file a,--average R,--local_register x,--cta_policy \
    D,--device_implementation V,--device_cta_count M,--memory u,--unalign I,--per_iter_timing K,--per_iter_skip h,--help; do
    grep -qx -- "-$flag" flags || wrong "-$flag of nccl-tests is unknown"
  done
}

case_json_of_two_runs() { # each has a file of its own, whole, though both were asked for the same
  remember_surroundings
  (marked all_reduce_perf -b 8 -e 8 -g 2 -N 0 -J b.json) >first 2>first.err &
  local endless=$!
  until grep -q '^ *8 ' first; do kill -0 $endless || break; done
  (marked timeout -k 5 $patience all_reduce_perf -b 8 -e 8 -g 2 -n 5 -J b.json) >out 2>err
  code=$?
  expect_code 0
  expect_words out '^# Writing JSON output to b.json.0$'
  kill -TERM $endless
  wait $endless
  expect_words first '^# Writing JSON output to b.json$'
  expect_words b.json '"errors":\["the run ended early'
  expect_words b.json.0 '"errors":\[\]'
}

case_rank_summary() {
  run env NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY=1 alltoallv_perf -b 2K -e 2K -g 2 -n 5
  expect_code 0
  [ "$(grep -cE '^# NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY: mode=fixed nranks=2 total_bytes=2044 time_usec=[0-9.]+$' out)" = 2 ] ||
    { wrong "not a summary of each half" && show; }
  [ "$(grep -cE '^#   rank=[01] send_bytes=[0-9]+ recv_bytes=[0-9]+ alg_bw=[0-9.]+ bus_bw=[0-9.]+$' out)" = 4 ] || wrong "not two ranks"
  awk '/send_bytes/ {split($3, s, "="); split($4, r, "="); sent += s[2]; received += r[2]; if (s[2] > most) most = s[2]}
       END {exit !(sent == received && most == 2044)}' out || { wrong "what is sent is not what is received" && show; }
}

case_cycles_of_each_operation() { # -N repeats the sizes of an operation before the next one
  run all_reduce_perf -b 8 -e 16 -f 2 -g 2 -n 2 -o all -N 2
  expect_code 0
  [ "$(awk '/^ +[0-9]/ {printf "%s/%s ", $4, $1}' out)" = "$(for op in sum prod max min avg mulsum; do
    printf '%s/8 %s/16 %s/8 %s/16 ' $op $op $op $op; done)" ] || { wrong "another order" && show; }
}

case_transport_asked() {
  needs_transport ucx
  run env RAILGAUGE_TRANSPORT=ucx all_reduce_perf -b 1K -e 1K -g 2
  expect_code 0
  expect_text '^# railgauge .*ucx'
}

case_json() {
  run env -u UCX_TLS SECRET_WORD=hush NCCL_ALGO=Ring NCCL_TOKEN=hush UCX_LOG_LEVEL=warn all_reduce_perf -b 8 -e 64 -f 2 -g 2 -I 1 -J a.json
  expect_code 0
  ! grep -q hush a.json || wrong "a secret is in the file"
  command -v python3 >/dev/null || return 0
  python3 - <<'END' || wrong "the file is not what it should be"
import json
run = json.load(open("a.json"))
assert list(run) == ["version", "start_time", "args", "env", "nccl_version", "config", "results", "out_of_bounds",
                     "average_bus_bandwidth", "errors", "end_time"], list(run)
assert run["version"] == 3 and run["env"] == ["NCCL_ALGO=Ring", "UCX_LOG_LEVEL=warn"], run["env"]
assert [row["size"] for row in run["results"]] == [8, 16, 32, 64]
assert len(run["config"]["devices"]) == 2
for row in run["results"]:
    assert row["root"] == "    -1" and row["redop"] == "sum" and row["type"] == "float"
    for half in ("out_of_place", "in_place"):
        assert row[half]["time"] > 0 and row[half]["nwrong"] == 0
        assert len(row[half + "_per_iter"]["times_us"]) == 20
assert run["out_of_bounds"] == {"count": 0, "okay": "true"}
assert run["average_bus_bandwidth"]["okay"] == "unchecked" and run["errors"] == []
END
}

case_killed_rank() { # is named, and nothing is left
  remember_surroundings
  (marked all_reduce_perf -b 8 -e 8 -g 3 -N 0) >out 2>err &
  local supervisor=$! children
  until grep -q '^ *8 ' out; do kill -0 $supervisor || break; done
  read -ra children <"/proc/$supervisor/task/$supervisor/children"
  kill -KILL "${children[2]}"
  wait $supervisor
  code=$?
  expect_code 3
  expect_words err '^railgauge: rank 2 .* was killed by signal 9'
  expect_words out '^# error: '
  expect_nothing_left
}

case_interrupted() { # what was measured is kept, in the JSON too
  remember_surroundings
  (marked all_reduce_perf -b 8 -e 8 -g 2 -N 0 -J a.json) >out 2>err &
  local supervisor=$!
  until grep -q '^ *8 ' out; do kill -0 $supervisor || break; done
  kill -TERM $supervisor
  wait $supervisor
  code=$?
  expect_code 3
  expect_words out '^# Avg bus bandwidth'
  expect_words a.json '"size":8,.*"errors":\["the run ended early'
}

case_full_standard_output() {
  remember_surroundings
  (marked all_reduce_perf -b 8 -e 8 -g 2) >/dev/full 2>err
  code=$?
  : >out
  expect_code 6
  expect_words err 'cannot write to standard output: No space left'
}

case_mpirun() { # each of two processes starts four ranks
  needs_mpirun
  run mpirun --oversubscribe -n 2 "$(command -v all_reduce_perf)" -b 8 -e 1K -f 2 -g 4 -J a.json
  expect_code 0
  expect_quiet
  expect_table 8
  [ "$(grep -c '^#  Rank' out)" = 8 ] || wrong "not 8 ranks"
  [ "$(grep -c 'Using devices' out)" = 1 ] || wrong "not one table"
  [ -s a.json ] && [ ! -e a.json.0 ] || wrong "not one file"
}

case_mpirun_cores() { # where the launcher binds nobody, each rank takes a core of its own
  needs_mpirun
  [ "$(nproc)" -ge 2 ] || skip "one core has to do"
  (marked mpirun --oversubscribe --bind-to none -n 2 "$(command -v all_reduce_perf)" -b 8 -e 8 -N 0) >out 2>err &
  local launcher=$! process cores=()
  until grep -q '^ *8 ' out; do kill -0 $launcher || break; done
  for process in $(sed -nE 's/^#  Rank .* Pid +([0-9]+) .*/\1/p' out); do
    cores+=("$(awk '/^Cpus_allowed_list/ {print $2}' "/proc/$process/status")")
  done
  end_marked
  [ ${#cores[@]} = 2 ] && [ "${cores[0]}" != "${cores[1]}" ] && [[ ${cores[*]} != *[-,]* ]] || wrong "ranks are on cores ${cores[*]}"
}

case_mpirun_one_process() {
  needs_mpirun
  run mpirun --oversubscribe -n 1 "$(command -v all_gather_perf)" -b 1K -e 1K -g 3
  expect_code 0
  expect_text 'Rank 2 Group 0'
}

case_mpirun_groups() { # two groups of two ranks, side by side
  needs_mpirun
  run env NCCL_TESTS_SPLIT='MOD 2' mpirun --oversubscribe -n 2 "$(command -v all_gather_perf)" -b 1K -e 1K -g 2
  expect_code 0
  expect_text 'Rank 1 Group 0 .*\n# Rank 2 Group 1 '
  expect_text '1024 128 float none' # over two ranks, not four
}

case_mpirun_bad_input() {
  needs_mpirun
  run mpirun --oversubscribe -n 2 "$(command -v broadcast_perf)" -b 8 -e 8 -g 2 -r 4
  [ "$(grep -c '^railgauge: -r 4 is no rank: there are 4' err)" = 1 ] || { wrong "not one sentence" && show; }
  expect_code 6
}

case_mpirun_killed_rank() {
  needs_mpirun
  remember_surroundings
  (marked mpirun --oversubscribe -n 2 "$(command -v all_reduce_perf)" -b 8 -e 8 -g 2 -N 0) >out 2>err &
  local launcher=$!
  until grep -q '^ *8 ' out; do kill -0 $launcher || break; done
  kill -KILL "$(sed -nE 's/^#  Rank  3 .* Pid +([0-9]+) .*/\1/p' out)"
  wait $launcher
  code=$?
  [ $code != 0 ] || wrong "the launcher is content"
  expect_words err '^railgauge: rank 3 .* was killed by signal 9'
  expect_nothing_left
}

case_srun() {
  command -v srun >/dev/null || skip "there is no srun"
  run srun -n 2 --mpi=pmix --overcommit "$(command -v all_reduce_perf)" -b 8 -e 1K -f 2 -g 2
  expect_code 0
  expect_table 8
  [ "$(grep -c '^#  Rank' out)" = 4 ] || wrong "not 4 ranks"
}

isolate "$name"
enter_room
if declare -F "case_$name" >/dev/null; then
  "case_$name"
else
  found=$(grep -E "^$name +\|" "$here/drop_in.txt") || {
    echo "there is no case $name"
    exit 2
  }
  line "$found"
fi
exit $failed
