#!/usr/bin/env bash
# tune.sh NAME: one test of railgauge bench tune, and of what auto takes by its figures: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"

points() { sed -nE 's/^([0-9]+) points? in .*/\1/p' out; }
measured() { grep '"status":"\(ok\|not_converged\)"' "$file"; } # lines that have figures

case_host() { # what was measured decides; a file of another place is left alone
  bench tune --ranks 2 --transport memory --bytes 8,4K --iterations 2
  expect_code 0
  local best
  [ "$(ls "$room/.cache/railgauge")" = tuning.jsonl ] || wrong "in the folder: $(ls "$room/.cache/railgauge" | xargs)"
  expect_results "$file" "$(points)"
  best=$(python3 -c '
import json, sys
passes = {}
for row in map(json.loads, open(sys.argv[1])):
    if row["collective"] == "all_reduce" and row["bytes"] == 4096 and row["status"] != "skipped":
        passes.setdefault(row["algorithm"], []).append(row["median"])
least = [min(times) for times in zip(*passes.values())]
print(min(passes, key=lambda name: sorted(a / b for a, b in zip(passes[name], least))[(len(least) - 1) // 2]))' "$file")
  bench all_reduce --ranks 2 --transport memory --bytes 4K --iterations 2 -o a.jsonl
  expect_code 0
  expect_words a.jsonl "\"algorithm\":\"$best\""
}

case_again() { # one collective anew, by all its algorithms; what is known of the others stays
  bench tune all_reduce broadcast --ranks 2 --transport memory --bytes 8,4K --iterations 2
  expect_code 0
  local before
  before=$(measured | grep -c '"collective":"all_reduce"')
  bench tune broadcast --ranks 2 --transport memory --bytes 64 --iterations 2
  expect_code 0
  [ "$(measured | grep -c '"collective":"all_reduce"')" = "$before" ] || wrong "what was measured of other collectives is gone"
  [ "$(grep -oE '"collective":"broadcast","algorithm":"[a-z_]+"' "$file" | sort | uniq -c | awk '$1 == 5' | wc -l)" = 4 ] ||
    wrong "not five times each of the four algorithms"
  ! grep '"collective":"broadcast"' "$file" | grep -v '"bytes":64,' || wrong "what was measured of broadcast before is still there"
  sed -i '1s/.*/{"schema":1}/' "$file"
  bench tune broadcast --ranks 2 --transport memory --bytes 64 --iterations 2
  expect_refusal 'tuning.jsonl:1: .*remove it first'
  bench all_reduce --ranks 2 --transport memory --bytes 4K --iterations 2 --tuning "$file"
  expect_refusal 'tuning.jsonl:1: '
  bench all_reduce --ranks 2 --transport memory --bytes 4K --iterations 2 --tuning "$room/none"
  expect_refusal '--tuning .*none cannot be read: make it with +railgauge bench tune'
}

# with_gpus FOLDER WORD...: bench on two GPUs of the tests, with what the driver or library in that folder of the built tests does;
# under `launcher`, if any.
with_gpus() {
  local built
  built=${RAILGAUGE%/*}/../tests
  [ -e "$built/fake_device/railgauge_cuda.so" ] || skip "the device of the tests was not built"
  # shellcheck disable=SC2086 # words
  run env LD_LIBRARY_PATH="$built/$1" RAILGAUGE_PLUGIN_PATH="$built/fake_device" ${launcher:-} "$RAILGAUGE" bench "${@:2}"
}
transport_of_gpus() { # FOLDER NAME: skips where it was not built
  case $2 in
    nccl) [ -e "${RAILGAUGE%/*}/../tests/$1/libnccl.so.2" ] || skip "the nccl transport was not built" ;;
    cuda_ipc) [ -e "${RAILGAUGE%/*}/../tests/$1/libcuda.so.1" ] || skip "the cuda_ipc transport was not built" ;;
    *) needs_transport "$2" ;;
  esac
}

# prefer ALGORITHM: makes the figures say that it is by far the fastest of all. The cost model never takes two_shot between two
# ranks, since ring is no slower there and stands before it.
prefer() { sed -i "/\"algorithm\":\"$1\"/s/\"median\":[^,]*,/\"median\":1e-12,/" "$file"; }
ranks='--ranks 2'
# taken FOLDER WORD...: the algorithm that auto takes for 4 KiB.
taken() {
  rm -f taken.jsonl
  # shellcheck disable=SC2086 # words
  with_gpus "$1" all_reduce $ranks --bytes 4K --iterations 2 -o taken.jsonl "${@:2}"
  expect_code 0
  algorithm=$(sed -nE 's/.*"algorithm":"([a-z_]+)".*/\1/p' taken.jsonl)
}
takes_it() { [ "$algorithm" = two_shot ] || wrong "auto takes $algorithm with $*"; }
takes_another() { [ -n "$algorithm" ] && [ "$algorithm" != two_shot ] || wrong "auto takes '$algorithm' with $*"; }

case_memory() { # figures of one kind of memory choose for that kind alone, and for that model of GPU
  local lines
  with_gpus fake_device tune all_reduce --ranks 2 --memory cuda --transport shm --bytes 4K --iterations 2
  expect_code 0
  expect_results "$file" "$(points)"
  expect_words "$file" '"device":"cuda".*"path":"staged".*"device of rank 0":"cuda:0 .NVIDIA fake.'
  prefer two_shot
  taken fake_device --memory cuda --transport shm && takes_it "memory of GPUs"
  expect_words out '4 KiB +float32 +sum +two_shot +shm'
  taken fake_device --memory cuda --gpu 1 --transport shm && takes_it "another GPU of the same model"
  taken fake_device --memory pinned --transport shm && takes_another "pinned memory"
  taken fake_device --transport shm && takes_another "memory of the host"
  lines=$(measured | grep -c '"device":"cuda"')
  bench tune all_reduce --ranks 2 --transport shm --bytes 4K --iterations 2
  expect_code 0
  [ "$(measured | grep -c '"device":"cuda"')" = "$lines" ] || wrong "figures of the host took the place of those of GPUs"
  taken fake_device --memory cuda --transport shm && takes_it "figures of the host beside them"
  sed -i 's/NVIDIA fake/NVIDIA other/' "$file"
  taken fake_device --memory cuda --transport shm && takes_another "figures of another GPU"
}

case_launched() { # rank 0's file and GPU decide for all
  needs_mpirun
  with_gpus fake_device tune all_reduce --ranks 2 --memory cuda --transport shm --bytes 4K --iterations 2
  expect_code 0
  prefer two_shot
  launcher='mpirun --oversubscribe -n 2' ranks=
  taken fake_device --memory cuda --transport shm && takes_it "mpirun"
  sed -i 's/NVIDIA fake/NVIDIA other/' "$file"
  taken fake_device --memory cuda --transport shm && takes_another "mpirun and figures of another GPU"
}

# gpu_transport FOLDER NAME: tuned there, auto goes by it; another transport does not.
gpu_transport() {
  transport_of_gpus "$1" "$2"
  with_gpus "$1" tune all_reduce all_gather --ranks 2 --memory cuda --transport "$2" --bytes 4K --iterations 2
  expect_code 0
  expect_results "$file" "$(points)"
  [ "$(measured | grep -o '"algorithm":"[a-z_]*"' | sort -u | wc -l)" -ge 6 ] || wrong "not all algorithms were measured"
  ! grep -q '"algorithm":"native"' "$file" || wrong "the library's own was measured, and auto does not take it"
  prefer two_shot
  taken "$1" --memory cuda --transport "$2" && takes_it "$2"
  taken "$1" --memory cuda --transport shm && takes_another "shm"
}
case_cuda_ipc() { gpu_transport fake_driver cuda_ipc; }
case_nccl() { gpu_transport fake_nccl nccl; }
case_ucx() { gpu_transport fake_device ucx; }

isolate "$name"
enter_room
export HOME=$room
unset XDG_CACHE_HOME
file=$room/.cache/railgauge/tuning.jsonl
"case_$name"
exit $failed
