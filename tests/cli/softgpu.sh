#!/usr/bin/env bash
# softgpu.sh NAME: one test of what the built program does on GPUs in software (docs/devices.md): a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"
patience=220

# on_gpus WORDS WORD...: bench over cuda_ipc on GPUs in software, WORDS of RAILGAUGE_SOFTGPU. What they find is wrong.
on_gpus() {
  local plugins words=$1
  plugins=$(dirname "$RAILGAUGE")/../tests/softgpu/plugins
  [ -e "$plugins/railgauge_cuda_ipc.so" ] || skip "the software GPU was not built: it needs nvcc, and x86-64"
  shift
  run env RAILGAUGE_PLUGIN_PATH="$plugins" RAILGAUGE_SOFTGPU="$words" "$RAILGAUGE" bench "$@" --memory cuda --transport cuda_ipc
  expect_code 0
  ! grep '^softgpu: ' err || wrong "the software GPU found something"
}

# expect_measured COUNT: so many results, right, and none of them left out.
expect_measured() {
  expect_results a.jsonl "$1"
  ! grep '"status":"skipped"' a.jsonl || wrong "a result was left out"
}

# An all-reduce of 8 bytes: packets to all peers at once, and no fence. Two packets of 8 bytes go to each of 7 peers.
case_packets_of_eight() {
  on_gpus gpus=8,sms=2,gigabytes=4,counts=1 all_reduce --ranks 8 --algorithm one_shot --bytes 8 --iterations 20 -o a.jsonl
  expect_measured 1
  expect_words a.jsonl '"protocol":"LL","multiprocessors":1,"launch":[0-9]'
  expect_words out '^a launch takes [0-9.]+ [mu]s'
  # Those of float32; others set up the run. Once in 16 messages a rank tells what it has taken.
  expect_words err '^counts: .*walk_stepsILNS_4TypeE8E.* barriers 2 fences 0 fetched 0 sent 112$'
  ! grep walk_stepsILNS_4TypeE8E err | grep -vE 'barriers 2 fences [01] fetched 0 sent (112|168)$' || wrong "more than that"
}

# One of 2 KiB, which peers read where it lies: flags of all peers at once.
case_flags_of_eight() {
  on_gpus gpus=8,sms=2,gigabytes=4,counts=1 all_reduce --ranks 8 --algorithm one_shot --bytes 2K --iterations 10 -o a.jsonl
  expect_measured 1
  expect_words a.jsonl '"protocol":"Simple","multiprocessors":1,'
  # 7 arrays, and two flags to each of 7 peers.
  expect_words err '^counts: .*walk_stepsILNS_4TypeE8E.* barriers 6 fences 2 fetched 14336 sent 112$'
  ! grep walk_stepsILNS_4TypeE8E err | grep -v 'barriers 6 fences 2 fetched 14336 sent 112$' || wrong "more than that"
}

# Of large arrays no more than 1.02 of what an all-reduce of n ranks must move, 2 (n - 1) / n of it, passes the links of each GPU.
case_bytes_of_links() {
  on_gpus gpus=8,sms=2,gigabytes=4,counts=1 all_reduce --ranks 8 --algorithm ring,two_shot,halving_doubling --bytes 1M --iterations 2 -o a.jsonl
  expect_measured 3
  grep walk_stepsILNS_4TypeE8E err | awk '
    { bytes = $(NF - 2) + $NF; if (bytes > most) most = bytes; if (bytes > 1.02 * 2 * 7 / 8 * 1048576) more++ }
    END { print NR " kernels, at most " most " bytes"; exit !(NR > 0 && more == 0 && most >= 2 * 7 / 8 * 1048576) }' || wrong "more bytes than that, or fewer"
}

case_packets_one_after_the_other() { # more of them than there are slots, of a byte, of the largest packets, and beyond
  on_gpus gpus=3,sms=2,gigabytes=4 all_reduce broadcast barrier --ranks 3 --algorithm one_shot,ring,dissemination --type uint8 \
    --bytes 1,1020,1021 --iterations 40 -o a.jsonl
  expect_measured 10
}

case_packets_of_many_ranks() { # whose slots are smaller
  on_gpus gpus=9,sms=2,gigabytes=2 all_reduce barrier --ranks 9 --algorithm one_shot,dissemination --bytes 8,252,256 --iterations 20 -o a.jsonl
  expect_measured 4
}

isolate "$name"
enter_room
"case_$name"
exit $failed
