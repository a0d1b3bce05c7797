#!/usr/bin/env bash
# launch.sh NAME: one test of `railgauge launch` and of ranks that are started as its jobs start them: a function below.
# Exit code 0: passed. 1: failed. 4: skipped.
set -uo pipefail
. "${0%/*}/lib.sh"
name=${1:?the name of a case}
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/expect.sh"

launch() { run "$RAILGAUGE" launch "$@"; }

case_slurm() {
  launch --print slurm --nodes 2 --gpus-per-node 8 -- bench all_reduce --set 'ucx.tls=tcp self' -o "a b.jsonl"
  expect_code 0
  expect_quiet
  bash -n out || wrong "no script"
  # srun gets the words as they were.
  srun() { printf '<%s>' "$@"; }
  export -f srun
  [ "$(sed 's/^exec //' out | bash)" = \
    '<--mpi=pmix><--kill-on-bad-exit=0><--wait=60><railgauge><bench><all_reduce><--set><ucx.tls=tcp self><-o><a b.jsonl>' ] ||
    wrong "srun got $(sed 's/^exec //' out | bash)"
}

case_torchrun() { # the line runs as it is, where torchrun is
  launch --print torchrun --nodes 1 --ranks-per-node 2 -- workload resnet50 --transport shm --scale 0.001 --steps 2 -o "a b.jsonl"
  expect_code 0
  expect_quiet
  bash -n out || wrong "no script"
  cp out job.sh
  torchrun() { printf '<%s>' "$@"; }
  export -f torchrun
  sed 's/^exec //' job.sh | bash >said
  expect_words said '^<--nnodes=1><--nproc_per_node=2><--node_rank=0><--master_addr=127.0.0.1><--master_port=29500><--no_python><railgauge>'
  expect_words said '<-o><a b.jsonl>$'
  launch --print torchrun --nodes 3 --ranks-per-node 8
  sed 's/^exec //' out | NODE_RANK=2 MASTER_ADDR=n0 MASTER_PORT=7 bash >said
  expect_words said '^<--nnodes=3><--nproc_per_node=8><--node_rank=2><--master_addr=n0><--master_port=7>'
  sed 's/^exec //' out | NODE_RANK=2 bash 2>said && wrong "no MASTER_ADDR is needed"
  expect_words said 'MASTER_ADDR: the name or address of node 0'
  unset -f torchrun
  local python
  for python in python3 /usr/bin/python3; do $python -c 'import torch.distributed.run' 2>/dev/null && break; python=''; done
  [ -n "$python" ] || return 0
  # Debian's package has the module alone, which does not start under the Python of Debian 12.
  printf '#!/bin/sh\nexec %s -m torch.distributed.run "$@"\n' "$python" >torchrun
  chmod +x torchrun
  TMPDIR=$PWD ./torchrun --nproc_per_node=1 --no_python true >/dev/null 2>&1 || { echo "torchrun itself does not start here" && return 0; }
  ln -sf "$RAILGAUGE" railgauge
  run env TMPDIR="$PWD" PATH="$PWD:$PATH" MASTER_PORT=$((20000 + RANDOM % 9000)) bash job.sh
  expect_code 0
  expect_words out '2 ranks on 1 host over shm'
  [ "$(wc -l <'a b.jsonl')" = 2 ] || wrong "not two steps"
}

case_kubernetes() { # what is printed is what the operators' own schemas allow
  local fixtures=$tests/../../shared/fixtures kind
  [ -f "$fixtures/jobset_crd.yaml" ] || skip "the schemas of JobSet and MPIJob are not at hand"
  python3 -c 'import yaml, jsonschema' 2>/dev/null || skip "python3-yaml or python3-jsonschema is not installed"
  for kind in mpijob jobset job; do
    launch --print $kind --nodes 16 --gpus-per-node 8 --image registry.example/railgauge:1 --resource rdma/ib=8 --queue users \
      -- bench all_reduce --bytes 8:1G
    expect_code 0
    expect_quiet
    cp out $kind.yaml
  done
  python3 "$tests/cli/manifests.py" "$fixtures"/{jobset,mpi}_crd.yaml -- mpijob.yaml jobset.yaml job.yaml >said ||
    wrong "$(cat said)"
  expect_words said '^3 checked, 0 wrong$'
  # The check can fail.
  sed 's/parallelism: 16/paralelism: 16/; s/slotsPerWorker: 8/slotsPerWorker: "8"/' mpijob.yaml jobset.yaml job.yaml >broken.yaml
  python3 "$tests/cli/manifests.py" "$fixtures"/{jobset,mpi}_crd.yaml -- broken.yaml >said && wrong "nothing is wrong with a typo"
  expect_words said '^3 checked, 3 wrong$'
}

case_image() { # without --image, the one that ci/image builds; its user without root has the keys of an MPIJob
  local version
  version=$("$RAILGAUGE" --version | sed -n '1s/railgauge //p')
  launch --print job --nodes 2
  expect_code 0
  expect_words out "image: .?railgauge:$version"
  launch --print mpijob --nodes 2
  expect_words out "image: .?railgauge:$version"
  expect_words out 'sshAuthMountPath: /home/mpiuser/.ssh'
  launch --print mpijob --nodes 2 --image registry.example/team/railgauge:1
  expect_words out 'sshAuthMountPath: /home/mpiuser/.ssh'
  launch --print mpijob --nodes 2 --image registry.example/mine
  expect_code 0
  ! grep -q sshAuthMountPath out || wrong "another image has the keys of the user of ours"
}

case_tokens_differ() {
  launch --print jobset --nodes 2 --image r/x
  cp out first
  launch --print jobset --nodes 2 --image r/x
  [ "$(diff first out | grep -c '^[<>]   *token: ')" = 2 ] || wrong "not the token alone differs: $(diff first out)"
}

case_bad_input() {
  launch --print pbs --nodes 2
  expect_refusal '--print pbs is unknown: choose from slurm, mpijob, jobset, job, torchrun'
  launch --print slurm
  expect_refusal '--nodes is missing'
  launch --print slurm --nodes 0
  expect_refusal '--nodes'
  launch --print slurm --nodes 2 --minutes 1.5
  expect_refusal '--minutes'
  launch --print slurm --nodes 2 --minutes 0
  expect_refusal '--minutes'
  launch --print slurm --nodes 2 --partition 'a;b c'
  expect_refusal "--partition 'a;b c': expected a name"
  launch --print job --nodes 2 --image x --resource rdma
  expect_refusal "--resource 'rdma=': expected NAME=COUNT"
}

# pods COUNT VARIABLES... -- WORDS...: one process a node, as an Indexed Job starts them, those with high numbers first; what each says
# is in pod-N.out and pod-N.err, its exit code in pod-N.code.
pods() {
  local count=$1 pod variables=() processes=()
  shift
  while [ "$1" != -- ]; do
    variables+=("$1")
    shift
  done
  shift
  remember_surroundings
  for pod in $(seq $((count - 1)) -1 0); do
    ( (marked timeout -k 5 $patience env RAILGAUGE_NODES="$count" "RAILGAUGE_RENDEZVOUS=localhost:$port" JOB_COMPLETION_INDEX="$pod" \
      RAILGAUGE_NODE="n$pod" "${variables[@]}" "$RAILGAUGE" "$@") >"pod-$pod.out" 2>"pod-$pod.err"
    echo $? >"pod-$pod.code") &
    processes+=($!)
  done
  wait "${processes[@]}"
  expect_nothing_left
}
token=RAILGAUGE_TOKEN=00112233445566778899aabbccddeeff

case_node_lost() { # with all ranks of the first node: the first of another one names what it lost
  needs_transport ucx
  local rank port node process
  free_port
  export RAILGAUGE_TOKEN=00112233445566778899aabbccddeeff
  remember_surroundings
  local ranks=()
  for rank in 0 1 2 3; do
    node=n$((rank / 2))
    (marked timeout -k 5 $patience env RAILGAUGE_RANKS=4 RAILGAUGE_RANK=$rank RAILGAUGE_NODE=$node RAILGAUGE_RENDEZVOUS=localhost:"$port" \
      "$RAILGAUGE" bench all_reduce --transport ucx --set ucx.tls=tcp,self --bytes 8:4M --precision 0.01% --max-time 2s -o run.jsonl) \
      >"out.$rank" 2>"err.$rank" &
    ranks+=($!)
  done
  until [ -s run.jsonl ] || ! kill -0 "${ranks[3]}" 2>/dev/null; do nap 0.05; done
  local killed=()
  for process in $(marked_processes); do
    [ "$(readlink "/proc/$process/exe")" = "$RAILGAUGE" ] || continue
    ! tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx RAILGAUGE_NODE=n0 || killed+=("$process")
  done
  [ ${#killed[@]} = 2 ] || wrong "not two processes: ${killed[*]}"
  kill -KILL "${killed[@]}"
  for rank in 2 3; do
    wait "${ranks[$rank]}"
    code=$?
    [ $code = 5 ] || wrong "exit code $code of rank $rank"
  done
  expect_words err.2 '^railgauge: rank 0 on n0 was lost: its connection '
  [ ! -s err.3 ] || wrong "rank 3 says so too: $(cat err.3)"
}

case_pods() { # one process a node starts the ranks of its node, and all meet
  needs_transport ucx
  free_port
  pods 2 $token RAILGAUGE_LOCAL_RANKS=2 UCX_TLS=tcp,self -- \
    bench all_reduce --transport ucx --algorithm ring --bytes 1K,64K --iterations 4 -o results.jsonl
  [ "$(cat pod-0.code) $(cat pod-1.code)" = '0 0' ] || wrong "exit codes $(cat pod-?.code): $(cat pod-?.err)"
  expect_results results.jsonl 2
  expect_words results.jsonl '"ranks":4,"nodes":2'
  expect_words pod-0.out '^4 ranks, rank 0 on n0$'
  [ ! -s pod-1.out ] || wrong "another pod than the first printed: $(cat pod-1.out)"
}

case_pods_of_nccl_tests() { # a pod is a process, and its ranks are those of the process
  needs_transport ucx
  free_port
  RAILGAUGE=${RAILGAUGE%/*}/all_reduce_perf pods 2 $token RAILGAUGE_LOCAL_RANKS=2 UCX_TLS=tcp,self -- -b 1K -e 64K -n 4 -J a.json
  [ "$(cat pod-0.code) $(cat pod-1.code)" = '0 0' ] || wrong "exit codes $(cat pod-?.code): $(cat pod-?.err)"
  expect_words pod-0.out 'Rank  3 '
  expect_words pod-0.out '# Out of bounds values : 0 OK'
  RAILGAUGE=${RAILGAUGE%/*}/all_reduce_perf pods 1 $token RAILGAUGE_LOCAL_RANKS=2 -- -b 1K -e 1K -g 3
  [ "$(cat pod-0.code)" != 0 ] || wrong "3 ranks are not 2"
  expect_words pod-0.err '-t 1 -g 3 are 3 ranks of this process, and RAILGAUGE_LOCAL_RANKS=2'
}

case_pods_without_token() {
  free_port
  pods 2 RAILGAUGE_LOCAL_RANKS=1 -- bench all_reduce --bytes 1K
  [ "$(cat pod-0.code) $(cat pod-1.code)" = '2 2' ] || wrong "exit codes $(cat pod-?.code)"
  expect_words pod-0.err 'RAILGAUGE_TOKEN is not set: give all ranks the same RAILGAUGE_TOKEN'
  pods 1 RAILGAUGE_TOKEN=secret RAILGAUGE_LOCAL_RANKS=2 -- bench all_reduce --bytes 1K
  [ "$(cat pod-0.code)" = 2 ] || wrong "exit code $(cat pod-0.code)"
  [ "$(grep -c '' pod-0.err)" = 1 ] || wrong "more than a sentence: $(cat pod-0.err)"
  expect_words pod-0.err 'RAILGAUGE_TOKEN has 6 characters: expected 32 hexadecimal digits'
}

case_sbatch() { # what is printed runs, under a real Slurm of two nodes
  command -v sbatch >/dev/null || skip "there is no sbatch"
  needs_transport ucx
  [ -f "${RAILGAUGE%/bin/*}/lib/railgauge/railgauge_pmix.so" ] || skip "the pmix plugin was not built"
  local mpi
  for mpi in pmix pmi2; do
    launch --print slurm --nodes 2 --ranks-per-node 1 --mpi $mpi --name "look-$mpi" --program "$RAILGAUGE" -- \
      bench all_reduce --transport ucx --algorithm ring --bytes 1K --iterations 4 -o "$room/$mpi.jsonl"
    expect_code 0
    cp out job.sh
    UCX_TLS=tcp,self timeout $patience sbatch --wait --chdir "$room" job.sh >said 2>&1 || wrong "sbatch: $(cat said look-*.log)"
    expect_results $mpi.jsonl 1
    expect_words $mpi.jsonl '"ranks":2,"nodes":2'
  done
}

isolate "$name"
enter_room
"case_$name"
exit $failed
