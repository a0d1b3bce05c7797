# What the tests inside the machine of ci/vm share. Sourced after `set -euo pipefail`.
. "${BASH_SOURCE[0]%/*}/../../nap.sh"

# What this machine's devices hold: queue pairs, regions and the like, by device.
resources() { rdma resource show | sed -E 's/^[0-9]+: //; s/ ctx [0-9]+.*//' | sort; }

# expect_no_leak BEFORE: all that was made since is gone again, a moment after the processes at the latest.
expect_no_leak() {
  local turn
  for turn in $(seq 50); do
    [ "$(resources)" != "$1" ] || return 0
    nap 0.1
  done
  printf 'left behind (first before, then now):\n%s\n%s\n' "$1" "$(resources)"
  return 1
}
