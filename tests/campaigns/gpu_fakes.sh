#!/usr/bin/env bash
# gpu_fakes.sh [TIMES]: the tests of nccl, cuda_ipc and devices that need no GPU, again and again, and then from 2 to 6 ranks, on two GPUs
# that they share, by all algorithms: with the libraries of the tests in place of NVIDIA's, whose streams and blocks go on in other orders
# each time.
set -uo pipefail
. "${0%/*}/../cli/lib.sh"
build=${RAILGAUGE_BUILD:?the folder that the program was built in}
times=${1:-5}
case $times in '' | *[!0-9]*) echo "usage: ${0##*/} [TIMES]" && exit 2 ;; esac
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"
enter_room
tried=0
for turn in $(seq "$times"); do
  marked_code=0
  (marked ctest --test-dir "$build" \
    -R '^(cli (nccl|cuda_ipc|device): |conformance: cuda_ipc|nccl:|plan:walk|device:(queues|steps))' -LE 'gpu|rdma' --parallel 2 \
    --output-on-failure --no-tests=error) >"tests.$turn.txt" 2>&1 || marked_code=$?
  grep -E 'tests passed' "tests.$turn.txt"
  [ $marked_code = 0 ] || { grep -E '\*\*\*(Failed|Timeout)' "tests.$turn.txt" && wrong "turn $turn"; }
  tried=$((tried + $(sed -nE 's/.* tests? failed out of ([0-9]+)$/\1/p' "tests.$turn.txt")))
done
patience=1800
for ranks in 2 3 4 5 6; do
  for variant in 'nccl fake_nccl --set nccl.shared_gpu=on' 'nccl fake_nccl --set nccl.shared_gpu=on --graph' \
    'cuda_ipc fake_driver' 'cuda_ipc fake_driver --graph' \
    'cuda_ipc fake_driver --path exchange' 'cuda_ipc fake_driver --path exchange --graph' 'cuda_ipc fake_driver --set cuda_ipc.progress=host'; do
    # shellcheck disable=SC2086 # words
    set -- $variant
    transport=$1 library=$2
    shift 2
    with_libraries "$library" fake_device bench all --ranks $ranks --memory cuda --transport "$transport" --algorithm all --lanes 2 --bytes 0,12,20K \
      --iterations 2 "$@" -o "$ranks.jsonl"
    expect_code 0
    points=$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)
    expect_results "$ranks.jsonl" "$points"
    tried=$((tried + ${points:-0}))
    echo "$ranks ranks, $variant: $points points"
    rm -f "$ranks.jsonl"
  done
done
echo "GPUs of the tests: $tried cases and points right"
# shellcheck disable=SC2154 # set by expect.sh
exit "$failed"
