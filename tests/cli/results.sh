#!/usr/bin/env bash
# results.sh NAME: one test of what results hold beside their numbers: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"

# expect_keys FILE PYTHON: true of `results`, the lines of the file.
expect_keys() {
  python3 - "$@" <<'END' || { wrong "$1 is not as it should be: $2" && show; }
import json, sys
results = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
sys.exit(not (results and eval(sys.argv[2])))
END
}

case_environment() { # by the list of names, never a secret, and the digits of this machine
  run env UCX_TLS=tcp,self NCCL_TOKEN=hidden UCX_PASSWORD=hidden HOME_OF=hidden MALLOC_ARENA_MAX=2 \
    "$RAILGAUGE" bench all_reduce --ranks 2 --transport memory --bytes 64,128 --iterations 8 -o a.jsonl -o a.csv
  expect_code 0
  expect_keys a.jsonl 'all(r["environment"].get("UCX_TLS") == "tcp,self" and r["environment"].get("MALLOC_ARENA_MAX") == "2" for r in results)'
  expect_keys a.jsonl 'all(not any("TOKEN" in n or "PASS" in n or "HOME" in n for n in r["environment"]) for r in results)'
  ! grep -l hidden a.jsonl a.csv || wrong "a secret is in the results"
  "$RAILGAUGE" topo --as fingerprint >print
  expect_keys a.jsonl "all(r['topology'] == '$(head -c 16 print)' for r in results)"
  expect_keys a.jsonl 'all(r["environment_differs"] == [] and r["verdict"] is None and r["expected_share"] is None for r in results)'
}

case_environment_of_ranks() {
  command -v mpirun >/dev/null || skip "mpirun is not installed"
  run mpirun --oversubscribe -n 3 sh -c \
    'if [ "$PMIX_RANK" = 2 ]; then export UCX_RNDV_THRESH=1K; fi; export CUDA_VISIBLE_DEVICES=$PMIX_RANK
     exec "$0" bench all_reduce --bytes 64 --iterations 8 -o a.jsonl' "$RAILGAUGE"
  expect_code 0
  expect_keys a.jsonl 'results[0]["environment_differs"] == ["UCX_RNDV_THRESH"]'
  expect_keys a.jsonl '"UCX_RNDV_THRESH" in results[0]["remark"] and results[0]["environment"]["CUDA_VISIBLE_DEVICES"] == "0"'
  expect_words out 'UCX_RNDV_THRESH: not all ranks have the value that rank 0 has'
  "$RAILGAUGE" topo --as fingerprint >print
  expect_keys a.jsonl "results[0]['topology'] == '$(head -c 16 print)'"
}

case_expect_unknown() { # on one host there is no reference, and a skipped point is none
  bench all_reduce --ranks 3 --transport memory --algorithm all --bytes 64 --iterations 8 --expect 80% -o a.jsonl -o a.xml
  expect_code 4
  expect_words err '^railgauge: --expect 80%: no reference for [0-9]+ of [0-9]+ results: no topology says'
  [ "$(wc -l <err)" = 1 ] || wrong "more than a sentence"
  expect_words out 'share of expected that was asked for: 0 reached it, 0 did not, [0-9]+ unknown$'
  expect_keys a.jsonl 'all(r["verdict"] == (None if r["status"] == "skipped" else "unknown") for r in results)'
  expect_keys a.jsonl 'all(r["expected_share"] == 0.8 for r in results)'
  bench copy --from numa0 --to numa0 --bytes 4K --iterations 8 --expect 0.5
  expect_code 4
  for share in 0 101% much -1; do
    bench all_reduce --ranks 2 --expect "$share"
    expect_refusal 'expected a share'
  done
}

isolate "$name"
enter_room
"case_$name"
exit $failed
