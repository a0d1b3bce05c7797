#!/usr/bin/env bash
# Run by tests/launch/slurm.sh --rig N: a benchmark's data goes over eth0 and nothing else does; each fault of a link changes what
# it carries as its row says, and afterwards it is as before.
set -uo pipefail
. "${0%/*}/lib.sh"
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

# carries WHAT FROM TO LEAST MOST [BYTES]: sending takes at least LEAST times as long as the rate of a healthy link allows, which a
# busy machine cannot make shorter; and, in the best of some tries, at most MOST times as long as between healthy hosts.
carries() {
  local what=$1 from=$2 to=$3 least=$4 most=$5 bytes=${6:-25000000} here healthy best=1e9 best_healthy=1e9
  for _ in $(seq 8); do
    here=$(stream "$from" "$to" "$bytes") healthy=$(stream 3 1 "$bytes")
    best=$(printf '%s\n' "${here/never/1e9}" $best | sort -g | head -1)
    best_healthy=$(printf '%s\n' "${healthy/never/1e9}" $best_healthy | sort -g | head -1)
    between "${here/never/1e9}" "$(awk -v bytes="$bytes" -v least="$least" 'BEGIN {print least * bytes * 8 / 1e9}')" 1e9 || break
    between "$best" 0 "$(awk -v b="$best_healthy" -v most="$most" 'BEGIN {print most * b}')" || continue
    echo "ok: $what takes $best s, between healthy hosts $best_healthy s"
    return
  done
  echo "FAILED: $what takes $here s, in the best try $best s, between healthy hosts $best_healthy s" && failed=1
}
# both FAULT LEAST MOST [BYTES]: of what host 2 sends and receives.
both() {
  inject "$1" 2
  carries "$1: sending" 2 1 "${@:2}"
  carries "$1: receiving" 1 2 "${@:2}"
  heal 2
}
both slow 8 30
both half 1.7 5
inject sends 2
carries "sends: sending" 2 1 1.7 5
carries "sends: receiving" 1 2 0.9 3
heal 2
inject receives 2
carries "receives: receiving" 1 2 1.7 5
carries "receives: sending" 2 1 0.9 3
heal 2
# Seconds of data: some of it falls into each part of a period.
both flap60_0.5 1.3 5 100000000
inject receives 2 && inject latency 2
check "receives and latency: a connection takes a round trip" between "$(stream 2 1 0)" 0.002 1
carries "receives and latency: receiving" 1 2 1.7 5
carries "receives and latency: sending" 2 1 0.9 3
heal 2
before=$(($(resent 1) + $(resent 2)))
inject loss1 2
stream 2 1 100000000 && stream 1 2 100000000
heal 2
lost=$(($(resent 1) + $(resent 2) - before))
check "loss1: $lost of some 22000 segments were sent again" between $lost 60 2000
carries "healed: sending" 2 1 0.9 2.5
carries "healed: receiving" 1 2 0.9 2.5
inject latency 2
check "latency: a connection takes a round trip" between "$(stream 2 1 0)" 0.002 1
carries "latency: sending" 2 1 0.9 3
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
