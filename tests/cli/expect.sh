# What the tests of the program from outside expect of it. Sourced, after lib.sh; `failed` says whether all was so.
# shellcheck shell=bash

failed=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
# One set of buffers: data larger than the caches takes as long again to make and to check. Scripts whose subject has to do with several sets say auto.
export RAILGAUGE_BENCH_CACHE=${RAILGAUGE_BENCH_CACHE:-warm}
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

# run COMMAND...: into $code, out and err; nothing may be left behind. What depends on the machine, that ranks share its cores or are
# slow, goes into notices.
run() {
  remember_surroundings
  (marked timeout -k 5 $patience "$@") >out 2>err
  code=$?
  : >notices
  if [ -s err ]; then
    grep -E '^railgauge: (oversubscribed: |still )' err >notices
    [ ! -s notices ] || sed -i -E '/^railgauge: (oversubscribed: |still )/d' err
  fi
  expect_nothing_left
}
bench() { run "$RAILGAUGE" bench "$@"; }
# free_port: one that nobody listens at, into $port.
free_port() {
  while port=$((10000 + RANDOM % 20000)) && (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
}
# expect_nothing_left: of what there was not when remember_surroundings was called.
expect_nothing_left() {
  local left
  nothing_left_behind && return
  left=$(left_behind)
  [ -z "$left" ] || wrong "$left"
}
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
# expect_device_clock FILE: every point that was measured has as many times by the device's clock as by the hosts', and the former are those of
# a clock that counts a thousandth (FAKE_QUEUE_CLOCK=0.001), of up to 6 ranks.
expect_device_clock() {
  grep -E '"status":"(ok|not_converged)"' "$1" >measured.jsonl || wrong "nothing was measured"
  awk '
    function sum(key, list, all, i) {
      if (!match($0, "\"" key "\":\\[[^]]*")) return -1
      count = split(substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4), list, ",")
      for (i = 1; i <= count; ++i) all += list[i]
      return all
    }
    {
      by_device = sum("times"); devices = count; by_host = sum("host_times")
      if (by_host < 0 || count != devices || by_device <= 0 || by_device > 0.006 * by_host) {
        print NR ": " devices " times, together " by_device " s; by the host " by_host " s"
        bad = 1
      }
    }
    END { exit bad }' measured.jsonl || { wrong "times of $1 are not those of a device's clock" && show; }
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
# with_libraries FOLDERS PLUGINS WORD...: the program with libraries and plugins of the tests in place of a machine's: names of folders
# below tests/ of the build, with colons between. `how` is what runs it, if not run.
with_libraries() {
  local folders plugins built
  built=${RAILGAUGE%/*}/../tests
  folders=$(sed -E "s|[^:]+|$built/&|g" <<<"$1") plugins=$(sed -E "s|[^:]+|$built/&|g" <<<"$2")
  ${how:-run} env LD_LIBRARY_PATH="$folders" RAILGAUGE_PLUGIN_PATH="$plugins" "$RAILGAUGE" "${@:3}"
}
needs_library() { [ -e "${RAILGAUGE%/*}/../tests/$1" ] || skip "$2"; }
needs_mpirun() { command -v mpirun >/dev/null || skip "there is no mpirun"; }
needs_transport() { "$RAILGAUGE" list transports 2>&1 | grep -E "^$1 " | grep -qv unavailable || skip "the transport $1 is unavailable"; }

# await_lines FILE COUNT: until it has so many, or the test's time is over.
await_lines() {
  local lines
  until mapfile lines <"$1" && [ ${#lines[@]} -ge "$2" ] && [[ ${lines[$2 - 1]} == *$'\n' ]] || [ $SECONDS -gt $patience ]; do nap 0.02; done 2>/dev/null
}

# interrupt COMMAND...: SIGINT, once a.jsonl has three results, ends it with exit code 5, and a.jsonl and a.csv have what was finished.
interrupt() {
  remember_surroundings
  # Jobs of a script ignore SIGINT.
  (marked env --default-signal=INT "$@") >out 2>err &
  local program=$! problems
  await_lines a.jsonl 3
  kill -INT $program
  wait $program
  code=$?
  expect_code 5
  expect_words err '^railgauge: interrupted by signal 2'
  problems=$(
    bad_lines a.jsonl
    left_behind
  )
  [ -z "$problems" ] || wrong "$problems"
  [ "$(wc -l <a.jsonl)" -ge 3 ] || wrong "finished lines are lost"
  [ "$(wc -l <a.csv 2>/dev/null)" = $(($(wc -l <a.jsonl) + 1)) ] || wrong "the CSV file lacks rows"
}

# kill_second COMMAND...: SIGKILL of the second of three ranks while the others wait for it ends the run with exit code 5, and soon: once
# a.jsonl has a result, or a library of the tests has written to the file hangs that it hangs a rank: the others may wait for that one.
kill_second() {
  (marked "$@") >out 2>err &
  local supervisor=$! children began
  for _ in $(seq 200); do
    [ "$(wc -w 2>/dev/null <"/proc/$supervisor/task/$supervisor/children")" != 3 ] || break
    nap 0.05
  done
  until [ -s a.jsonl ] || [ -s hangs ] || [ $SECONDS -gt $patience ]; do nap 0.02; done
  read -ra children <"/proc/$supervisor/task/$supervisor/children"
  began=$EPOCHREALTIME
  kill -KILL "${children[1]}"
  wait $supervisor
  code=$?
  expect_code 5
  expect_words err '^railgauge: rank 1 .* was killed by signal 9'
  awk "BEGIN { exit !($(seconds_since "$began") < 20) }" || wrong "it took $(seconds_since "$began") s"
}
