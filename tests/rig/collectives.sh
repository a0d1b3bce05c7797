#!/usr/bin/env bash
# collectives.sh FOLDER RATE SIZES [slow HOST RATE | leaves RATE]: how long messages and collectives take between hosts whose links
# carry RATE megabits a second, as results in FOLDER: ping_pong.jsonl and stream.jsonl between two hosts, and a file for each collective of
# all. `slow`: the link of one host carries another rate. `leaves`: the second half of the hosts are below a switch of their own, and one
# cable of that rate joins the two. SIZES are those of the collectives. Files that are there are not measured again. Run by
# tests/launch/slurm.sh --rig N. RAILGAUGE_RIG_TIME is the time that a size of a collective takes at most: 3s where it is not set.
# How links are made like cables: shape.sh.
set -uo pipefail
. "${0%/*}/lib.sh"
. "$rig_folder/measure.sh"
results=$1 rate=$2 sizes=$3
shift 3
mkdir -p "$results" || exit 2
shape_links "$rate"
case ${1:-} in
  slow) limit "$2" "${3}mbit" "${3}mbit" ;;
  leaves)
    bridge br2 && inside sw ip link add up0 mtu $packet type veth peer name up1 mtu $packet &&
      inside sw ip link set up0 master br0 up && inside sw ip link set up1 master br2 up || skip "the switches cannot be made here"
    for node in $(seq $((nodes / 2)) $((nodes - 1))); do inside sw ip link set "v$node" master br2; done
    for port in up0 up1; do
      # shellcheck disable=SC2086 # words
      inside sw tc qdisc replace dev $port root tbf rate "${2}mbit" $shape || skip "tc cannot limit the links here"
    done
    ;;
esac

measure_constants
collective=(--mode isolated --bytes "$sizes" --min-time 1s --max-time "${RAILGAUGE_RIG_TIME:-3s}" --cache warm --check last)
measure all_reduce "$nodes" bench all_reduce --algorithm ring,recursive_doubling,halving_doubling "${collective[@]}"
measure hierarchical "$nodes" bench all_reduce --algorithm hierarchical --ranks-per-node 2 "${collective[@]}"
measure all_to_all "$nodes" bench all_to_all --algorithm direct,pairwise,bruck "${collective[@]}"
exit $failed
