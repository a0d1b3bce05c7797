#!/usr/bin/env bash
# Run by tests/launch/slurm.sh --rig N: a benchmark's data goes over eth0 and nothing else does; each fault of a link changes what
# it carries as its row says, and afterwards it is as before.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/lib.sh"
failed=0
check() { # WHAT CONDITION...
  local what=$1
  shift
  if "$@"; then echo "ok: $what"; else echo "FAILED: $what" && failed=1; fi
}
# carried HOST INTERFACE: bytes, sent and received.
carried() { inside "$1" awk -v name="$2:" '$1 == name {print $2 + $10}' /proc/net/dev; }
between() { awk -v value="$1" -v least="$2" -v most="$3" 'BEGIN {exit !(value >= least && value <= most)}'; }

before=$(carried 1 mgmt0) data_before=$(carried 1 eth0)
srun -N "$nodes" -n "$nodes" --mpi=pmix "$RAILGAUGE" bench all_reduce --algorithm ring --transport ucx "${over_eth0[@]}" --bytes 4M --iterations 4 \
  >"$folder/out" 2>&1 || { cat "$folder/out" && failed=1; }
control=$(($(carried 1 mgmt0) - before)) data=$(($(carried 1 eth0) - data_before))
check "data goes over eth0 ($data bytes), the rest over mgmt0 ($control bytes)" between "$control" 1000 $((data / 20))
check "nearly all of it is data" [ "$data" -gt 20000000 ]

# shares: of what a link carries beside another one in this moment, since the machine may be busy: how much longer than between healthy hosts it takes to send and to receive.
shares() { # [BYTES]
  whole=$(stream 3 1 "${1:-25000000}")
  sending=$(awk -v a="$(stream 2 1 "${1:-25000000}")" -v b="$whole" 'BEGIN {print a / b}')
  receiving=$(awk -v a="$(stream 1 2 "${1:-25000000}")" -v b="$whole" 'BEGIN {print a / b}')
}
with() { # FAULT [BYTES]
  inject "$1" 2 && shares "${2:-}" && heal 2
}
with slow
check "slow: sending takes $sending times as long" between "$sending" 4 30
check "slow: receiving takes $receiving times as long" between "$receiving" 4 30
with sends
check "sends: sending takes $sending times as long" between "$sending" 1.4 5
with receives
check "receives: receiving takes $receiving times as long" between "$receiving" 1.4 5
with half
check "half: sending takes $sending times as long" between "$sending" 1.4 5
check "half: receiving takes $receiving times as long" between "$receiving" 1.4 5
# Seconds of data: some of it falls into each part of a period.
with flap60_0.5 100000000
check "flap60_0.5: sending takes $sending times as long" between "$sending" 1.3 5
check "flap60_0.5: receiving takes $receiving times as long" between "$receiving" 1.3 5
inject receives 2 && inject latency 2
check "receives and latency: a connection takes a round trip" between "$(stream 2 1 0)" 0.002 1
shares
check "receives and latency: receiving takes $receiving times as long" between "$receiving" 1.4 5
check "receives and latency: sending takes $sending times as long" between "$sending" 0.3 3
heal 2
before=$(($(resent 1) + $(resent 2)))
with loss1 100000000
lost=$(($(resent 1) + $(resent 2) - before))
check "loss1: $lost of some 22000 segments were sent again" between $lost 60 2000
shares
check "healed: sending takes $sending times as long" between "$sending" 0.4 2.5
check "healed: receiving takes $receiving times as long" between "$receiving" 0.4 2.5
inject latency 2
check "latency: a connection takes a round trip" between "$(stream 2 1 0)" 0.002 1
check "latency: it carries as much" between "$(awk -v a="$(stream 2 1 25000000)" -v b="$(stream 3 1 25000000)" 'BEGIN {print a / b}')" 0.3 3
heal 2
inject cut 2
check "cut: nothing passes" [ "$(stream 2 1 1 2>/dev/null)" = never ]
heal 2
inject device 2
check "device: the host has no eth0" [ -z "$(carried 2 eth0)" ]
heal 2
check "healed: it has one again, and it carries" between "$(stream 2 1 1)" 0 5
check "nobody is a process of the program" [ -z "$(processes_of 2)" ]
exit $failed
