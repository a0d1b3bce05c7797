#!/usr/bin/env bash
# conformance.sh BUILD TRANSPORT HARNESS [NAME=VALUE...]: every case of the conformance suite, one after the other, inside the
# machine of ci/vm. CASES in the environment: only these.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
program=$1/tests/conformance transport=$2 harness=$3
shift 3
before=$(resources)
passed=0 failed=()
for name in ${CASES:-$("$program" list | awk '{ print $1 }')}; do
  code=0
  said=$("$program" "$transport" "$harness" "$name" "$@" 2>&1) || code=$?
  if [ $code = 0 ]; then
    passed=$((passed + 1))
  elif [ $code = 4 ]; then
    echo "$said"
    exit 4
  else
    failed+=("$name")
    printf '%s: exit code %s\n%s\n' "$name" $code "$said"
  fi
done
expect_no_leak "$before" || failed+=("leak")
echo "$transport $harness $*: $passed cases passed${failed[*]:+, failed: ${failed[*]}}, $(cut -d' ' -f1 /proc/uptime) s"
[ ${#failed[@]} = 0 ]
