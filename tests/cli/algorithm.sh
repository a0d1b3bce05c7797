#!/usr/bin/env bash
# algorithm.sh NAME: one test of the commands under `railgauge algorithm`, a function below. Exit code 0: passed. 1: failed.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
here=$tests/cli
. "$here/expect.sh"
page=$tests/../docs/algorithms.md

algorithm() { run "$RAILGAUGE" algorithm "$@"; }

# two_ranks TYPES: an all-reduce of two ranks whose three steps have these types.
two_ranks() {
  local rank peer
  echo '<algo name="pair" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1">'
  for rank in 0 1; do
    peer=$((1 - rank))
    echo "  <gpu id=\"$rank\" i_chunks=\"2\" o_chunks=\"0\" s_chunks=\"0\">"
    echo "    <tb id=\"0\" send=\"$peer\" recv=\"$peer\" chan=\"0\">"
    local step=0 type block
    for type in "$@"; do
      block=$peer
      [ "$type" = rrcs ] && block=$rank
      echo "      <step s=\"$step\" type=\"$type\" srcbuf=\"i\" srcoff=\"$block\" dstbuf=\"i\" dstoff=\"$block\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>"
      step=$((step + 1))
    done
    echo "    </tb>"
    echo "  </gpu>"
  done
  echo '</algo>'
}

# A plan of MSCCL++ that reduces inside a switch.
switch_plan() {
  cat <<'JSON'
{"name": "switch", "collective": "allreduce", "protocol": "Simple", "inplace": true,
 "gpus": [
  {"id": 0, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 0,
   "channels": [{"channel_type": "switch", "buffer_type": "i", "rank_groups": [{"size": 2, "ranks": [0, 1]}]}],
   "threadblocks": [
   {"id": 0, "channels": [{"channel_type": "switch", "channel_ids": [0]}], "ops": [
    {"name": "glres", "src_buff": [{"switch_channel_id": 0, "index": 0, "size": 1}],
     "dst_buff": [{"switch_channel_id": 0, "index": 0, "size": 1}], "channel_type": "switch", "reduce_op": "sum"}]}]}]}
JSON
}

# What the page shows of a command is what it prints.
expect_as_in_page() {
  awk -v begin="\$ $1" '$0 == begin { shown = 1; next } shown && (/^```$/ || /^\$ /) { exit } shown' "$page" >expected
  [ -s expected ] || wrong "docs/algorithms.md does not show '$1'"
  diff -u expected out || wrong "docs/algorithms.md shows something else"
}

case_page() {
  two_ranks s rrcs r >allreduce.xml
  two_ranks r rrcs s >swapped.xml
  algorithm check allreduce.xml
  expect_code 0
  expect_quiet
  expect_as_in_page "railgauge algorithm check allreduce.xml"
  algorithm check swapped.xml
  expect_code 1
  expect_quiet
  expect_as_in_page "railgauge algorithm check swapped.xml"
  algorithm show allreduce.xml
  expect_code 0
  expect_quiet
  expect_as_in_page "railgauge algorithm show allreduce.xml"
  switch_plan >switch.json
  algorithm check switch.json
  expect_code 2
  expect_quiet
  expect_as_in_page "railgauge algorithm check switch.json"
}

case_convert() {
  algorithm convert all_reduce --algorithm ring --ranks 4 -o ring.xml
  expect_code 0
  expect_quiet
  expect_as_in_page "railgauge algorithm convert all_reduce --algorithm ring --ranks 4 -o ring.xml"
  algorithm convert ring.xml -o ring.json
  expect_code 0
  expect_quiet
  algorithm convert all_reduce --algorithm ring --ranks 4 -o ring.jsonl
  expect_code 0
  algorithm convert ring.jsonl -o again.xml
  expect_code 0
  sed 's/name="[^"]*"/name=""/' ring.xml >one
  sed 's/name="[^"]*"/name=""/' again.xml >other
  cmp one other || wrong "schedules and the catalog give different XML"
  algorithm check ring.xml ring.json
  expect_code 0
  expect_words out '^ring.json: right: all_reduce of 4 ranks'
  algorithm convert ring.json -o back.xml
  expect_code 0
  algorithm check back.xml
  expect_code 0
  algorithm convert ring.xml -o ring.json
  expect_code 2
  expect_words err 'ring.json'
  # The schedule is the one that was written, through both formats.
  algorithm convert ring.xml -o mapped.jsonl
  expect_code 0
  algorithm convert ring.json -o plan.jsonl
  expect_code 0
  cmp mapped.jsonl plan.jsonl || wrong "XML and a plan give different schedules"
  [ "$(wc -l <mapped.jsonl)" = "$(wc -l <ring.jsonl)" ] || wrong "the schedules have other rounds"
  sed 's/ round="[0-9]*"//; s/ data="[0-9]*"//' ring.xml >bare.xml
  algorithm convert bare.xml -o bare.jsonl
  expect_code 2
  expect_words err 'bare.xml: it needs equal blocks, which schedules in JSON lines cannot say'
  [ ! -e bare.jsonl ] || wrong "what was refused was written"
  two_ranks s rrc r >wrong.xml
  algorithm convert wrong.xml -o wrong.json
  expect_code 2
  expect_words err 'wrong.xml: it is wrong, and not converted'
  [ ! -e wrong.json ] || wrong "a wrong algorithm was written"
}

case_bench() {
  two_ranks s rrcs r >allreduce.xml
  two_ranks r rrcs s >swapped.xml
  grep -q '^    railgauge bench --algorithm allreduce.xml,ring --in-place yes --transport shm --bytes 4K,1M$' "$page" ||
    wrong "docs/algorithms.md does not show what is run here"
  bench --algorithm allreduce.xml,ring --in-place yes --transport shm --bytes 4K,1M --iterations 3 -o a.jsonl
  expect_code 0
  expect_no_wrong_data
  expect_results a.jsonl 4
  [ "$(grep -c '"collective":"all_reduce","algorithm":"allreduce.xml","transport":"shm".*"ranks":2,.*"in_place":true' a.jsonl)" = 2 ] ||
    wrong "the results are of something else: $(head -c 600 a.jsonl)"
  # 3 bytes are no multiple of 2 blocks; no scratch is used, so that they need not be.
  bench --algorithm allreduce.xml --transport memory --type uint8 --bytes 3,64 --iterations 3 -o b.jsonl
  expect_code 0
  [ "$(grep -c '"status":"\(ok\|not_converged\)"' b.jsonl)" = 2 ] || wrong "a size was left out"
  bench --algorithm swapped.xml
  expect_code 2
  expect_words err "^$(awk '/^railgauge: swapped.xml/ { text = $0; getline; print text " " $0 }' "$page" | sed 's/[()]/\\&/g')\$"
}

case_show() { # algorithms of the catalog and schedules
  algorithm show all_reduce --algorithm ring --ranks 8
  expect_code 0
  expect_quiet
  expect_as_in_page "railgauge algorithm show all_reduce --algorithm ring --ranks 8"
  algorithm convert all_reduce --algorithm ring --ranks 8 -o ring.jsonl
  mv out said
  algorithm show ring.jsonl --bytes 1M
  expect_code 0
  expect_words out '^ring.jsonl: all_reduce of 8 ranks, in place and out of place, 8 blocks, any size$'
  expect_words out '^  busiest rank   1.75 S in one direction, S being the whole buffer of 1 MiB: 1.75 MiB; no algorithm has less than 1.75 S: 1.75 MiB$'
  expect_words out '^         7        0        14      1.75   1.75 MiB$'
  algorithm show incast --algorithm direct --ranks 3 --format json
  expect_code 0
  python3 -c 'import json; one, = json.load(open("out"))["files"]; assert one["rounds"] == 1 and one["least_rounds"] is None' ||
    wrong "the JSON of a pattern is another"
  algorithm show all_reduce
  expect_code 2
  expect_words err '^railgauge: all_reduce is a collective: which of its algorithms [(]--algorithm[)][?]'
  algorithm show ring.jsonl --ranks 4
  expect_code 2
  # A rank of all_gather has one block of input, and this one sends the third.
  {
    echo '{"schema":"railgauge.schedule/1","collective":"all_gather","ranks":4,"root":0,"blocks":4,"slots":[0,0,0,0],"rounds":[1,1,0,0]}'
    echo '{"rank":0,"round":0,"transfers":[["send",1,"input",2,1,0]],"locals":[]}'
    echo '{"rank":1,"round":0,"transfers":[["receive",0,"output",0,1,0]],"locals":[]}'
  } >beyond.jsonl
  algorithm show beyond.jsonl
  expect_code 2
  expect_words err '^railgauge: beyond.jsonl: the schedules are no all_gather: rank 0: input blocks 2[+]1 slot 0 do not exist'
  algorithm show beyond.jsonl --picture beyond.svg
  expect_code 2
  [ ! -e beyond.svg ] || wrong "what was refused was drawn"
  algorithm check beyond.jsonl --format json
  expect_code 1
  python3 -c 'import json; one, = json.load(open("out"))["files"]; assert "kind" not in one["findings"][0] and one["findings"][0]["sentence"]' ||
    wrong "a finding of schedules has a kind"
  # In a local alone, which is not counted but drawn.
  {
    echo '{"schema":"railgauge.schedule/1","collective":"all_gather","ranks":2,"root":0,"blocks":2,"slots":[0,0],"rounds":[1,0]}'
    echo '{"rank":0,"round":0,"transfers":[],"locals":[["copy","input",1,1,0,"output",0,1,0]]}'
  } >local.jsonl
  algorithm show local.jsonl --picture local.svg
  expect_code 2
  expect_words err '^railgauge: local.jsonl: the schedules are no all_gather: rank 0: input blocks 1[+]1 slot 0 do not exist'
  # Few lines that ask for much memory.
  echo '{"schema":"railgauge.schedule/1","collective":"all_reduce","ranks":1,"root":0,"blocks":1073741824,"slots":[0],"rounds":[0]}' >huge.jsonl
  echo '{"schema":"railgauge.schedule/1","collective":"all_reduce","ranks":1,"root":0,"blocks":1,"slots":[1073741824],"rounds":[0]}' >slots.jsonl
  for file in huge.jsonl slots.jsonl; do
    for command in show check convert; do
      if [ $command = convert ]; then algorithm convert $file -o huge.xml; else algorithm $command $file; fi
      expect_code 2
      cat out err >said
      expect_words said "$file:.* 1073741[0-9]* blocks, scratch included, and [0-9]* are the most of a file of"
    done
  done
  algorithm show all_reduce --algorithm ring
  expect_code 2
  expect_words err '--algorithm needs --ranks'
  algorithm show ring.jsonl --bytes much
  expect_code 2
}

case_picture() {
  two_ranks s rrcs r >allreduce.xml
  two_ranks r rrcs s >swapped.xml
  grep -q '^    railgauge algorithm show all_reduce --algorithm ring --ranks 8 --picture ring.html$' "$page" ||
    wrong "docs/algorithms.md does not show what is run here"
  algorithm show all_reduce --algorithm ring --ranks 8 --picture ring.html
  expect_code 0
  expect_quiet
  grep -q '<title>all_reduce by ring: rounds</title>' ring.html || wrong "the page has another title"
  algorithm show all_reduce --algorithm ring --ranks 8 --picture ring.svg
  expect_code 0
  python3 - <<'PYTHON' || wrong "the SVG is another"
import collections
import xml.etree.ElementTree as tree

shapes = collections.Counter()
for group in tree.parse("ring.svg").iter("{http://www.w3.org/2000/svg}g"):
    words = group.get("class", "").split()
    if words[:1] == ["i"]:
        shapes[words[1]] += len(group)
# With a sample of each in the legend.
assert shapes["stored"] == 57 and shapes["reduced"] == 57 and shapes["reduce"] == 57, shapes
PYTHON
  algorithm show swapped.xml --picture stuck.svg
  expect_code 0
  [ "$(grep -c '<path class="stop"' stuck.svg)" = 2 ] || wrong "two thread blocks are stuck, and the picture does not say where"
  grep -q '1. deadlock, whatever its connections hold' stuck.svg || wrong "the picture does not say why"
  algorithm show allreduce.xml --picture ring.svg
  expect_code 2
  expect_words err 'ring.svg: exists already'
  algorithm show allreduce.xml --picture ring.png
  expect_code 2
  expect_words err 'end the name in .svg or .html'
  algorithm show allreduce.xml swapped.xml --picture two.svg
  expect_code 2
  expect_words err '--picture is of one algorithm'
  [ ! -e two.svg ] || wrong "what was refused was drawn"
}

# A folder with a file that is right, one that is for small sizes, one of other ranks, one of another collective, and two that are
# refused.
library() {
  mkdir lib
  two_ranks s rrcs r | sed 's/inplace="1"/inplace="1" minBytes="2K"/; s/"2K"/"2048"/' >lib/large.xml
  two_ranks s rrcs r | sed 's/inplace="1"/inplace="1" minBytes="0" maxBytes="2048"/' >lib/small.xml
  two_ranks r rrcs s >lib/swapped.xml
  two_ranks s rrcs r | head -4 >lib/cut.xml
  echo 'no algorithm' >lib/README
  run "$RAILGAUGE" algorithm convert all_reduce --algorithm ring --ranks 4 -o lib/four.jsonl
  expect_code 0
  run "$RAILGAUGE" algorithm convert all_gather --algorithm ring --ranks 2 -o lib/gather.xml
  expect_code 0
}

case_folder() {
  library
  algorithm check lib
  expect_code 2
  expect_quiet
  [ "$(grep -c '^lib/[a-z.]*: right: ' out)" = 4 ] || { wrong "not four files are right" && show; }
  expect_words out '^lib/four.jsonl: right: all_reduce of 4 ranks, in place and out of place; it runs unbuffered$'
  expect_words out '^lib/swapped.xml: wrong: '
  expect_words out '^lib/cut.xml: unreadable: '
  ! grep README out || wrong "a file that is called otherwise was read"
  mkdir empty
  algorithm check empty
  expect_code 2
  expect_words err '^railgauge: empty: no file in it is called as one of an algorithm'
}

case_library() {
  library
  bench all_reduce --algorithms lib --algorithm ring --ranks 2 --in-place yes --transport memory --bytes 1K,64K --iterations 3 -o a.jsonl
  expect_code 0
  expect_no_wrong_data
  expect_words out 'lib/swapped.xml: refused: the algorithm is wrong: deadlock'
  expect_words out '^lib/cut.xml: refused: line 5: the file ends inside <tb>'
  expect_words out 'lib/four.jsonl: left out: its schedules are for 4 ranks, and there are 2'
  expect_words out 'lib/gather.xml: left out: it is all_gather of 2 ranks'
  expect_results a.jsonl 6
  [ "$(grep -c '"status":"\(ok\|not_converged\)".*"algorithm":"lib/large.xml".*"bytes":65536,' a.jsonl)" = 1 ] || wrong "the file for large sizes was not measured"
  [ "$(grep -c '"status":"\(ok\|not_converged\)".*"algorithm":"lib/small.xml".*"bytes":1024,' a.jsonl)" = 1 ] || wrong "the file for small sizes was not measured"
  [ "$(grep -c '"status":"skipped".*its file is for sizes from ' a.jsonl)" = 2 ] || wrong "not each file is left out at the other size"
  # Ranks and collectives that nobody says are those of the first file.
  bench --algorithms lib --transport memory --bytes 64K --iterations 3 -o b.jsonl
  expect_code 0
  expect_words out 'lib/large.xml: left out: its schedules are for 2 ranks, and there are 4'
  bench all_reduce --algorithms empty --ranks 2
  expect_code 2
  expect_words err '^railgauge: empty: '
}

case_library_tuned() { # what was measured decides between files and algorithms of the catalog
  library
  bench tune all_reduce --algorithms lib --ranks 2 --in-place yes --transport memory --bytes 1K,64K --iterations 2 --tuning t.jsonl
  expect_code 0
  grep -q '"algorithm":"lib/large.xml"' t.jsonl || wrong "a file of the folder was not measured"
  # As if it were by far the fastest.
  python3 - <<'PYTHON'
import json
lines = []
for line in open("t.jsonl"):
    row = json.loads(line)
    if row.get("algorithm") == "lib/large.xml" and row["status"] != "skipped":
        row["median"] /= 1000
    lines.append(json.dumps(row, separators=(",", ":")))
open("u.jsonl", "w").write("\n".join(lines) + "\n")
PYTHON
  bench all_reduce --algorithm auto --algorithms lib --ranks 2 --in-place yes --transport memory --bytes 64K --iterations 2 --tuning u.jsonl -o a.jsonl
  expect_code 0
  [ "$(grep -c '"status":"\(ok\|not_converged\)"' a.jsonl)" = 1 ] || wrong "auto took something else than the file"
  bench all_reduce --algorithm auto --ranks 2 --in-place yes --transport memory --bytes 64K --iterations 2 --tuning u.jsonl -o b.jsonl
  expect_code 0
  ! grep 'lib/large.xml' b.jsonl || wrong "auto took a file of a folder that was not named"
}

case_library_predicted() {
  library
  run "$RAILGAUGE" predict all_reduce --topology rail:hosts=1 --ranks 2 --algorithms lib --algorithm ring --bytes 1K,1M
  expect_code 0
  expect_words out 'lib/small.xml'
  expect_words out '^not predicted: lib/four.jsonl: its schedules are for 4 ranks'
  expect_words out '^not predicted: lib/swapped.xml: the algorithm is wrong'
  expect_words out 'lib/small.xml is chosen from 0 B to 2 KiB, as its file says'
}

case_several() {
  two_ranks s rrcs r >right.xml
  two_ranks s rrc r >wrong.xml
  gzip -k right.xml
  algorithm check right.xml.gz wrong.xml
  expect_code 1
  expect_words out '^right.xml.gz: right: '
  expect_words out '^wrong.xml: wrong: '
  algorithm check right.xml absent.xml wrong.xml
  expect_code 2
  expect_quiet
  expect_words out '^absent.xml: unreadable: No such file'
  expect_words out '^wrong.xml: wrong: '
}

case_pipe() { # which nobody writes to
  mkfifo pipe.xml
  algorithm check pipe.xml
  expect_code 2
  expect_words out '^pipe.xml: unreadable: not a regular file'
  algorithm check .
  expect_code 2
  expect_words err '^railgauge: [.]: no file in it is called as one of an algorithm'
}

case_json() {
  two_ranks s rrcs r >right.xml
  two_ranks r rrcs s >swapped.xml
  algorithm check right.xml swapped.xml absent.xml --format json
  expect_code 2
  python3 - <<'PYTHON' || wrong "the JSON is another"
import json
right, swapped, absent = json.load(open("out"))["files"]
assert right["verdict"] == "right" and right["messages_per_connection"] == 2 and right["findings"] == []
assert swapped["verdict"] == "wrong" and swapped["findings"][0]["line"] == 4 and len(swapped["findings"][0]["waits"]) == 2
assert absent["verdict"] == "unreadable" and "No such file" in absent["reason"]
PYTHON
  algorithm show right.xml --format json
  expect_code 0
  python3 -c 'import json; one, = json.load(open("out"))["files"]; assert one["rounds"] == 2 and one["messages"] == 4' ||
    wrong "the JSON of show is another"
  algorithm show absent.xml
  expect_code 2
  expect_words err '^railgauge: absent.xml: No such file'
}

isolate "$name"
enter_room
"case_$name"
exit $failed
