#!/usr/bin/env bash
# nccl.sh NAME: one test of what the built program does over the nccl transport: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"
export RAILGAUGE_BENCH_SHARED_CORES=true # libraries that stand in for GPUs take cores, and tests run side by side
patience=220 # libraries of the tests stand in for a GPU, and take cores for it

# on_nccl WORD...: the program over the nccl transport, whose library and device are those of the tests; `library`: another one.
on_nccl() {
  needs_library fake_nccl/libnccl.so.2 "the nccl transport was not built"
  FAKE_NCCL="${fault:-}" FAKE_NCCL_HANGS=$PWD/hangs with_libraries "${library:-fake_nccl}:fake_nccl" fake_device "$@"
}

case_collectives() {
  local ranks names
  on_nccl list transports
  expect_words out '^nccl +NVIDIA.s NCCL'
  for ranks in 2 3; do
    names=all
    [ $ranks = 3 ] || names='all_reduce gather all_to_all'
    # shellcheck disable=SC2086 # words
    on_nccl bench $names --ranks $ranks --memory cuda --transport nccl --bytes 0,12,12K,300K --iterations 4 --set nccl.shared_gpu=on \
      -o $ranks.jsonl
    expect_code 0
    expect_results $ranks.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
    expect_words $ranks.jsonl '"device":"cuda".*"path":"exchange"'
  done
}

case_native() {
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

case_clocks() { # the device tells how long operations in its queue take, and the host's clock stands beside it
  local graph
  for graph in '' --graph; do
    # shellcheck disable=SC2086 # words
    FAKE_QUEUE_CLOCK=0.001 on_nccl bench all_reduce --algorithm ring,native --lanes 2 --ranks 2 --memory cuda --transport nccl --bytes 12K \
      --in-place both --iterations 20 $graph -o a$graph.jsonl
    expect_code 0
    expect_results a$graph.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
    expect_device_clock a$graph.jsonl
  done
  FAKE_QUEUE_CLOCK=0.001 on_nccl bench pairs --ranks 3 --memory cuda --transport nccl --bytes 4K --iterations 4 --set nccl.shared_gpu=on -o b.jsonl
  expect_code 0
  expect_results b.jsonl 6
  expect_device_clock b.jsonl
  # Operations that start together are timed by the host, as are those that it drives.
  FAKE_QUEUE_CLOCK=0.001 on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K --mode isolated --iterations 4 -o c.jsonl
  expect_code 0
  FAKE_QUEUE_CLOCK=0.001 on_nccl bench all_reduce --ranks 2 --memory cuda --transport shm --bytes 4K --iterations 4 -o d.jsonl
  expect_code 0
  ! grep -l host_times c.jsonl d.jsonl || wrong "a device's clock timed what is not in its queue"
}

case_choice() {
  on_nccl bench all_reduce --algorithm native,ring --ranks 2 --memory cuda --transport nccl --bytes 12,12K --iterations 4 -o a.jsonl
  expect_code 0
  expect_words out 'the library took TREE, LL128, 1 channel; it had predicted 12.5 us'
  expect_words out 'the library took RING, LL128, 4 channels; it had predicted 12.5 us'
  expect_words a.jsonl '"library_algorithm":"RING","library_protocol":"LL128","library_channels":4,"library_predicted":1.2[45][0-9e.+-]*,"protocol":"LL128","multiprocessors":4,'
  [ "$(grep -c '"library_algorithm":null' a.jsonl)" = 2 ] || wrong "ring tells of a library"
  on_nccl bench gather scatter all_to_all --algorithm native --ranks 2 --memory cuda --transport nccl --bytes 12K --iterations 4 -o m.jsonl
  expect_code 0
  [ "$(grep -c '"library_predicted":null' m.jsonl)" = 3 ] || wrong "operations made of messages were simulated"
  NCCL_PROFILER_PLUGIN=none on_nccl bench all_reduce --algorithm native --ranks 2 --memory cuda --transport nccl --bytes 12 \
    --iterations 4 -o b.jsonl
  expect_code 0
  expect_words b.jsonl '"library_algorithm":null,"library_protocol":null,"library_channels":null,"library_predicted":1.2[45]'
}

case_graph() { # on several sets
  export RAILGAUGE_BENCH_CACHE=auto
  local names='all_reduce reduce_scatter all_gather broadcast reduce all_to_all'
  # shellcheck disable=SC2086 # words
  on_nccl bench $names --algorithm all --graph --ranks 3 --memory cuda --transport nccl --bytes 12K,300K --iterations 4 \
    --in-place both --set nccl.shared_gpu=on -o a.jsonl
  expect_code 0
  expect_results a.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
  expect_words a.jsonl '"algorithm":"native".*"path":"native_graph"'
  expect_words a.jsonl '"algorithm":"ring".*"path":"graph"'
  on_nccl bench all_reduce --graph --ranks 2 --memory cuda --transport shm --bytes 4K
  expect_refusal "--graph is of plans that work in a device's stream alone, as over nccl and cuda_ipc: shm passes through memory of the host"
  run "$RAILGAUGE" bench all_reduce --graph --ranks 2 --transport shm --bytes 4K
  expect_refusal "--graph is of plans that work in a device's stream alone, as over nccl and cuda_ipc: shm does not"
}

# on_perf NAME WORD...: a program of nccl-tests, on the same.
on_perf() {
  local fake program
  fake=${RAILGAUGE%/*}/../tests program=${RAILGAUGE%/*}/$1
  [ -e "$fake/fake_nccl/libnccl.so.2" ] || skip "the nccl transport was not built"
  shift
  run env LD_LIBRARY_PATH="$fake/fake_nccl" RAILGAUGE_PLUGIN_PATH="$fake/fake_device" FAKE_NCCL="${fault:-}" "$program" "$@"
}

case_tests() {
  on_perf all_reduce_perf -b 8 -e 64K -f 8 -g 2 -n 5 -w 1 -G 2 -R 1 -y 1
  expect_code 0
  expect_words out '^# railgauge .*: ranks have cuda memory of GPUs and run NCCL 2.28.9.s own collectives'
  expect_words out '^#  Rank  1 .* device  1 .0000:1c:00. NVIDIA fake'
  expect_words out 'graph: 2'
  expect_words out '^# -G 2: each operation is a graph of its own'
  expect_words out '^# -y 1 is not followed: '
  [ "$(grep -cE '^ +[0-9]+ .* 0$' out)" = 5 ] || wrong "not five rows without wrong data"
  expect_words out '^# nccl-tests version .* nccl-library=22809$'
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

case_tests_device() { # the first GPU of each process, and what is refused
  NCCL_TESTS_DEVICE=1 on_perf all_reduce_perf -b 1K -e 1K -g 1 -n 5
  expect_code 0
  expect_words out '^#  Rank  0 .* device  1 .0000:1c:00. NVIDIA fake'
  NCCL_TESTS_DEVICE=7 on_perf all_reduce_perf -b 1K -e 1K -g 1 -n 5
  expect_code 6
  expect_words err 'this host has 2, counted from 0'
  on_perf all_reduce_perf -b 1K -e 1K -g 2 -I 1 -n 5
  expect_code 0
  expect_words out '^# Per-Iteration Report: CUDA event timing; i_'
  on_perf all_reduce_perf -b 1K -e 1K -g 2 -x 1
  expect_code 5
  expect_words err '^railgauge: -x 1: set NCCL_CTA_POLICY=1 in the environment of the ranks instead'
}

case_native_refused() {
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

case_lanes() { # each has a communicator and a stream
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

case_lanes_together() { # what one lane sends arrives when the others have begun as much
  local graph
  for graph in '' --graph; do
    # shellcheck disable=SC2086 # words
    fault=together on_nccl bench all_reduce --algorithm ring,two_shot --ranks 2 --memory cuda --transport nccl --bytes 96K --lanes 3 \
      --iterations 4 $graph -o a$graph.jsonl
    expect_code 0
    expect_results a$graph.jsonl 2
  done
}

case_buffers() { # the library works on nothing that it does not know
  local buffers
  export FAKE_NCCL_KNOWN=yes
  for buffers in registered symmetric; do
    on_nccl bench all_reduce gather --algorithm all --ranks 3 --memory cuda --transport nccl --bytes 12K --iterations 4 \
      --lanes 2 --set nccl.buffers=$buffers --set nccl.shared_gpu=on -o $buffers.jsonl
    expect_code 0
    expect_results $buffers.jsonl "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)"
    expect_words $buffers.jsonl "\"nccl.buffers\":\"$buffers\""
    expect_words $buffers.jsonl '"algorithm":"native".*"path":"native"'
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

case_buffers_refused() {
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

case_deadline() { # what its service says of missing ranks is quoted; without it nothing is
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

case_refused() {
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

case_unavailable() {
  fault=version on_nccl list transports
  expect_words out '^nccl +unavailable: the library is NCCL 2.17.0, and 2.18.1 is the oldest that serves'
  library=empty_nccl on_nccl list transports
  expect_words out '^nccl +unavailable: .*undefined symbol: nccl'
}

case_error() { # that NCCL runs into after the calls
  fault=async on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K -o a.jsonl
  expect_code 5
  expect_words err 'NCCL, some time after a call on rank [01]: remote process exited or there was a network error'
}

case_overdue() { # what does not come through, for half a minute
  export NCCL_RAS_ADDR=127.$((1 + $$ / 256 % 250)).$(($$ % 256)).2:28028
  FAKE_RAS=1 fault=endless on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K -o a.jsonl
  expect_code 5
  expect_words err "^railgauge: (rank [01] ended: )?rank [01] has waited 30 s .*; NCCL's RAS service says: Missing .*; Rank 1 -- GPU 1 managed by"
}

case_stuck() { # the same, and the streams never end: to free their memory would take for ever
  fault=stuck on_nccl bench all_reduce --ranks 2 --memory cuda --transport nccl --bytes 4K -o a.jsonl
  expect_code 5
  expect_words err 'NCCL, some time after a call on rank [01]: remote process exited or there was a network error'
}

# A rank is killed while others wait for it, in a stream or, with a fault, in a call.
nccl_killed() {
  fault=$1 how=kill_second on_nccl bench all_reduce --ranks 3 --memory cuda --transport nccl --set nccl.shared_gpu=on --bytes 4K,1M \
    --duration 3s -o a.jsonl
}
case_killed() { nccl_killed ''; }
case_killed_in_call() { nccl_killed group_hangs; }
case_killed_in_init() { nccl_killed init_hangs; }

case_composed_refused() {
  on_nccl bench all_reduce --ranks 2 --memory cuda --transport shm+nccl --bytes 4K
  expect_refusal 'shm[+]nccl: messages of nccl are in a GPU.s stream, in which no other transport can follow them: use nccl alone'
}

isolate "$name"
enter_room
"case_$name"
exit $failed
