# Cases of cases.sh in which a run is interrupted or a process is killed. Sourced.
# shellcheck shell=bash

# interrupted TRANSPORT: during a sweep over it.
interrupted() {
  needs_transport "$1"
  interrupt "$RAILGAUGE" bench all_reduce --ranks 2 --transport "$1" --type uint8 --bytes 8:16M --factor 1.05 --iterations 10 \
    -o a.jsonl -o a.csv
}
case_interrupted_processes() { interrupted ucx; }
case_interrupted_threads() { interrupted memory; }

case_killed_supervisor() { # the kernel ends the ranks; finished lines are whole
  needs_transport ucx
  remember_surroundings
  (marked "$RAILGAUGE" bench all_reduce --ranks 3 --transport ucx --type uint8 --bytes 8:16M --factor 1.05 --iterations 10 -o a.jsonl) >out 2>err &
  local supervisor=$! problems
  await_lines a.jsonl 3
  kill -KILL $supervisor
  wait $supervisor 2>/dev/null
  problems=$(
    bad_lines a.jsonl
    left_behind
  )
  [ -z "$problems" ] || wrong "$problems"
  [ "$(wc -l <a.jsonl)" -ge 3 ] || wrong "finished lines are lost"
}

case_leftovers() { # what UCX leaves of a rank that is killed while it starts: removed, and nothing that others use
  needs_transport ucx
  [ "$RAILGAUGE_ISOLATED" = yes ] || skip "this needs a /dev/shm of its own"
  touch -d yesterday /dev/shm/ucx_shm_posix_old
  (marked "$RAILGAUGE" bench all_reduce --ranks 3 --transport ucx --type uint8 --bytes 8:16M --factor 1.05 --iterations 10 -o a.jsonl) \
    >out 2>err &
  local supervisor=$! children
  await_lines a.jsonl 1
  touch /dev/shm/ucx_shm_posix_abandoned /dev/shm/another
  exec 9>/dev/shm/ucx_shm_posix_open
  read -ra children <"/proc/$supervisor/task/$supervisor/children"
  kill -KILL "${children[1]}"
  wait $supervisor
  code=$?
  expect_code 5
  expect_words err '^railgauge: rank 1 .* was killed by signal 9'
  [ "$(ls /dev/shm | xargs)" = "another ucx_shm_posix_old ucx_shm_posix_open" ] || wrong "/dev/shm has: $(ls /dev/shm | xargs)"
}

# stopped TRANSPORT: a rank that is stopped is named, and what was finished is kept.
stopped() {
  needs_transport "$1"
  (marked "$RAILGAUGE" bench all_reduce --ranks 3 --transport "$1" --type uint8 --bytes 8:16M --factor 1.05 --iterations 10 -o a.jsonl) \
    >out 2>err &
  local supervisor=$! children
  await_lines a.jsonl 1
  read -ra children <"/proc/$supervisor/task/$supervisor/children"
  kill -STOP "${children[1]}"
  wait $supervisor
  code=$?
  expect_code 5
  expect_words err '^railgauge: rank 1 [(]process '"${children[1]}"'[)] has not answered for 7 s: it is stopped [(]state T[)]'
  [ "$(grep -vcE '^railgauge: (oversubscribed:|still )' err)" = 1 ] || wrong "more than one sentence" "$(cat err)"
  [ "$(wc -l <a.jsonl)" -ge 1 ] || wrong "finished lines are lost"
}
case_stopped_shm() { stopped shm; }
case_stopped_ucx() { stopped ucx; }

case_continued() { # a rank that goes on soon after it was stopped: so does the run
  (marked "$RAILGAUGE" bench all_reduce --ranks 3 --transport shm --type uint8 --bytes 8:1M --factor 1.5 --iterations 10 -o a.jsonl) \
    >out 2>err &
  local supervisor=$! children
  await_lines a.jsonl 1
  read -ra children <"/proc/$supervisor/task/$supervisor/children"
  kill -STOP "${children[1]}" 2>/dev/null && kill -CONT "${children[1]}" 2>/dev/null
  wait $supervisor
  code=$?
  expect_code 0
}

case_doctor() { # every feature has a state; what is broken has a command; missing hardware is no error
  run "$RAILGAUGE" doctor
  case $code in 0 | 1) ;; *) wrong "exit code $code" ;; esac
  expect_words out '^shared memory +(works|broken) '
  expect_words out '^[0-9]+ of [0-9]+ features work'
  [ $code = 0 ] || expect_words out '^To mend it'
  run "$RAILGAUGE" doctor --format json
  case $code in 0 | 1) ;; *) wrong "exit code $code" ;; esac
  python3 -c 'import json, sys
rows = json.load(open("out"))["features"]
assert len(rows) > 10 and all(("command" in row) == (row["state"] == "broken") for row in rows), rows
assert any(row["state"] == "broken" for row in rows) == (sys.argv[1] == "1")' "$code" || wrong "the JSON is wrong: $(cat out)"
}
