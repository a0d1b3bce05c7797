#!/usr/bin/env bash
# softgpu.sh NAME: one test of what the built program does on GPUs in software (docs/devices.md): a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
export RAILGAUGE_BENCH_CACHE=auto # plans of one stream work on several sets
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"
patience=220

# on_gpus WORDS WORD...: bench over cuda_ipc on GPUs in software, WORDS of RAILGAUGE_SOFTGPU. What they find is wrong.
on_gpus() {
  local plugins words=$1
  plugins=${RAILGAUGE%/*}/../tests/softgpu/plugins
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

# expect_more_than COUNT: so many operations and more of each result followed each other.
expect_more_than() {
  python3 -c 'import json, sys
for it in map(json.loads, open("a.jsonl", encoding="utf-8")):
    run = it["warm_up"] + it["samples"] * it["batch"]
    if run <= int(sys.argv[1]): sys.exit("{collective} of {bytes} bytes".format(**it) + f" ran {run} times")' "$1" || wrong "no more operations than slots"
}

# expect_counts BARRIERS FENCES FETCHED SENT MORE: what the kernels of float32 did, at most: of the block and the thread that did most of it,
# and bytes read from and written to other GPUs; MORE bytes may be written now and then. Those that send nothing time a launch.
expect_counts() {
  grep -a 'counts: .*walk_stepsILNS_4TypeE8E' err | sed 's/.*barriers/barriers/' >counts
  awk -v barriers="$1" -v fences="$2" -v fetched="$3" -v sent="$4" -v more="$5" '
    NF != 8 { wrong++ }
    $8 != 0 { seen++; usual += $8 == sent; if ($2 > barriers || $4 > fences || $6 > fetched || $8 > sent + more) wrong++ }
    END { exit !(seen > 0 && usual > 0 && !wrong) }' counts || wrong "more than that, or less: $(sort counts | uniq -c)"
}

# An all-reduce of 8 bytes: packets to all peers at once, and no fence. Two packets of 8 bytes go to each of 7 peers.
case_packets_of_eight() {
  on_gpus gpus=8,sms=2,gigabytes=4,counts=1 all_reduce --ranks 8 --algorithm one_shot --bytes 8 --iterations 20 -o a.jsonl
  expect_measured 1
  expect_words a.jsonl '"protocol":"LL","multiprocessors":1,"launch":[0-9]'
  expect_words out '^a launch takes [0-9.]+ [mu]s'
  # Once in 16 messages a rank tells a peer what it has taken.
  expect_counts 2 1 0 112 56
  grep -q 'barriers 2 fences 0 fetched 0 sent 112' counts || wrong "a fence each time"
}

# One of 2 KiB, which peers read where it lies: flags of all peers at once. 7 arrays, and two flags to each of 7 peers.
case_flags_of_eight() {
  on_gpus gpus=8,sms=2,gigabytes=4,counts=1 all_reduce --ranks 8 --algorithm one_shot --bytes 2K --iterations 10 -o a.jsonl
  expect_measured 1
  expect_words a.jsonl '"protocol":"Simple","multiprocessors":1,'
  expect_counts 6 2 14336 112 0
}

# Of large arrays no more than 1.02 of what an all-reduce of n ranks must move, 2 (n - 1) / n of it, passes the links of each GPU.
case_bytes_of_links() {
  on_gpus gpus=8,sms=2,gigabytes=4,counts=1 all_reduce --ranks 8 --algorithm ring,two_shot,halving_doubling --bytes 64K --iterations 1 --cache warm -o a.jsonl
  expect_measured 3
  grep -a 'counts: .*walk_stepsILNS_4TypeE8E' err | sed 's/.*barriers/barriers/' | awk '
    { bytes = $6 + $8; if (bytes > most) most = bytes; if (bytes > 1.02 * 2 * 7 / 8 * 65536) more++ }
    END { print NR " kernels, at most " most " bytes"; exit !(NR > 0 && !more && most >= 2 * 7 / 8 * 65536) }' || wrong "more bytes than that, or fewer"
}

case_packets_one_after_the_other() { # more of them than there are slots (16 buffer sets, several times), of a byte, of the largest packets, and beyond
  on_gpus gpus=3,sms=2,gigabytes=4 all_reduce broadcast barrier --ranks 3 --algorithm one_shot,ring,dissemination --type uint8 \
    --bytes 1,1020,1021 --iterations 1 -o a.jsonl
  expect_measured 10
  expect_more_than 32
}

case_packets_of_many_ranks() { # whose slots are smaller
  on_gpus gpus=9,sms=2,gigabytes=2 all_reduce barrier --ranks 9 --algorithm one_shot,dissemination --bytes 252,256 --iterations 9 --cache warm -o a.jsonl
  expect_measured 3
  expect_more_than 8
}

isolate "$name"
enter_room
"case_$name"
exit $failed
