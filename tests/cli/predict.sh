#!/usr/bin/env bash
# predict.sh NAME: one test of `railgauge predict`, a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
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

# Results like measured ones, in every format, that report takes too.
case_results() {
  predict all_reduce --topology rail:hosts=2 --bytes 1M,16M --algorithm ring,hierarchical -o p.jsonl
  expect_code 0
  expect_quiet
  [ "$(grep -c '"status":"predicted"' p.jsonl)" = 4 ] || wrong "not four results"
  local seconds busbw
  predict all_reduce --topology rail:hosts=2 --bytes 1M,16M --algorithm ring,hierarchical -o p.json
  expect_code 0
  seconds=$(grep -oE '"seconds": [0-9.e-]+' p.json | head -1 | cut -d' ' -f2)
  grep -qF "\"predicted\":$seconds," p.jsonl || wrong "the results have another time than $seconds"
  busbw=$(grep -oE '"busbw_gigabytes_per_second": [0-9.e-]+' p.json | head -1 | cut -d' ' -f2)
  grep -qF "\"busbw\":$busbw," p.jsonl || wrong "the results have another bandwidth than $busbw"
  predict all_reduce --topology rail:hosts=2 --bytes 1M --algorithm ring --format markdown -o -
  expect_code 0
  expect_words out '^\*\*1 point: 1 only predicted\*\*$'
  expect_words out '^\| 1 MiB .*\| predicted: busiest link: [0-9]+ % of '
  predict all_reduce --topology rail:hosts=2 --bytes 1M --algorithm ring -o p.xml
  expect_code 0
  grep -q 'skipped="1"' p.xml || wrong "what was not measured passed"
  # As they are read back, beside what was measured; and as what they are, nothing to compare or to remember.
  run "$RAILGAUGE" bench all_reduce --transport memory --ranks 2 --bytes 1M --iterations 3 -o run.jsonl
  expect_code 0
  run "$RAILGAUGE" report p.jsonl run.jsonl -o both.md
  expect_code 0
  [ "$(grep -c '| predicted: busiest link' both.md)" = 4 ] || wrong "the results were not read"
  run "$RAILGAUGE" report p.jsonl run.jsonl -o both.html
  expect_code 0
  sed 's/"run":"predict"/"run":"other"/' p.jsonl >q.jsonl
  run "$RAILGAUGE" compare p.jsonl q.jsonl
  expect_code 3
  expect_words err 'no case was measured on both sides'
  sed 's/"predicted":[0-9.e-]*,/"predicted":null,/' p.jsonl >broken.jsonl
  run "$RAILGAUGE" report broken.jsonl -o broken.md
  expect_code 2
  expect_words err '^railgauge: broken.jsonl:1: .*predicted is not a time, and the status is predicted'
}

# A page with curves, a table, what was assumed, and the fabric coloured by load; of a change, both.
case_page() {
  predict all_reduce --topology rail:hosts=2 --bytes 64K:64M --factor 4 --algorithm ring,hierarchical,synthesised -o page.html
  expect_code 0
  expect_quiet
  grep -q 'Nothing was measured: this is what railgauge predict computes of the topology' page.html || wrong "the page does not say what it is"
  ! grep -q 'whether it is fast enough' page.html || wrong "the page judges"
  grep -q 'Most bus bandwidth.*busiest link: ' page.html || wrong "the page does not name the best"
  grep -q 'assumed.1 ' page.html || wrong "the page does not tell what is assumed"
  grep -q 'class="edge link-infiniband ratio-' page.html || wrong "no link is coloured"
  predict all_reduce --topology rail:hosts=2 --bytes 64M --algorithm ring --what-if rails=4 -o change.html
  expect_code 0
  grep -q 'ring over links, predicted, before' change.html || wrong "the page lacks what was before"
  grep -q 'ring over links, predicted, after' change.html || wrong "the page lacks what is after"
  predict all_reduce --topology rail:hosts=2 --format html
  expect_code 2
  expect_words err '^railgauge: a page needs a name: give it as -o '
  predict all_reduce --topology rail:hosts=2 --format json -o page2.html
  expect_code 2
  predict all_reduce --topology rail:hosts=2 --format yaml
  expect_code 2
  expect_words err '^railgauge: --format yaml is none of text, json, html, jsonl, '
  predict all_reduce --topology rail:hosts=2 -o /dev/null
  expect_code 0
}

# One round alone: where it jams. Of halving and doubling over 8 hosts on leaves of 4, with half the uplinks, the first round crosses
# the spines and the second does not.
case_round() {
  local fabric=fat-tree:hosts=8,host=plain,radix=8,oversubscribe=2,tiers=2 round
  for round in 1 2 6; do
    predict all_reduce --topology "$fabric" --bytes 64M --algorithm halving_doubling --round $round --format json -o $round.json
    expect_code 0
  done
  local first second last
  first=$(grep -m1 -oE '"seconds": [0-9.e-]+' 1.json | cut -d' ' -f2)
  second=$(grep -m1 -oE '"seconds": [0-9.e-]+' 2.json | cut -d' ' -f2)
  last=$(grep -m1 -oE '"seconds": [0-9.e-]+' 6.json | cut -d' ' -f2)
  awk -v a="$first" -v b="$second" -v c="$last" 'BEGIN { exit !(a > 1.9 * b && a == c) }' || wrong "rounds 1, 2 and 6 take $first, $second and $last s"
  grep -q '"round": 1' 1.json || wrong "the round is not told"
  predict all_reduce --topology "$fabric" --bytes 64M --algorithm halving_doubling --round 1 --picture round.svg
  expect_code 0
  expect_words out '^all_reduce of 8 ranks, round 1 alone, float32, predicted$'
  grep -q 'for round 1 alone' round.svg || wrong "the picture does not tell the round"
  predict all_reduce --topology "$fabric" --algorithm halving_doubling --round 7
  expect_code 2
  expect_words err '^railgauge: all_reduce by halving_doubling: it has 6 rounds$'
  predict all_reduce --topology "$fabric" --algorithm synthesised --round 1
  expect_code 2
  predict all_reduce --topology "$fabric" --algorithm ring --round 1 -o page.html
  expect_code 2
  expect_words err '^railgauge: --round is for text, JSON and --picture'
}

# The device reduces a lane's data while another's is sent.
case_lanes() {
  local lanes
  for lanes in 1 8; do
    predict all_reduce --topology dgx-h100 --bytes 1G --algorithm ring --lanes $lanes -o $lanes.jsonl
    expect_code 0
    grep -q "\"lanes\":$lanes," $lanes.jsonl || wrong "the lanes are not told"
  done
  awk -v a="$(grep -oE '"predicted":[0-9.e-]+' 1.jsonl | cut -d: -f2)" -v b="$(grep -oE '"predicted":[0-9.e-]+' 8.jsonl | cut -d: -f2)" \
    'BEGIN { exit !(b < a * 0.95) }' || wrong "lanes bring nothing"
  predict all_reduce --topology dgx-h100 --lanes 0
  expect_code 2
}

# All-reduces in the switches: NCCL's, by its constants. 8 Hopper GPUs: 450 * 20.6 / 25 * 0.85 * 2 * 7 / 9.
case_in_network() {
  predict all_reduce --topology dgx-h100 --bytes 64G --algorithm nvls,ring --format json
  expect_code 0
  awk -v it="$(grep -A12 '"algorithm": "nvls"' out | grep -oE '"busbw_gigabytes_per_second": [0-9.]+' | grep -oE '[0-9.]+$')" 'BEGIN { exit !(it > 489.5 && it < 490.4) }' ||
    wrong "the busbw of nvls is not 490 GB/s"
  expect_words out '"method": "formula"'
  expect_words out 'nvls: 25.0 us, then busbw 490.3 GB/s'
  predict all_reduce --topology rail:hosts=4 --bytes 1G --algorithm nvls_tree
  expect_code 0
  expect_words out '^ +1 GiB  nvls_tree '
  predict all_reduce --topology dgx-a100 --algorithm nvls
  expect_code 2
  expect_words err '^railgauge: all_reduce by nvls: NVSwitches that reduce are not here'
  predict all_reduce --topology rail:hosts=4 --algorithm nvls
  expect_code 2
  expect_words err 'nvls_tree'
  predict all_reduce --topology rail:hosts=4 --algorithm sharp
  expect_code 2
  expect_words err 'aggregation nodes'
  predict all_reduce --topology rail:hosts=4,sharp=1 --bytes 1G --algorithm sharp
  expect_code 0
  expect_words out '^ +1 GiB  sharp '
  predict all_gather --topology dgx-h100 --algorithm nvls
  expect_code 2
  expect_words err 'an algorithm of all_reduce'
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
