#!/usr/bin/env bash
# output.sh NAME: one test of what railgauge bench says of what it measured and of what is not there: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"

# As on a machine that has no plugin: transports that are built in are there, and no others.
without_plugins() {
  break_plugins
  run env RAILGAUGE_PLUGIN_PATH="$room/broken" "$RAILGAUGE" "$@"
}
break_plugins() { # into a folder that is searched first
  local plugin
  mkdir -p "$room/broken"
  for plugin in ucx verbs nccl cuda_ipc; do echo "no plugin" >"$room/broken/railgauge_$plugin.so"; done
}

case_columns() { # what has no value has no column
  bench barrier broadcast --ranks 2 --transport memory --bytes 8 --iterations 4
  expect_code 0
  expect_words out '^ algorithm +transport +time +± +p99 samples wrong$'
  expect_words out '^ +size  type +algorithm +transport +time +± +p99 algbw GB/s'
}

case_rooted() { # isolated unless it is asked for otherwise; collectives without a root, and patterns that have one, are not
  bench broadcast reduce gather scatter all_reduce incast --ranks 2 --transport memory --bytes 8 --iterations 4 -o a.jsonl
  expect_code 0
  [ "$(grep -cE '"collective":"(broadcast|reduce|gather|scatter)".*"mode":"isolated"' a.jsonl)" = 4 ] || wrong "not isolated"
  [ "$(grep -cE '"collective":"(all_reduce|incast)".*"mode":"back-to-back"' a.jsonl)" = 2 ] || wrong "isolated"
  expect_words out '^broadcast: .*, isolated, root 0 \(iterations start together\), warm'
  bench broadcast --ranks 2 --transport memory --bytes 8 --iterations 4 --mode back-to-back -o b.jsonl
  expect_code 0
  expect_words b.jsonl '"mode":"back-to-back"'
  expect_words out '^broadcast: .*, back-to-back, root 0 \(iterations overlap, ranks run ahead\), warm'
}

case_absent() { # a transport that is not there is skipped, with its reason, and the others are measured
  without_plugins bench all_reduce --ranks 2 --transport ucx,shm --bytes 8:64 --iterations 4 -o a.jsonl
  expect_code 0
  expect_quiet
  expect_results a.jsonl 8
  [ "$(grep -c '"status":"skipped","reason":"the transport ucx is unavailable: .*"transport":"ucx"' a.jsonl)" = 4 ] ||
    wrong "ucx was not skipped four times"
  [ "$(grep -c '"status":"\(ok\|not_converged\)".*"transport":"shm"' a.jsonl)" = 4 ] || wrong "shm was not measured four times"
  expect_words out 'ucx +skipped: the transport ucx is unavailable'
  expect_words out '^ +and 3 more sizes, for the same reason$'
  expect_words out '^8 points in .*, 4 skipped$'
  without_plugins bench all_reduce --ranks 2 --transport ucx,shm --bytes 8 --iterations 4 --strict
  expect_code 4
  without_plugins bench all_reduce --ranks 2 --transport shm --bytes 8 --iterations 4 --strict
  expect_code 0
}

case_absent_alone() { # it is a result as well; an unknown name, or a setting of another, is not
  without_plugins bench all_reduce --ranks 2 --transport ucx --bytes 8 --set ucx.tls=tcp -o a.jsonl
  expect_code 0
  expect_results a.jsonl 1
  without_plugins bench all_reduce --ranks 2 --transport shm+ucx --bytes 8
  expect_code 0
  expect_words out 'shm[+]ucx +skipped: the transport ucx is unavailable'
  without_plugins bench all_reduce --ranks 2 --transport nccl --algorithm native --bytes 8
  expect_code 0
  expect_words out 'native +nccl +skipped: the transport nccl is unavailable'
  without_plugins bench all_reduce --ranks 2 --transport shm,pigeons --bytes 8
  expect_refusal "no transport 'pigeons'"
  without_plugins bench all_reduce --ranks 2 --transport ucx --bytes 8 --set verbs.gid=1
  expect_refusal 'verbs is no transport of this run'
}

case_absent_under_a_launcher() {
  needs_mpirun
  break_plugins
  run env RAILGAUGE_PLUGIN_PATH="$room/broken" mpirun --oversubscribe -n 2 "$RAILGAUGE" bench all_reduce --transport ucx,shm,memory \
    --bytes 8 --iterations 4
  expect_code 0
  expect_words out 'ucx +skipped: the transport ucx is unavailable'
  expect_words out 'memory +skipped: its ranks are threads of one process'
  expect_words out '^3 points in .*, 2 skipped$'
}

case_all() { # each that can serve, and a line about the others
  without_plugins bench all_reduce --ranks 2 --transport all --bytes 8 --iterations 4 -o a.jsonl --strict
  expect_code 0
  expect_results a.jsonl 2
  expect_words a.jsonl '"transport":"shm"'
  expect_words a.jsonl '"transport":"memory"'
  expect_words out '^transports that are unavailable here: ucx: .*; verbs: '
}

case_operations() { # those of a card say what they need
  without_plugins bench write fetch_add --ranks 2 --bytes 8:32 -o a.jsonl
  expect_code 0
  expect_results a.jsonl $((2 * 3 + 2))
  expect_words out '^write: 2 ranks, host memory'
  expect_words out '8 B  uint8 +latency +verbs +skipped: the transport verbs is unavailable: '
  without_plugins bench write --ranks 2 --bytes 8 --strict
  expect_code 4
  without_plugins bench wrlte --ranks 2 --bytes 8
  expect_refusal 'there is no collective wrlte'
}

case_oversubscribed() { # one line, whatever is measured
  bench all_reduce all_gather --ranks $((2 * $(nproc))) --transport memory,shm --bytes 8,64 --iterations 2
  expect_code 0
  [ "$(grep -c "^railgauge: oversubscribed: $((2 * $(nproc))) ranks on $(nproc) cores\? of .*: ranks wait for a core" notices)" = 1 ] ||
    wrong "not one line about it: $(cat notices)"
  bench all_reduce --ranks 1 --transport shm --bytes 8 --iterations 2
  ! grep oversubscribed notices || wrong "one rank has a core"
}

case_oversubscribed_under_a_launcher() {
  needs_mpirun
  run mpirun --oversubscribe -n $((2 * $(nproc))) "$RAILGAUGE" bench all_reduce --bytes 8 --iterations 2
  expect_code 0
  [ "$(grep -c '^railgauge: oversubscribed: ' notices)" = 1 ] || wrong "not one line about it: $(cat notices)"
}

case_oversubscribed_nodes() { # which a launcher names apart, and which are one machine
  local rank ranks=$(($(nproc) + 1)) port others=()
  free_port
  export RAILGAUGE_TOKEN=00112233445566778899aabbccddeeff
  needs_transport ucx
  for ((rank = 1; rank < ranks; rank++)); do
    RAILGAUGE_RANKS=$ranks RAILGAUGE_RANK=$rank RAILGAUGE_NODE=node$rank RAILGAUGE_RENDEZVOUS=localhost:$port \
      timeout $patience "$RAILGAUGE" bench all_reduce --transport ucx --bytes 8 --iterations 2 >/dev/null 2>&1 &
    others+=($!)
  done
  run env RAILGAUGE_RANKS=$ranks RAILGAUGE_RANK=0 RAILGAUGE_NODE=node0 RAILGAUGE_RENDEZVOUS=localhost:$port \
    "$RAILGAUGE" bench all_reduce --transport ucx --bytes 8 --iterations 2
  wait "${others[@]}"
  expect_code 0
  grep -qE "^railgauge: oversubscribed: $ranks ranks on $(nproc) cores? of node0 and $(nproc) other nodes?, which are one machine: ranks wait" notices ||
    wrong "not a line about it: $(cat notices)"
}

case_tuned() { # winners by size with their margins, and where they are kept
  bench tune all_reduce barrier --ranks 2 --transport memory --bytes 8,4K --iterations 2 --tuning "$room/t.jsonl"
  expect_code 0
  expect_words out '^fastest of all_reduce: 2 ranks, host memory, back-to-back, over memory$'
  expect_words out '^ +8 B  [a-z_]+ +[0-9.]+ [num]?s +[a-z_]+ +[0-9.]+[%x]$'
  expect_words out '^ +4 KiB  [a-z_]+ '
  expect_words out "^kept in $room/t.jsonl: --algorithm auto"
}

case_tuned_within_a_budget() { # a budget that ends at once leaves over what it names, and takes nothing away
  bench tune all_reduce broadcast --ranks 2 --transport memory --bytes 8,4K --budget 1us --tuning "$room/t.jsonl"
  expect_code 0
  expect_words out '^not measured: all_reduce: .* 4 KiB: the time budget of the sweep was used up$'
  expect_words out '^not measured: broadcast: .*: 8 B, 4 KiB: the time budget'
}

isolate "$name"
enter_room
"case_$name"
exit $failed
