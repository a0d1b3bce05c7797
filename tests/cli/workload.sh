#!/usr/bin/env bash
# workload.sh NAME: one test of `railgauge workload`, a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
here=$tests/cli
. "$here/expect.sh"

workload() { run "$RAILGAUGE" workload "$@"; }

# The calls of public traces.
case_show() {
  workload resnet50 --ranks 2 --show
  expect_code 0
  expect_quiet
  local elements
  for elements in 2,049,000 7,875,584 6,563,840 6,637,568 2,431,040; do
    expect_words out " all_reduce +data +float32 +$elements "
  done
  workload resnet50 --gradients float16 --show
  for elements in 2,049,000 14,439,424 9,068,608; do expect_words out " float16 +$elements "; done
}

# Every model has its calls at its own size, at once.
case_models() {
  local model
  for model in resnet50 bert-large gpt3-175b llama3-8b llama3-70b llama3-405b mixtral-8x7b deepseek-v3 dlrm; do
    workload $model --show
    expect_code 0
    expect_quiet
    expect_words out "^$model: "
    expect_words out '^total: .* calls'
  done
  workload llama3-405b --show
  expect_words out '^16384 ranks, 16,777,216 tokens a step'
}

runs() {
  needs_transport "$1"
  workload gpt3-175b --tensor 2 --pipeline 2 --data 2 --layers 2 --micro-batches 2 --scale 0.0005 --transport "$1" --steps 3 \
    -o step.json -o steps.jsonl -o step.html
  expect_code 0
  expect_words out '^8 ranks on .* over '"$1"
  expect_words out '^note: scaled: bytes and computations times 0.0005'
  expect_words out '^communication .*exposed'
  expect_words out '^critical path'
  [ "$(wc -l <steps.jsonl)" = 3 ] || wrong "steps.jsonl has $(wc -l <steps.jsonl) lines"
  python3 "$here/trace_events.py" step.json 8 >events || wrong "step.json breaks the trace event format" "$(cat events)"
  # An arrow for each of the 16 messages, but where the clocks of two ranks that share a core put its end before its begin.
  expect_words events "'X': [0-9]+.*'s': ([1-9]|1[0-6]), 'f': \\1}"
  expect_words step.html '>Timeline of step [1-3], whose time is the median</h2>'
  expect_words step.html '>95 % interval|>too few for an interval'
}
case_memory() { runs memory; }
case_shm() { runs shm; }
case_ucx() { runs ucx; }

# on_gpus GPUS WORD...: a step in memory of GPUs in software. What they find is wrong.
on_gpus() {
  local plugins
  needs_library softgpu/plugins/railgauge_cuda_ipc.so "the software GPU was not built: it needs nvcc, and x86-64"
  plugins=${RAILGAUGE%/*}/../tests/softgpu/plugins
  run env RAILGAUGE_PLUGIN_PATH="$plugins" RAILGAUGE_SOFTGPU="$1,gigabytes=1" "$RAILGAUGE" workload "${@:2}" --memory cuda
  ! grep '^softgpu: ' err || wrong "the software GPU found something"
}
# Tensor, data and pipeline groups: each has a communicator, and streams that overlap.
gpt="gpt3-175b --tensor 2 --pipeline 2 --data 2 --layers 2 --micro-batches 1 --scale 0.00001 --steps 1"
case_cuda_ipc() {
  # shellcheck disable=SC2086 # words
  on_gpus gpus=8,sms=8 $gpt --transport cuda_ipc -o step.json
  expect_code 0
  expect_words out '^8 ranks on .* over cuda_ipc, memory: cuda, computations: pause'
  expect_words out '^pipeline +message '
  python3 "$here/trace_events.py" step.json 8 >events || wrong "step.json breaks the trace event format" "$(cat events)"
}
case_cuda_ipc_kernel() {
  on_gpus gpus=2,sms=2 resnet50 --ranks 2 --transport cuda_ipc --scale 0.001 --steps 1 --compute kernel
  expect_code 0
  expect_words out 'computations: kernel'
}
case_cuda_staged() {
  needs_transport ucx
  on_gpus gpus=2,sms=2 resnet50 --ranks 2 --transport ucx --scale 0.001 --steps 1
  expect_code 0
  expect_words out '^note: messages pass through memory of the host: rank 0: '
  on_gpus gpus=1,sms=2 resnet50 --ranks 2 --transport memory --scale 0.001 --steps 1
  expect_code 0
}
# NCCL's own collectives, a communicator for each group; messages of the pipeline are its sends and receives.
case_nccl() {
  needs_library fake_nccl/libnccl.so.2 "the nccl transport was not built"
  # shellcheck disable=SC2086 # words
  with_libraries fake_nccl:fake_nccl fake_device workload $gpt --transport nccl --memory cuda --set nccl.shared_gpu=on
  expect_code 0
  expect_words out '^algorithms: all_gather by native, all_reduce by native, reduce_scatter by native$'
  with_libraries fake_nccl:fake_nccl fake_device workload mixtral-8x7b --ranks 4 --expert 4 --layers 1 --micro-batches 1 --scale 0.0001 --steps 1 \
    --transport nccl --memory cuda --set nccl.shared_gpu=on
  expect_code 0
  expect_words out '^algorithms: .*all_to_all_v by '
  with_libraries fake_nccl:fake_nccl fake_device workload resnet50 --ranks 2 --transport nccl
  expect_refusal 'the transport nccl does not take buffers in this memory: choose --memory cuda, pinned or managed'
}

case_kernel() {
  workload resnet50 --ranks 2 --transport memory --compute kernel --steps 2 --scale 0.01
  expect_code 0
  expect_words out 'computations: kernel'
}

# A step on a topology, before and after a change, beside a run, and on several numbers of ranks: nothing runs.
case_predict() {
  local gpt="gpt3-175b --tensor 2 --pipeline 2 --data 2 --layers 2 --micro-batches 2"
  workload $gpt --topology rail:hosts=1 -o step.json -o step.jsonl
  expect_code 0
  expect_quiet
  expect_words out '^predicted on rail:hosts=1, rank r being its rank r: 8 ranks, nothing ran'
  expect_words out '^step .*, predicted'
  expect_words out '^assumed: .* for a message over NVLink'
  expect_words out '^algorithms: .*all_gather of tensor by '
  expect_words out '^critical path'
  python3 -c 'import json; assert {e["pid"] for e in json.load(open("step.json"))["traceEvents"]} == set(range(8))' ||
    wrong "step.json is no timeline of 8 ranks"
  workload $gpt --topology rail:hosts=1 --beside step.json -o beside.html
  expect_code 0
  expect_words out '^predicted beside measured:'
  expect_words out '^tensor all_gather .* [+-]0.0 %'
  grep -q '>Its calls, predicted beside measured<' beside.html || wrong "beside.html has no calls beside each other"
  workload resnet50 --ranks 2 --topology rail:hosts=1 --beside step.json
  expect_refusal 'step.json: (has rank 2|rank 0 has other nodes)'
  workload resnet50 --ranks 16 --topology rail:hosts=2 --what-if rails=1 --latency 20us --algorithm ring
  expect_code 0
  expect_words out '^predicted on rail:hosts=2 after rails=1, rank r'
  expect_words out '^before and after rails=1:'
  expect_words out '^assumed: 20.0 us for each message'
  expect_words out '^algorithms: all_reduce of data by ring'
  expect_words out '^step .* \+[0-9.]+ %'
  workload llama3-8b --topology rail:hosts=16 --ranks 8,128 --layers 4 -o curve.jsonl
  expect_code 0
  expect_words out '^ +128 .*[01]\.[0-9]{3}$'
  [ "$(wc -l <curve.jsonl)" = 2 ] || wrong "curve.jsonl has $(wc -l <curve.jsonl) lines"
  workload resnet50 --topology rail:hosts=1 --ranks 2 --beside curve.jsonl
  expect_refusal 'curve.jsonl: has predicted steps'
  workload resnet50 --topology rail:hosts=1 --ranks 16
  expect_code 2
  workload resnet50 --ranks 2,4
  expect_refusal 'several numbers of --ranks are predicted: name a --topology'
  workload resnet50 --latency 2us
  expect_code 2
  workload resnet50 --topology rail:hosts=1 --algorithm nothing
  expect_refusal 'there is no algorithm nothing'
}

# The lines of a report about calls, without what the notes and the source say.
calls_of_out() { sed -n '/^calls of rank/,$p' out; }

# Exported, read again, shown, and run: from the prefix, from files in any order, of some ranks, and on fewer.
case_traces() {
  workload resnet50 --ranks 2 --chakra step
  expect_code 0
  expect_quiet
  expect_words out '^wrote 3 files, step.0.et to step.groups.json'
  expect_words out '^note: ASTRA-sim '
  [ -s step.0.et ] && [ -s step.1.et ] && [ -s step.groups.json ] || wrong "files are missing: $(ls)"
  cp step.0.et before
  workload resnet50 --ranks 2 --gradients float16 --chakra step
  expect_refusal 'step.0.et exists and is never overwritten'
  cmp step.0.et before || wrong "a file was overwritten"
  rm step.0.et
  workload resnet50 --ranks 2 --chakra step
  expect_refusal 'step.1.et exists'
  [ ! -e step.0.et ] || wrong "some of the files were written"
  mv before step.0.et
  workload resnet50 --ranks 2 --show --calls
  calls_of_out >expected
  workload step --show --calls
  expect_code 0
  expect_quiet
  calls_of_out | diff expected - || wrong "the calls changed by writing and reading them"
  workload step.1.et step.groups.json step.0.et --transport memory --steps 2 --scale 0.01 -o steps.jsonl
  expect_code 0
  expect_quiet
  expect_words out '^2 ranks on .* over memory'
  expect_words out ' images a second'
  [ "$(wc -l <steps.jsonl)" = 2 ] || wrong "steps.jsonl has $(wc -l <steps.jsonl) lines"
  workload step.1.et --show
  expect_refusal 'no trace of rank 0'
  workload step.1.et --show --rank 1
  expect_code 0
  workload step.1.et --transport memory --steps 1 --scale 0.01
  expect_code 0
  expect_words out '^note: rank 0 does as rank 1 does, since there is no trace of it'
  workload step --ranks 1 --show
  expect_words out '^note: the first 1 of 2 ranks alone'
  workload step --ranks 3 --show
  expect_refusal 'it is of 2 ranks, and 3 are asked for'
  workload step --tensor 2 --show
  expect_refusal 'a trace has its own sizes: leave out all options of models but --ranks'
  workload step resnet50 --show
  expect_refusal 'resnet50 is a model, which stands alone'
  workload step nothing --show
  expect_refusal 'there is no workload nothing'
  head -c 100 step.0.et >cut.0.et
  workload cut.0.et --show
  expect_refusal 'cut.0.et: '
}

# Several steps of a trace are one here, and it says so.
case_traced_steps() {
  cat >rank-0.json <<'END'
{"schema": "1.0.1", "nodes": [
 {"name": "ProfilerStep#1", "id": 1}, {"name": "ProfilerStep#2", "id": 2},
 {"name": "record_param_comms", "id": 3, "inputs": [[[1, 2, 0, 64, 4, "cuda:0"]], 5, "7", 0, "allreduce", [], []],
  "input_types": ["GenericList[Tensor(float)]"], "outputs": []}]}
END
  workload rank-0.json --ranks 2 --show
  expect_code 0
  expect_words out '^note: the traces hold 2 training steps: a step here is all of them'
  workload rank-0.json --ranks 2 --transport memory --steps 1
  expect_code 0
  expect_words out '^note: rank 1 does as rank 0 does'
}

case_mpirun() {
  needs_mpirun
  needs_transport shm
  run mpirun --oversubscribe -n 2 "$RAILGAUGE" workload resnet50 --transport shm --scale 0.01 --steps 2 -o steps.jsonl
  expect_code 0
  expect_words out '^2 ranks on 1 host over shm'
  [ "$(grep -c '^critical path' out)" = 1 ] || wrong "not one report"
  [ "$(wc -l <steps.jsonl)" = 2 ] || wrong "steps.jsonl has $(wc -l <steps.jsonl) lines"
  run mpirun --oversubscribe -n 3 "$RAILGAUGE" workload resnet50 --tensor 2
  expect_refusal 'data parallel alone' launched
  run mpirun --oversubscribe -n 2 "$RAILGAUGE" workload resnet50 --transport shm --scale 0.01 --steps 2 -o step.txt
  expect_refusal 'a name ends in' launched
}

# Hosts whose files differ: here, folders.
case_mpirun_other_files() {
  needs_mpirun
  mkdir 0 1
  (cd 0 && "$RAILGAUGE" workload resnet50 --ranks 2 --chakra step >/dev/null)
  (cd 1 && "$RAILGAUGE" workload resnet50 --ranks 2 --gradients float16 --chakra step >/dev/null)
  # shellcheck disable=SC2016 # for the ranks' shells
  run mpirun --oversubscribe -n 2 sh -c 'cd $PMIX_RANK && exec "$0" workload step --steps 1' "$RAILGAUGE"
  expect_refusal 'rank 1 has read another workload than rank 0: give all hosts the same files' launched
}

# Starts steps without end, and stops or kills rank 1 once two are done. How long it took to say so is printed, and is no test: the sentence
# about a stopped rank has the deadline in it.
place=() more=()
loses() {
  local transport=$1 signal=$2 children
  [ ${#more[@]} != 0 ] || needs_transport "$transport"
  (marked env "${place[@]}" "$RAILGAUGE" workload resnet50 --ranks 3 --transport "$transport" --steps 10000 --scale "${scale:-0.01}" "${more[@]}" \
    -o a.jsonl -o a.html) >out 2>err &
  local supervisor=$!
  await_lines a.jsonl 2
  read -ra children <"/proc/$supervisor/task/$supervisor/children"
  local since=$EPOCHREALTIME
  kill "-$signal" "${children[1]}"
  wait $supervisor
  code=$?
  echo "told $(seconds_since "$since") s after signal $signal, over $transport"
  expect_code 5
  expect_words out '^step +[0-9]'
  [ "$(wc -l <a.jsonl)" -ge 2 ] || wrong "finished steps are lost"
  expect_words a.html 'There is no timeline: the run ended early'
  expect_words a.html '<dt>Time per step</dt>'
}
killed() {
  loses "$1" KILL
  expect_words err '^railgauge: rank 1 .* was killed by signal 9'
}
stopped() {
  loses "$1" STOP
  expect_words err '^railgauge: rank 1 .* has not answered for 7 s: it is stopped'
}
case_killed_shm() { killed shm; }
# What the others have in flight on their GPUs is given up, in one of three attempts so soon that nobody has to end them: cores may be few.
killed_at_once() {
  local attempt
  for attempt in 1 2 3; do
    rm -f a.jsonl a.html
    killed "$1"
    grep 'did not end' err || return
  done
  wrong "ranks had to be ended three times"
}
case_killed_cuda_ipc() {
  needs_library softgpu/plugins/railgauge_cuda_ipc.so "the software GPU was not built: it needs nvcc, and x86-64"
  place=(RAILGAUGE_PLUGIN_PATH="${RAILGAUGE%/*}/../tests/softgpu/plugins" RAILGAUGE_SOFTGPU=gpus=3,sms=4,gigabytes=1,checked=0)
  more=(--memory cuda --compute kernel) scale=0.001
  killed_at_once cuda_ipc
}
case_killed_nccl() {
  local built
  built=${RAILGAUGE%/*}/../tests
  needs_library fake_nccl/libnccl.so.2 "the nccl transport was not built"
  place=(LD_LIBRARY_PATH="$built/fake_nccl" RAILGAUGE_PLUGIN_PATH="$built/fake_device")
  more=(--memory cuda --set nccl.shared_gpu=on)
  killed_at_once nccl
}
case_killed_ucx() { killed ucx; }
case_stopped_shm() { stopped shm; }
case_stopped_ucx() { stopped ucx; }
# Ranks of a launcher have no supervisor: a rank finds that another does not answer.
case_stopped_mpirun() {
  needs_mpirun
  needs_transport shm
  # shellcheck disable=SC2016 # for the ranks' shells
  (marked mpirun --oversubscribe -n 2 sh -c 'echo $$ >pid.$PMIX_RANK; exec "$0" "$@"' "$RAILGAUGE" workload resnet50 --transport shm --steps 10000 \
    --scale 0.01 -o a.jsonl) >out 2>err &
  local launcher=$!
  await_lines a.jsonl 2
  local since=$EPOCHREALTIME
  kill -STOP "$(cat pid.1)"
  wait $launcher
  code=$?
  echo "told $(seconds_since "$since") s after it was stopped"
  expect_code 5
  expect_words err '^railgauge: rank 1 .* has not answered for [0-9]+ s: it is stopped \(process '"$(cat pid.1)"
  expect_words out '^step +[0-9]'
  [ "$(wc -l <a.jsonl)" -ge 2 ] || wrong "finished steps are lost"
}

case_refused() {
  local words
  while IFS='|' read -r words sentence; do
    # shellcheck disable=SC2086 # words
    workload $words
    expect_code 2
    expect_words err "$sentence"
    [ "$(wc -l <err)" = 1 ] || wrong "more than one sentence" "$(cat err)"
  done <<'END'
nothing --show|there is no workload nothing: choose from resnet50
resnet50 --tensor 2 --show|data parallel alone
llama3-8b --tensor 3 --show|--tensor 3 does not divide its 32 heads
resnet50 --rank 9 --show|the workload has 8 ranks
resnet50 --scale 0 --show|--scale 0: expected a number above 0
llama3-405b|too many to run here
resnet50 --ranks 2 -o step.txt|a name ends in
resnet50 --ranks 2 --memory gpu|--memory gpu
resnet50 --ranks 2 --gpu 0|--gpu is for the memory of a GPU
mixtral-8x7b --imbalance 3 --show|--imbalance 3: expected 1
resnet50 --tflops 1e-9 --show|expected a number from 1e-6 to 1e9
resnet50 --ranks 2 --tflops 0.001|its computations take .* --scale, for a model more --tflops, or --compute none
llama3-8b --micro-batches 1000000 --show|1000000 micro-batches of 32 layers .* by --micro-batches or --layers
resnet5 --show|there is no workload resnet5: .*: did you mean resnet50
resnet50 --calls|--calls is only for --show
resnet50 --rank 1|--rank is only for --show
resnet50 --steps 3 --show|--s[a-z]+ and --s[a-z]+ exclude each other
resnet50 --show -o a.json|exclude each other
resnet50 --chakra a --transport memory|exclude each other
resnet50 --chakra a --show|exclude each other
resnet50 --steps 3 --max-time 1s|exclude each other
resnet50 --chakra no/such/folder/a|cannot write no/such/folder/a.0.et
llama3-405b --chakra a|too many to write here
END
}

isolate "$name"
enter_room
"case_$name"
exit $failed
