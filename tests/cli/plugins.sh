#!/usr/bin/env bash
# plugins.sh NAME: one test of what the built program does with plugins that cannot be loaded: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"

case_truncated_plugin() {
  local plugin
  plugin=${RAILGAUGE%/*}/../lib/railgauge/railgauge_ucx.so
  [ -e "$plugin" ] || skip "the plugin ucx was not built"
  mkdir plugins
  head -c 3000 "$plugin" >plugins/railgauge_ucx.so
  run env RAILGAUGE_PLUGIN_PATH="$room/plugins" "$RAILGAUGE" bench all_reduce --ranks 2 --transport ucx --bytes 8 -o a.jsonl
  expect_code 0
  expect_words a.jsonl '"status":"skipped","reason":"the transport ucx is unavailable: .*railgauge_ucx.so: the file is truncated'
  run env RAILGAUGE_PLUGIN_PATH="$room/plugins" "$RAILGAUGE" list transports
  expect_code 0
  expect_words out 'ucx +unavailable: .*truncated'
}

case_without_libibverbs() { # whose files are covered by whiteouts of an overlay
  local folder
  ldd "${RAILGAUGE%/*}/../lib/railgauge/railgauge_verbs.so" >libraries 2>&1 || skip "the plugin verbs was not built"
  folder=$(dirname "$(awk '$1 == "libibverbs.so.1" {print $3}' libraries)")
  cat >hide.sh <<'END'
mount -t tmpfs tmpfs "$2" && mkdir "$2/upper" "$2/work" || exit 99
for file in "$1"/libibverbs.so.1*; do mknod "$2/upper/${file##*/}" c 0 0 || exit 99; done
mount -t overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" overlay "$1" || exit 99
shift 2
exec "$@"
END
  mkdir over
  run unshare --mount bash hide.sh "$folder" "$room/over" "$RAILGAUGE" list transports
  [ "$code" != 99 ] && ! grep -q '^unshare' err || skip "files cannot be hidden here: $(head -1 err)"
  expect_code 0
  expect_words out '^verbs +unavailable: libibverbs.so.1: cannot open shared object file'
  expect_words out '^shm +processes of one host'
  run unshare --mount bash hide.sh "$folder" "$room/over" "$RAILGAUGE" bench all_reduce --ranks 2 --bytes 8 --iterations 4 -o a.jsonl
  expect_code 0
  expect_results a.jsonl 1
  run unshare --mount bash hide.sh "$folder" "$room/over" "$RAILGAUGE" bench all_reduce --ranks 2 --bytes 8 --transport verbs
  expect_code 0
  expect_words out '8 B  float32 .* verbs +skipped: the transport verbs is unavailable: libibverbs.so.1: cannot open shared object file'
}

isolate "$name"
enter_room
"case_$name"
exit $failed
