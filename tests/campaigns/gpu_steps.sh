#!/usr/bin/env bash
# gpu_steps.sh: every step of ci/gpu where there is no GPU: with the driver, the device and the NCCL of the tests, on one small size, so
# that each is known to be one that the program takes. Then what ci/gpu makes of steps that fail, and of time that is over.
set -uo pipefail
. "${0%/*}/../cli/lib.sh"
build=${RAILGAUGE_BUILD:?the folder that the program was built in}
fake=$(readlink -f "$build")/tests
[ -e "$fake/fake_nccl/libnccl.so.2" ] && [ -e "$fake/fake_driver/libcuda.so.1" ] || skip "the transports nccl and cuda_ipc were not built"
enter_room
failed=0
wrong() {
  echo "wrong: $*"
  failed=1
}

# As an unpacked bundle, in which the program is given smaller sizes, and programs of the tests are those that pass at once.
mkdir -p tree/bin tree/tests
cp "$tests/../ci/gpu" tree/gpu
cat >tree/bin/railgauge <<END
#!/usr/bin/env bash
words=() file=''
while [ \$# -gt 0 ]; do
  words+=("\$1")
  case \$1 in
    bench) [ "\$2" != all ] || { words+=(all_reduce broadcast) && shift; } ;;
    --bytes) words+=(12K) && shift ;;
    --max-time) unset 'words[-1]' && words+=(--iterations 2) && shift ;;
    --op) words+=(sum) && shift ;;
    --factor) unset 'words[-1]' && shift ;;
    -o) file=\$2 ;;
  esac
  shift
done
case "\${ONLY:-} \${words[*]}" in
  ' '* | *' list '* | *" \$ONLY "*) exec "$RAILGAUGE" "\${words[@]}" ;;
esac
[ -z "\$file" ] || echo '{"status":"ok","library_algorithm":"RING"}' >"\$file"
[ "\${words[0]}" != workload ] || echo 'step   1 ms'
END
printf '#!/bin/sh\n[ "$1" = list ] && printf "one 1\\ntwo 2\\n"\nexit 0\n' >tree/tests/conformance
printf '#!/bin/sh\necho "All tests passed"\n' | tee tree/tests/test_cuda >tree/tests/cuda_speed
chmod +x tree/bin/* tree/tests/*

# gpu FOLDER VARIABLE...: a run with the options of $options, into out; its exit code into code.
options=()
gpu() {
  local results=$1
  shift
  code=0
  (marked env LD_LIBRARY_PATH="$fake/fake_driver:$fake/fake_nccl" RAILGAUGE_PLUGIN_PATH="$fake/fake_device" "$@" \
    bash tree/gpu -o "$results" "${options[@]}") >out 2>&1 || code=$?
}
count() { grep -cE "\"status\":\"$2\"" "$1/summary.jsonl"; }

gpu all RAILGAUGE_GPU_SECONDS=9000 RAILGAUGE_GPU_SLOWER=20
cat out
[ $code = 0 ] || wrong "exit code $code"
steps=$(wc -l <all/summary.jsonl)
[ "$(count all passed)" -ge $((steps - 1)) ] || wrong "steps that did not pass"
python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <all/summary.jsonl || wrong "summary.jsonl is no JSON"
grep -q '"step":"nccl_native_2".*algorithms of NCCL: ' all/summary.jsonl || wrong "no algorithm of NCCL"

gpu bad RAILGAUGE_GPU_SECONDS=9000 RAILGAUGE_GPU_SLOWER=20 ONLY=cuda_ipc FAKE_CUDA=refused
[ $code = 1 ] || wrong "exit code $code of failed steps"
refused=$(grep -c '"step":"cuda_ipc_[^"]*".*"failed".*cu[A-Za-z]*Handle of' bad/summary.jsonl)
[ "$(count bad failed)" = "$refused" ] || { cat out && wrong "other steps failed"; }
[ "$(count bad failed)" -ge 5 ] || wrong "nothing failed"
[ "$(wc -l <bad/summary.jsonl)" = "$steps" ] || wrong "a failed step hides others"

gpu late RAILGAUGE_GPU_SECONDS=1 ONLY=nothing
[ $code = 4 ] || wrong "exit code $code when the time is over"
[ "$(count late unfinished)" -ge $((steps - 4)) ] || { cat out && wrong "steps were begun when the time was over"; }

options=(--steps 'staged_shm|kernels.*')
gpu some RAILGAUGE_GPU_SECONDS=9000 RAILGAUGE_GPU_SLOWER=20 ONLY=nothing
[ $code = 0 ] || wrong "exit code $code of chosen steps"
names=$(grep -oE '"step":"[^"]+"' some/summary.jsonl | cut -d'"' -f4 | grep -vE '^(machine|devices|transports)$' | sort | xargs)
[ "$names" = 'kernels kernels_large staged_shm' ] || [ "$names" = 'kernels kernels_between kernels_large staged_shm' ] || wrong "chosen steps: $names"
options=(--steps staged)
gpu nobody RAILGAUGE_GPU_SECONDS=9000 ONLY=nothing
[ $code = 2 ] || wrong "exit code $code where no step was chosen"
options=(--steps '(')
gpu nobody RAILGAUGE_GPU_SECONDS=9000 ONLY=nothing
[ $code = 2 ] && grep -q 'regular expression' out || wrong "an expression that is none: exit code $code"

LD_LIBRARY_PATH='' RAILGAUGE_PLUGIN_PATH='' bash tree/gpu -o none >out 2>&1
code=$?
if [ -e /dev/nvidia0 ]; then :; elif [ $code != 2 ] || ! grep -q '^gpu: there is no GPU here' out; then wrong "no GPU: exit code $code" && cat out; fi
echo "ci/gpu: $steps steps run with libraries of the tests"
exit $failed
