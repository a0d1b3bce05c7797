#!/usr/bin/env bash
# cuda_ipc.sh NAME: one test of what the built program does over the cuda_ipc transport: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
export RAILGAUGE_BENCH_CACHE=auto # plans of one stream work on several sets
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"
export RAILGAUGE_BENCH_SHARED_CORES=true # libraries that stand in for GPUs take cores, and tests run side by side
patience=220 # libraries of the tests stand in for a GPU, and take cores for it

# on_cuda_ipc WORD...: the program over the cuda_ipc transport, whose driver and device are those of the tests; `beside` is a folder of
# plugins more.
on_cuda_ipc() {
  needs_library fake_driver/libcuda.so.1 "the cuda_ipc transport was not built"
  FAKE_CUDA="${fault:-}" with_libraries fake_driver "${beside:+$beside:}fake_device" "$@"
}

# expect_all_right FILE PATH: results of all points, by that path.
expect_all_right() {
  expect_code 0
  expect_results "$1" "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
  ! grep -v "\"device\":\"cuda\".*\"path\":\"$2\"" "$1" || wrong "results by another path than $2"
}

case_mapped() {
  local ranks
  on_cuda_ipc list transports
  expect_words out '^cuda_ipc +GPUs that map each other'
  for ranks in 1 2; do
    on_cuda_ipc bench all --ranks $ranks --memory cuda --transport cuda_ipc --bytes 12,20K --iterations 2 -o $ranks.jsonl
    expect_all_right $ranks.jsonl mapped
  done
}

case_algorithms() { # two ranks share a GPU
  on_cuda_ipc bench all_reduce --ranks 3 --memory cuda --transport cuda_ipc --algorithm all --bytes 52,20K --lanes 2 --iterations 2 \
    -o a.jsonl
  expect_all_right a.jsonl mapped
  on_cuda_ipc bench all_reduce --ranks 2 --gpu 1 --memory cuda --transport cuda_ipc --bytes 768 --type float16 --op all --iterations 2 \
    -o types.jsonl
  expect_all_right types.jsonl mapped
}

case_clocks() { # the device tells how long operations in its queue take, and the host's clock stands beside it
  local variant
  for variant in '' '--graph' '--path exchange' '--path exchange --graph'; do
    # shellcheck disable=SC2086 # words
    FAKE_QUEUE_CLOCK=0.001 on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 12K --lanes 2 \
      --iterations 20 $variant -o a.jsonl
    expect_code 0
    expect_results a.jsonl 1
    expect_device_clock a.jsonl
    rm -f a.jsonl
  done
  FAKE_QUEUE_CLOCK=0.001 on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 12K --iterations 20 \
    --set cuda_ipc.progress=host -o b.jsonl
  expect_code 0
  ! grep host_times b.jsonl || wrong "a device's clock timed what the host drives"
}

case_exchange() {
  on_cuda_ipc bench all --ranks 3 --memory cuda --transport cuda_ipc --path exchange --bytes 0,20K --iterations 2 -o a.jsonl
  expect_all_right a.jsonl exchange
  fault=no_waits on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K
  expect_refusal 'rank [01] .GPU-[01]. cannot wait for memory in a stream .cuStreamWaitValue64.'
}

case_graph() { # each run is a replay of the first one, on two buffer sets, and the counts of messages go on
  on_cuda_ipc bench all --algorithm all --graph --ranks 3 --memory cuda --transport cuda_ipc --bytes 12,20K --lanes 2 --iterations 5 \
    -o mapped.jsonl
  expect_all_right mapped.jsonl mapped_graph
  on_cuda_ipc bench all --algorithm all --graph --ranks 3 --memory cuda --transport cuda_ipc --path exchange --bytes 0,20K --lanes 2 \
    --iterations 5 -o exchange.jsonl
  expect_all_right exchange.jsonl graph
}

case_blocks() {
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 12,100K --lanes 2 --iterations 2 \
    --set cuda_ipc.blocks=5 -o a.jsonl
  expect_all_right a.jsonl mapped
  expect_words a.jsonl '"cuda_ipc.blocks":"5"'
  local blocks
  for blocks in 0 -1 65536 5x '' 99999999999999999999; do
    on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --set cuda_ipc.blocks=$blocks
    expect_refusal "cuda_ipc.blocks=$blocks: expected a number from 1 to 65535"
  done
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --lanes 2 --set cuda_ipc.blocks=33
  expect_refusal '33 blocks for each of 2 lanes on cuda:[01] .*, which runs 64 at once, .*: choose 32 or fewer for each lane'
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --set cuda_ipc.blocks=2 --path exchange
  expect_refusal 'cuda_ipc.blocks is of the kernel that runs mapped plans, and this run has none'
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --set cuda_ipc.blocks=2 \
    --set cuda_ipc.progress=host
  expect_refusal 'cuda_ipc.blocks is of the kernel that runs mapped plans, and with cuda_ipc.progress=host there is none'
}

case_handles() {
  local kind
  for kind in legacy fd fabric; do
    on_cuda_ipc bench all_reduce --ranks 3 --memory cuda --transport cuda_ipc --bytes 12K --iterations 4 \
      --set cuda_ipc.handles=$kind -o $kind.jsonl
    expect_all_right $kind.jsonl mapped
  done
}

# Ranks that see no process of each other, as in containers, and so can take nothing out of one.
case_descriptors_between_containers() {
  unshare --pid --fork true 2>/dev/null || skip "this user cannot make PID namespaces"
  needs_library fake_driver/libcuda.so.1 "the cuda_ipc transport was not built"
  local port rank
  free_port
  export RAILGAUGE_TOKEN=00112233445566778899aabbccddeeff RAILGAUGE_RANKS=3 RAILGAUGE_RENDEZVOUS=localhost:$port RAILGAUGE_LOCAL_RANKS=3
  local words=(bench all_reduce --memory cuda --transport cuda_ipc --set cuda_ipc.handles=fd --bytes 12K --iterations 4 -o a.jsonl)
  for rank in 1 2; do how="in_namespace $rank" on_cuda_ipc "${words[@]}" & done
  how='in_namespace 0' on_cuda_ipc "${words[@]}"
  wait
  expect_all_right a.jsonl mapped
}
# in_namespace RANK COMMAND...: as that rank; what rank 0 says is in out and err.
in_namespace() {
  local rank=$1
  shift
  code=0
  (marked unshare --pid --fork --kill-child timeout -k 5 $patience env RAILGAUGE_RANK="$rank" RAILGAUGE_LOCAL_RANK="$rank" "$@") \
    >"out.$rank" 2>"err.$rank" || code=$?
  [ "$rank" != 0 ] || { mv out.0 out && mv err.0 err; }
}

case_refused() {
  on_cuda_ipc bench all_reduce --ranks 2 --transport cuda_ipc --bytes 4K
  expect_refusal 'the cuda_ipc transport maps memory of GPUs: use it with railgauge bench --memory cuda'
  on_cuda_ipc bench all_reduce --ranks 2 --memory pinned --transport cuda_ipc --bytes 4K
  expect_refusal 'the cuda_ipc transport maps memory of GPUs alone: use --memory cuda'
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --set cuda_ipc.handle=fd
  expect_refusal 'the cuda_ipc transport has no setting "handle": it has handles, progress and blocks'
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --set cuda_ipc.handles=posix
  expect_refusal 'cuda_ipc.handles=posix: expected legacy, fd or fabric'
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --set cuda_ipc.progress=gpu
  expect_refusal 'cuda_ipc.progress=gpu: expected stream or host'
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --bytes 4K --graph --set cuda_ipc.progress=host
  expect_refusal '--graph is of plans that work in a device.s stream alone, as over nccl and cuda_ipc: cuda_ipc does not'
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

case_by_the_host() {
  on_cuda_ipc bench all --ranks 3 --memory cuda --transport cuda_ipc --set cuda_ipc.progress=host --bytes 0,20K --lanes 2 \
    --iterations 2 -o a.jsonl
  expect_all_right a.jsonl exchange
  fault=no_waits on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --set cuda_ipc.progress=host --bytes 4K \
    --iterations 4
  expect_code 0
  fault=bad_copy on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc --set cuda_ipc.progress=host --bytes 4K
  expect_code 5
  expect_words err 'cuEventQuery for a message of rank [01]: fake error .CUDA_ERROR_FAKE.'
}

case_composed() {
  "$RAILGAUGE" list transports 2>&1 | grep -E "^ucx " | grep -qv unavailable || skip "no UCX here"
  local kind
  for kind in legacy fd; do
    beside=reaching on_cuda_ipc bench all_reduce all_to_all broadcast --ranks 3 --memory cuda --transport cuda_ipc+ucx \
      --set ucx.tls=tcp --set cuda_ipc.handles=$kind --bytes 0,12,20K --in-place both --iterations 2 -o $kind.jsonl
    expect_all_right $kind.jsonl exchange
    expect_words $kind.jsonl '"transport":"cuda_ipc[+]ucx"'
  done
}

case_composed_refused() {
  "$RAILGAUGE" list transports 2>&1 | grep -E "^ucx " | grep -qv unavailable || skip "no UCX here"
  # Debian's UCX knows no memory of GPUs.
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc+ucx --bytes 4K
  expect_refusal 'cannot leave from the buffers of rank 0: this UCX .* cannot send cuda memory.*; nor can they pass through memory of the host'
  on_cuda_ipc bench all_reduce --ranks 2 --transport cuda_ipc+ucx --bytes 4K
  expect_refusal 'the cuda_ipc transport maps memory of GPUs: use it with railgauge bench --memory cuda'
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc+ucx --bytes 4K --set cuda_ipc.progress=stream
  expect_refusal 'cuda_ipc[+]ucx: messages of cuda_ipc are in a GPU.s stream, in which no other transport can follow them'
  on_cuda_ipc bench all_reduce --ranks 2 --memory cuda --transport cuda_ipc+shm --bytes 4K
  expect_refusal 'cuda_ipc[+]shm: shm does not cross hosts'
}

case_lanes_of_streams() {
  on_cuda_ipc bench all_reduce all_to_all --algorithm all --ranks 3 --memory cuda --transport cuda_ipc --path exchange --bytes 20K \
    --lanes 3 --iterations 2 -o a.jsonl
  expect_all_right a.jsonl exchange
}

# A rank is killed while the others wait for it on their GPUs.
cuda_ipc_killed() {
  how=kill_second on_cuda_ipc bench all_reduce --ranks 3 --memory cuda --transport cuda_ipc --bytes 4K,1M --duration 3s -o a.jsonl "$@"
}
case_killed() { cuda_ipc_killed; }
case_killed_in_stream() { cuda_ipc_killed --path exchange; }
case_killed_in_graph() { cuda_ipc_killed --graph; }
case_killed_in_graph_of_messages() { cuda_ipc_killed --graph --path exchange; }
case_killed_by_the_host() { cuda_ipc_killed --set cuda_ipc.progress=host; }
case_killed_stuck() { # what waits in the stream cannot be released, and what frees memory would wait for it too
  fault=stuck cuda_ipc_killed --path exchange
  ! grep 'the driver waits for a stream' err || wrong "memory is freed while something waits"
}

isolate "$name"
enter_room
"case_$name"
exit $failed
