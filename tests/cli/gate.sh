#!/usr/bin/env bash
# gate.sh NAME: one test of `railgauge gate`: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_SHA CI_COMMIT_SHA

quick='bench all_reduce --ranks 2 --transport memory --algorithm ring --bytes 64,4K --iterations 20'
gate() { run "$RAILGAUGE" gate --history runs.db "$@"; }

# A suite whose times are known: six sizes of a real measurement, of 1 ms that differs by 1 %, times what the file `factor` says; a line
# of `edit` changes each result (`one`), or leaves it out (`left_out`).
make_suite() {
  bench all_reduce --ranks 2 --transport memory --algorithm ring --bytes 1K:32K --iterations 4 -o real.jsonl
  expect_code 0
  echo 1 >factor
  echo pass >edit
  cat >suite <<'END_OF_SUITE'
#!/usr/bin/env python3
import json, random, sys, time
number = len(open("number").read()) if __import__("os").path.exists("number") else 0
open("number", "a").write("x")
draws, factor = random.Random(number), float(open("factor").read())
with open(sys.argv[sys.argv.index("-o") + 1], "w", encoding="utf-8") as file:
    for one in map(json.loads, open("real.jsonl", encoding="utf-8")):
        one["run"] = f"run-{number}"
        median = 1e-3 * factor * (1 + 0.01 * draws.gauss(0, 1))
        for key in ("min", "median", "ci_low", "ci_high", "p95", "p99", "max"):
            one[key] = median
        one["times"] = [median] * len(one["times"])
        one["status"] = "ok"
        one["reason"] = ""
        left_out = False
        exec(open("edit").read())
        if left_out: continue
        file.write(json.dumps(one) + "\n")
END_OF_SUITE
  chmod +x suite
}
learn() { # COUNT
  for ((i = 0; i < $1; i++)); do
    gate -- ./suite
    [ $code = 0 ] || expect_code 0
  done
}

case_learning() { # a pipeline that begins is green; all that it writes is there
  # shellcheck disable=SC2086 # words
  gate --label first -o gate.xml -o gate.md -o gate.html -o gate.jsonl -- $quick
  expect_code 0
  expect_quiet
  expect_words out '^gate: 2 cases: run .* of first on '
  expect_words out '^passed: learning: 0 of 8 runs; nothing is judged before that$'
  expect_results gate.jsonl 2
  grep -q 'learning: 0 of 8 runs' gate.xml && grep -q '<html' gate.html && grep -q '| 64 B\|64 B,' gate.md || wrong "a file says nothing"
  if command -v xmllint >/dev/null; then
    xmllint --noout --schema "$tests/../docs/junit.xsd" gate.xml 2>problems || wrong "$(cat problems)"
  fi
  # shellcheck disable=SC2086 # words
  gate --strict -- $quick
  expect_code 4
  expect_words out 'learning: 1 of 8 runs'
}

case_annotations() { # what GitHub Actions is told, by its own variables
  run env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$room/summary" GITHUB_SHA=0123456789abcdef0123 "$RAILGAUGE" gate --history runs.db \
    -- bash -c "exec $RAILGAUGE $quick"' "$@"' sh
  expect_code 0
  expect_words out ' of 0123456789ab on '
  expect_words out '^::notice title=railgauge gate::passed: learning'
  expect_words summary '^\*\*railgauge gate passed: learning'
}

case_decides() { # slower twice: stopped, and never part of the baseline; as before: passed
  make_suite
  learn 8
  gate -- ./suite
  expect_code 0
  expect_words out '^passed: as before'
  echo 1.2 >factor
  for _ in 1 2; do
    rm -f slow.xml
    gate --label slow -o slow.xml -- ./suite
    expect_code 1
    expect_words out '^gate: something looks slow after .* measuring 7 times again'
    expect_words out '^  regressed   all cases together: \+[12][0-9]\.[0-9] % \(median of 7 re-runs\)'
    expect_words out '^stopped: all cases together take .* longer than the baseline'
    grep -q '<failure message="regressed' slow.xml || wrong "the XML has no failure"
  done
  run "$RAILGAUGE" history list --history runs.db
  [ "$(grep -c 'refused' out)" = 2 ] || { wrong "not two runs are refused" && show; }
  echo 1 >factor
  gate -- ./suite
  expect_code 0
}

# A control beside the suite: the same times, with the word `accepted` in its versions.
make_control() {
  sed 's/factor = random.Random(number), float(open("factor").read())/factor = random.Random(1000 + number), 1.0/; s/"run-{number}"/"control-{number}"/; s/"number"/"control_number"/g;
    s/^        one\["times"\]/        one["versions"] = dict(one["versions"], railgauge="accepted")\n&/' suite >control
  chmod +x control
}

case_control() { # what is slower than the accepted build beside it is stopped, by no history
  make_suite
  gate --control ./control -- ./suite
  expect_code 0
  expect_words out '^passed: learning: there is no control yet at ./control: .* keep it as one: install -D PROGRAM ./control$'
  gate --strict --control ./control -- ./suite
  expect_code 4
  make_control
  gate --control ./control -o good.json -- ./suite
  expect_code 0
  expect_words out '^passed: as the control in [0-9]* pairs of interleaved launches'
  expect_words out "^versions.railgauge is 'accepted' in the control and '"
  python3 "$tests/topo/validate.py" "$tests/../docs/gate.schema.json" good.json >problems
  case $? in 0 | 4) ;; *) wrong "$(cat problems)" ;; esac
  echo 1.2 >factor
  gate --control ./control -o slow.xml -o slow.md -o slow.json -o slow.html -o slow.jsonl -- ./suite
  expect_code 1
  expect_words out '^gate: something looks slower than the control after .* launching both 9 times again, or more'
  expect_words out '^  regressed   all cases together: \+[12][0-9]\.[0-9] % \(median of 9 pairs ± '
  expect_words out '^stopped: all cases together take .* longer .* than the control, in 9 pairs of interleaved launches'
  expect_words slow.xml '<failure message="regressed: .*, control '
  expect_words slow.md 'medians over 9 pairs of interleaved launches with the control, ./control'
  expect_words slow.json '"judged_by": "control"'
  expect_words slow.html 'in 9 pairs of interleaved launches'
  [ "$(wc -l <slow.jsonl)" = 78 ] || wrong "$(wc -l <slow.jsonl) results of thirteen launches"
  # The level of the machine is no finding, whatever the history is used to.
  echo 1 >factor
  learn 8
  echo 1.3 >factor
  sed -i 's/, 1\.0$/, 1.3/' control
  gate --control ./control -- ./suite
  expect_code 0
  expect_words out '^beside the history all cases together take [23][0-9]\.[0-9] % longer than the baseline of .* runs: that decides nothing here'
  expect_words out '^passed: as the control'
}

case_control_words() { # what --control may be, and what it puts in place of what
  make_suite
  make_control
  # The programs leave a mark: what was launched, by which words.
  for name in program accepted; do
    printf '#!/bin/sh\necho "$0 $*" >>launched\nexec ./%s "$@"\n' $([ $name = program ] && echo suite || echo control) >$name
    chmod +x $name
  done
  mkdir -p kept/bin
  cp accepted kept/bin/railgauge
  in_turn() { # MARK CONTROL SUITE...: the control is launched by the words MARK, as often as the suite
    local mark=$1 control=$2
    shift 2
    rm -f launched
    gate --control "$control" -- "$@"
    expect_code 0
    [ "$(grep -c "^$mark -o " launched)" -ge 4 ] || { wrong "--control '$control' did not launch '$mark'" && cat launched; }
    [ "$(grep -c "^$mark -o " launched)" = "$(grep -c '^./program ' launched)" ] || wrong "--control '$control': not one after the other"
  }
  in_turn './accepted bench some words' ./accepted ./program bench some words
  in_turn 'kept/bin/railgauge bench some words' kept ./program bench some words
  in_turn './accepted bench some words' 'env X=1 ./accepted' env Y=1 ./program bench some words
  in_turn './accepted bench other' './accepted bench other' ./program bench some words
  in_turn './accepted other' './accepted other' ./program words
  gate --control not/there -- ./program bench some words
  expect_code 0
  expect_words out 'keep it as one: install -D ./program not/there$'
}

case_control_refused() {
  make_suite
  gate --control '~/accepted' -- ./suite
  expect_refusal 'a shell replaces ~ only at the start of a word'
  gate --control 'nowhere bench all_reduce' -- ./suite
  expect_refusal 'nowhere: No such file'
  gate --control "$RAILGAUGE bench --nonsense" -- ./suite
  expect_refusal 'the control ended with exit code 2 and wrote no results: railgauge: .*--nonsense'
  printf '#!/bin/sh\nexit 3\n' >broken && chmod +x broken
  gate --control ./broken -- ./suite
  expect_refusal 'the control ended with exit code 3 and wrote no results; nothing was added to the history'
  make_control
  sed -i 's/^        one\["times"\]/        one["host"] = "elsewhere"\n&/' control
  gate --control ./control -- ./suite
  expect_code 3
  expect_words err "^railgauge: not comparable: host is 'elsewhere' of the control and '"
}

case_suspects_only() { # slow once, and not in the re-runs
  make_suite
  learn 8
  # The suite is slow while there is a file `once`.
  sed -i 's/^draws, factor = .*/import os\ndraws, factor = random.Random(number), 1.2 if os.path.exists("once") else 1.0\nif factor > 1: os.remove("once")/' suite
  touch once
  gate -o all.jsonl -- ./suite
  expect_code 0
  expect_words out '^  cleared     all cases together'
  expect_words out '^passed: as before: what looked slow was measured again 7 times, and was not'
  [ "$(wc -l <all.jsonl)" = 48 ] || wrong "$(wc -l <all.jsonl) results of eight launches"
}

case_other_findings() { # missing, failed, wrong data
  make_suite
  learn 8
  echo 'if one["bytes"] == 2048: left_out = True' >edit
  gate -- ./suite
  expect_code 4
  expect_words out '^  missing     all_reduce, 2 KiB'
  expect_words out '^inconclusive: 1 case that the baseline has was not measured'
  gate -- ./suite
  expect_code 4 # and not only once
  echo 'if one["bytes"] == 2048: one["status"], one["reason"], one["wrong"] = "wrong", "rank 0 has 1 wrong element", 1' >edit
  gate -- ./suite
  expect_code 6
  expect_words out '^stopped: WRONG DATA in 1 of 6 cases'
  echo 'if one["bytes"] == 2048: one["status"], one["reason"], one["samples"], one["times"] = "failed", "it fell", 0, []' >edit
  gate -- ./suite
  expect_code 1
  expect_words out '^  failed      all_reduce, 2 KiB.*it fell'
  echo 'one["versions"] = dict(one["versions"], railgauge="9.9.9") if isinstance(one["versions"], dict) else one["versions"]' >edit
  gate -- ./suite
  expect_code 0
  expect_words out "^versions.railgauge was '.*' and is '9.9.9': 6 cases begin a baseline of their own"
}

case_interrupted() { # the suite is ended, and nothing is added
  make_suite
  learn 1
  remember_surroundings
  (marked env --default-signal=INT "$RAILGAUGE" gate --history runs.db -- bash -c 'touch begun; sleep 100' sh) >out 2>err &
  local program=$!
  until [ -e begun ] || [ $SECONDS -gt $patience ]; do nap 0.02; done
  kill -INT $program
  wait $program
  code=$?
  expect_code 5
  expect_words err '^railgauge: interrupted by signal 2 .*; nothing was added to the history'
  expect_nothing_left
  run "$RAILGAUGE" history list --history runs.db --format json
  [ "$(grep -o 'run-[0-9]*' out | sort -u | wc -l)" = 1 ] || { wrong "the history has more" && show; }
}

case_refused() {
  gate
  expect_refusal 'there is nothing to run: name it behind --'
  gate -- bench --nonsense
  expect_refusal 'the suite ended with exit code 2 and wrote no results: railgauge: .*--nonsense'
  gate -- nowhere/suite
  expect_refusal 'nowhere/suite: No such file'
  # shellcheck disable=SC2086 # words
  gate -o gate.txt -- $quick
  expect_refusal 'gate.txt does not say what to write: end it in one of .xml, .md, .json, .html, .jsonl'
  touch there.xml
  # shellcheck disable=SC2086 # words
  gate -o there.xml -- $quick
  expect_refusal 'there.xml exists'
  # shellcheck disable=SC2086 # words
  run "$RAILGAUGE" gate --history "$room" -- $quick
  expect_refusal "$room"
  gate --deadline 0.2 -- sh -c 'sleep 100'
  expect_code 5
  expect_words err '^railgauge: the suite did not end within 200 ms'
}

case_help() { # three examples, which run
  local example
  gate --help
  expect_code 0
  sed -n '/^Examples:/,$p' out | grep -oE '^  railgauge .*' | sed -E 's/^  //; s/   +.*//' >examples
  [ "$(wc -l <examples)" = 3 ] || { wrong "--help has $(wc -l <examples) examples instead of 3" && show; }
  while read -r example; do
    case $example in *mpirun*) command -v mpirun >/dev/null || continue ;; esac
    echo "example: $example"
    ln -sf "$RAILGAUGE" railgauge
    run env HOME="$room" PATH="$room:$PATH" RAILGAUGE_BENCH_CACHE=warm bash -c "$example --bytes 256K:4M --max-time 0.05"
    expect_code 0
  done <examples
}

isolate "$name"
enter_room
"case_$name"
exit $failed
