#!/usr/bin/env bash
# softgpu.sh [PROGRAMS [SEEDS]]: the software GPU at length: so many programs drawn at random against a plain evaluation (100,000), and
# the kernels with so many seeds of each type and operation (30); then the kernels as other GPUs have them.
set -euo pipefail
. "${0%/*}/../../ci/lib.sh"
programs=${1:-100000} seeds=${2:-30}
tests=${RAILGAUGE_BUILD:-build-ci}/tests
[ -x "$tests/test_softgpu" ] || { echo "there is no software GPU in ${tests%/*}: it needs nvcc"; exit 4; }
export SOFTGPU_REDUCE_SEEDS=$seeds
SOFTGPU_PROGRAMS=$programs SOFTGPU_COPY_SEEDS=200 SOFTGPU_STEPS_SEEDS=200 "$tests/test_softgpu"
for architecture in 80 100; do
  configure ci build-softgpu "-DRAILGAUGE_SOFTGPU_ARCHITECTURE=$architecture" >/dev/null
  build build-softgpu test_softgpu
  build-softgpu/tests/test_softgpu "~programs drawn at random*"
done
echo "$programs programs drawn at random for sm_90, and $seeds seeds of each kernel for sm_80, sm_90 and sm_100"
