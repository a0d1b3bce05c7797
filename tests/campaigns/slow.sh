#!/usr/bin/env bash
# slow.sh: the tests that take too long for ci/test. Exit code 4: each of them was skipped.
set -uo pipefail
build=${RAILGAUGE_BUILD:?the folder that the program was built in}
output=$(mktemp)
trap 'rm -f "$output"' EXIT
ctest --test-dir "$build" -L '^slow$' --no-tests=error --output-on-failure 2>&1 | tee "$output"
code=${PIPESTATUS[0]}
[ "$code" = 0 ] || exit 1
if ! grep -qE ' Test +#[0-9]+: .* Passed ' "$output"; then
  echo "skipped: none of the slow tests can run here"
  exit 4
fi
