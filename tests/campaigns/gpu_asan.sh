#!/usr/bin/env bash
# gpu_asan.sh: the tests of nccl, cuda_ipc and devices that need no GPU, with the address and undefined-behaviour sanitizers: a build of its
# own, since ci/test's has no NCCL. UCX does without cross memory attach there, as in ci/test.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
build='build-full/asan'
mkdir -p build-full
cmake --preset asan -B "$build" -DRAILGAUGE_NCCL=ON >/dev/null
cmake --build "$build" >/dev/null
UCX_TLS=^cma ASAN_OPTIONS=detect_leaks=0 ctest --test-dir "$build" \
  -R '^(cli (nccl|cuda_ipc|device): |conformance: cuda_ipc|nccl:|plan:walk|device:(queues|steps))' -LE 'gpu|rdma' --parallel 2 \
  --output-on-failure --no-tests=error
