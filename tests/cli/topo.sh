#!/usr/bin/env bash
# topo.sh NAME: one test of the commands under `railgauge topo`, a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
here=$tests/cli
. "$here/expect.sh"
machines=$tests/topo/machines

topo() { run "$RAILGAUGE" topo "$@"; }

case_json_comes_back() {
  topo "$machines/gpu_node.xml" --as json -o node.json
  expect_code 0
  topo node.json --as json
  expect_code 0
  expect_quiet
  cmp -s out node.json || wrong "the graph changed by being read back"
  topo node.json
  cmp -s out "$machines/gpu_node.txt" || wrong "the tree of the JSON is not that of the XML"
}

case_check() {
  topo check "$machines/laptop.xml"
  expect_code 0
  expect_quiet
  topo check "$machines/gpu_node.xml" # one port has no subnet manager, and one NVLink is missing
  expect_code 1
  expect_quiet
  expect_words out '^FAULT port-init: mlx5_1/1'
  expect_words out '^FAULT nvlink-fewer: GPU 0 .* to GPU 3 '
  expect_words out 'checked: 2 faults[.;]'
  topo check "$machines/gpu_node.xml" --format json
  expect_code 1
  expect_words out '"rule": "port-init"'
  topo check "$machines/gpu_node.xml" --design "$machines/laptop.xml"
  expect_words out '^FAULT port-init' # no cables in either, and the same names of packages
}

case_diff() {
  topo diff "$machines/gpu_node.xml" "$machines/gpu_node.json"
  expect_code 0
  expect_quiet
  expect_words out '^No difference\.$'
  sed 's/"state":"init"/"state":"active"/' "$machines/gpu_node.json" >after.json
  topo diff "$machines/gpu_node.xml" after.json
  expect_code 1
  expect_words out '^changed: mlx5_1/1: state was init, is active$'
  expect_words out '^1 difference: 1 changed\.$'
  echo '{"schema": "railgauge.topology/1", "links": [], "nodes": [{"key": "x", "kind": "rail", "name": "x", "parent": null,
    "attributes": {}, "provenance": ["x"]}]}' >other.json
  topo diff after.json other.json
  expect_code 3
  expect_words err '^railgauge: .*no node in common'
}

case_synthesise() {
  run "$RAILGAUGE" synthesise all_gather --topology "$machines/gpu_node.json" --chunks 2 -o trees.jsonl
  expect_code 0
  expect_quiet
  expect_words out '^bound +busbw at most [0-9.]+ GB/s'
  expect_words out '^schedule +busbw [0-9.]+ GB/s by the links'
  expect_words out 'proved apart and in place$'
  head -1 trees.jsonl >head.json
  expect_words head.json '^\{"schema":"railgauge.schedule/1","collective":"all_gather","ranks":4,"root":0,'
  run "$RAILGAUGE" synthesise all_gather --topology "$machines/gpu_node.json" -o trees.jsonl
  expect_code 2
  expect_words err '^railgauge: .*trees.jsonl'
  run "$RAILGAUGE" synthesise all_reduce --topology "$machines/gpu_node.json" -o sums.jsonl
  run "$RAILGAUGE" bench all_gather all_reduce --algorithm trees.jsonl,sums.jsonl --ranks 4 --transport shm --bytes 4,1000,64K --in-place both --iterations 3 -o out.jsonl
  expect_code 0
  expect_no_wrong_data
  expect_results out.jsonl 12
  run "$RAILGAUGE" bench all_gather --algorithm trees.jsonl --ranks 3 --transport shm --bytes 4K
  expect_code 2
  expect_words err '^railgauge: all_gather by trees.jsonl: its schedules are for 4 ranks, and there are 3'
  run "$RAILGAUGE" bench broadcast --algorithm trees.jsonl --ranks 4 --transport shm --bytes 4K
  expect_code 2
  expect_words err 'trees.jsonl is a schedule for all_gather'
  run "$RAILGAUGE" bench all_gather --algorithm trees.jsonl,trees.jsonl --ranks 4 --transport shm --bytes 4K --iterations 3 -o once.jsonl
  expect_code 0
  expect_results once.jsonl 1
  run "$RAILGAUGE" bench tune all_gather --algorithm trees.jsonl --ranks 4
  expect_code 2
  expect_words err 'name its folder, so that auto can take it: --algorithms FOLDER'
  mkdir folder.jsonl
  run "$RAILGAUGE" bench all_gather --algorithm folder.jsonl --ranks 4 --transport shm --bytes 4K
  expect_code 2
  expect_words err '^railgauge: folder.jsonl: Is a directory'
  head -n -1 trees.jsonl >cut.jsonl
  run "$RAILGAUGE" bench all_gather --algorithm cut.jsonl --ranks 4 --transport shm --bytes 4K
  expect_code 2
  expect_words err '^railgauge: cut.jsonl:[0-9]+: the file ends before round'
  sed '2s/"send",1/"send",2/' trees.jsonl >wrong.jsonl
  run "$RAILGAUGE" bench all_gather --algorithm wrong.jsonl --ranks 4 --transport shm --bytes 4K
  expect_code 2
  expect_words err '^railgauge: wrong.jsonl: the schedules are no all_gather: '
}

# Files that were cut or packed: one sentence and exit code 2, or a note.
case_cut() {
  {
    printf '# Topology file: generated on Mon Mar  3 10:00:00 2025\n\nvendid=0x2c9\nswitchguid=0xb0(b0)\n'
    printf 'Switch\t64 "S-00000000000000b0"\t\t# "leaf1" enhanced port 0 lid 12 lmc 0\n'
    printf '[1]\t"H-0000000000000a01"[1](a02) \t\t# "node1 mlx5_0" lid 101 4xNDR\n'
  } >fabric.out
  topo fabric.out
  expect_code 0
  expect_words err '^note: fabric.out:6: 1 of 2 ports stands in the lines of its peer alone'
  topo check fabric.out
  expect_code 0
  expect_words out '^NOTE incomplete-source: .*fabric.out:6'
  head -c -3 fabric.out >short.out
  topo short.out
  expect_code 2
  expect_words err '^railgauge: short.out:6: expected a rate as 4xNDR'
  iconv -f UTF-8 -t UTF-16 fabric.out >wide.out
  topo wide.out --as json -o wide.json
  expect_code 0
  gzip -c fabric.out >fabric.gz
  topo fabric.gz
  expect_code 2
  expect_words err '^railgauge: fabric.gz: this file is compressed by gzip: unpack it with `gunzip` first$'
  echo ' ' >blank.out
  topo blank.out
  expect_code 2
  expect_words err '^railgauge: blank.out: the file is empty$'
}

# Pairs that were measured colour the links that they took.
case_results() {
  {
    echo 'Switch 8 "S-0000000000000001"  # "leaf"'
    for node in 0 1 2; do echo "[$((node + 1))] \"H-00000000000001${node}0\"[1] 4x SDR"; done
    for node in 0 1 2; do
      printf '\nHca 1 "H-00000000000001%s0"  # "n%s mlx5_0"\n[1] "S-0000000000000001"[%s] 4x SDR\n' $node $node $((node + 1))
    done
  } >fabric.net
  run "$RAILGAUGE" bench pairs --ranks 3 --bytes 4K --max-time 20ms -o pairs.jsonl
  expect_code 0
  python3 - pairs.jsonl >hosts.jsonl <<'END'
import json, sys
for one in map(json.loads, open(sys.argv[1], encoding="utf-8")):
    one["from_node"], one["to_node"] = f'n{one["from"]}', f'n{one["to"]}'
    one["busbw"] = 0.2 if 2 in (one["from"], one["to"]) else 0.95
    print(json.dumps(one))
END
  topo fabric.net --results hosts.jsonl --as svg
  expect_code 0
  expect_quiet
  expect_words out '20 %' # of the hosts that are drawn together, the worst
  expect_words out 'measured: 90 % of expected or more'
  topo fabric.net --results hosts.jsonl
  expect_code 2
  expect_words err '^railgauge: --results colours links of pictures: choose --as svg or html, not tree$'
  topo fabric.net --results pairs.jsonl --as svg # all of this host
  expect_code 0
  expect_words err '^pairs.jsonl: nothing to colour: no pair of it is of two hosts '
  sed 's/"from_node": "n0"/"from_node": "n9"/' hosts.jsonl >strange.jsonl
  topo fabric.net --results strange.jsonl --as svg
  expect_code 2
  expect_words err '^railgauge: there is no machine n9 in this graph$'
  topo fabric.net --results fabric.net --as svg
  expect_code 2
  expect_words err '^railgauge: fabric.net:1: expected a result line'
}

case_expect() {
  topo expect "$machines/gpu_node.xml" gpu0 mlx5_0
  expect_code 0
  expect_quiet
  expect_words out ': PIX$'
  topo expect "$machines/gpu_node.xml" --collective all_reduce
  expect_code 0
  expect_words out '^all_reduce of 4 ranks'
  expect_words out '^ring +busbw at most 300'
}

case_this_machine() { # what was read live, and stored, is the same
  topo --save kept
  expect_code 0
  topo diff kept
  expect_code 0
  topo check kept --format json
  [ $code = 0 ] || [ $code = 1 ] || wrong "exit code $code"
  expect_words out '"schema": "railgauge.topology-findings/1"'
}

case_generate() { # a file, and the same as a word
  local word kind
  topo generate rail --hosts 8 --radix 32 -o rail.json
  expect_code 0
  expect_quiet
  topo rail:hosts=8,radix=32 --as json
  expect_code 0
  expect_quiet
  cmp -s out rail.json || wrong "the word and the file differ"
  topo check rail.json
  expect_code 0
  expect_words out ', 10 switches, 64 GPUs, 64 NICs checked: nothing found'
  topo diff rail.json rail:hosts=8,radix=32
  expect_code 0
  topo check rail.json --design rail:hosts=8,radix=32
  expect_code 0
  topo expect rail:hosts=8,radix=32 --collective all_reduce
  expect_code 0
  expect_words out '^all_reduce of 64 ranks'
  topo generate fat-tree --hosts 8 --as html -o tree.html
  expect_code 0
  expect_quiet
  topo rail:hosts=8 --save kept
  expect_code 0
  topo kept --as json
  expect_words out '"node8/0000:12:00.0"'
  topo generate rail --hosts 0
  expect_code 2
  expect_words err '^railgauge: --hosts 0: expected a whole number from 1 to 262144'
  topo generate rail --hosts 67
  expect_code 2
  expect_words err '^railgauge: 67 hosts do not divide equally over leaves of radix 64 at 1:1: choose 66 hosts or 68'
  topo generate
  expect_code 2
  [ "$(wc -l <err)" = 1 ] || { wrong "more than one sentence" && show; }
  topo rail:hosts=8,racks=2
  expect_code 2
  expect_words err '^railgauge: rail has no parameter racks'
}

case_generate_help() { # three examples for each kind, which are run
  local kind example
  ln -sf "$RAILGAUGE" railgauge
  for kind in "" fat-tree rail dragonfly torus nvl72 gb300-nvl72 dgx-a100 dgx-h100 dgx-h200 dgx-b200 mi300x; do
    topo generate $kind --help
    expect_code 0
    expect_quiet
    sed -n '/^Examples:/,$p' out | grep -oE '^  railgauge .*' | sed -E 's/^  //; s/   +.*//' >examples
    [ "$(wc -l <examples)" = 3 ] || { wrong "generate $kind --help has $(wc -l <examples) examples instead of 3" && show; }
    while read -r example; do
      echo "example: $example"
      rm -f plan.json tree.svg tree.json tree.html rails.json racks.json groups.svg groups.json grid.svg grid.json rack.json rack.html topo.xml host.svg
      run env PATH="$room:$PATH" bash -c "$example"
      expect_code 0
      [ ! -s err ] || { wrong "it says something on standard error" && show; }
    done <examples
  done
}

case_what_if() {
  topo rail:hosts=8,radix=32 --what-if rails=4 --what-if "remove node3" --as json -o less.json
  expect_code 0
  expect_quiet
  topo check less.json
  expect_words out ', 28 NICs checked: nothing found'
  topo rail:hosts=8,radix=32 --what-if "set leaf-u1-r0:1 bandwidth=5" --as json
  expect_code 0
  [ "$(grep -c '"nominal_gigabytes_per_second":5.0,' out)" = 1 ] || { wrong "not one link has 5 GB/s" && show; }
  topo rail:hosts=8,radix=32 --what-if "remove spine-9"
  expect_code 2
  expect_words err '^railgauge: there is no spine-9 in this graph'
  topo no_such_file --what-if "paint it blue"
  expect_code 2
  expect_words err '^railgauge: "paint it blue" is no edit'
}

isolate "$name"
enter_room
"case_$name"
exit $failed
