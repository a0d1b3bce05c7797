#!/usr/bin/env bash
# device.sh NAME: one test of what the built program does with devices: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"

case_list() {
  run "$RAILGAUGE" list devices
  expect_code 0
  expect_words out '^host +the processors of this machine'
  expect_words out '^cuda(:[0-9]+)? +(.*GPU-|unavailable: .+)'
}

case_truncated_plugin() {
  local plugin
  plugin=${RAILGAUGE%/*}/../lib/railgauge/railgauge_cuda.so
  [ -e "$plugin" ] || skip "the plugin cuda was not built"
  mkdir plugins
  head -c 3000 "$plugin" >plugins/railgauge_cuda.so
  run env RAILGAUGE_PLUGIN_PATH="$room/plugins" "$RAILGAUGE" list devices
  expect_code 0
  expect_words out 'cuda +unavailable: .*truncated'
}

# on_device WORD...: bench with a device whose memory the host must not touch.
on_device() {
  local fake
  fake=${RAILGAUGE%/*}/../tests/fake_device
  [ -e "$fake/railgauge_cuda.so" ] || skip "the device of the tests was not built"
  run env RAILGAUGE_PLUGIN_PATH="$fake" "$RAILGAUGE" bench "$@"
}

case_memory() {
  local transport names
  for transport in memory shm ucx; do
    "$RAILGAUGE" list transports 2>&1 | grep -E "^$transport " | grep -qv unavailable || continue
    names=all
    [ $transport = memory ] || names='all_reduce scatter all_to_all'
    # shellcheck disable=SC2086 # words
    on_device $names --ranks 3 --memory cuda --transport $transport --bytes 0,12,12K,300K --iterations 4 -o $transport.jsonl
    expect_code 0
    expect_results $transport.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
    expect_words $transport.jsonl '"device":"cuda".*"path":"staged"'
    expect_words out 'ranks, cuda memory, staged, back-to-back'
    ! grep -v '"device":"cuda"' $transport.jsonl || wrong "results on another device"
  done
}

# Each rank is on the GPU of its number in the topology, whatever that machine is called.
case_predicted() {
  on_device all_reduce --ranks 4 --memory cuda --transport shm --algorithm ring,two_shot --bytes 4K,64M --iterations 2 --check last \
    --topology dgx-h100 -o a.jsonl
  expect_code 0
  expect_words out '^predictions assume 1\.90 us for a message over NVLink'
  expect_words out 'busbw GB/s samples wrong  predicted'
  run "$RAILGAUGE" predict all_reduce --topology dgx-h100 --ranks 4 --algorithm ring,two_shot --bytes 4K,64M --format json
  expect_code 0
  python3 - a.jsonl out <<'END' || wrong "what is predicted differs from railgauge predict"
import json, sys
said = {(column["algorithm"], it["bytes"]): it["seconds"] for column in json.load(open(sys.argv[2]))["algorithms"] for it in column["predictions"]}
got = {(it["algorithm"], it["bytes"]): it["predicted"] for it in map(json.loads, open(sys.argv[1]))}
assert len(got) == 4 and got.keys() == said.keys(), (got, said)
assert all(abs(got[key] / said[key] - 1) < 1e-9 for key in got), (got, said)
END
  run "$RAILGAUGE" report a.jsonl -o a.html
  expect_code 0
  expect_words a.html '>predicted</th>'
  on_device all_reduce --ranks 4 --memory pinned --transport shm --algorithm ring --bytes 4K --iterations 2 --topology dgx-h100 -o b.jsonl
  expect_code 0
  expect_words out '^predicted: unknown, all ranks are in the memory of one host'
  expect_words b.jsonl '"predicted":null'
}

case_kinds() {
  local kind
  for kind in pinned managed; do
    on_device all_reduce --ranks 2 --gpu 1 --memory $kind --transport memory --bytes 4K --lanes 3 --in-place both --iterations 4 \
      -o $kind.jsonl
    expect_code 0
    expect_results $kind.jsonl 2
    expect_words $kind.jsonl "\"device\":\"$kind\""
  done
}

case_direct() {
  "$RAILGAUGE" list transports 2>&1 | grep -E "^ucx " | grep -qv unavailable || skip "no UCX here"
  on_device all_reduce --ranks 2 --memory pinned --transport ucx --bytes 4,12K,1M --iterations 4 -o direct.jsonl
  expect_code 0
  expect_results direct.jsonl 3
  expect_words direct.jsonl '"device":"pinned".*"path":"exchange"'
  on_device all_reduce --ranks 2 --memory pinned --path staged --transport ucx --bytes 12K --iterations 4 -o staged.jsonl
  expect_code 0
  expect_words staged.jsonl '"path":"staged".*"staged because":"--path staged asks for it"'
  on_device all_reduce --ranks 2 --memory cuda --path exchange --transport shm --bytes 4K
  expect_refusal '--path exchange: messages cannot leave from the buffers of rank 0: the transport sends no memory of this kind'
  run "$RAILGAUGE" bench all_reduce --ranks 2 --path staged --bytes 4K
  expect_refusal '--path staged is of memory of a device'
}

case_after_fork() { # ranks that are threads ask the driver in this process, which cannot be forked after that
  on_device all_reduce --ranks 2 --memory cuda --transport memory,shm --bytes 4K --iterations 4 -o a.jsonl
  expect_code 0
  expect_results a.jsonl 2
}

# on_watched WORD...: bench on the GPUs of room/nvml.txt, which the NVML in the folder $age of the built tests tells of.
on_watched() {
  local tests_built nvml=${age:-nvml_new}
  tests_built=${RAILGAUGE%/*}/../tests
  [ -e "$tests_built/fake_device/railgauge_cuda.so" ] || skip "the device of the tests was not built"
  [ -e "$tests_built/$nvml/libnvidia-ml.so.1" ] || skip "the NVML of the tests was not built"
  run env LD_LIBRARY_PATH="$tests_built/$nvml" RAILGAUGE_FAKE_NVML="$room/nvml.txt" RAILGAUGE_PLUGIN_PATH="$tests_built/fake_device" \
    "$RAILGAUGE" bench "$@"
}
describe_gpus() {
  printf '%s\n' 'gpu 0 uuid GPU-0' 'gpu 1 uuid GPU-1' 'gpu * energy 1000 500' 'gpu * clocks 1410 1593 1980 2619' \
    'gpu * reasons 1' 'gpu * held 0 1000 0' 'gpu * held 1 1000 0' "$@" >"$room/nvml.txt"
}

case_power() {
  describe_gpus
  on_watched all_reduce --ranks 2 --memory cuda --transport memory,shm --bytes 64K --iterations 4 -o good.jsonl
  expect_code 0
  expect_results good.jsonl 2
  # Half a joule from each reading to the next, of each GPU; a GPU that idles is no suspect. This machine's RAPL comes on top.
  [ "$(grep -c '"source":"GPU-0","joules":0.5}.*"source":"GPU-1","joules":0.5}' good.jsonl)" = 2 ] ||
    { wrong "not half a joule of each GPU" && show; }
  [ "$(grep -c '"source":"GPU-1","clock":"SM","least":1410.0,"most":1410.0,"limit":1980.0}' good.jsonl)" = 2 ] || wrong "no clocks"
  ! grep '"throttled":true' good.jsonl | grep 'GPU-[01] of .*: clocks were throttled' || wrong "an idle GPU is suspect"
  expect_words out ' J/GB$'
  expect_words out '^energy: [0-9.]+ J in all'
  # Of what this machine's host does not count, one line.
  ! grep -q '"power_absent":"[^"]' good.jsonl || [ "$(grep -c '^not read: ' out)" = 1 ] || { wrong "not one line of what was not read" && show; }
}

case_power_throttled() {
  describe_gpus 'gpu 1 held 1 0 250000000' 'gpu 0 reasons 128'
  on_watched all_reduce --ranks 2 --memory cuda --transport shm --bytes 64K --iterations 4 -o a.jsonl -o a.csv
  expect_code 0
  expect_results a.jsonl 1
  expect_words a.jsonl '"throttled":true'
  expect_words a.jsonl '"remark":".*GPU-1 of [^ ]*: clocks were throttled by heat for 250 ms of '
  expect_words a.jsonl '"remark":".*GPU-0 of [^ ]*: clocks were throttled by HW power brake when the point began and when it ended'
  expect_words a.csv ',true,.*clocks were throttled by heat for 250 ms'
  expect_words out 'GPU-1 of [^ ]*: clocks were throttled by heat for 250 ms of '
  expect_words out '^clocks were throttled in 1 of 1 result: all samples there are suspect'
}

case_power_absent() { # functions that an old driver lacks, and a driver that does not start
  describe_gpus
  age=nvml_old on_watched all_reduce --ranks 2 --memory cuda --transport shm --bytes 64K --iterations 4 -o old.jsonl
  expect_code 0
  expect_results old.jsonl 1
  expect_words old.jsonl '"power_absent":".*energy of GPUs on [^ ]*: libnvidia-ml.so.1 has no nvmlDeviceGetTotalEnergyConsumption'
  [ "$(grep -c '^not read: ' out)" -le 1 ] || wrong "more than one line of what was not read"
  describe_gpus 'system fail nvmlInit_v2 9'
  on_watched all_reduce --ranks 2 --memory cuda --transport shm --bytes 64K --iterations 4 -o none.jsonl
  expect_code 0
  expect_results none.jsonl 1
  expect_words none.jsonl '"power_absent":".*energy, clocks and throttling of GPUs on [^ ]*: nvmlInit_v2: the driver is not loaded'
}

case_refused() {
  on_device all_reduce --ranks 2 --memory cuda --gpu 2 --transport shm --bytes 4K
  expect_refusal '--gpu 2: this host has 2, counted from 0'
  on_device all_reduce --ranks 2 --memory cuda --path mapped --transport shm --bytes 4K
  expect_refusal '--path mapped needs buffers of the host'
}

case_wrong_data() {
  on_device all_reduce --ranks 2 --memory cuda --transport memory --type int32 --bytes 4K --cache auto --iterations 100 \
    --set memory.fault=corrupt --set memory.rank=1 --set memory.transfer=7 -o a.jsonl
  expect_code 6
  expect_words a.jsonl '"status":"wrong"'
}

isolate "$name"
enter_room
"case_$name"
exit $failed
