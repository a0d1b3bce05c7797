#!/usr/bin/env bash
# A pipeline of a git repository, as docs/gate.md shows them, into which commits bring an ordinary build and one that does an extra copy
# for each block, COUNT times each: the gate is to stop the one and to let the other pass, 19 times of 20.
# RAILGAUGE_EXTRA_COPY is the slower build.
set -uo pipefail
. "${0%/*}/lib.sh"
slower=$(readlink -f "${RAILGAUGE_EXTRA_COPY:-${RAILGAUGE_BUILD:-}/tests/railgauge_extra_copy}")
[ -x "$slower" ] || skip "there is no slower build: RAILGAUGE_EXTRA_COPY=build-ci/tests/railgauge_extra_copy"
command -v git >/dev/null || skip "there is no git"
begin_campaign 20 "$@"

limit=900
page=$tests/../docs/gate.md
yaml() { sed -n '/^```yaml/,/^```$/p' "$page"; }
# What each shell step runs, a line each.
steps_of() { sed -E "s/^'(.*)'$/\1/"; }
yaml | sed -n '/^jobs:/,/^```/ s/^ *- run: //p' | steps_of >github
yaml | sed -n '/^  script:/,/^  [a-z]*:$/ s/^    - //p' | steps_of >gitlab
for steps in github gitlab; do [ "$(wc -l <$steps)" = 3 ] || { echo "$page has no $steps example of three steps" && exit 1; }; done

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

# pipeline STEPS BRANCH: a fresh clone of the newest commit, in which the steps run. Its exit code is that of the first step that fails.
pipeline() {
  local more=()
  rm -rf clone
  git clone -q origin clone
  [ "$1" = gitlab ] || more=(GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$room/run.summary" GITHUB_REF_NAME="$2" GITHUB_SHA="$(git -C clone rev-parse HEAD)")
  [ "$1" = github ] || more=(CI_COMMIT_BRANCH="$2" CI_COMMIT_SHA="$(git -C clone rev-parse HEAD)")
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
  [ $steps = github ] || python3 -c 'import json, xml.dom.minidom as x; x.parse("clone/gate.xml"); json.load(open("clone/gate.json"))' 2>&1 | tail -1
  [ $steps = gitlab ] || [ -s clone/gate.html ] || echo "there is no page"
  [ $steps = gitlab ] || [ -s run.summary ] || echo "there is no summary of the step"
}

caught=0 silent=0
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_SHA GITHUB_REF_NAME CI_COMMIT_SHA CI_COMMIT_BRANCH XDG_DATA_HOME
load() { cut -d' ' -f1-3 /proc/loadavg; }
load_before=$(load)

# The first pipeline of all finds no control, passes, and keeps its build as one.
mkdir home
problems=''
commit ordinary
pipeline github main
[ $code = 0 ] && grep -q '^passed: learning: there is no control yet' run.out && [ -x home/accepted/railgauge ] ||
  end_run 0 "the first pipeline" "exit code $code: $(tail -1 run.out run.err)"

for ((run = 1; run <= count; run++)); do
  steps=$([ $((run % 2)) = 1 ] && echo github || echo gitlab)
  draw 2
  for build in $([ $drawn = 0 ] && echo ordinary extra_copy || echo extra_copy ordinary); do
    remember_surroundings
    problems=''
    commit $build
    pipeline $steps main
    problems+=$(
      case $code in 0 | 1) ;; *) echo "exit code $code" ;; esac
      check_surroundings
    )
    case $build/$code in
      extra_copy/1) caught=$((caught + 1)) ;;
      ordinary/0) silent=$((silent + 1)) ;;
      *) echo "run $run, $build: exit code $code: $(tail -1 run.out)" ;;
    esac
    cmp -s home/accepted/railgauge builds/ordinary || { [ $build/$code = extra_copy/0 ] && cp builds/ordinary home/accepted/railgauge; } ||
      problems+="the control is not the ordinary build"
    echo "$run $build $code: $(grep -E '^(passed|stopped|inconclusive)' run.out) (load $(load))" >>history
    end_run $run "$build, steps of $steps" "$problems"
  done
done
missed=$((count / 20)) # so many of each may go wrong
[ $caught -ge $((count - missed)) ] && [ $silent -ge $((count - missed)) ] || { failed=$((failed + 1)) && cat history; }
[ -z "${RAILGAUGE_VERBOSE:-}" ] || cat history
end_campaign "the slower build was caught in $caught of $count, the ordinary one passed in $silent of $count" \
  "(load $load_before at the beginning, $(load) at the end)"
