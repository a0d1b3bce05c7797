#!/usr/bin/env bash
# cases.sh NAME: one test of the built program, either a line of bad_input.txt or a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
here=$tests/cli
. "$here/expect.sh"
. "$here/ends.sh"

bad_input() {
  local pattern=$1 arguments before
  eval "arguments=($2)"
  # shellcheck disable=SC2154 # room is made by enter_room
  echo one >"$room/file"
  echo one >"$room/file.jsonl"
  echo one >"$room/file.csv"
  remember_surroundings
  before=$(ls -AR "$room")
  (marked timeout -k 5 $patience "$RAILGAUGE" "${arguments[@]}") >"$room.out" 2>"$room.err"
  code=$?
  [ "$(ls -AR "$room")" = "$before" ] || wrong "files were left: $(ls -A "$room" | xargs)"
  [ "$(cat "$room"/file*)" = $'one\none\none' ] || wrong "a file was overwritten"
  mv "$room.out" out
  mv "$room.err" err
  expect_nothing_left
  expect_refusal "$pattern"
}

case_memory_together() { # one rank's buffers would fit, those of all do not
  local kilobytes
  kilobytes=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  bench all_reduce --ranks 8 --transport memory --type uint8 --cache warm --bytes $((kilobytes / 16 * 4))K
  expect_refusal 'choose smaller --bytes or fewer ranks'
  bench all_reduce --ranks 1 --transport memory --type uint8 --cache warm --bytes 1K
  expect_code 0
}

case_full_standard_output() {
  remember_surroundings
  (marked "$RAILGAUGE" bench all_reduce --ranks 2 --transport memory --bytes 8 -o -) >/dev/full 2>err
  code=$?
  : >out
  expect_refusal 'cannot write to standard output: No space left'
}

case_full_disk() { # a results file that cannot grow: one sentence, and only whole lines in it
  ulimit -f 8
  bench all_reduce --ranks 2 --transport memory --bytes 8:64K --max-time 50ms -o a.jsonl
  expect_code 2
  [ "$(grep -c '^railgauge: ' err)" = 1 ] || { wrong "not one sentence" && show; }
  local problems
  problems=$(bad_lines a.jsonl)
  [ -z "$problems" ] || wrong "$problems"
}

case_singletons() { # processes of a launcher that each believe they are alone
  local signs
  for signs in "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0" "SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_PROCID=0 SLURM_JOB_ID=3" \
    "PMI_SIZE=2 PMI_RANK=0" "LOCAL_WORLD_SIZE=2 WORLD_SIZE=2 RANK=0"; do
    # shellcheck disable=SC2086 # words
    run env $signs "$RAILGAUGE" bench all_reduce --bytes 8 -o a.jsonl
    expect_refusal 'started 2 processes, but each would run alone'
    [ ! -e a.jsonl ] || wrong "a results file was left"
  done
}

case_mpirun_other_arguments() {
  needs_mpirun
  # Not "mpirun ... : ...", which Open MPI 5.0.7 answers with a segmentation fault, whatever the programs.
  # shellcheck disable=SC2016 # for the ranks' shells
  run mpirun --oversubscribe -n 2 sh -c 'exec "$0" bench all_reduce --bytes $((8 + 8 * PMIX_RANK)) -o a.jsonl' "$RAILGAUGE"
  expect_refusal "rank 1 was started with '--bytes 16' and rank 0 with '--bytes 8'" launched
  [ ! -e a.jsonl ] || wrong "a results file was left"
}

case_mpirun_other_ranks() {
  needs_mpirun
  run mpirun --oversubscribe -n 2 "$RAILGAUGE" bench all_reduce --bytes 8 --ranks 3 -o a.jsonl
  expect_refusal '--ranks 3, but the launcher started 2' launched
  [ ! -e a.jsonl ] || wrong "a results file was left"
}

case_mpirun_bad_input() {
  needs_mpirun
  run mpirun --oversubscribe -n 3 "$RAILGAUGE" bench all_reduce --bytes 8 --transport pigeons
  expect_refusal 'no transport .*pigeons' launched
}

case_mpirun_results() {
  needs_mpirun
  needs_transport ucx
  run mpirun --oversubscribe -n 2 "$RAILGAUGE" bench all_reduce all_gather --transport ucx,memory --bytes 8,4K --max-time 100ms \
    -o a.jsonl -o a.csv
  expect_code 0
  expect_results a.jsonl 8
  [ "$(wc -l <a.csv)" = 9 ] || wrong "a.csv has $(wc -l <a.csv) lines instead of 9"
  [ "$(grep -c '"transport":"memory".*' a.jsonl)" = 4 ] || wrong "not 4 results of memory"
  [ "$(grep '"transport":"memory"' a.jsonl | grep -c '"status":"skipped","reason":"its ranks are threads')" = 4 ] ||
    wrong "memory was not skipped with the reason"
  [ "$(grep '"transport":"ucx"' a.jsonl | grep -cE '"status":"(ok|not_converged)"')" = 4 ] || wrong "not 4 measured results of ucx"
  ! grep -q $'\x1b' out || wrong "the output of mpirun has control sequences"
}

case_mpirun_interrupted() {
  needs_mpirun
  needs_transport ucx
  remember_surroundings
  (marked mpirun --oversubscribe -n 2 "$RAILGAUGE" bench all_reduce --transport ucx --type uint8 --bytes 8:16M --factor 1.05 --iterations 10 \
    -o a.jsonl -o a.csv) >out 2>err &
  local launcher=$!
  await_lines a.jsonl 3
  kill -TERM $launcher
  wait $launcher
  code=$?
  [ $code != 0 ] || wrong "exit code 0"
  local problems
  problems=$(
    bad_lines a.jsonl
    left_behind | grep -vE 'file .*(ompi|pmix|prte)'
  )
  [ -z "$problems" ] || wrong "$problems"
  [ "$(wc -l <a.jsonl)" -ge 3 ] || wrong "finished lines are lost"
  [ "$(wc -l <a.csv 2>/dev/null)" = $(($(wc -l <a.jsonl) + 1)) ] || { wrong "the CSV file lacks rows" && show; }
  # Our sentence is not asked for: mpirun, once told to end, mostly but not always passes on what its ranks still write.
}

case_first_look() {
  bench
  expect_code 0
  expect_quiet
  expect_words out 'railgauge bench --help'
  expect_words out '^all_reduce: [0-9]+ ranks'
}

case_help() { # three examples each, and those that are quick are run
  local command example
  for command in bench topo list; do
    run "$RAILGAUGE" $command --help
    expect_code 0
    expect_quiet
    sed -n '/^Examples:/,$p' out | grep -oE '^  ([a-z]+ .*)?railgauge .*' | sed -E 's/^  //; s/  +.*//' >examples
    [ "$(wc -l <examples)" = 3 ] || { wrong "$command --help has $(wc -l <examples) examples instead of 3" && show; }
    while read -r example; do
      echo "example: $example"
      # Quick versions: every option of the example is parsed, on small sizes and with few iterations.
      case $example in
        mpirun*) command -v mpirun >/dev/null || continue ;;&
        *bench*--bytes*) example=$(sed -E 's/--bytes [^ ]+/--bytes 1K/' <<<"$example") ;;&
        *bench*) example="$example --iterations 3" ;;
      esac
      example=${example/#mpirun -n/mpirun --oversubscribe -n}
      # A file that an example reads is one that the example before has written.
      ln -sf "$RAILGAUGE" railgauge
      run env PATH="$room:$PATH" bash -c "$example"
      expect_code 0
      expect_no_wrong_data
    done <examples
    rm -f ./*.jsonl ./*.csv
  done
}

case_version() {
  run "$RAILGAUGE" --version
  expect_code 0
  expect_words out '^railgauge [0-9]+\.[0-9]+\.[0-9]+'
  expect_words out '^commit +([0-9a-f]{7,}|v[0-9]|unknown commit)'
  expect_words out '^  hwloc +[0-9]'
}

case_files() { # each line validates, CSV has as many rows, and both have what the table has
  python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
  bench all --ranks 3 --transport memory --bytes 0,4,1K --iterations 4 -o a.jsonl -o a.csv
  expect_code 0
  local points
  points=$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)
  expect_results a.jsonl "$points"
  [ "$(wc -l <a.csv)" = $((points + 1)) ] || wrong "a.csv has $(wc -l <a.csv) lines, a.jsonl $points"
  grep -q '"status":"skipped"' a.jsonl || wrong "nothing was skipped, though 3 is no power of two"
}

case_results_on_standard_output() {
  bench all_reduce barrier --ranks 2 --transport memory --bytes 8,1K --iterations 4 -o -
  expect_code 0
  expect_quiet
  expect_results out 3
}

case_results_on_standard_output_as_csv() {
  bench all_reduce --ranks 2 --transport memory --bytes 8,1K --iterations 4 -o - --format csv
  expect_code 0
  expect_quiet
  [ "$(wc -l <out)" = 3 ] || { wrong "not a line of names and two rows" && show; }
}

case_budget() { # what does not fit into it is skipped, with the reason
  bench all_reduce --ranks 2 --transport memory --bytes 8:64K --budget 1us -o a.jsonl
  expect_code 0
  expect_results a.jsonl 14
  expect_words a.jsonl '"status":"skipped","reason":"the time budget of the sweep was used up"'
}

case_iterations() {
  bench all_reduce --ranks 2 --transport memory --bytes 64K --mode isolated --cache warm --iterations 17 -o a.jsonl
  expect_code 0
  expect_results a.jsonl 1
  expect_words a.jsonl '"status":"ok"'
  # A sample is a batch of iterations where one is too short for the clock.
  local samples batch
  samples=$(sed -nE 's/.*"samples":([0-9]+),.*/\1/p' a.jsonl)
  batch=$(sed -nE 's/.*"batch":([0-9]+),.*/\1/p' a.jsonl)
  [ $((samples * batch)) -ge 17 ] && [ $((samples * batch)) -lt $((17 + batch)) ] || wrong "$samples samples of $batch iterations"
}

case_strict() { # a precision that no measurement reaches: marked without --strict, exit code 4 with it
  bench all_reduce --ranks 2 --transport memory --bytes 64K --precision 0.0000001 --max-time 100ms -o a.jsonl
  expect_code 0
  expect_words a.jsonl '"status":"not_converged"'
  bench all_reduce --ranks 2 --transport memory --bytes 64K --precision 0.0000001 --max-time 100ms --strict
  expect_code 4
}

case_in_place() {
  bench all_reduce reduce_scatter --ranks 2 --transport memory --bytes 8,4K --iterations 4 --in-place both -o a.jsonl
  expect_code 0
  expect_no_wrong_data
  expect_words a.jsonl '"in_place":true'
  expect_words a.jsonl '"in_place":false'
  local problems
  problems=$(bad_lines a.jsonl)
  [ -z "$problems" ] || wrong "$problems"
}

case_patterns() { # windows and seeds of one's own
  bench stream bidirectional incast outcast permutation bisection ring_shift --ranks 5 --transport memory --bytes 0,4,12K --iterations 4 \
    --window 3 --seed 9 --root 2 -o a.jsonl
  expect_code 0
  expect_results a.jsonl 21
  expect_words a.jsonl '"collective":"incast".*"root":2'
  expect_words a.jsonl '"collective":"send_receive","algorithm":"ring_shift"'
}
case_patterns_of_processes() {
  needs_transport ucx
  bench stream bidirectional incast outcast permutation bisection --ranks 4 --transport ucx --bytes 4,256K --iterations 4 --lanes 2 \
    -o a.jsonl
  expect_code 0
  expect_results a.jsonl 12
}

case_pairs() { # a matrix of each algorithm and size, as a picture and as lines
  patience=280 # each matrix may take a minute to measure outliers again
  bench pairs --ranks 3 --transport memory --algorithm all --bytes 8,64K --iterations 4 -o a.jsonl -o a.csv
  expect_code 0
  expect_results a.jsonl $((4 * 3 * 2))
  [ "$(wc -l <a.csv)" = $((1 + 4 * 3 * 2)) ] || wrong "a.csv has $(wc -l <a.csv) lines"
  [ "$(grep -oE '"from":[0-2],"to":[0-2],"from_node"' a.jsonl | sort | uniq -c | awk '$1 != 4' | wc -l)" = 0 ] || wrong "a pair is missing"
  expect_words out '^pairs: 3 ranks, .*64 KiB by two_way over memory'
  expect_words out '^4 points in'
  expect_words out '^(slow: |inconclusive: |no rank and no pair is an outlier)'
}
case_pairs_of_processes() {
  needs_transport ucx
  bench pairs --ranks 3 --transport ucx --iterations 4 -o a.jsonl
  expect_code 0
  expect_results a.jsonl 6
  expect_words a.jsonl '"bytes":1048576'
}
case_pairs_wrong_data() { # named with its pair; the first of each buffer set is checked however long batches become
  bench pairs --ranks 2 --transport memory --path exchange --type int32 --bytes 4K --cache auto --iterations 100 --set memory.fault=corrupt \
    --set memory.rank=1 --set memory.transfer=7 -o a.jsonl
  expect_code 6
  expect_words out '^1 -> 0 wrong: rank 0 has [0-9]+ wrong element'
  [ "$(grep -c '"status":"wrong"' a.jsonl)" = 1 ] || wrong "not one wrong pair"
}

case_lanes() {
  bench all --ranks 2 --transport memory --bytes 4,4K --iterations 4 --lanes 2 -o a.jsonl
  expect_code 0
  expect_results a.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
  expect_words a.jsonl '"lanes":2'
}
case_lanes_of_processes() {
  needs_transport ucx
  bench all --ranks 2 --transport ucx --bytes 4,4K --iterations 4 --lanes 2 -o a.jsonl
  expect_code 0
  expect_results a.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
}

case_shared_memory() {
  local path
  for path in exchange mapped; do
    bench all --ranks 3 --transport shm --bytes 12,240,12K --iterations 4 --lanes 2 --path $path -o $path.jsonl
    expect_code 0
    expect_results $path.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
    expect_words $path.jsonl "\"path\":\"$path\""
  done
  bench all_reduce --ranks 2 --transport shm --set shm.mapped=off --bytes 12K --iterations 4 -o a.jsonl # through the kernel
  expect_code 0
  expect_results a.jsonl 1
  expect_words a.jsonl '"path":"exchange"'
}
case_shared_memory_is_the_default() {
  bench all_reduce --ranks 2 --bytes 8 --iterations 4 -o a.jsonl
  expect_code 0
  expect_words a.jsonl '"transport":"shm"'
}

case_composed() {
  needs_transport ucx
  bench all --ranks 3 --transport shm+ucx --set ucx.tls=tcp --bytes 12,12K --iterations 4 -o a.jsonl
  expect_code 0
  expect_results a.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
  expect_words a.jsonl '"transport":"shm[+]ucx"'
}

case_isolated() {
  bench all_reduce all_gather --ranks 3 --transport memory --bytes 12,12K --iterations 4 --mode isolated -o a.jsonl
  expect_code 0
  expect_results a.jsonl 4
  expect_words a.jsonl '"mode":"isolated"'
}

case_window() { # each iteration at an agreed time, of threads and of processes
  local transport
  for transport in memory ucx; do
    "$RAILGAUGE" list transports 2>&1 | grep -E "^$transport " | grep -qv unavailable || continue
    bench all_reduce stream --ranks 3 --transport $transport --bytes 12,12K --start window --iterations 50 -o $transport.jsonl
    expect_code 0
    expect_results $transport.jsonl 4
    [ "$(grep -cE '"mode":"window".*"skew":[0-9.e-]+,.*"late_starts":[0-9]+,"last_rank":[0-2],' $transport.jsonl)" = 4 ] ||
      wrong "not 4 results with skew and late starts"
    expect_words out '^starts of a sample: '
  done
}

case_cache() { # the heading says cold or warm, and what that means; cold takes twice what the caches hold
  bench all_reduce --ranks 2 --transport memory --bytes 64M --iterations 2 --cache cold -o a.jsonl
  expect_code 0
  expect_words a.jsonl '"cache":"cold"'
  expect_words out '^all_reduce: 2 ranks, host memory, back-to-back, cold \(data comes from memory\)$'
  expect_words out 'size  type +op +algorithm +transport +time +± +p99 algbw GB/s busbw GB/s samples wrong$'
  bench all_reduce --ranks 2 --transport memory --bytes 8K --iterations 4 --cache warm -o b.jsonl
  expect_code 0
  expect_words b.jsonl '"cache":"warm"'
  expect_words out '^all_reduce: 2 ranks, host memory, back-to-back, warm \(data may be in caches\)$'
}

case_path() {
  local path
  for path in exchange mapped; do
    bench all --ranks 3 --transport memory --bytes 12,12K --iterations 4 --path $path -o $path.jsonl
    expect_code 0
    expect_results $path.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
    ! grep '"status":"ok"' $path.jsonl | grep -v "\"path\":\"$path\"" | cut -c1-300 | grep . || wrong "results of another path"
  done
}

case_every_type_and_op() {
  bench all_reduce reduce_scatter --ranks 3 --transport memory --type all --op all --bytes 24,240 --iterations 3 -o a.jsonl
  expect_code 0
  expect_results a.jsonl $((2 * 12 * 6 * 2))
}
case_every_type_and_op_of_processes() {
  needs_transport ucx
  bench all_reduce --ranks 3 --transport ucx --type all --op all --bytes 240 --iterations 3 -o a.jsonl
  expect_code 0
  expect_results a.jsonl $((12 * 6))
}

case_wrong_data() { # found, named, and the rest of the sweep is done. On one buffer set the next of its batch may overwrite it
  bench all_reduce all_gather --ranks 2 --transport memory --type int32 --bytes 4K --cache auto --iterations 100 \
    --set memory.fault=corrupt --set memory.rank=1 --set memory.transfer=7 -o a.jsonl
  expect_code 6
  expect_words out 'rank [01] has [0-9]+ wrong elements?; the first is element [0-9]+ of its output: expected .*, got '
  [ "$(wc -l <a.jsonl)" = 2 ] || wrong "not both results"
  expect_words a.jsonl '"status":"wrong"'
  expect_words a.jsonl '"collective":"all_gather".*'
}

isolate "$name"
enter_room
if declare -F "case_$name" >/dev/null; then
  "case_$name"
else
  line=$(grep -E "^$name +\|" "$here/bad_input.txt") || {
    echo "there is no case $name"
    exit 2
  }
  IFS='|' read -r _ pattern arguments <<<"$line"
  bad_input "$(xargs -0 <<<"$pattern" | sed 's/^ *//; s/ *$//')" "$arguments"
fi
exit $failed
