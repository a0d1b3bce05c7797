#!/usr/bin/env bash
# predict.sh NAME: one test of `railgauge predict`, a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/lib.sh"
name=${1:?the name of a case}
here=$tests/cli
. "$here/expect.sh"

predict() { run "$RAILGAUGE" predict "$@"; }

# Messages between two ranks of this machine, as if they were two hosts.
measured_between_hosts() {
  run "$RAILGAUGE" bench ping_pong --transport memory --ranks 2 --bytes 8 --iterations 20 -o here.jsonl
  expect_code 0
  sed 's/"nodes":1,/"nodes":2,/' here.jsonl
}

# Every example of the page.
case_examples() {
  bash "$tests/docs/fabric.sh" >fabric.out
  measured_between_hosts >ping.jsonl
  local line
  grep -E '^    railgauge (predict|synthesise) ' "$tests/../docs/prediction.md" | sed 's/^ *railgauge //' >lines
  [ "$(wc -l <lines)" -ge 5 ] || wrong "the page has lost its examples"
  while read -r line; do
    eval "run \"\$RAILGAUGE\" $line"
    expect_code 0
    expect_quiet
  done <lines
  grep -q '"schema": "railgauge.prediction/1"' prediction.json || wrong "no JSON was written"
}

case_text() {
  bash "$tests/docs/fabric.sh" >fabric.out
  predict all_reduce --topology fabric.out --bytes 1M
  expect_code 0
  expect_quiet
  expect_words out '^all_reduce of 8 ranks, float32, predicted$'
  expect_words out '^ +1 MiB  ring .* us '
  expect_words out '^not predicted: hierarchical: needs at least 2 ranks on each node'
  expect_words out '^assumed: 1.20 us for a message through one switch \('
  [ "$(grep -c ' \* ' out)" = 1 ] || wrong "not one algorithm is the best"
}

# A slower latency, and the formula of a ring: 14 rounds of the latency and an eighth of the bytes at 25 GB/s (4x HDR).
case_formula() {
  bash "$tests/docs/fabric.sh" >fabric.out
  predict all_reduce --topology fabric.out --algorithm ring --bytes 8M --latency 10us --hop-latency 1ns --format json
  expect_code 0
  local seconds
  seconds=$(grep -oE '"seconds": [0-9.e-]+' out | head -1 | grep -oE '[0-9.e-]+$')
  awk -v t="$seconds" 'BEGIN { e = 14 * (10e-6 + 2e-9 + 1048576 / 25e9); exit !(t > e * 0.999999 && t < e * 1.000001) }' ||
    wrong "a ring takes $seconds s"
}

# Constants that were measured stand in the place of those of the table, and it is said which; what a user says wins.
case_measured() {
  bash "$tests/docs/fabric.sh" >fabric.out
  measured_between_hosts >ping.jsonl
  grep -q '"nodes":2,' ping.jsonl || wrong "no result says its nodes"
  predict all_reduce --topology fabric.out --bytes 1M --algorithm ring --measured ping.jsonl
  expect_code 0
  expect_quiet
  expect_words out '^assumed: .* for a message through one switch \(measured: memory, ping_pong of ping.jsonl\)$'
  expect_words out '^assumed: 75.* from one send of a rank to its next \(UCX'
  # The same at another size, and three times as long: one latency is half of one and twice the other, about.
  python3 -c 'import json; one = json.load(open("ping.jsonl")); print(json.dumps(one)); one.update(bytes=16, median=3 * one["median"]); print(json.dumps(one))' \
    >two.jsonl
  predict all_reduce --topology fabric.out --bytes 1M --algorithm ring --measured two.jsonl
  expect_code 0
  expect_words out '^assumed: .* for a message through one switch; all sizes within [0-9.]+ % \(measured: memory, ping_pong of two.jsonl\)$'
  predict all_reduce --topology fabric.out --bytes 1M --algorithm ring --measured ping.jsonl --latency 3us
  expect_words out '^assumed: 3.00 us for each message \(given\)$'
  predict all_reduce --topology fabric.out --measured fabric.out
  expect_code 2
  [ "$(wc -l <err)" = 1 ] || wrong "not one sentence"
  mkfifo pipe  # which nobody writes to
  predict all_reduce --topology fabric.out --measured pipe
  expect_code 2
  expect_words err '^railgauge: pipe: not a regular file$'
  predict all_reduce --topology fabric.out --measured here.jsonl
  expect_code 2
  expect_words err '^railgauge: messages inside machines were measured, and the topology has no two ranks on one'
  predict all_reduce --topology fabric.out --transport ucx
  expect_code 2
  expect_words err '^railgauge: --transport chooses among what --measured names'
}

# Hierarchical algorithms of hosts that are taken in groups.
case_ranks_per_node() {
  bash "$tests/docs/fabric.sh" >fabric.out
  predict all_reduce --topology fabric.out --bytes 1M --algorithm hierarchical --ranks-per-node 4
  expect_code 0
  expect_words out '^all_reduce of 8 ranks, 4 on each machine, '
  expect_words out '^ +1 MiB  hierarchical '
}

case_what_if() {
  predict all_reduce --topology rail:hosts=4 --bytes 64M --algorithm hierarchical --what-if rails=4
  expect_code 0
  expect_words out '^what if: rails=4$'
  expect_words out '^ +64 MiB  hierarchical .*[0-9]+% '
  predict all_reduce --topology rail:hosts=4 --bytes 64M --what-if 'remove nothing-there'
  expect_code 2
  expect_words err '^railgauge: .*nothing-there'
}

# What can run before or after alone has its row too, and the reason.
case_what_if_ranks() {
  predict all_gather --topology rail:hosts=3 --bytes 1M --what-if 'remove node3'
  expect_code 0
  expect_words out '^ranks: 24 before, 16 after$'
  expect_words out '^ +1 MiB  recursive_doubling +- +[0-9.]+ us '
  expect_words out '^not predicted before: recursive_doubling: '
}

case_ecmp() {
  predict all_to_all --topology fat-tree:hosts=4,radix=16 --routing ecmp --draws 5 --bytes 1M --algorithm pairwise
  expect_code 0
  expect_words out 'least to most'
  cp out first
  predict all_to_all --topology fat-tree:hosts=4,radix=16 --routing ecmp --draws 5 --bytes 1M --algorithm pairwise
  cmp -s out first || wrong "the same seed gives another answer"
  predict all_to_all --topology fat-tree:hosts=4,radix=16 --routing ecmp --draws 1 --bytes 1M --algorithm pairwise --seed 1 --format json
  cp out first
  predict all_to_all --topology fat-tree:hosts=4,radix=16 --routing ecmp --draws 1 --bytes 1M --algorithm pairwise --seed 2 --format json
  expect_code 0
  cmp -s out first && wrong "another seed gives the same answer"
}

# The cut of the bound, and what each algorithm reaches of it; a fabric for which it would take too long has none.
case_bound() {
  predict all_gather --topology rail:hosts=2 --bytes 256M --algorithm ring
  expect_code 0
  expect_words out '^bound: busbw at most [0-9.]+ GB/s, whatever the algorithm: from .* GB/s over [0-9]+ links \('
  expect_words out '^ +256 MiB  ring .* [0-9.]+%  [0-9]+% '
  predict all_gather --topology rail:hosts=2 --bytes 256M --algorithm ring --format json
  expect_words out '"share_of_bound": 0\.'
  expect_words out '"bus_gigabytes_per_second": '
  predict all_reduce --topology rail:hosts=256 --bytes 1M --algorithm hierarchical
  expect_code 0
  expect_words out '^bound: not computed: 2048 ranks and [0-9]+ links are too many for it'
  predict barrier --topology rail:hosts=2 --algorithm dissemination
  expect_code 0
  grep -q '^bound' out && wrong "a barrier has a bound"
}

# A schedule of a file beside one that is made for the topology, and those of the catalog.
case_schedules() {
  run "$RAILGAUGE" synthesise all_gather --topology dgx-h100 --chunks 4 -o trees.jsonl
  expect_code 0
  predict all_gather --topology dgx-h100 --bytes 1M,64M --algorithm ring,trees.jsonl,synthesised
  expect_code 0
  expect_words out '^ +64 MiB  trees.jsonl '
  expect_words out '^synthesised: [0-9]+ trees? a root of height [0-9]+; 1 MiB in [0-9]+ chunks?, 64 MiB in [0-9]+ chunks?$'
  predict all_reduce --topology dgx-h100 --algorithm trees.jsonl
  expect_code 2
  expect_words err '^railgauge: trees.jsonl has schedules of all_gather, not of all_reduce$'
  predict all_gather --topology rail:hosts=2 --algorithm trees.jsonl
  expect_code 2
  expect_words err 'its schedules are for 8 ranks, and there are 16'
  predict all_to_all --topology dgx-h100 --algorithm synthesised
  expect_code 2
  expect_words err 'no trees are known for all_to_all'
}

# What was made for a topology runs: several messages between two ranks in one round, some of which need no credit.
case_synthesised_runs() {
  local transport
  run "$RAILGAUGE" synthesise all_reduce --topology dgx-h100 --ranks 4 --chunks 8 -o trees.jsonl
  expect_code 0
  for transport in memory shm ucx; do
    "$RAILGAUGE" list transports 2>&1 | grep -E "^$transport " | grep -qv unavailable || continue
    run "$RAILGAUGE" bench all_reduce --ranks 4 --transport $transport --algorithm trees.jsonl --bytes 768,64K --iterations 4 -o $transport.jsonl
    expect_code 0
    expect_results $transport.jsonl 2
  done
}

# Two leaves and two spines, whose tables send all that goes up over one spine.
case_forwarding_tables() {
  python3 - >fabric.json <<'END' || wrong "the topology was not made"
import json
def node(key, kind, parent=None, **attributes):
    return {"key": key, "kind": kind, "name": key, "parent": parent, "attributes": attributes, "provenance": ["made"]}
def cable(a, a_port, b, b_port):
    return {"a": a, "b": b, "kind": "infiniband", "count": 1, "line_gigabytes_per_second": 12.5, "nominal_gigabytes_per_second": 12.5,
            "usable_gigabytes_per_second": 12.5, "capable": {"width": 4, "speed": 25.78125}, "active": {"width": 4, "speed": 25.78125}, "a_port": a_port, "b_port": b_port, "state": "active", "attributes": {}, "provenance": ["made"]}
nodes, links = [], []
for host in range(4):
    nodes += [node(f"h{host}", "machine"), node(f"h{host}/nic", "nic", f"h{host}", pci_class="0207"), node(f"h{host}/nic/1", "port", f"h{host}/nic", lid=host + 1)]
    links.append(cable(f"h{host}/nic/1", 1, f"leaf{host // 2}", host % 2 + 1))
for leaf in range(2):
    own = [1 + 2 * leaf, 2 + 2 * leaf]
    nodes.append(node(f"leaf{leaf}", "fabric_switch", routes=",".join(f"{lid}={own.index(lid) + 1 if lid in own else 3}" for lid in range(1, 5))))
    links += [cable(f"leaf{leaf}", 3 + spine, f"spine{spine}", leaf + 1) for spine in range(2)]
nodes += [node(f"spine{spine}", "fabric_switch", routes="1-2=1,3-4=2") for spine in range(2)]
print(json.dumps({"schema": "railgauge.topology/1", "nodes": nodes, "links": links}, separators=(",", ":")))
END
  predict all_to_all --topology fabric.json --bytes 64M --algorithm direct
  expect_code 0
  expect_words out "^assumed: messages take the paths of the switches' forwarding tables"
  expect_words out '100% port 3 of switch leaf[01] to port [12] of switch spine0'
  predict all_to_all --topology fabric.json --bytes 64M --algorithm direct --routing adaptive --format json
  expect_code 0
  expect_words out '"routing": "adaptive"'
  predict all_to_all --topology fabric.json --what-if 'remove spine1' --routing tables
  expect_code 2
  expect_words err '^railgauge: --routing tables: forwarding tables are of the cables that are there'
  predict all_to_all --topology fabric.json --what-if 'remove spine1' --algorithm direct
  expect_code 0
  expect_words out 'adaptive routing'
  predict all_to_all --topology rail:hosts=2 --routing tables
  expect_code 2
  expect_words err '^railgauge: --routing tables: switch .* has no forwarding table'
}

# Messages that begin when they are sent.
case_eager() {
  predict all_reduce --topology rail:hosts=4 --bytes 64K,1M --algorithm halving_doubling --eager 128K
  expect_code 0
  expect_words out '^assumed: messages through one switch of at most 128 KiB begin when they are sent'
  predict all_reduce --topology rail:hosts=4 --bytes 64K --algorithm ring --eager inf
  expect_code 0
  expect_words out '^assumed: messages over NVLink or xGMI begin when they are sent, though their receiver is not ready \(given\)'
  predict all_reduce --topology rail:hosts=4 --eager 12Q
  expect_code 2
  expect_words err '^railgauge: --eager: .*or inf for all messages'
}

case_picture() {
  predict all_reduce --topology fat-tree:hosts=24,oversubscribe=2 --bytes 64M --algorithm ring --picture load.svg
  expect_code 0
  grep -q 'class="edge link-infiniband ratio-' load.svg || wrong "no link is coloured"
  grep -q 'Busiest, marked B: ' load.svg || wrong "the busiest link is not named"
  grep -q 'busy: less than 50 % of the time' load.svg || wrong "there is no legend"
  predict all_reduce --topology rail:hosts=2 --bytes 64M --algorithm ring --what-if rails=4 --picture load.html
  expect_code 0
  grep -q '<h2 id="load-title">Load</h2>' load.html || wrong "the page has no table"
  predict all_reduce --topology rail:hosts=2 --picture load.png
  expect_code 2
  expect_words err '^railgauge: --picture load.png: end the name in .svg or .html$'
}

# What is missing is named, and nothing is predicted.
case_missing() {
  bash "$tests/docs/fabric.sh" | sed '/"S-0000000000000012"/,/^$/d; /"S-0000000000000013"/,/^$/d; /spine/d' >parted.out
  predict all_reduce --topology parted.out
  expect_code 2
  [ "$(wc -l <err)" = 1 ] || wrong "not one sentence"
  expect_words err '^railgauge: .*path'
  echo nonsense >nonsense.txt
  predict all_reduce --topology nonsense.txt
  expect_code 2
  [ "$(wc -l <err)" = 1 ] || wrong "not one sentence"
  predict all_reduce --topology rail:hosts=4 --ranks 1000
  expect_code 2
  expect_words err '1000'
}

isolate "$name"
enter_room
"case_$name"
exit $failed
