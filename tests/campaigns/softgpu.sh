#!/usr/bin/env bash
# softgpu.sh [PROGRAMS [SEEDS]]: the software GPU at length: so many programs drawn at random against a plain evaluation (100,000), and
# the kernels with so many seeds of each type and operation (30); then the kernels as other GPUs have them.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd -P)
programs=${1:-100000} seeds=${2:-30}
build=${RAILGAUGE_BUILD:-$root/build-ci}
[ -x "$build/tests/test_softgpu" ] || { echo "there is no software GPU in $build: it needs nvcc"; exit 4; }
SOFTGPU_PROGRAMS=$programs SOFTGPU_REDUCE_SEEDS=$seeds SOFTGPU_COPY_SEEDS=200 SOFTGPU_STEPS_SEEDS=200 "$build/tests/test_softgpu"
for architecture in 80 100; do
  cmake --preset ci -S "$root" -B "$root/build-softgpu" -DRAILGAUGE_SOFTGPU_ARCHITECTURES=$architecture >/dev/null
  cmake --build "$root/build-softgpu" --parallel 2 --target test_softgpu >"$root/build-softgpu/build.log" 2>&1 || { tail -30 "$root/build-softgpu/build.log"; exit 1; }
  SOFTGPU_PROGRAMS=0 SOFTGPU_REDUCE_SEEDS=$seeds "$root/build-softgpu/tests/test_softgpu"
done
echo "$programs programs and $seeds seeds of each kernel, for sm_80, sm_90 and sm_100"
