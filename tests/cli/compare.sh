#!/usr/bin/env bash
# compare.sh NAME: one test of `railgauge compare`: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"

compare() { run "$RAILGAUGE" compare "$@"; }

# launches NAME COUNT FACTOR [FIELD VALUE]: files NAME-1.jsonl and so on, of a real measurement whose times are replaced: launches of
# 1 ms that differ by 1 %, FACTOR times as long; FIELD of each line set to VALUE, which is JSON.
launches() {
  [ -e real.jsonl ] || {
    bench all_reduce --ranks 2 --transport memory --algorithm ring --bytes 1K,4K,64K --iterations 4 -o real.jsonl
    expect_code 0
  }
  python3 - "$@" <<'END_OF_PYTHON'
import json, random, sys
name, count, factor = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
draws = random.Random(name)
for launch in range(1, count + 1):
    luck = factor * (1 + 0.01 * draws.gauss(0, 1))
    with open(f"{name}-{launch}.jsonl", "w", encoding="utf-8") as file:
        for one in map(json.loads, open("real.jsonl", encoding="utf-8")):
            one["run"] = f"{name}-{launch}"
            one["times"] = [1e-3 * luck * (1 + 0.01 * draws.gauss(0, 1)) for _ in range(100)]
            one["samples"], one["effective_samples"], one["times_step"] = 100, 100, 1
            if len(sys.argv) > 4:
                one[sys.argv[4]] = json.loads(sys.argv[5])
            file.write(json.dumps(one) + "\n")
END_OF_PYTHON
}

case_same() {
  launches base 8 1
  launches new 8 1
  compare --base base-*.jsonl --new new-*.jsonl --band 5%
  expect_code 0
  expect_quiet
  expect_words out '^base: 8 launches; new: 8 launches; 5 % count as the same'
  expect_words out '^all_reduce, float32, sum, ring, memory, host memory, ranks 2'
  expect_words out '^ +4 KiB .* same$'
  expect_words out '^same: all 3 cases are within 5 % of base'
}

case_worse_and_better() {
  launches base 6 1
  launches new 6 1.2
  compare --base base-*.jsonl --new new-*.jsonl
  expect_code 1
  expect_words out '^worse: 3 of 3 cases are slower'
  expect_words out '^ +together .* worse$'
  compare --base new-*.jsonl --new base-*.jsonl
  expect_code 0
  expect_words out '^better: 3 of 3 cases are faster'
}

case_two_files() { # one launch a side: no verdict, unless it is known how launches differ
  launches base 1 1
  launches new 1 1.2
  compare base-1.jsonl new-1.jsonl
  expect_code 4
  expect_words out 'only noise within a launch is known'
  expect_words out '^inconclusive: 3 of 3 cases'
  compare base-1.jsonl new-1.jsonl --launch-noise 2%
  expect_code 1
  expect_words out '4 % count as the same'
}

case_several_launches_in_a_file() {
  launches base 4 1
  launches new 4 1.2
  cat base-*.jsonl >base.jsonl
  cat new-*.jsonl >new.jsonl
  compare base.jsonl new.jsonl
  expect_code 1
  expect_words out '^base: 4 launches; new: 4 launches'
}

case_not_comparable() {
  launches base 3 1
  launches new 3 1 cpu '"Another processor"'
  compare --base base-*.jsonl --new new-*.jsonl
  expect_code 3
  expect_words err "^railgauge: not comparable: cpu is '.*' and 'Another processor' [(]--allow NAME"
  [ "$(wc -l <err)" = 1 ] || wrong "more than a sentence"
  compare --base base-*.jsonl --new new-*.jsonl --allow cpu --band 20%
  expect_code 0
  expect_words out "^allowed to differ: cpu: '.*' in base, 'Another processor' in new"
  launches new 3 1 collective '"all_gather"'
  compare --base base-*.jsonl --new new-*.jsonl
  expect_code 3
  expect_words err 'no case was measured on both sides'
}

case_missing() {
  launches base 5 1
  launches new 5 1
  sed -i '/"bytes": 4096,/d' new-*.jsonl
  compare --base base-*.jsonl --new new-*.jsonl --band 10%
  expect_code 4
  expect_words out '^missing: all_reduce, 4 KiB, .*: base measured, new not there$'
  compare --base base-*.jsonl --new new-*.jsonl --band 10% --allow missing
  expect_code 0
}

case_formats() {
  launches base 5 1
  launches new 5 1.2
  sed -n '/"bytes": 4096,/ s/"bytes": 4096,/"bytes": 8192,/p' base-1.jsonl >more # a case that new lacks
  cat more >>base-1.jsonl
  compare --base base-*.jsonl --new new-*.jsonl --format json
  expect_code 1
  python3 -c 'import json, sys
one = json.load(open("out"))
sys.exit(not (one["verdict"] == "worse" and len(one["cases"]) == 3 and len(one["gaps"]) == 1))' || { wrong "not that JSON" && show; }
  python3 "$tests/topo/validate.py" "$tests/../docs/comparison.schema.json" out >problems
  case $? in 0 | 4) ;; *) wrong "the JSON does not validate: $(cat problems)" ;; esac
  compare --base base-*.jsonl --new new-*.jsonl --format csv
  expect_code 1
  [ "$(wc -l <out)" = 4 ] || { wrong "not a line of names and three rows" && show; }
  compare --base base-*.jsonl --new new-*.jsonl --format markdown
  expect_code 1
  expect_words out '^[*][*]worse: 3 of 3 cases are slower[*][*]$'
  expect_words out '^[|] 4 KiB [|]'
}

case_repeatable() {
  launches base 5 1
  launches new 5 1.02
  compare --base base-*.jsonl --new new-*.jsonl --format json
  cp out first
  compare --base base-*.jsonl --new new-*.jsonl --format json
  cmp -s out first || wrong "the same files give another answer"
}

case_help() { # three examples, which run
  local example
  launches base 5 1
  launches new 5 1
  compare --help
  expect_code 0
  expect_quiet
  sed -n '/^Examples:/,$p' out | grep -oE '^  railgauge .*' | sed -E 's/^  //; s/  +.*//' >examples
  [ "$(wc -l <examples)" = 3 ] || { wrong "--help has $(wc -l <examples) examples instead of 3" && show; }
  while read -r example; do
    echo "example: $example"
    ln -sf "$RAILGAUGE" railgauge
    run env PATH="$room:$PATH" RAILGAUGE_BENCH_CACHE=warm RAILGAUGE_BENCH_BYTES=8,64K RAILGAUGE_BENCH_MAX_TIME=0.1 bash -c "$example --band 20%"
    case $example/$code in *interleave*/[014]) ;; *) expect_code 0 ;; esac # measured now: it may be anything
  done <examples
}

quick='bench all_reduce --ranks 2 --transport memory --algorithm ring --bytes 64,4K --iterations 20'

case_interleave() { # A B B A, what differs on purpose is allowed and said, and the results are kept
  compare --interleave 3 -o kept --base "$quick" --new "${quick/memory/shm}" --band 90%
  case $code in 0 | 1 | 4) ;; *) expect_code 0 ;; esac
  expect_quiet
  expect_words out '^base: 3 launches; new: 3 launches'
  expect_words out "^allowed to differ: transport: 'memory' in base, 'shm' in new"
  expect_words out '^the results of each launch are in kept$'
  [ "$(ls kept/*.jsonl | wc -l)" = 6 ] || wrong "$(ls kept) is kept"
  [ "$(for i in base-1 new-1 new-2 base-2 base-3 new-3; do stat -c '%Y.%y' kept/$i.jsonl; done | sort -c 2>&1)" = '' ] ||
    wrong "the launches did not take turns: $(stat -c '%y %n' kept/*.jsonl)"
  cp out first
  compare --base kept/base-*.jsonl --new kept/new-*.jsonl --allow transport,path --band 90%
  diff <(grep ' B  ' first) <(grep ' B  ' out) || wrong "the files that were kept give another answer"
}

case_interleave_fails() { # a launch that fails is said, and the others are compared
  launches base 3 1
  launches new 3 1
  cat >take <<'END_OF_SCRIPT'
#!/bin/sh
# take SIDE -o FILE: results of its next launch, but the second one of `new` fails.
echo x >>"$1.count"
number=$(wc -l <"$1.count")
[ "$1 $number" != "new 2" ] || { echo "it failed on purpose" >&2; exit 5; }
cp "$1-$number.jsonl" "$3"
END_OF_SCRIPT
  chmod +x take
  compare --interleave 3 --base './take base' --new './take new' --band 90%
  expect_code 4
  expect_words err '^railgauge: launch new-2 ended with exit code 5 and wrote no results: it failed on purpose$'
  expect_words out '^base: 3 launches; new: 2 launches'
  expect_words out '^1 of 3 launches of new failed, first this one: launch new-2'
  expect_words out '^inconclusive: 1 of 3 launches of new failed; of the others, all 3 cases are within 90 % of base$'
}

case_interleave_refused() {
  compare --interleave 3 --base "$quick" --new 'bench --nonsense'
  expect_refusal 'the first launch of new ended with exit code 2 and wrote no results: railgauge: .*--nonsense'
  compare --interleave 3 --base "$quick" --new nowhere/railgauge
  expect_refusal 'nowhere/railgauge: No such file'
  compare --interleave 3 --base "$quick" --new 'sleep 100 #'
  expect_refusal 'only a shell would understand'
  compare --interleave 3 --deadline 0.2 --base "sh -c 'sleep 100'" --new "$quick"
  expect_refusal 'the first launch of base did not end within 200 ms and wrote no results'
  mkdir full && touch full/file
  compare --interleave 3 -o full --base "$quick" --new "$quick"
  expect_refusal '-o full: it is not empty'
  compare --base a --new b -o folder
  expect_refusal '-o is for launches that compare makes itself'
  compare --interleave 3 --base "$quick" "$quick" --new "$quick"
  expect_refusal 'with --interleave, --base and --new are a command each'
  compare --interleave -1 --base "$quick" --new "$quick"
  expect_refusal '--interleave -1: expected a whole number from 1 to 1000'
  compare --interleave 0
  expect_refusal '--interleave 0: expected a whole number from 1 to 1000'
}

case_interleave_interrupted() { # what was finished is compared, and kept; exit code 5
  remember_surroundings
  (marked env --default-signal=INT "$RAILGAUGE" compare --interleave 500 -o kept --base "$quick" --new "$quick") >out 2>err &
  local program=$!
  until [ -s kept/base-3.jsonl ] || [ $SECONDS -gt $patience ]; do nap 0.02; done
  kill -INT $program
  wait $program
  code=$?
  expect_code 5
  expect_words err '^railgauge: interrupted by signal 2 .* (in|before) launch [0-9]+ of 1000; what was finished is compared'
  expect_words out '^base: [0-9]+ launches; new: [0-9]+ launches'
  [ -s kept/new-2.jsonl ] || wrong "what was finished is not kept"
  expect_nothing_left
}

case_refused() {
  launches base 2 1
  launches new 2 1
  compare
  expect_refusal 'there is nothing to compare: --base FILE is missing'
  compare base-1.jsonl
  expect_refusal 'give two files, BASE and NEW'
  compare base-1.jsonl new-1.jsonl --base base-2.jsonl
  expect_refusal 'give two files, BASE and NEW'
  compare --base base-1.jsonl
  expect_refusal '--new FILE is missing'
  compare base-1.jsonl none.jsonl
  expect_refusal 'none.jsonl: No such file'
  compare base-1.jsonl base-1.jsonl
  expect_refusal 'run base-1 is on both sides'
  cp base-1.jsonl copy.jsonl
  compare --base base-1.jsonl copy.jsonl --new new-1.jsonl
  expect_refusal 'run base-1 is in base-1.jsonl and in copy.jsonl'
  : >empty.jsonl
  compare base-1.jsonl empty.jsonl
  expect_refusal 'empty.jsonl holds no results'
  echo '{"schema": 1}' >odd.jsonl
  compare base-1.jsonl odd.jsonl
  expect_refusal 'odd.jsonl:1: expected a result line'
  compare base-1.jsonl "$room"
  expect_refusal 'cannot be read|Is a directory|holds no results'
  compare base-1.jsonl new-1.jsonl --allow ranks
  expect_refusal '--allow ranks: choose of algorithm, transport'
  compare base-1.jsonl new-1.jsonl --format xml
  expect_refusal '--format xml is unknown: choose from text, json, csv, markdown'
  compare base-1.jsonl new-1.jsonl --band wide
  expect_refusal '--band wide: expected a share above 0'
  compare base-1.jsonl new-1.jsonl --confidence 100%
  expect_refusal '--confidence 100%: choose between'
}

case_shared_cores() { # which changes how ranks wait, stands in each result
  bench all_reduce --ranks 2 --transport memory --algorithm ring --bytes 1K --iterations 4 --shared-cores -o a.jsonl
  expect_code 0
  expect_words a.jsonl '"settings":[{]"shared_cores":"yes"[}]'
  bench all_reduce --ranks 2 --transport memory --algorithm ring --bytes 1K --iterations 4 -o b.jsonl
  expect_code 0
  expect_words b.jsonl '"settings":[{][}]'
  run "$RAILGAUGE" compare --base b.jsonl --new a.jsonl
  expect_code 3
  expect_words err 'shared_cores'
}

isolate "$name"
enter_room
"case_$name"
exit $failed
