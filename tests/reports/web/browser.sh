#!/usr/bin/env bash
# browser.sh CASE NODE MODULES: makes a page of results, of a topology, of a fabric, of an algorithm or of a training step (the functions below) and opens it in
# headless Chromium (browser.mjs, topology.mjs, rounds.mjs and step.mjs say what is looked at). With RAILGAUGE_PICTURES=FOLDER pictures of it are left there. Exit code 4: there is no Chromium.
set -uo pipefail
. "${0%/*}/../../cli/lib.sh"
case_name=${1:?real, many, hostile, history, topology, fabric, rounds, rounds_blocks, rounds_stuck, rounds_many, step, step_ranks or step_beside} node=${2:?the program node} modules=${3:?the folder with node_modules}
here=$tests/reports/web
. "$tests/cli/expect.sh"

make_real() {
  bench all_reduce all_gather --ranks 2 --transport shm,memory --algorithm all --bytes 8:256K --factor 32 --iterations 20 -o sweep.jsonl
  expect_code 0
  bench pairs --ranks 5 --bytes 64K --max-time 20ms --budget 1s -o pairs.jsonl
  expect_code 0
  run "$RAILGAUGE" report sweep.jsonl pairs.jsonl -o page.html
}
make_many() { # 50,000 lines
  bench all_reduce --ranks 2 --transport memory --bytes 8 --max-time 20ms -o one.jsonl
  expect_code 0
  python3 "$here/many.py" one.jsonl many.jsonl || wrong "many.py failed"
  [ "$(wc -l <many.jsonl)" = 50000 ] || wrong "many.jsonl has $(wc -l <many.jsonl) lines"
  run "$RAILGAUGE" report many.jsonl -o page.html
}
make_hostile() {
  bench all_reduce --ranks 2 --transport memory --bytes 8:64 --max-time 20ms -o one.jsonl
  expect_code 0
  python3 "$here/many.py" one.jsonl hostile.jsonl hostile || wrong "many.py failed"
  run "$RAILGAUGE" report hostile.jsonl -o page.html
}
make_history() { # 30 runs of two cases, of which one is a tenth slower from run 20 on, and a new run that the history lacks
  bench all_reduce --ranks 2 --transport memory --algorithm ring --bytes 4K,64K --iterations 16 -o one.jsonl
  expect_code 0
  python3 "$here/runs.py" one.jsonl 31 20 || wrong "runs.py failed"
  for number in $(seq 0 29); do
    run "$RAILGAUGE" history add "run$number.jsonl" --label "commit$number" --at "$((1767312000 + 86400 * number))" --history runs.db
    expect_code 0
  done
  run "$RAILGAUGE" report run30.jsonl --history runs.db -o page.html
}
make_topology() {
  run "$RAILGAUGE" topo "$tests/topo/machines/dgx_h100" --as html -o page.html
}
make_fabric() {
  run "$RAILGAUGE" topo "$tests/fuzz/corpus/ibnetdiscover/small" --as html -o page.html
}

make_rounds() { # a lane a rank
  run "$RAILGAUGE" algorithm show all_reduce --algorithm ring --ranks 8 --bytes 1M --picture page.html
}
make_rounds_blocks() { # a lane a thread block
  run "$RAILGAUGE" algorithm convert all_reduce --algorithm halving_doubling --ranks 8 -o a.xml
  expect_code 0
  run "$RAILGAUGE" algorithm show a.xml --picture page.html
}
make_rounds_stuck() { # four ranks that all receive before they send
  {
    echo '<algo name="stuck" proto="Simple" nchannels="1" nchunksperloop="4" ngpus="4" coll="allgather" inplace="1">'
    for rank in 0 1 2 3; do
      echo "<gpu id=\"$rank\" i_chunks=\"0\" o_chunks=\"4\" s_chunks=\"0\"><tb id=\"0\" send=\"$(((rank + 1) % 4))\" recv=\"$(((rank + 3) % 4))\" chan=\"0\">"
      echo "<step s=\"0\" type=\"r\" srcbuf=\"o\" srcoff=\"$(((rank + 3) % 4))\" dstbuf=\"o\" dstoff=\"$(((rank + 3) % 4))\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>"
      echo "<step s=\"1\" type=\"s\" srcbuf=\"o\" srcoff=\"$rank\" dstbuf=\"o\" dstoff=\"$rank\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/></tb></gpu>"
    done
    echo '</algo>'
  } >a.xml
  run "$RAILGAUGE" algorithm show a.xml --picture page.html
}
make_rounds_many() { # 8,064 messages
  run "$RAILGAUGE" algorithm show all_reduce --algorithm ring --ranks 64 --picture page.html
}
make_step() { # 8 ranks, more than 1,000 calls
  run "$RAILGAUGE" workload gpt3-175b --tensor 2 --pipeline 2 --data 2 --layers 8 --micro-batches 4 --scale 0.00005 --transport memory --steps 2 -o page.html
  grep -v '^railgauge: oversubscribed: ' err >said
  mv said err
}
make_step_ranks() {
  run "$RAILGAUGE" workload llama3-8b --ranks 64 --tensor 4 --data 16 --layers 4 --scale 0.0001 --transport memory --steps 1 -o page.html
  grep -v '^railgauge: oversubscribed: ' err >said
  mv said err
}
make_step_beside() { # predicted before and after a change, and beside a run
  local step=(resnet50 --ranks 4 --scale 0.01)
  run "$RAILGAUGE" workload "${step[@]}" --transport memory --steps 5 -o run.jsonl -o run.json
  run "$RAILGAUGE" workload "${step[@]}" --topology fat-tree:hosts=4,host=plain --what-if "set leaf-1:1 bandwidth=5" --beside run.jsonl --beside run.json \
    -o page.html
}

isolate "$case_name" "$node" "$modules"
browser=$(find_chromium) || skip "there is no chromium"
enter_room
"make_$case_name"
expect_code 0
expect_quiet
# Beside its packages, since a module is looked for beside the file that asks for it.
mkdir test
ln -s "$modules/node_modules" test/node_modules
cp "$here"/*.mjs test/
program=browser.mjs
case $case_name in
topology | fabric) program=topology.mjs ;;
rounds*) program=rounds.mjs ;;
step*) program=step.mjs ;;
esac
(marked timeout -k 5 200 "$node" "test/$program" "$browser" "$PWD/page.html" "$case_name" "${RAILGAUGE_PICTURES:-}") || failed=1
exit $failed
