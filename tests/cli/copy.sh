#!/usr/bin/env bash
# copy.sh NAME: one test of `railgauge bench copy`: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"

# Without a plugin, so that a GPU of this machine is none of these tests' business.
on_host() { run env RAILGAUGE_PLUGIN_PATH="$room/none" "$RAILGAUGE" bench copy "$@"; }
host_alone() {
  [ ! -e "${RAILGAUGE%/*}/../lib/railgauge/railgauge_cuda.so" ] || ! "$RAILGAUGE" list devices | grep -q '^cuda:' ||
    skip "this machine has a GPU"
}

# on_fake WORD...: with two devices of the tests, whose memory the host must not touch; `fault` is what is broken, and `how` what runs
# it, if not run.
on_fake() {
  local fake
  fake=${RAILGAUGE%/*}/../tests/fake_device
  [ -e "$fake/railgauge_cuda.so" ] || skip "the device of the tests was not built"
  ${how:-run} env RAILGAUGE_PLUGIN_PATH="$fake" FAKE_COPY="${fault:-}" "$RAILGAUGE" bench copy "$@"
}
first_node() { "$RAILGAUGE" list places | grep -oE '^numa[0-9]+' | head -1; }

case_host() { # the least that every machine has: memory of the host
  host_alone
  local node
  node=$(first_node)
  on_host --from "$node" --to "$node" --bytes 1,4K,1M --iterations 8 -o a.jsonl -o a.csv
  expect_code 0
  expect_quiet
  expect_results a.jsonl 3
  [ "$(wc -l <a.csv)" = 4 ] || wrong "a.csv has $(wc -l <a.csv) lines instead of 4"
  expect_words a.jsonl "\"collective\":\"copy\",\"algorithm\":\"one_way\",\"transport\":\"kernel_write\",\"device\":\"host\".*\"path\":\"direct\".*\"from_node\":\"$node\",\"to_node\":\"$node\""
  expect_words out '^copy: [0-9]+ places?, host memory, back-to-back, 1 MiB by one_way over kernel_write'
  expect_words out '^GB/s from row to column'
  expect_words out '^3 points in'
}

case_list() {
  run "$RAILGAUGE" list places
  expect_code 0
  expect_words out '^numa[0-9]+ +.* of the host, [0-9]+ threads?'
}

case_help() { # three examples, which run
  local example
  host_alone
  run "$RAILGAUGE" bench copy --help
  expect_code 0
  expect_quiet
  sed -n '/^Examples:/,$p' out | grep -oE '^  railgauge .*' | sed -E 's/^  //; s/  +.*//' >examples
  [ "$(wc -l <examples)" = 3 ] || { wrong "--help has $(wc -l <examples) examples instead of 3" && show; }
  while read -r example; do
    echo "example: $example"
    case $example in
      *--bytes*) example=$(sed -E 's/--bytes [^ ]+/--bytes 4K/' <<<"$example") ;;
      *) example="$example --bytes 4K" ;;
    esac
    ln -sf "$RAILGAUGE" railgauge
    run env PATH="$room:$PATH" bash -c "$example --iterations 3"
    expect_code 0
  done <examples
}

case_refused() {
  on_host --from cuda:7 --bytes 4K -o a.jsonl
  expect_refusal '--from cuda:7: there is no such place here, only numa'
  on_host --ranks 2
  expect_refusal '--ranks.*railgauge bench copy --help'
  on_host --transport shm
  expect_refusal '--transport.*railgauge bench copy --help'
  on_host --memory cuda
  expect_refusal '--memory.*railgauge bench copy --help'
  on_host --bytes 0
  expect_refusal 'a copy has at least 1 byte'
  on_host --bytes 100T
  expect_refusal 'choose smaller --bytes'
  on_host --min-time 2s --max-time 1s
  expect_refusal '--min-time is longer than --max-time'
  on_host --bytes 4K -o a.jsonl -o ./a.jsonl
  expect_refusal 'is given twice'
  on_host --topology "$room/nowhere" --bytes 4K --from cuda:7
  expect_refusal '--from cuda:7'
  run "$RAILGAUGE" bench --ranks 2 copy --bytes 4K
  expect_refusal '--ranks stands before copy'
  run "$RAILGAUGE" bench all_reduce copy --bytes 4K
  expect_refusal 'copy is measured alone, and not beside all_reduce'
  run "$RAILGAUGE" bench copy all_reduce
  expect_refusal 'copy is measured alone, and not beside all_reduce'
  run env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$RAILGAUGE" bench copy --bytes 4K
  expect_refusal 'bench copy is one process.* started 2: start one on each machine'
  [ ! -e a.jsonl ] || wrong "a results file was left"
}

case_engine_of_the_host() {
  host_alone
  on_host --way engine --bytes 4K
  expect_refusal '--way engine: only GPUs have copy engines'
}

case_matrix() { # every kind of cell, with times that are known
  local node
  node=$(first_node)
  on_fake --from "$node,cuda:0,cuda:1" --to "$node,cuda:0,cuda:1" --way all --bytes 1M --iterations 64 -o a.jsonl
  expect_code 0
  # engine and kernel: to 2 and from 2 GPUs, 4 written and 2 read between them; and the host's own one.
  expect_results a.jsonl $((2 * (2 + 2 + 4 + 2) + 1))
  expect_words a.jsonl '"transport":"engine","device":"pinned[+]cuda".*"host_times":\['
  expect_words a.jsonl '"transport":"kernel_read","device":"cuda"'
  expect_words out 'pinned[+]cuda memory, back-to-back, 1 MiB by one_way over engine$'
  expect_words out '^  numa[0-9]+ +10.00█ +10.00█$'
  expect_words out '^  cuda:0 +1000.0█ +100.0█$'
  [ "$(grep -c '^no place and no path is an outlier: the median is 100.0 GB/s' out)" = 4 ] || { wrong "not said of all matrices of GPUs" && show; }
  [ "$(sed -nE 's/^([0-9]+) points? in .*/\1/p' out)" = 9 ] || { wrong "not 9 matrices" && show; }
}

case_both_ways() {
  local node
  node=$(first_node)
  on_fake --from "$node,cuda:0" --to "cuda:0,cuda:1" --algorithm two_way --bytes 1M --iterations 64 -o a.jsonl
  expect_code 0
  expect_results a.jsonl 4
  expect_words out '^GB/s between row and column, both directions together'
  expect_words out '^  numa[0-9]+ +20.00█ +20.00█$'
  expect_words out '^  cuda:1 +200.0█ +-$'
  expect_words a.jsonl '"algorithm":"two_way".*"algbw":(200|199[.]99).*"busbw":(100|99[.]99)'
}

case_chase() { # latencies: of this machine's memory and caches, and of devices whose times are known
  local node small large
  node=$(first_node)
  on_fake --from "$node" --to "$node" --algorithm chase --bytes 4K,64M --iterations 200000 -o host.jsonl
  expect_code 0
  expect_results host.jsonl 2
  expect_words out '64 MiB by chase over kernel_read'
  expect_words out '^ns of a load from the row.s memory by the column'
  expect_words host.jsonl '"algorithm":"chase","transport":"kernel_read","device":"host".*"bytes":67108864,.*"algbw":0.0,"busbw":0.0,'
  read -r small large < <(sed -nE 's/.*"median":([0-9.e-]+),.*/\1/p' host.jsonl | xargs)
  awk "BEGIN { exit !(0 < $small && 0 < $large) }" || wrong "a load takes $small s from 4 KiB and $large s from 64 MiB"
  on_fake --from "$node,cuda:0,cuda:1" --to cuda:0,cuda:1 --algorithm chase --bytes 64K --iterations 100000 -o gpus.jsonl
  expect_code 0
  expect_results gpus.jsonl 6
  expect_words out '^  numa[0-9]+ +1000.0█ +1000.0█$'
  expect_words out '^  cuda:0 +300.0█ +700.0█$'
  expect_words gpus.jsonl '"transport":"kernel","device":"pinned[+]cuda".*"host_times":\['
  rm -f ./*.jsonl
  fault=wrong on_fake --from cuda:0 --to cuda:0,cuda:1 --algorithm chase --bytes 64K --iterations 100000 -o wrong.jsonl
  expect_code 6
  expect_words out '^cuda:0 -> cuda:1 wrong: cuda:1 followed pointers in memory of cuda:0 to byte [0-9]+, and byte [0-9]+ is where they lead'
  fault=apart on_fake --from cuda:0 --to cuda:0,cuda:1 --algorithm chase --bytes 64K --iterations 100000 -o apart.jsonl
  expect_code 0
  [ "$(grep -c '"status":"skipped","reason":"cuda:0 and cuda:1 cannot reach each other' apart.jsonl)" = 1 ] || { wrong "not one skipped" && show; }
  on_fake --algorithm chase --bytes 1000
  expect_refusal '--bytes 1000: --algorithm chase goes through at least 1 KiB'
  on_fake --algorithm chase --way engine
  expect_refusal '--algorithm chase is done by kernels'
}

case_gpu() {
  on_fake --gpu 1 --way engine --bytes 64K --iterations 64 -o a.jsonl
  expect_code 0
  ! grep -q 'cuda:0' a.jsonl || wrong "another GPU takes part"
  expect_words a.jsonl '"from_node":"cuda:1","to_node":"cuda:1"'
  on_fake --gpu 2 --bytes 4K
  expect_refusal '--gpu 2: there is no such GPU here'
}

case_wrong_data() { # named, and all other cells are measured
  fault=wrong on_fake --from cuda:0,cuda:1 --to cuda:0,cuda:1 --bytes 4K --iterations 64 -o a.jsonl
  expect_code 6
  [ "$(grep -c '"status":"wrong"' a.jsonl)" = 3 ] || wrong "not what was copied to cuda:1, and that alone"
  [ "$(grep -c '"status":"ok"' a.jsonl)" = 3 ] || wrong "not all others measured"
  expect_words out '^cuda:0 -> cuda:1 wrong: 1 of 4096 bytes that were copied to cuda:1 are wrong; the first is byte 4095: expected 0x'
  local problems
  problems=$(bad_lines a.jsonl)
  [ -z "$problems" ] || wrong "$problems"
}

case_no_memory() { # on one device: what needs it is skipped with the sentence
  fault=memory on_fake --from cuda:0,cuda:1 --to cuda:0,cuda:1 --way engine --bytes 4K --iterations 64 -o a.jsonl
  expect_code 0
  [ "$(grep -c '"status":"skipped","reason":"cudaMalloc of 4 KiB on cuda:1: out of memory' a.jsonl)" = 5 ] || { wrong "not 5 skipped" && show; }
  [ "$(grep -c '"status":"ok"' a.jsonl)" = 1 ] || wrong "cuda:0 by itself was not measured"
  expect_words out '^cuda:1 -> cuda:0 skipped: cudaMalloc of 4 KiB on cuda:1'
}

case_apart() { # devices that do not reach each other: staged by engines, refused by kernels
  fault=apart on_fake --from cuda:0 --to cuda:1 --way all --bytes 4K --iterations 64 -o a.jsonl
  expect_code 0
  expect_words a.jsonl '"transport":"engine_write".*"path":"staged"'
  expect_words a.jsonl '"status":"skipped","reason":"cuda:0 and cuda:1 cannot reach each other.*"transport":"kernel_write"'
  expect_words out '^staged through memory of the host, since neither reaches the other.s: cuda:0 -> cuda:1'
}

case_slow() { # what comes to cuda:1 takes four times as long as what comes to cuda:0
  fault=slow on_fake --from cuda:0,cuda:1 --to cuda:0,cuda:1 --way engine --bytes 1M --iterations 64
  expect_code 0
  expect_words out '^slow: cuda:0 -> cuda:1: 25.00 GB/s where the median is 100.0 [(]4.0 times as slow'
  expect_words out '^slow: within cuda:1: 250.0 GB/s where the median is 1000.0 [(]4.0 times as slow'
}

case_lost() { # a device that fails meanwhile ends the run, and what was finished is kept
  fault=lost on_fake --from cuda:0 --to cuda:1 --bytes 4K,8K --iterations 64 -o a.jsonl
  expect_code 5
  expect_words err '^railgauge: cudaMemcpyAsync on cuda:0: the device fell off the bus'
  [ "$(wc -l <err)" = 1 ] || wrong "more than a sentence on standard error"
}

case_expected() { # of links that a recorded machine has
  local machine=$tests/topo/machines/pcie_cards
  on_fake --from cuda:0 --to cuda:1 --bytes 1M --iterations 64 --topology "$machine" -o a.jsonl
  expect_code 0
  expect_words a.jsonl '"expected_busbw":null' # that machine has not these GPUs
  on_fake --from cuda:0 --to cuda:1 --bytes 1M --topology "$room/nowhere"
  expect_refusal 'nowhere'
}

case_budget() {
  on_fake --from cuda:0 --to cuda:1 --bytes 4K,8K --budget 1ns -o a.jsonl
  expect_code 0
  expect_results a.jsonl 4
  [ "$(grep -c '"status":"skipped","reason":"the time budget of the sweep was used up"' a.jsonl)" = 4 ] || { wrong "not all skipped" && show; }
}

case_strict() { # a precision that no measurement of a real clock reaches
  host_alone
  local node
  node=$(first_node)
  on_host --from "$node" --to "$node" --bytes 1M --precision 0.0000001 --max-time 100ms -o a.jsonl
  expect_code 0
  expect_words a.jsonl '"status":"not_converged"'
  on_host --from "$node" --to "$node" --bytes 1M --precision 0.0000001 --max-time 100ms --strict
  expect_code 4
}

case_standard_output() {
  local node
  node=$(first_node)
  on_fake --from "$node" --to cuda:1 --bytes 4K --iterations 64 -o -
  expect_code 0
  expect_quiet
  expect_results out 1
}

case_interrupted() { # what was finished is kept
  how=interrupt on_fake --from "$(first_node)" --to "cuda:0,cuda:1" --bytes 4K:16M --factor 1.01 --duration 50ms -o a.jsonl -o a.csv
}

isolate "$name"
enter_room
"case_$name"
exit $failed
