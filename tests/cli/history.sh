#!/usr/bin/env bash
# history.sh NAME: one test of `railgauge history`: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"
. "$tests/cli/postgresql.sh"

history() { run "$RAILGAUGE" history "$@"; }

# runs FIRST LAST FACTOR [FIELD VALUE]: files run-FIRST.jsonl to run-LAST.jsonl, of a real measurement whose times are replaced: 1 ms, runs
# differ by 1 %, FACTOR times as long; FIELD of each line set to VALUE, which is JSON.
runs() {
  [ -e real.jsonl ] || {
    bench all_reduce --ranks 2 --transport memory --algorithm ring --bytes 1K,4K,64K --iterations 4 -o real.jsonl
    expect_code 0
  }
  python3 - "$@" <<'END_OF_PYTHON'
import json, random, sys
first, last, factor = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
for number in range(first, last + 1):
    draws = random.Random(number)
    luck = factor * (1 + 0.01 * draws.gauss(0, 1))
    with open(f"run-{number:02}.jsonl", "w", encoding="utf-8") as file:
        for one in map(json.loads, open("real.jsonl", encoding="utf-8")):
            one["run"] = f"run-{number:02}"
            one["times"] = [1e-3 * luck * (1 + 0.01 * draws.gauss(0, 1)) for _ in range(20)]
            one["samples"], one["effective_samples"], one["times_step"] = 20, 20, 1
            one["median"] = sorted(one["times"])[9]
            one["ci_low"], one["ci_high"] = one["median"] * 0.99, one["median"] * 1.01
            if len(sys.argv) > 4:
                one[sys.argv[4]] = json.loads(sys.argv[5])
            file.write(json.dumps(one) + "\n")
END_OF_PYTHON
}

# All that a history can do, in the one that --history names.
whole_story() {
  local place=$1
  runs 1 12 1
  history add run-0*.jsonl run-1*.jsonl --history "$place" --label first --at 2026-11-01
  expect_code 0
  expect_quiet
  expect_words out '^added 12 runs with 36 results; 3 cases not seen before$'
  history add run-03.jsonl --history "$place"
  expect_code 0
  expect_words out '^run run-03 was there already$'
  history list --history "$place"
  expect_code 0
  [ "$(wc -l <out)" = 13 ] || { wrong "not twelve runs" && show; }
  expect_words out '^run-12 +first +2026-11-01 00:00:00 +counted +3 +3$'
  history check --history "$place"
  expect_code 0
  expect_words out '^passed: nothing is suspected in 3 cases$'

  runs 13 13 1.2
  history add run-13.jsonl --history "$place" --label slow --refused
  expect_code 0
  history check --history "$place"
  expect_code 4
  expect_words out '^all cases together: [+](19|20|21|22|18)[.][0-9] % of the baseline, suspected$'
  expect_words out '^inconclusive: suspected, not confirmed: the run as a whole'
  history check --history "$place" --run run-12
  expect_code 0
  history show size=4K --history "$place"
  expect_code 0
  expect_words out 'run-13 .* refused'
  expect_words out '▁.*█'
  expect_words out 'baseline [0-9.]+ [mu]s of 12 runs, from run run-01$'

  history accept size=4K --reason 'ticket 12' --who ada --from run-13 --history "$place"
  expect_code 0
  expect_words out '^the baseline of 1 case begins again with run run-13, accepted by ada$'
  history show size=4K --history "$place"
  expect_words out 'no run of the baseline yet; accepted by ada on .*: ticket 12$'
  runs 14 30 1.2
  history add run-1[4-9].jsonl run-2*.jsonl run-30.jsonl --history "$place" --label second
  expect_code 0
  history check --history "$place"
  expect_code 4
  expect_words out '^change point: all_reduce, 1 KiB, .*: [+](19|20|21|18)[.][0-9] % at run run-14, second .*, within the baseline$'
  expect_words out '^inconclusive: a change point to a slower level lies within the baseline of 2 cases: '
  history check size=4K --history "$place"
  expect_code 0
  history show size=4K --history "$place"
  expect_words out 'baseline 1.* ms of 17 runs, from run run-14; accepted by ada'
  expect_words out 'run-14 .*change point [+]'

  history export --history "$place"
  expect_code 0
  cat run-*.jsonl >all.jsonl
  cmp -s out all.jsonl || wrong "what comes out is not what went in"
  history export --run run-07 -o seven.jsonl --history "$place"
  expect_code 0
  cmp -s seven.jsonl run-07.jsonl || wrong "a run does not come out as it went in"
  history export size=4K --format csv --history "$place"
  expect_code 0
  [ "$(wc -l <out)" = 31 ] || wrong "not a line of names and one for each of 30 runs"
  # Words of any length.
  sed "s/\"cpu\": \"[^\"]*\"/\"cpu\": \"$(head -c 100000 /dev/zero | tr '\0' x)\"/; s/run-12/run-wide/" run-12.jsonl >wide.jsonl
  history add wide.jsonl --history "$place"
  expect_code 0
  expect_words out '3 cases not seen before'
  history add run-12.jsonl wide.jsonl --history "$place"
  expect_code 0
  expect_words out '^run run-wide was there already$'
}

case_file() { whole_story "$room/a history.db"; }
case_postgresql() {
  start_postgresql
  whole_story "$server"
  [ "$(ask 'SELECT count(*) FROM railgauge_results')" = 93 ] || wrong "the server does not have 93 lines"
  # With other words in the address, and a schema of one's own.
  ask 'CREATE SCHEMA other' && history add run-01.jsonl --history "$server&options=-csearch_path%3Dother"
  expect_code 0
  expect_words out '3 cases not seen before'
}

case_default_place() {
  runs 1 1 1
  run env XDG_DATA_HOME="$room/data" "$RAILGAUGE" history add run-01.jsonl
  expect_code 0
  [ -s data/railgauge/history.db ] || wrong "there is no data/railgauge/history.db"
  run env -u XDG_DATA_HOME HOME="$room/home" "$RAILGAUGE" history list
  expect_refusal "there is no history $room/home/.local/share/railgauge/history.db"
  [ ! -e home ] || wrong "a list makes a folder"
  run env -u XDG_DATA_HOME -u HOME "$RAILGAUGE" history list
  expect_refusal 'say where the history is with --history FILE'
}

case_another_version() { # of a library: another series, and check says why there is no baseline
  runs 1 10 1
  history add run-*.jsonl --history h.db
  runs 11 11 1 versions '{"railgauge": "0.1.0", "ucx": "1.18"}'
  history add run-11.jsonl --history h.db --label upgrade
  expect_words out '3 cases not seen before'
  history check --history h.db
  expect_code 4
  expect_words out "^no baseline for 3 cases: no run before; up to run run-10 versions.ucx was not there, now it is '1.18'"
}

case_failed() { # a case that was measured before
  runs 1 10 1
  history add run-*.jsonl --history h.db
  runs 11 11 1
  sed -i '/"bytes": 4096,/ { s/"status": "[a-z_]*"/"status": "failed"/; s/"reason": ""/"reason": "the cable is gone"/ }' run-11.jsonl
  history add run-11.jsonl --history h.db
  history check --history h.db
  expect_code 1
  expect_words out '^failed: all_reduce, 4 KiB, .*: failed: the cable is gone$'
  expect_words out '^worse: a case that was measured before failed$'
  runs 12 12 1
  sed -i '/"bytes": 4096,/d' run-12.jsonl
  history add run-12.jsonl --history h.db
  history check --history h.db
  expect_code 0 # the run before did not measure it either
  runs 13 14 1
  sed -i '/"bytes": 4096,/d' run-14.jsonl
  history add run-13.jsonl run-14.jsonl --history h.db
  history check --history h.db
  expect_code 4
  expect_words out '^missing: all_reduce, 4 KiB, .*: not there$'
}

case_json() {
  runs 1 12 1
  history add run-*.jsonl --history h.db --label 'a "label"'
  local what
  for what in list show check; do
    history $what --history h.db --format json
    expect_code 0
    cp out $what.json
  done
  python3 - <<'END_OF_PYTHON' || wrong "not that JSON"
import json
runs, shown, checked = (json.load(open(f"{name}.json")) for name in ("list", "show", "check"))
assert runs["schema"] == "railgauge.history.list/1" and len(runs["runs"]) == 12 and runs["runs"][0]["label"] == 'a "label"'
assert len(shown["series"]) == 3 and len(shown["series"][0]["points"]) == 12 and shown["series"][0]["baseline"] == list(range(12))
assert checked["run"] == "run-12" and len(checked["cases"]) == 3 and checked["cases"][0]["baseline_runs"] == 11
assert checked["exit_code"] == 0 and not checked["whole_suspected"]
END_OF_PYTHON
}

case_full_disk() { # one sentence, and what was there is there still
  runs 1 1 1
  history add run-01.jsonl --history h.db
  expect_code 0
  runs 2 60 1
  cat run-0[2-9].jsonl run-[1-6]*.jsonl >many.jsonl
  (ulimit -f $(($(stat -c %s h.db) / 1024 + 40)) && marked "$RAILGAUGE" history add many.jsonl --history h.db) >out 2>err
  code=$?
  expect_refusal 'h.db cannot be written, the disk may be full or fail: .*: nothing was changed'
  history list --history h.db
  [ "$(wc -l <out)" = 2 ] || { wrong "not one run" && show; }
  # A disk that is full indeed, where the tests may make one.
  mkdir small && mount -t tmpfs -o size=200k none small 2>/dev/null || return
  run "$RAILGAUGE" history add run-01.jsonl --history small/h.db
  expect_code 0
  run "$RAILGAUGE" history add many.jsonl --history small/h.db
  expect_refusal 'the disk of small/h.db is full: nothing was changed|small/h.db cannot be written, the disk may be full'
  history export --history small/h.db
  cmp -s out run-01.jsonl || wrong "what was there is not there any more"
  umount small
}

case_read_only() {
  runs 1 2 1
  mkdir kept
  history add run-01.jsonl --history kept/h.db
  mount --bind kept kept 2>/dev/null && mount -o remount,bind,ro kept 2>/dev/null || skip "no folder can be made read-only here"
  history list --history kept/h.db
  expect_code 0
  history add run-02.jsonl --history kept/h.db
  expect_refusal 'kept/h.db cannot be written: it, or the folder that it is in, is read-only: nothing was changed'
  umount kept
}

case_server_refusals() {
  runs 1 1 1
  run "$RAILGAUGE" history list --history "postgresql://ada:se%41cret@/x?host=$room"
  expect_refusal "postgresql://ada@/x: .*$room"
  ! grep -q seAcret err || wrong "the password is told"
  start_postgresql
  history list --history "$server"
  expect_refusal 'there is no history in postgresql://railgauge@/postgres yet'
  history list --history "${server/@\/postgres/@\/none}"
  expect_refusal 'database "none" does not exist'
  ask "CREATE ROLE guest LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC" >/dev/null
  history add run-01.jsonl --history "${server/railgauge@/guest@}"
  expect_refusal 'postgresql://guest@/postgres: ERROR:  permission denied for schema public: nothing was changed'
  # Others who hold the history: a deadline.
  (ask "SELECT pg_advisory_lock(7163384644223034467); SELECT pg_sleep(100)" >/dev/null 2>&1) &
  until [ "$(ask "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")" = 1 ]; do nap 0.05; done
  history add run-01.jsonl --history "$server" --wait 200ms
  expect_refusal 'lock timeout: nothing was changed'
}

case_server_library() { # which is not there: one sentence
  local library
  library=$(ldconfig -p | sed -n 's/.*libsoci_postgresql[.]so[.][0-9.]* .*=> //p' | head -1)
  [ -n "$library" ] || skip "SOCI's library for PostgreSQL is not there as it is"
  unshare --mount sh -c ': >nothing && mount --bind nothing "$0" && exec "$@"' "$(readlink -f "$library")" true 2>/dev/null ||
    skip "it cannot be hidden here"
  run unshare --mount sh -c ': >nothing && mount --bind nothing "$0" && exec "$@"' "$(readlink -f "$library")" \
    "$RAILGAUGE" history list --history postgresql:///x
  expect_refusal 'postgresql:///x needs SOCI.s library for PostgreSQL, the package libsoci-postgresql4[.][0-9]: '
}

case_help() { # three examples for each command
  local command
  for command in '' add list show check accept export; do
    # shellcheck disable=SC2086 # nothing or a word
    history $command --help
    expect_code 0
    expect_quiet
    [ "$(sed -n '/^Examples:/,$p' out | grep -cE '^  railgauge ')" = 3 ] || { wrong "$command --help has not three examples" && show; }
  done
}

case_examples() { # those of the command itself
  runs 1 12 1
  cat run-*.jsonl >nightly.jsonl
  ln -s "$RAILGAUGE" railgauge
  history --help
  sed -n '/^Examples:/,$p' out | grep -oE '^  railgauge .*' | sed -E 's/^  //; s/   +.*//' >examples
  while read -r example; do
    echo "example: $example"
    run env PATH="$room:$PATH" XDG_DATA_HOME="$room/data" bash -c "$example"
    expect_code 0
  done <examples
}

case_refused() {
  runs 1 2 1
  history
  expect_refusal 'a command is missing'
  history add
  expect_refusal 'FILE is missing'
  history add none.jsonl --history h.db
  expect_refusal 'none.jsonl: No such file'
  history add "$room" --history h.db
  expect_refusal 'is a folder'
  : >empty.jsonl
  history add empty.jsonl --history h.db
  expect_refusal 'empty.jsonl holds no results'
  cp run-01.jsonl copy.jsonl
  history add run-01.jsonl copy.jsonl --history h.db
  expect_refusal 'run run-01 is in run-01.jsonl and in copy.jsonl'
  { cat run-01.jsonl && head -c 100 run-02.jsonl; } >cut.jsonl
  history add cut.jsonl --history h.db
  expect_refusal 'cut.jsonl:4: expected a result line'
  [ ! -e h.db ] || wrong "something was made"
  history add run-01.jsonl --history h.db --at yesterday
  expect_refusal "'yesterday' is no time"
  history add run-01.jsonl --history h.db
  expect_code 0
  head -2 run-01.jsonl >less.jsonl
  history add less.jsonl --history h.db
  expect_refusal 'run run-01 is there already, with other results: nothing was changed'
  history list --history text.db --format xml
  expect_refusal '--format xml is unknown'
  printf 'not a database, and long enough to look at: %0900d' 1 >text.db
  history list --history text.db
  expect_refusal 'text.db is no history: it is no SQLite database'
  history show colour=red --history h.db
  expect_refusal "there is no 'colour' to choose by"
  history check --run none --history h.db
  expect_refusal 'h.db has no run none'
  history check all_gather --history h.db
  expect_refusal 'run run-01 has no case that fits'
  history accept --history h.db
  expect_refusal '--reason is missing'
  history accept --reason ' ' --history h.db
  expect_refusal '--reason is empty'
  history accept --reason x --from none --who ada --history h.db
  expect_refusal 'h.db has no run none'
  history accept all_gather --reason x --who ada --history h.db
  expect_refusal 'h.db has no case that fits'
  run env -u USER -u LOGNAME -u GITHUB_ACTOR -u GITLAB_USER_LOGIN "$RAILGAUGE" history accept --reason x --history h.db
  expect_refusal 'say it with --who NAME'
  history export -o run-02.jsonl --history h.db
  expect_refusal 'run-02.jsonl.* exists'
  history export --format csv --run run-01 --history h.db
  expect_refusal '--run is of --format jsonl'
  history add run-01.jsonl --history h.db --wait soon
  expect_refusal 'soon'
}

isolate "$name"
enter_room
"case_$name"
exit $failed
