#!/usr/bin/env bash
# report.sh NAME: one test of `railgauge report`, a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
here=$tests/cli
. "$here/expect.sh"

report() { run "$RAILGAUGE" report "$@"; }
make_results() {
  bench all_reduce --ranks 2 --transport memory --bytes 8:64 --max-time 20ms -o "$1"
  expect_code 0
}
# Nothing is left of a page that was refused.
no_page() { [ -z "$(find . -name '*.html' -o -name '.*.html*')" ] || wrong "a page was left: $(ls -A)"; }

case_page() {
  make_results a.jsonl
  report a.jsonl -o a.html
  expect_code 0
  expect_quiet
  [ ! -s out ] || wrong "something on standard output"
  expect_words a.html '^<!DOCTYPE html>$'
  expect_words a.html '<td class="number">64 B</td>'
  expect_words a.html 'Nothing is wrong|did not converge'
  ! grep -qE '(src|href)="(https?:)?//' a.html || wrong "the page asks for something elsewhere"
}

case_other_formats() {
  make_results a.jsonl
  local points
  points=$(wc -l <a.jsonl)
  report a.jsonl -o a.xml
  expect_code 0
  [ "$(grep -c '<testcase ' a.xml)" = "$points" ] || wrong "a.xml has $(grep -c '<testcase ' a.xml) cases, not $points"
  report a.jsonl -o a.copy --format jsonl
  cmp a.jsonl a.copy || wrong "the results are not the same"
  report a.jsonl -o - --format github
  expect_code 0
  expect_words out "^::notice title=railgauge::$points points"
  report a.jsonl -o page
  expect_refusal 'the name page does not say what to write: end it in one of .html, .jsonl, '
  report a.jsonl -o a.html --format csv
  expect_refusal '--format says csv, and the name a.html says html'
  report a.jsonl -o b.md --topology "$tests/topo/machines/gpu_node.xml"
  expect_refusal '--topology is drawn in a page'
  { cat a.jsonl && echo "{}"; } >cut.jsonl
  report cut.jsonl -o cut.md
  expect_refusal "cut.jsonl:$((points + 1)): expected a result line"
  [ ! -e cut.md ] || wrong "a file was left"
}

case_validation() {
  local golden=$tests/reports/golden/validation_cable form
  report "$golden.json" -o v.html
  expect_code 0
  expect_quiet
  expect_words v.html '<p class="verdict fault">'
  for form in xml prom txt json; do
    report "$golden.json" -o "v.$form"
    expect_code 0
    cmp "v.$form" "$golden.$form" || wrong "v.$form is not as validate itself would write it"
  done
  report "$golden.json" "$tests/reports/golden/validation_healthy.json" -o both.html
  expect_refusal 'is of railgauge validate, and stands in a page of its own: name it alone'
  report "$golden.json" -o b.html --topology "$tests/topo/machines/gpu_node.xml"
  expect_refusal '--topology and --history belong to results of railgauge bench'
  report "$golden.json" -o b.csv
  expect_refusal 'the name b.csv does not say which format to write: end it in .json, .html'
  head -c 3000 "$golden.json" >cut.json
  report cut.json -o cut.html
  expect_refusal 'cut.json: it ends in the middle'
  no_page_but v.html
}
no_page_but() { [ "$(find . -name '*.html' -o -name '.*.html*')" = "./$1" ] || wrong "a page was left: $(ls -A)"; }

case_several_files() {
  make_results a.jsonl
  make_results b.jsonl
  report a.jsonl b.jsonl -o both.html
  expect_code 0
  expect_words both.html 'of 2 runs'
  expect_words both.html ' over memory.*, b.jsonl<'
}

case_topology() {
  make_results a.jsonl
  report a.jsonl --topology "$tests/topo/machines/gpu_node.xml" -o a.html
  expect_code 0
  expect_quiet
  expect_words a.html '<section id="topology"'
  expect_words a.html '<svg xmlns='
  report a.jsonl --topology nowhere -o b.html
  expect_refusal 'nowhere'
  [ ! -e b.html ] || wrong "a page was left"
}

case_history() { # of the cases of the results, and of no others; a page alone shows it
  make_results a.jsonl
  run "$RAILGAUGE" history add a.jsonl --label first --history runs.db
  expect_code 0
  make_results b.jsonl
  report b.jsonl --history runs.db -o b.html
  expect_code 0
  expect_quiet
  expect_words b.html '<section id="history"'
  expect_words b.html '>first</th>'
  expect_words b.html '[(]not in the history[)]</th>'
  bench broadcast --ranks 2 --transport memory --bytes 8 --max-time 20ms -o c.jsonl
  report c.jsonl --history runs.db -o c.html
  expect_code 0
  ! grep -q '<section id="history"' c.html || wrong "a case that the history does not know has one"
  report b.jsonl --history nowhere.db -o d.html
  expect_code 2
  [ ! -e d.html ] && [ ! -e nowhere.db ] || wrong "something was left: $(ls)"
  report b.jsonl --history runs.db -o d.md
  expect_refusal '--history is shown in a page'
}

case_bad_lines() {
  make_results a.jsonl
  local line
  line=$(head -1 a.jsonl)
  { cat a.jsonl && echo && echo "{}"; } >cut.jsonl
  report cut.jsonl -o x.html
  expect_refusal 'cut.jsonl:6: expected a result line'
  no_page
  sed 's,railgauge.result/1,railgauge.result/2,' <<<"$line" >newer.jsonl
  report newer.jsonl -o x.html
  expect_refusal 'newer.jsonl:1: .*its schema is not railgauge.result/1'
  no_page
  sed -E 's/"median":[^,]*/"median":-1/' <<<"$line" >negative.jsonl
  report a.jsonl negative.jsonl -o x.html
  expect_refusal 'negative.jsonl:1: median is -1, which no measurement gives'
  no_page
  sed -E 's/"median":[^,]*/"median":NaN/' <<<"$line" >nan.jsonl
  report nan.jsonl -o x.html
  expect_refusal 'nan.jsonl:1: expected a result line'
  : >empty.jsonl
  report empty.jsonl -o x.html
  expect_refusal 'empty.jsonl holds no result'
  report a.jsonl ./a.jsonl -o x.html
  expect_refusal 'a.jsonl is given twice'
  report missing.jsonl -o x.html
  expect_refusal 'missing.jsonl: No such file'
  report . -o x.html
  expect_refusal 'is a folder'
  head -c 100000 /dev/urandom >noise.jsonl
  report noise.jsonl -o x.html
  expect_refusal 'noise.jsonl:[0-9]+: expected a result line'
  no_page
}

case_page_exists() {
  make_results a.jsonl
  echo mine >a.html
  report a.jsonl -o a.html
  expect_refusal 'a.html exists'
  [ "$(cat a.html)" = mine ] || wrong "a file was overwritten"
  report a.jsonl -o nowhere/a.html
  expect_refusal 'cannot write nowhere/a.html'
  report a.jsonl
  expect_refusal '--output.*railgauge report --help'
}

case_full_disk() {
  make_results a.jsonl
  ulimit -f 4
  report a.jsonl -o a.html
  [ $code != 0 ] || wrong "exit code 0"
  no_page
}

case_help() { # three examples, which run on what they name
  local example
  make_results sweep.jsonl
  make_results before.jsonl
  make_results after.jsonl
  bench pairs --ranks 3 --bytes 4K --max-time 20ms -o pairs.jsonl
  run "$RAILGAUGE" topo --save node7
  ln -s "$RAILGAUGE" railgauge
  report --help
  expect_code 0
  sed -n '/^Examples:/,$p' out | grep -oE '^  railgauge .*' | sed -E 's/^  //; s/  +.*//' >examples
  [ "$(wc -l <examples)" = 3 ] || { wrong "--help has $(wc -l <examples) examples instead of 3" && show; }
  while read -r example; do
    echo "example: $example"
    run env PATH="$room:$PATH" bash -c "$example"
    expect_code 0
  done <examples
  [ "$(find . -maxdepth 1 -name '*.html' -o -maxdepth 1 -name '*.xml' | wc -l)" = 3 ] || wrong "not two pages and a file of JUnit"
}

isolate "$name"
enter_room
"case_$name"
exit $failed
