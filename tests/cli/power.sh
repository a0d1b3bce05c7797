#!/usr/bin/env bash
# power.sh NAME: one test of energy, clocks and throttling around a point: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"

case_power() { # what this machine counts, or that it does not
  bench all_reduce barrier --ranks 2 --transport memory,shm --bytes 8,64K --iterations 4 -o a.jsonl -o a.csv
  expect_code 0
  expect_results a.jsonl 6
  [ "$(grep -c '"power":{"span":' a.jsonl)" = 6 ] || wrong "not every result says what was read"
  head -1 a.csv | grep -q ',joules,joules_per_gigabyte,throttled,power_absent,' || wrong "a.csv lacks the columns"
  if ! ls -d /sys/class/powercap/intel-rapl:* >/dev/null 2>&1; then
    [ "$(grep -c '"joules":null,"joules_per_gigabyte":null,.*energy of the processors on [^ ]*: no package of RAPL' a.jsonl)" = 6 ] ||
      { wrong "not every result says that there is no energy" && show; }
    expect_words a.csv 'no package of RAPL'
  elif [ -r /sys/class/powercap/intel-rapl:0/energy_uj ]; then
    expect_words a.jsonl '"joules":[0-9]'
    expect_words out '^energy: [0-9.]+ J in all'
  else
    expect_words a.jsonl '"power_absent":".*energy of package-0'
  fi
  # One line for people of what could not be read, and none where nothing could.
  if ! grep -vq '"energy":\[\],"clocks":\[\],"throttles":\[\]' a.jsonl && ! grep -q '"tells_throttling":true' a.jsonl; then
    ! grep '^not read: ' out || wrong "a line though nothing was read"
  elif grep -q '"power_absent":"[^"]' a.jsonl; then
    [ "$(grep -c '^not read: ' out)" = 1 ] || { wrong "not one line of what was not read" && show; }
  fi
}

case_power_of_pairs() { # several pairs run at once: it is unknown whose energy it was
  bench pairs --ranks 4 --transport shm --bytes 4K --iterations 4 -o a.jsonl
  expect_code 0
  expect_results a.jsonl 12
  [ "$(grep -c '"joules":null,.*"power":{"span":' a.jsonl)" = 12 ] || wrong "not every pair says what was read"
}

isolate "$name"
enter_room
"case_$name"
exit $failed
