#!/usr/bin/env bash
# validate.sh NAME: one test of `railgauge validate` with ranks of this machine that are told to be hosts: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"

patience=200
free_port
export RAILGAUGE_TOKEN=00112233445566778899aabbccddeeff
export RAILGAUGE_VALIDATE_MEASURED=50ms # which verdict it comes to is the subject of tests/rig

# hosts COUNT WORDS...: as many ranks, each a host n0, n1, ..., or as many to a host as $ranks_a_host. What the first says is in out and err, its
# exit code in $code.
ranks_a_host=1
hosts() {
  local count=$1 rank others=()
  shift
  remember_surroundings
  for ((rank = 1; rank < count; rank++)); do
    (marked timeout -k 5 $patience env RAILGAUGE_RANKS="$count" RAILGAUGE_RANK=$rank RAILGAUGE_NODE=n$((rank / ranks_a_host)) \
      "RAILGAUGE_RENDEZVOUS=localhost:$port" "$RAILGAUGE" validate "$@") >"out.$rank" 2>"err.$rank" &
    others+=($!)
  done
  (marked timeout -k 5 $patience env RAILGAUGE_RANKS="$count" RAILGAUGE_RANK=0 RAILGAUGE_NODE=n0 \
    "RAILGAUGE_RENDEZVOUS=localhost:$port" "$RAILGAUGE" validate "$@") >out 2>err
  code=$?
  [ $count = 1 ] || wait "${others[@]}"
  expect_nothing_left
}
# ask FILE EXPRESSION: what python makes of the verdict `it`.
ask() { python3 -c 'import json, sys; it = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }
expect_answer() { [ "$(ask "$1" "$2" 2>&1)" = "$3" ] || { wrong "$2 is $(ask "$1" "$2" 2>&1 | tail -1) instead of $3" && show; }; }
tcp=(--set ucx.tls=tcp,self)
# The worker ("work") or agent of a rank that stands for host N; empty until there is one.
process_of() {
  local process
  for process in $(pgrep -x "railgauge-$1"); do
    tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "RAILGAUGE_TEST_MARK=$mark" || continue
    ! tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "RAILGAUGE_NODE=n$2" || echo "$process"
  done | head -1
}
# Of the processes of this test that are called railgauge, host 0's alone conducts.
conductor() {
  local process
  for process in $(pgrep -x railgauge); do
    tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "RAILGAUGE_TEST_MARK=$mark" || continue
    ! tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx 'RAILGAUGE_NODE=n0' || echo "$process"
  done | head -1
}
# when_measuring: as soon as the journal has two rounds of pairs.
when_measuring() {
  until [ "$(grep -c '"key":"pairs round' run.jsonl 2>/dev/null)" -ge 2 ]; do nap 0.1; done
}

# In memory of GPUs, here those in software, whose driver is loaded where a worker runs: the step is measured as all else is.
case_workload_on_gpus() {
  needs_transport ucx
  needs_library softgpu/plugins/railgauge_cuda.so "the software GPU was not built: it needs nvcc, and x86-64"
  RAILGAUGE_PLUGIN_PATH=${RAILGAUGE%/*}/../tests/softgpu/plugins RAILGAUGE_SOFTGPU=gpus=1,sms=2,gigabytes=1,counts=1 \
    hosts 2 --quick --budget 1m --rounds 3 --relative "${tcp[@]}" --stages pairs,workload --memory cuda --workload resnet50 --scale 0.0002 -o step.json
  case $code in 0 | 1 | 4) ;; *) wrong "exit code $code" && show ;; esac
  expect_answer step.json '[(s["state"], len(s["notes"])) for s in it["stages"] if s["name"] == "workload"]' "[('done', 1)]"
  grep -aq 'counts: .*cuda6reduce' err || wrong "no reduction of the step ran on the GPU"
}
case_workload_of_several() { # ranks of a host: what they take among each other is measured for the prediction
  needs_transport ucx
  ranks_a_host=2
  hosts 4 --quick --budget 1m --rounds 3 --relative "${tcp[@]}" --stages pairs,workload --workload resnet50 --scale 0.001 -o step.json
  case $code in 0 | 1 | 4) ;; *) wrong "exit code $code" && show ;; esac
  expect_answer step.json '[f["value"] > 0 and f["reference"] > 0 and "from messages inside of hosts" in f["source"] for f in it["figures"] if f["what"].startswith("step of resnet50 on 4 ranks")]' "[True]"
}
case_workload() { # a training step of all hosts, and what is refused
  needs_transport ucx
  hosts 3 --quick --budget 1m --rounds 3 --relative "${tcp[@]}" --skip watch --workload resnet50 --scale 0.001 -o step.json
  case $code in 0 | 1 | 4) ;; *) wrong "exit code $code" && show ;; esac
  expect_answer step.json '[(s["state"], len(s["notes"])) for s in it["stages"] if s["name"] == "workload"]' "[('done', 1)]"
  expect_answer step.json '[f["value"] > 0 and f["reference"] > 0 and f["unit"] for f in it["figures"] if f["what"].startswith("step of resnet50 on 3 ranks")]' "['ms']"
  hosts 3 --quick --budget 1m --rounds 3 --relative "${tcp[@]}" --skip watch --workload resnet50 --scale 0.001 --expect step=1us -o slow.json
  expect_code 1
  expect_words out 'at most 0.001 +ABOVE'
  expect_answer slow.json 'it["outcome"]' "failed"
  run "$RAILGAUGE" validate --ranks 2 --expect step=1ms
  expect_code 2
  expect_words err '^railgauge: --expect step=1ms is of the step of a --workload: name one'
  local limit
  for limit in -2x x 0x infx 0s '' long; do
    run "$RAILGAUGE" validate --ranks 2 --workload resnet50 --expect "step=$limit"
    expect_code 2
    expect_words err "^railgauge: --expect step=$limit: expected a time, as step=120ms, or times what is predicted, as step=1.5x"
  done
  run "$RAILGAUGE" validate --ranks 2 --workload resnet51
  expect_code 2
  expect_words err "^railgauge: there is no model 'resnet51': choose from resnet50, "
  run "$RAILGAUGE" validate --ranks 2 --stages workload
  expect_code 2
  expect_words err '^railgauge: the stage workload runs a model: name one with --workload'
  run "$RAILGAUGE" validate --ranks 2 --workload resnet50 --skip workload
  expect_code 2
  expect_words err '^railgauge: --workload is for the stage workload, which --stages or --skip leaves out'
  run "$RAILGAUGE" validate --ranks 2 --scale 2
  expect_code 2
  expect_words err '^railgauge: --scale is that of a --workload'
}

case_measures() { # every pair of hosts, in each direction; and again from the journal
  needs_transport ucx
  hosts 3 --quick --budget 3m --rounds 3 "${tcp[@]}" --journal run.jsonl -o first.json -o first.html
  case $code in 0 | 1 | 4) ;; *) wrong "exit code $code" && show ;; esac
  expect_answer first.json 'len(set(zip(it["pairs"]["from"], it["pairs"]["to"])))' 6
  expect_answer first.json '[s["name"] for s in it["stages"]]' "['preflight', 'pairs', 'watch']"
  expect_answer first.json 'min(h["rails"][0]["send_gigabytes_per_second"] for h in it["hosts"]) > 0' True
  [ -s first.html ] || wrong "there is no page"
  hosts 3 --quick --budget 3m --rounds 3 "${tcp[@]}" --journal run.jsonl -o first.json -o first.html
  [ $code = 2 ] || wrong "a file that is there was written over"
  rm first.json first.html
  cp run.jsonl before.jsonl
  hosts 3 --quick --budget 3m --rounds 3 "${tcp[@]}" --journal run.jsonl -o first.json -o first.html
  cmp run.jsonl before.jsonl || wrong "something was measured again"
  expect_answer first.json '[s["resumed"] or s["state"] == "skipped" for s in it["stages"]]' '[True, True, True]'
  hosts 3 --quick --budget 3m --rounds 4 "${tcp[@]}" --journal run.jsonl -o second.json
  [ $code = 2 ] || wrong "a journal of another validation was taken"
  expect_words err 'run.jsonl is no journal of this validation'
}

case_killed() { # one host's agent, and the others go on
  needs_transport ucx
  command -v pgrep >/dev/null || skip "there is no pgrep"
  (when_measuring && kill -9 "$(process_of agent 2)") &
  hosts 4 --quick --budget 1m --rounds 6 --skip watch "${tcp[@]}" --journal run.jsonl -o verdict.json
  [ $code = 5 ] || wrong "exit code $code"
  expect_answer verdict.json '[(v["host"], v["measure"]) for v in it["verdicts"] if v["measure"] == "presence"]' "[('n2', 'presence')]"
  expect_answer verdict.json 'it["hosts"][2]["state"]' lost
  expect_words out 'n2 no longer takes part: rank 2 is gone'
}

case_stopped() { # one host's worker
  needs_transport ucx
  command -v pgrep >/dev/null || skip "there is no pgrep"
  (when_measuring && kill -STOP "$(process_of work 1)") &
  hosts 4 --quick --budget 1m --rounds 6 --skip watch "${tcp[@]}" --journal run.jsonl -o verdict.json
  expect_answer verdict.json '[(v["host"], v["measure"]) for v in it["verdicts"] if v["measure"] == "presence"]' "[('n1', 'presence')]"
  expect_words out 'the process of rank 1 was stopped by a signal'
}

case_interrupted() { # what was found until then is kept
  needs_transport ucx
  (when_measuring && kill -INT "$(conductor)") &
  hosts 4 --quick --budget 1m --rounds 30 "${tcp[@]}" --journal run.jsonl -o verdict.json
  [ $code = 5 ] || wrong "exit code $code"
  expect_answer verdict.json 'it["outcome"]' interrupted
  expect_answer verdict.json 'len(it["pairs"]["from"]) > 0' True
}

case_stages() { # those beside pairs
  needs_transport ucx
  hosts 3 --stages preflight,node,groups,congestion --budget 5m --measured 50ms "${tcp[@]}" -o verdict.json
  case $code in 0 | 1 | 4) ;; *) wrong "exit code $code" && show ;; esac
  expect_answer verdict.json '[s["name"] for s in it["stages"]]' "['preflight', 'node', 'groups', 'congestion']"
  expect_answer verdict.json 'sorted({f["stage"] for f in it["figures"]})' "['congestion', 'groups', 'node']"
  expect_answer verdict.json 'all(f["value"] > 0 for f in it["figures"])' True
  expect_answer verdict.json 'len(it["unread"]) > 0' True
}

# Hosts n0 to n3 behind two leaves and a spine, as ibnetdiscover prints them.
two_leaves() {
  cat <<NET
switchguid=0x10(10)
Switch 40 "S-0000000000000010" # "leaf0" base port 0 lid 1 lmc 0
[1] "H-0000000000000030"[1](31) # "n0 mlx5_0" lid 4 4xEDR
[2] "H-0000000000000032"[1](33) # "n1 mlx5_0" lid 5 4xEDR
[40] "S-0000000000000012"[1] # "spine0" lid 3 4xEDR

switchguid=0x11(11)
Switch 40 "S-0000000000000011" # "leaf1" base port 0 lid 2 lmc 0
[1] "H-0000000000000034"[1](35) # "n2 mlx5_0" lid 6 4xEDR
[2] "H-0000000000000036"[1](37) # "n3 mlx5_0" lid 7 4xEDR
[40] "S-0000000000000012"[2] # "spine0" lid 3 4xEDR

switchguid=0x12(12)
Switch 40 "S-0000000000000012" # "spine0" base port 0 lid 3 lmc 0
[1] "S-0000000000000010"[40] # "leaf0" lid 1 4xEDR
[2] "S-0000000000000011"[40] # "leaf1" lid 2 4xEDR
NET
}

case_switches() { # by a topology: leaves, ports and the map; and one of another cluster
  needs_transport ucx
  two_leaves >fabric.out
  hosts 4 --quick --budget 1m --rounds 3 --skip watch "${tcp[@]}" --topology fabric.out --journal run.jsonl -o verdict.json -o verdict.html
  case $code in 0 | 1 | 4 | 5) ;; *) wrong "exit code $code" && show ;; esac
  expect_answer verdict.json '[(r["port"], r["leaf"], r["leaf_port"]) for h in it["hosts"] for r in h["rails"]]' \
    "[('mlx5_0/1', 'leaf0', 1), ('mlx5_0/1', 'leaf0', 2), ('mlx5_0/1', 'leaf1', 1), ('mlx5_0/1', 'leaf1', 2)]"
  expect_answer verdict.json '[(s["name"], s["tier"]) for s in it["map"]["switches"]]' "[('leaf0', 0), ('leaf1', 0), ('spine0', 1)]"
  expect_answer verdict.json 'len(it["map"]["links"])' 6
  expect_answer verdict.json '"4 of 4 hosts stand in a fabric of 3 switches" in it["stages"][0]["notes"][0]' True
  expect_answer verdict.json '"switches and cables" in [u["name"] for u in it["unread"]]' False
  expect_words verdict.html 'leaf1'
  # A journal of other cables is of another validation.
  sed -i 's/S-0000000000000010/S-0000000000000013/; s/guid=0x10(10)/guid=0x13(13)/' fabric.out
  rm verdict.json verdict.html
  hosts 4 --quick --budget 1m --rounds 3 --skip watch "${tcp[@]}" --topology fabric.out --journal run.jsonl -o verdict.json -o verdict.html
  [ $code = 2 ] || wrong "a journal of other cables was taken"
  # Nobody is measured for these.
  sed 's/"n\([0-9]\) /"node0\1 /' fabric.out >others.out
  hosts 4 --quick --budget 1m "${tcp[@]}" --topology others.out
  [ $code = 2 ] || wrong "exit code $code"
  expect_words err 'others.out knows none of these hosts: its own are called node00, node01, and these n0, n1'
  sed -i 's/\[40\]/[1]/' fabric.out
  hosts 2 --quick --budget 1m "${tcp[@]}" --topology fabric.out
  [ $code = 2 ] || wrong "exit code $code"
  expect_words err 'fabric.out:'
}

case_alone() { # one machine, ranks of its own
  run "$RAILGAUGE" validate --ranks 2 --stages node,pairs --measured 50ms -o verdict.json
  expect_answer verdict.json 'it["stages"][1]["state"]' skipped
  expect_words out 'pairs need two hosts, and 1 of 1 take part'
}

case_bad_input() {
  run "$RAILGAUGE" validate --stages pears
  expect_refusal "there is no stage 'pears': choose from preflight, node, pairs"
  run "$RAILGAUGE" validate --stages pairs --skip pairs
  expect_refusal 'no stage is left to run'
  run "$RAILGAUGE" validate --expect all_reduce
  expect_refusal '--expect all_reduce: expected a bandwidth in GB/s, as all_reduce=350'
  for wrong in 0 -1 nan inf 1e999 x ''; do
    run "$RAILGAUGE" validate --expect "pair=$wrong"
    expect_refusal "--expect pair=$wrong: expected a bandwidth in GB/s, as pair=45"
  done
  run "$RAILGAUGE" validate --expect write=3
  expect_refusal '--expect write=3: expected pair=, all_reduce='
  run "$RAILGAUGE" validate -o verdict.docx
  expect_refusal 'verdict.docx'
  run "$RAILGAUGE" validate --topology absent.out
  expect_refusal 'absent.out'
  run "$RAILGAUGE" validate --ranks 2 --fabric --device nothing_0
  expect_refusal 'the InfiniBand fabric cannot be read'
  run "$RAILGAUGE" validate --set ucx
  expect_refusal '--set ucx: expected TRANSPORT.NAME=VALUE'
  hosts 2 --quick --transport pigeon
  [ $code = 2 ] || wrong "exit code $code"
  expect_words err 'pigeon'
}

isolate "$name"
enter_room
"case_$name"
exit $failed
