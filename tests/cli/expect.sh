# What the tests of the program from outside expect of it. Sourced, after lib.sh; `failed` says whether all was so.
# shellcheck shell=bash

failed=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
patience=100 # seconds for one command; CTest's own limit is longer

wrong() {
  echo "wrong: $*"
  failed=1
}
show() {
  echo "-- exit code $code; standard output:"
  head -c 3000 out
  echo "-- standard error:"
  head -c 3000 err
}

# run COMMAND...: into $code, out and err; nothing may be left behind.
run() {
  remember_surroundings
  (marked timeout -k 5 $patience "$@") >out 2>err
  code=$?
  local left
  left=$(left_behind)
  [ -z "$left" ] || wrong "$left"
}
bench() { run "$RAILGAUGE" bench "$@"; }
expect_code() { [ $code = "$1" ] || { wrong "exit code $code instead of $1" && show; }; }
expect_words() { grep -qE -- "$2" "$1" || { wrong "$1 does not say '$2'" && show; }; }
expect_quiet() { [ ! -s err ] || { wrong "something on standard error" && show; }; }
expect_no_wrong_data() { ! grep -qi 'wrong data' out || { wrong "wrong data" && show; }; }
# expect_results FILE COUNT: so many whole results, none of them wrong or failed.
expect_results() {
  local problems
  problems=$(bad_lines "$1")
  [ -z "$problems" ] || wrong "$problems"
  [ "$(wc -l <"$1")" = "$2" ] || { wrong "$1 has $(wc -l <"$1") lines instead of $2" && show; }
  ! grep -E '"status":"(wrong|failed)"' "$1" | cut -c1-300 | grep . || wrong "results that are wrong or failed"
}
# One sentence of ours on standard error; a launcher may add its own lines.
expect_refusal() {
  local pattern=$1 lines
  expect_code 2
  lines=$(grep -c '^railgauge: ' err)
  [ "$lines" = 1 ] || { wrong "$lines sentences on standard error" && show; }
  if [ "${2:-alone}" = alone ] && [ "$(wc -l <err)" != 1 ]; then wrong "more than a sentence on standard error" && show; fi
  grep -qE -- "^railgauge: .*$pattern" err || { wrong "the sentence does not match '$pattern'" && show; }
}
needs_mpirun() { command -v mpirun >/dev/null || skip "there is no mpirun"; }
needs_transport() { "$RAILGAUGE" list transports 2>&1 | grep -E "^$1 " | grep -qv unavailable || skip "the transport $1 is unavailable"; }
