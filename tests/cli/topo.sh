#!/usr/bin/env bash
# topo.sh NAME: one test of the commands under `railgauge topo`, a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/lib.sh"
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

isolate "$name"
enter_room
"case_$name"
exit $failed
