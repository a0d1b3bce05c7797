#!/usr/bin/env bash
# A pipeline of a git repository, as docs/gate.md shows them, into which commits bring an ordinary build and one that does an extra copy
# for each block, COUNT times each: the gate is to stop the one and to let the other pass, 19 times of 20.
# RAILGAUGE_EXTRA_COPY is the slower build. RAILGAUGE_LEARN: so many runs make a history (30).
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/lib.sh"
slower=$(readlink -f "${RAILGAUGE_EXTRA_COPY:-${RAILGAUGE_BUILD:-}/tests/railgauge_extra_copy}")
[ -x "$slower" ] || skip "there is no slower build: RAILGAUGE_EXTRA_COPY=build-ci/tests/railgauge_extra_copy"
command -v git >/dev/null || skip "there is no git"
begin_campaign 20 "$@"

learn=${RAILGAUGE_LEARN:-30} rounds=5 limit=600
page=$tests/../docs/gate.md
yaml() { sed -n '/^```yaml/,/^```$/p' "$page"; }
# What each shell step runs, a line each.
yaml | sed -n '/^jobs:/,/^```/ s/^ *- run: //p' >github
yaml | sed -n '/^  script:/,/^  [a-z]*:$/ s/^    - //p' >gitlab
for steps in github gitlab; do [ "$(wc -l <$steps)" = 2 ] || { echo "$page has no $steps example of two steps" && exit 1; }; done

# The repository: what it builds is what its file `version` says.
git init -q --initial-branch=main origin
git -C origin config user.name campaign
git -C origin config user.email campaign@example.org
printf '#!/bin/sh\ncp "$BUILDS/$(cat version)" railgauge\n' >origin/build
chmod +x origin/build
mkdir builds
cp "$RAILGAUGE" builds/ordinary
cp "$slower" builds/extra_copy
commit() {
  echo "$1" >origin/version
  git -C origin add -A && git -C origin commit -q --allow-empty -m "$1"
}

# pipeline STEPS: a fresh clone of the newest commit, in which the steps run. Its exit code is that of the first step that fails.
pipeline() {
  local more=()
  rm -rf clone
  git clone -q origin clone
  [ "$1" = gitlab ] || more=(GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$room/run.summary" GITHUB_SHA="$(git -C clone rev-parse HEAD)")
  [ "$1" = github ] || more=(CI_COMMIT_SHA="$(git -C clone rev-parse HEAD)")
  (cd clone && marked env BUILDS="$room/builds" HOME="$room/home" "${more[@]}" bash -eo pipefail "$room/$1") >run.out 2>run.err &
  local program=$!
  if ! await_end $program $limit; then
    problems="did not end within $limit s"$'\n'
    end_marked
  fi
  wait $program
  code=$?
}
check_surroundings() {
  head -2 run.err
  left_behind
  [ $steps = github ] || python3 -c 'import xml.dom.minidom as x; x.parse("clone/gate.xml")' 2>&1 | tail -1
  [ $steps = gitlab ] || [ -s clone/gate.html ] || echo "there is no page"
  [ $steps = gitlab ] || [ -s run.summary ] || echo "there is no summary of the step"
}

caught=0 silent=0 launches=0
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_SHA CI_COMMIT_SHA
for ((run = 1; run <= count; run++)); do
  steps=$([ $((run % 2)) = 1 ] && echo github || echo gitlab)
  if [ $((run % rounds)) = 1 ] || [ $rounds = 1 ]; then # a history from the start
    rm -rf home && mkdir home
    refused=0
    for ((i = 1; i <= learn + refused && i <= 2 * learn; i++)); do
      problems=''
      commit ordinary
      pipeline $steps
      case $code in 0) ;; 1) refused=$((refused + 1)) ;; *) problems+="exit code $code while learning: $(tail -1 run.err)" ;; esac
      [ -z "$problems" ] || end_run "$run" "learning" "$problems"
    done
    echo "history $(((run + rounds - 1) / rounds)): $learn runs, $refused more that were refused"
  fi
  draw 2
  for build in $([ $drawn = 0 ] && echo ordinary extra_copy || echo extra_copy ordinary); do
    remember_surroundings
    problems=''
    commit $build
    pipeline $steps
    problems+=$(
      case $code in 0 | 1) ;; *) echo "exit code $code" ;; esac
      check_surroundings
    )
    case $build/$code in
      extra_copy/1) caught=$((caught + 1)) ;;
      ordinary/0) silent=$((silent + 1)) ;;
      *) echo "run $run, $build: exit code $code: $(tail -1 run.out)" ;;
    esac
    echo "$run $build $code: $(grep -E '^(passed|stopped|inconclusive)' run.out)" >>history
    end_run $run "$build, steps of $steps" "$problems"
  done
done
missed=$((count / 20)) # so many of each may go wrong
[ $caught -ge $((count - missed)) ] && [ $silent -ge $((count - missed)) ] || { failed=$((failed + 1)) && cat history; }
end_campaign "the slower build was caught in $caught of $count, the ordinary one passed in $silent of $count"
