# What tests between hosts share. Run by tests/launch/slurm.sh --links N, at the switch.
RAILGAUGE=${RAILGAUGE:?the program to test: RAILGAUGE=build/bin/railgauge}
links=${RAILGAUGE_LINKS:?run this through tests/launch/slurm.sh --links 4}
skip() {
  echo "skipped: $1"
  exit 4
}
"$RAILGAUGE" list transports 2>&1 | grep -E '^ucx ' | grep -qv unavailable || skip "the transport ucx is unavailable"
command -v tc >/dev/null || skip "tc is not installed"
folder=$(mktemp -d "${TMPDIR:-/tmp}/railgauge-cluster.XXXXXX")
trap 'rm -rf "$folder"' EXIT
over_eth0=(--set ucx.tls=tcp,self --set ucx.devices=eth0)

# Before the command of a task: slurm.sh says why.
# shellcheck disable=SC2016,SC2034 # for the shell of the task; for scripts that source this
comes_first=(sh -c '{ echo -10 >/proc/self/autogroup; } 2>/dev/null; exec "$@"' sh)

shape='burst 128kb limit 4mb' # of every link
# limit NODE SEND RECEIVE: what leaves its eth0, and what the switch sends to it.
limit() {
  # shellcheck disable=SC2086 # words
  nsenter --net="/run/netns/$links$1" tc qdisc replace dev eth0 root tbf rate "$2" $shape &&
    nsenter --net="/run/netns/${links}sw" tc qdisc replace dev "v$1" root tbf rate "$3" $shape ||
    skip "tc cannot limit the links here"
}
limit_all() {
  local node
  for node in $(seq 0 $((RAILGAUGE_LINKED_HOSTS - 1))); do limit "$node" "$1" "$1"; done
}
