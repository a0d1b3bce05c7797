#!/usr/bin/env bash
# browser.sh healthy|cable|inconclusive|large|unknown|hostile NODE MODULES: makes the page of a made validation and opens it in headless
# Chromium (browser.mjs says what is looked at). With RAILGAUGE_PICTURES=FOLDER pictures of it are left there. Exit code 4: there is
# no Chromium.
set -uo pipefail
. "${0%/*}/../../cli/lib.sh"
case_name=${1:?which page} node=${2:?the program node} modules=${3:?the folder with node_modules}
here=$tests/reports
. "$tests/cli/expect.sh"
isolate "$case_name" "$node" "$modules"
browser=$(find_chromium) || skip "there is no chromium"
enter_room
run "${VALIDATION_PAGES:?the program validation_pages}" .
expect_code 0
expect_quiet
# Beside its packages, since a module is looked for beside the file that asks for it.
mkdir test
ln -s "$modules/node_modules" test/node_modules
cp "$here/validation/browser.mjs" "$here/web/opened.mjs" test/
(marked timeout -k 5 200 "$node" test/browser.mjs "$browser" "$PWD/$case_name.html" "$case_name" "${RAILGAUGE_PICTURES:-}") || failed=1
exit $failed
