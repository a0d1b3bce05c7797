#!/usr/bin/env bash
# without_nvcc.sh [TARGET...]: a build where there is neither nvcc nor anything else of CUDA: what is there is covered by empty folders. All
# else (or these targets) is built and works, and the program says why there is no CUDA.
set -uo pipefail
. "${0%/*}/../cli/lib.sh"
enter_room
root=$(cd "$tests/.." && pwd -P)
build=$root/build-no-nvcc
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=true

cat >build.sh <<'END'
root=$1 folder=$2
shift 2
# Headers and libraries first, then every nvcc that is still on the path.
for place in /usr/local/cuda $(type -ap nvcc | xargs -r -n 1 dirname | xargs -r -n 1 dirname); do
  place=$(readlink -f "$place")
  case $place in /usr | /usr/local | /) ;; *) [ ! -d "$place" ] || mount -t tmpfs none "$place" || exit 99 ;; esac
done
for nvcc in $(type -ap nvcc); do mount --bind /dev/null "$(readlink -f "$nvcc")" || exit 99; done
hash -r
if type -ap nvcc; then
  echo "nvcc cannot be covered"
  exit 99
fi
unset CUDACXX CUDA_PATH CUDA_HOME NCCL_HOME
cmake -S "$root" --preset ci -B "$folder" >configure.txt 2>&1 || { tail -20 configure.txt; exit 1; }
cmake --build "$folder" --parallel 2 ${1:+--target "$@"} >build.txt 2>&1 || { tail -30 build.txt; exit 1; }
END
code=0
(marked unshare --mount bash build.sh "$root" "$build" "$@") >out 2>&1 || code=$?
cat out
[ "$code" != 99 ] && ! grep -q '^unshare: ' out || skip "CUDA cannot be hidden here: $(tail -1 out)"
[ "$code" = 0 ] || exit 1
failed=0
expect() { grep -qE -- "$2" "$1" || { echo "wrong: $1 does not say '$2'" && cat "$1" && failed=1; }; }
expect configure.txt '^--   cuda: not built .nvcc was not found'
"$build/bin/railgauge" list devices >devices.txt 2>&1
expect devices.txt '^cuda +unavailable: railgauge_cuda.so not found in .*; this build has none: nvcc was not found'
"$build/bin/railgauge" list transports >transports.txt 2>&1
for transport in shm memory ucx; do ! grep -q "^$transport *unavailable" transports.txt || { echo "wrong: $transport" && failed=1; }; done
"$build/bin/railgauge" bench all_reduce --ranks 2 --bytes 4K --iterations 4 -o a.jsonl >bench.txt 2>&1 || { cat bench.txt && failed=1; }
"$build/bin/railgauge" bench all_reduce --ranks 2 --memory cuda --bytes 4K >refused.txt 2>&1
expect refused.txt '^railgauge: --memory cuda is unavailable: .*nvcc was not found'
(marked ctest --test-dir "$build" \
  -R '^device:(the host is there|a plugin that was not built|steps|queues)|^cli device: (list|memory)' --output-on-failure) >tests.txt 2>&1 ||
  { tail -40 tests.txt && failed=1; }
echo "without nvcc: $(grep -c '^\[' build.txt) steps of the build, $(sed -nE 's/.*tests passed, (.*)/\1/p' tests.txt)"
exit $failed
