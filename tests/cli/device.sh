#!/usr/bin/env bash
# device.sh NAME: one test of what the built program does with devices: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/lib.sh"
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
  plugin=$(dirname "$RAILGAUGE")/../lib/railgauge/railgauge_cuda.so
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
  fake=$(dirname "$RAILGAUGE")/../tests/fake_device
  [ -e "$fake/railgauge_cuda.so" ] || skip "the device of the tests was not built"
  run env RAILGAUGE_PLUGIN_PATH="$fake" "$RAILGAUGE" bench "$@"
}

case_memory() {
  local transport
  for transport in memory shm ucx; do
    "$RAILGAUGE" list transports 2>&1 | grep -E "^$transport " | grep -qv unavailable || continue
    on_device all --ranks 3 --memory cuda --transport $transport --bytes 0,12,12K,300K --iterations 4 -o $transport.jsonl
    expect_code 0
    expect_results $transport.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
    expect_words $transport.jsonl '"device":"cuda".*"path":"staged"'
    expect_words out 'ranks, cuda memory, staged, back-to-back'
    ! grep -v '"device":"cuda"' $transport.jsonl || wrong "results on another device"
  done
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
  tests_built=$(dirname "$RAILGAUGE")/../tests
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
  ! grep '"throttled":true' good.jsonl | grep 'GPU-[01] of .*: clocks were held down' || wrong "an idle GPU is suspect"
  expect_words out ' J/GB$'
  expect_words out '^energy: [0-9.]+ J in all'
}

case_power_throttled() {
  describe_gpus 'gpu 1 held 1 0 250000000' 'gpu 0 reasons 128'
  on_watched all_reduce --ranks 2 --memory cuda --transport shm --bytes 64K --iterations 4 -o a.jsonl -o a.csv
  expect_code 0
  expect_results a.jsonl 1
  expect_words a.jsonl '"throttled":true'
  expect_words a.jsonl '"remark":".*GPU-1 of [^ ]*: clocks were held down by heat for 250 ms of '
  expect_words a.jsonl '"remark":".*GPU-0 of [^ ]*: clocks were held down by HW power brake when the point began and when it ended'
  expect_words a.csv ',true,.*clocks were held down by heat for 250 ms'
  expect_words out 'GPU-1 of [^ ]*: clocks were held down by heat for 250 ms of '
  expect_words out '^clocks were held down in 1 of 1 result: all samples there are suspect'
}

case_power_absent() { # functions that an old driver lacks, and a driver that does not start
  describe_gpus
  age=nvml_old on_watched all_reduce --ranks 2 --memory cuda --transport shm --bytes 64K --iterations 4 -o old.jsonl
  expect_code 0
  expect_results old.jsonl 1
  expect_words old.jsonl '"power_absent":".*energy of GPUs on [^ ]*: libnvidia-ml.so.1 has no nvmlDeviceGetTotalEnergyConsumption'
  expect_words out '^not read: .*energy of GPUs'
  [ "$(grep -c '^not read: ' out)" = 1 ] || wrong "not one line of what was not read"
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
  on_device all_reduce --ranks 2 --memory cuda --transport memory --type int32 --bytes 4K --iterations 100 --set memory.fault=corrupt \
    --set memory.rank=1 --set memory.transfer=7 -o a.jsonl
  expect_code 6
  expect_words a.jsonl '"status":"wrong"'
}

# on_nccl WORD...: bench over the nccl transport, whose library and device are those of the tests.
on_nccl() {
  local fake
  fake=$(dirname "$RAILGAUGE")/../tests
  [ -e "$fake/fake_nccl/libnccl.so.2" ] || skip "the nccl transport was not built"
  run env LD_LIBRARY_PATH="$fake/${library:-fake_nccl}:$fake/fake_nccl" RAILGAUGE_PLUGIN_PATH="$fake/fake_device" \
    FAKE_NCCL="${fault:-}" "$RAILGAUGE" "$@"
}

case_nccl() {
  local ranks
  on_nccl list transports
  expect_words out '^nccl +NVIDIA.s NCCL'
  for ranks in 2 3; do
    on_nccl bench all --ranks $ranks --memory cuda --transport nccl --bytes 0,12,12K,300K --iterations 4 --set nccl.shared_gpu=on \
      -o $ranks.jsonl
    expect_code 0
    expect_results $ranks.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
    expect_words $ranks.jsonl '"device":"cuda".*"path":"exchange"'
  done
}

case_nccl_native() {
  local ranks names='all_reduce reduce_scatter all_gather broadcast reduce gather scatter all_to_all'
  for ranks in 2 3; do
    # shellcheck disable=SC2086 # words
    on_nccl bench $names --algorithm native,ring --ranks $ranks --memory cuda --transport nccl --bytes 0,12K,300K --root 1 \
      --in-place both --iterations 4 --set nccl.shared_gpu=on -o $ranks.jsonl
    expect_code 0
    expect_results $ranks.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
    # Of five out of place and in place, of the others with three sizes too.
    [ "$(grep -c '"algorithm":"native".*"path":"native"' $ranks.jsonl)" -ge 36 ] || wrong "too few results of native"
    ! grep '"algorithm":"native"' $ranks.jsonl | grep -v '"status":"ok"\|not_converged' || wrong "native was skipped"
  done
  on_nccl bench all_reduce --algorithm native --ranks 2 --memory cuda --transport nccl --bytes 768 --type all --op all --iterations 4 \
    -o types.jsonl
  expect_code 0
  expect_results types.jsonl 72
}

case_nccl_choice() {
  on_nccl bench all_reduce --algorithm native,ring --ranks 2 --memory cuda --transport nccl --bytes 12,12K --iterations 4 -o a.jsonl
  expect_code 0
  expect_words out 'the library took TREE, LL128, 1 channel; it had predicted 12.5 us'
  expect_words out 'the library took RING, LL128, 4 channels; it had predicted 12.5 us'
  expect_words a.jsonl '"library_algorithm":"RING","library_protocol":"LL128","library_channels":4,"library_predicted":1.2[45]'
  [ "$(grep -c '"library_algorithm":null' a.jsonl)" = 2 ] || wrong "ring tells of a library"
  NCCL_PROFILER_PLUGIN=none on_nccl bench all_reduce --algorithm native --ranks 2 --memory cuda --transport nccl --bytes 12 \
    --iterations 4 -o b.jsonl
  expect_code 0
  expect_words b.jsonl '"library_algorithm":null,"library_protocol":null,"library_channels":null,"library_predicted":1.2[45]'
}

case_nccl_graph() {
  local names='all_reduce reduce_scatter all_gather broadcast reduce all_to_all'
  # shellcheck disable=SC2086 # words
  on_nccl bench $names --algorithm all --graph --ranks 3 --memory cuda --transport nccl --bytes 12K,300K --iterations 4 \
    --in-place both --set nccl.shared_gpu=on -o a.jsonl
  expect_code 0
  expect_results a.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
  expect_words a.jsonl '"algorithm":"native".*"path":"native_graph"'
  expect_words a.jsonl '"algorithm":"ring".*"path":"graph"'
  on_nccl bench all_reduce --graph --ranks 2 --memory cuda --transport shm --bytes 4K
  expect_refusal "--graph is of plans that work in a device's stream alone, as over nccl: shm passes through memory of the host"
  run "$RAILGAUGE" bench all_reduce --graph --ranks 2 --transport shm --bytes 4K
  expect_refusal "--graph is of plans that work in a device's stream alone, as over nccl: shm does not"
}

# on_perf NAME WORD...: a program of nccl-tests, on the same.
on_perf() {
  local fake program
  fake=$(dirname "$RAILGAUGE")/../tests program=$(dirname "$RAILGAUGE")/$1
  [ -e "$fake/fake_nccl/libnccl.so.2" ] || skip "the nccl transport was not built"
  shift
  run env LD_LIBRARY_PATH="$fake/fake_nccl" RAILGAUGE_PLUGIN_PATH="$fake/fake_device" FAKE_NCCL="${fault:-}" "$program" "$@"
}

case_nccl_tests() {
  on_perf all_reduce_perf -b 8 -e 64K -f 8 -g 2 -n 5 -w 1 -G 2 -R 1 -y 1
  expect_code 0
  expect_words out '^# railgauge .*: ranks have cuda memory of GPUs and run NCCL 2.28.9.s own collectives'
  expect_words out '^#  Rank  1 .* device  1 .0000:1c:00. NVIDIA fake'
  expect_words out 'graph: 2'
  expect_words out '^# -G 2: each operation is a graph of its own'
  expect_words out '^# -y 1 is not followed: '
  [ "$(grep -cE '^ +[0-9]+ .* 0$' out)" = 5 ] || wrong "not five rows without wrong data"
  on_perf sendrecv_perf -b 1K -e 1K -g 2 -n 5
  expect_code 0
  expect_words out "ranks have cuda memory of GPUs and run railgauge's algorithms over nccl"
  RAILGAUGE_TRANSPORT=shm RAILGAUGE_ALGORITHM=ring on_perf all_gather_perf -b 1K -e 1K -g 2 -n 5
  expect_code 0
  expect_words out "run railgauge's algorithms over shm"
  RAILGAUGE_MEMORY=host on_perf all_reduce_perf -b 1K -e 1K -g 2 -n 5
  expect_code 0
  expect_words out 'no GPU is used, ranks have host memory'
  fault=wrong on_perf all_reduce_perf -b 1K -e 1K -g 2 -n 5 -d int32
  expect_code 7
  on_perf all_reduce_perf -b 1K -e 1K -g 3
  expect_code 6
  expect_words err 'ranks 0 and 2 have the same GPU-0 on'
  RAILGAUGE_MEMORY=gpu on_perf all_reduce_perf -b 1K -e 1K -g 2
  expect_code 6
  expect_words err 'RAILGAUGE_MEMORY=gpu is in the environment: expected cuda, pinned, managed or host'
}

case_nccl_native_refused() {
  on_nccl bench all_gather all_reduce --algorithm native --ranks 3 --memory cuda --transport nccl --bytes 8 --op avg \
    --set nccl.shared_gpu=on -o a.jsonl
  expect_code 0
  expect_words a.jsonl 'blocks are equal: choose a multiple of 3 elements'
  expect_words a.jsonl 'NCCL multiplies by 1/3 before it adds'
  on_nccl bench all_reduce --algorithm native --ranks 2 --transport shm --bytes 8
  expect_refusal '--algorithm native: the transport has no collectives of its own'
  on_nccl bench all_reduce --algorithm ring,native --ranks 2 --transport shm --bytes 8 -o b.jsonl
  expect_code 0
  expect_words b.jsonl 'the transport has no collectives of its own'
  FAKE_CUDA_MAJOR=8 on_nccl bench all_reduce broadcast --algorithm native --ranks 2 --memory cuda --transport nccl --bytes 8 \
    --type float8_e4m3,int32 --iterations 2 -o d.jsonl
  expect_code 0
  expect_words d.jsonl 'NCCL reduces float8_e4m3 from compute capability 9.0 on, and the GPU of rank 0 has 8.x'
  [ "$(grep -c '"status":"skipped"' d.jsonl)" = 1 ] || wrong "not one point was skipped"
  fault=wrong on_nccl bench all_reduce --algorithm native --ranks 2 --memory cuda --transport nccl --bytes 8 --type int32 -o c.jsonl
  expect_code 6
  expect_words c.jsonl '"status":"wrong"'
}

case_nccl_lanes() { # each has a communicator and a stream
  on_nccl bench all_reduce all_to_all --ranks 4 --memory pinned --transport nccl --bytes 4K,1M --lanes 3 --in-place both --iterations 4 \
    --set nccl.buffers=registered --set nccl.shared_gpu=on -o a.jsonl
  expect_code 0
  expect_results a.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
  expect_words a.jsonl '"device":"pinned".*"path":"exchange"'
  on_nccl bench all --algorithm all --ranks 3 --memory cuda --transport nccl --bytes 12K --lanes 2 --iterations 2 \
    --set nccl.shared_gpu=on -o b.jsonl
  expect_code 0
  expect_results b.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
}

case_nccl_lanes_together() { # what one lane sends arrives when the others have begun as much
  local graph
  for graph in '' --graph; do
    # shellcheck disable=SC2086 # words
    fault=together on_nccl bench all_reduce --algorithm ring,two_shot --ranks 2 --memory cuda --transport nccl --bytes 96K --lanes 3 \
      --iterations 4 $graph -o a$graph.jsonl
    expect_code 0
    expect_results a$graph.jsonl 2
  done
}

case_lanes_of_streams() {
  on_cuda_ipc bench all_reduce all_to_all --algorithm all --ranks 3 --memory cuda --transport cuda_ipc --path exchange --bytes 20K \
    --lanes 3 --iterations 2 -o a.jsonl
  expect_all_right a.jsonl exchange
}

case_nccl_buffers() { # the library works on nothing that it does not know
  local how
  export FAKE_NCCL_KNOWN=yes
  for how in registered symmetric; do
    on_nccl bench all_reduce gather --algorithm all --ranks 3 --memory cuda --transport nccl --bytes 12K --iterations 4 \
      --lanes 2 --set nccl.buffers=$how --set nccl.shared_gpu=on -o $how.jsonl
    expect_code 0
    expect_results $how.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
    expect_words $how.jsonl "\"nccl.buffers\":\"$how\""
    expect_words $how.jsonl '"algorithm":"native".*"path":"native"'
  done
  on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 12K --set nccl.buffers=plain
  expect_code 2
  expect_words err 'a buffer that NCCL does not know'
  on_perf all_reduce_perf -b 8 -e 4K -f 8 -g 2 -n 5 -R 2
  expect_code 0
  on_perf all_reduce_perf -b 8 -e 4K -f 8 -g 2 -n 5 -R 1
  expect_code 0
  ! grep -- '-R 1\|-R 2' out || wrong "-R is said not to be followed"
}

case_nccl_buffers_refused() {
  on_nccl bench all_reduce --ranks 2 --memory pinned --transport nccl --bytes 4K --set nccl.buffers=symmetric
  expect_refusal '--set nccl.buffers=symmetric: windows are of memory of GPUs alone: use --memory cuda'
  on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K --set nccl.buffers=on
  expect_refusal 'nccl.buffers=on: expected plain, registered or symmetric'
  fault=no_window on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K --set nccl.buffers=symmetric
  expect_refusal 'nccl.buffers=symmetric: ncclCommWindowRegister gave rank [01] no window'
  library=old_nccl fault=old on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K --set nccl.buffers=symmetric
  expect_refusal '--set nccl.buffers=symmetric: NCCL 2.18.5 has no ncclCommWindowRegister, which came with 2.27'
  library=old_nccl fault=old on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K --set nccl.buffers=registered
  expect_refusal '--set nccl.buffers=registered: NCCL 2.18.5 has no ncclCommRegister, which came with 2.19'
  library=old_nccl fault=old on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K --iterations 4
  expect_code 0
}

case_nccl_deadline() { # what its service says of missing ranks is quoted; without it nothing is
  local slow
  export NCCL_RAS_ADDR=127.$((1 + $$ / 256 % 250)).$(($$ % 256)).1:28028 # of this test alone
  for slow in init_hangs windows_hang; do
    FAKE_RAS=1 fault=$slow on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K --set nccl.deadline=2s \
      --set nccl.buffers=symmetric -o a.jsonl
    expect_code 5
    expect_words err "^railgauge: .*; NCCL's RAS service says: Missing communicator data from 1 rank; Rank 1 -- GPU 1 managed by"
  done
  fault=init_hangs on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K --set nccl.deadline=2s -o b.jsonl
  expect_code 5
  expect_words err 'ncclCommInitRank of rank [01] on GPU-[01] has not met the other ranks within 2 s'
  ! grep RAS err || wrong "something is said of RAS"
}

case_nccl_refused() {
  on_nccl bench all_reduce --ranks 2 --transport nccl --bytes 4K
  expect_refusal 'the nccl transport moves the memory of GPUs: use it with railgauge bench --memory cuda'
  on_nccl bench all_reduce --ranks 2 --gpu 0 --memory cuda --transport nccl --bytes 4K
  expect_refusal 'ranks 0 and 1 have the same GPU-0 on .*--set nccl.shared_gpu=on'
  on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K --set nccl.tls=tcp
  expect_refusal 'the nccl transport has no setting "tls": it has shared_gpu, buffers, deadline'
  on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K --set nccl.shared_gpu=yes
  expect_refusal 'nccl.shared_gpu is off or on, not "yes"'
  on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K --set nccl.deadline=1ms
  expect_refusal 'nccl.deadline=1ms: expected 100ms to 24h'
  fault=init on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K
  expect_refusal 'ncclCommInitRank of rank [01] on GPU-[01]: fake error .no interface found.'
}

case_nccl_unavailable() {
  fault=version on_nccl list transports
  expect_words out '^nccl +unavailable: the library is NCCL 2.17.0, and 2.18.1 is the oldest that serves'
  library=empty_nccl on_nccl list transports
  expect_words out '^nccl +unavailable: .*undefined symbol: nccl'
}

case_nccl_error() { # that NCCL runs into after the calls
  fault=async on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K -o a.jsonl
  expect_code 5
  expect_words err 'NCCL, some time after a call on rank [01]: remote process exited or there was a network error'
}

case_nccl_overdue() { # what does not come through, for half a minute
  export NCCL_RAS_ADDR=127.$((1 + $$ / 256 % 250)).$(($$ % 256)).2:28028
  FAKE_RAS=1 fault=endless on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K -o a.jsonl
  expect_code 5
  expect_words err "^railgauge: rank [01] has waited 30 s .*; NCCL's RAS service says: Missing .*; Rank 1 -- GPU 1 managed by"
}

case_nccl_stuck() { # the same, and the streams never end: to free their memory would take for ever
  fault=stuck on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K -o a.jsonl
  expect_code 5
  expect_words err 'NCCL, some time after a call on rank [01]: remote process exited or there was a network error'
}

# nccl_killed: a rank is killed while others wait for it, in a stream or, with a fault, in a call.
nccl_killed() {
  local fake supervisor children began
  fake=$(dirname "$RAILGAUGE")/../tests
  [ -e "$fake/fake_nccl/libnccl.so.2" ] || skip "the nccl transport was not built"
  (marked env LD_LIBRARY_PATH="$fake/fake_nccl" RAILGAUGE_PLUGIN_PATH="$fake/fake_device" FAKE_NCCL="$1" "$RAILGAUGE" bench all_reduce \
    --ranks 3 --memory cuda --transport nccl --set nccl.shared_gpu=on --bytes 4K,1M --duration 30s -o a.jsonl) >out 2>err &
  supervisor=$!
  for _ in $(seq 200); do
    [ "$(wc -w 2>/dev/null <"/proc/$supervisor/task/$supervisor/children")" != 3 ] || break
    sleep 0.05
  done
  sleep 2
  read -ra children <"/proc/$supervisor/task/$supervisor/children"
  began=$EPOCHREALTIME
  kill -KILL "${children[1]}"
  wait $supervisor
  code=$?
  expect_code 5
  expect_words err '^railgauge: rank 1 .* was killed by signal 9'
  awk "BEGIN { exit !($(seconds_since "$began") < 20) }" || wrong "it took $(seconds_since "$began") s"
}
case_nccl_killed() { nccl_killed ''; }
case_nccl_killed_in_call() { nccl_killed group_hangs; }
case_nccl_killed_in_init() { nccl_killed init_hangs; }

# on_cuda_ipc WORD...: bench over the cuda_ipc transport, whose driver and device are those of the tests.
on_cuda_ipc() {
  local fake
  fake=$(dirname "$RAILGAUGE")/../tests
  [ -e "$fake/fake_driver/libcuda.so.1" ] || skip "the cuda_ipc transport was not built"
  run env LD_LIBRARY_PATH="$fake/fake_driver" RAILGAUGE_PLUGIN_PATH="$fake/fake_device" FAKE_CUDA="${fault:-}" "$RAILGAUGE" "$@"
}

# expect_all_right FILE PATH: results of all points, by that path.
expect_all_right() {
  expect_code 0
  expect_results "$1" "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
  ! grep -v "\"device\":\"cuda\".*\"path\":\"$2\"" "$1" || wrong "results by another path than $2"
}

case_cuda_ipc() {
  local ranks
  on_cuda_ipc list transports
  expect_words out '^cuda_ipc +GPUs that map each other'
  for ranks in 1 2; do
    on_cuda_ipc bench all --ranks $ranks --memory cuda --transport cuda_ipc --bytes 12,20K --iterations 2 -o $ranks.jsonl
    expect_all_right $ranks.jsonl mapped
  done
}

case_cuda_ipc_algorithms() { # two ranks share a GPU
  on_cuda_ipc bench all_reduce --ranks 3 --memory cuda --transport cuda_ipc --algorithm all --bytes 52,20K --lanes 2 --iterations 2 \
    -o a.jsonl
  expect_all_right a.jsonl mapped
  on_cuda_ipc bench all_reduce --ranks 2 --gpu 1 --memory cuda --transport cuda_ipc --bytes 768 --type float16 --op all --iterations 2 \
    -o types.jsonl
  expect_all_right types.jsonl mapped
}

case_cuda_ipc_exchange() {
  on_cuda_ipc bench all --ranks 3 --memory cuda --transport cuda_ipc --path exchange --bytes 0,20K --iterations 2 -o a.jsonl
  expect_all_right a.jsonl exchange
  fault=no_waits on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K
  expect_refusal 'rank [01] .GPU-[01]. cannot wait for memory in a stream .cuStreamWaitValue64.'
}

case_cuda_ipc_handles() {
  local kind
  for kind in legacy fd fabric; do
    on_cuda_ipc bench all_reduce --ranks 3 --memory cuda --transport cuda_ipc --bytes 12K --iterations 4 \
      --set cuda_ipc.handles=$kind -o $kind.jsonl
    expect_all_right $kind.jsonl mapped
  done
}

case_cuda_ipc_refused() {
  on_cuda_ipc bench all_reduce --ranks 2 --transport cuda_ipc --bytes 4K
  expect_refusal 'the cuda_ipc transport maps memory of GPUs: use it with railgauge bench --memory cuda'
  on_cuda_ipc bench all_reduce --ranks 2 --memory pinned --transport cuda_ipc --bytes 4K
  expect_refusal 'the cuda_ipc transport maps memory of GPUs alone: use --memory cuda'
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --set cuda_ipc.handle=fd
  expect_refusal 'the cuda_ipc transport has no setting "handle": it has handles'
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --set cuda_ipc.handles=posix
  expect_refusal 'cuda_ipc.handles=posix: expected legacy, fd or fabric'
  fault=no_peer on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K
  expect_refusal 'rank 0 .GPU-0. cannot reach the memory of rank 1 .GPU-1. .cuDeviceCanAccessPeer.|rank 1 .GPU-1. cannot reach the memory of rank 0 .GPU-0.'
  fault=no_peer on_cuda_ipc bench all_reduce --ranks 2 --gpu 0 --memory cuda --transport cuda_ipc --bytes 4K --iterations 4
  expect_code 0
  fault=refused on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K
  expect_refusal 'cuIpcOpenMemHandle of [0-9]+ bytes of rank [01] .GPU-[01]. by rank [01] .GPU-[01].: fake error .CUDA_ERROR_INVALID_DEVICE.'
  fault=no_fabric on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --set cuda_ipc.handles=fabric
  expect_refusal 'the GPU of rank [01] .GPU-[01]. has no fabric handles; fabric handles need GPUs of one NVLink domain'
  fault=no_imex on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --set cuda_ipc.handles=fabric
  expect_refusal 'cuMemCreate of [0-9]+ bytes on rank [01] .*CUDA_ERROR_NOT_PERMITTED.*IMEX'
}

# cuda_ipc_killed WORD...: a rank is killed while the others wait for it on their GPUs.
cuda_ipc_killed() {
  local fake supervisor children began
  fake=$(dirname "$RAILGAUGE")/../tests
  [ -e "$fake/fake_driver/libcuda.so.1" ] || skip "the cuda_ipc transport was not built"
  (marked env LD_LIBRARY_PATH="$fake/fake_driver" RAILGAUGE_PLUGIN_PATH="$fake/fake_device" "$RAILGAUGE" bench all_reduce \
    --ranks 3 --memory cuda --transport cuda_ipc --bytes 4K,1M --duration 30s -o a.jsonl "$@") >out 2>err &
  supervisor=$!
  for _ in $(seq 200); do
    [ "$(wc -w 2>/dev/null <"/proc/$supervisor/task/$supervisor/children")" != 3 ] || break
    sleep 0.05
  done
  sleep 2
  read -ra children <"/proc/$supervisor/task/$supervisor/children"
  began=$EPOCHREALTIME
  kill -KILL "${children[1]}"
  wait $supervisor
  code=$?
  expect_code 5
  expect_words err '^railgauge: rank 1 .* was killed by signal 9'
  awk "BEGIN { exit !($(seconds_since "$began") < 20) }" || wrong "it took $(seconds_since "$began") s"
}
case_cuda_ipc_killed() { cuda_ipc_killed; }
case_cuda_ipc_killed_in_stream() { cuda_ipc_killed --path exchange; }

isolate "$name"
enter_room
"case_$name"
exit $failed
