#!/usr/bin/env bash
# mesh.sh FOLDER RATE SLOW TOPOLOGY SIZES COLLECTIVE...: collectives between hosts that no switch joins: a cable of RATE megabits a second from
# each host to each other one, and SLOW between hosts 1 and 2. TOPOLOGY is the same as railgauge reads it. Results in FOLDER: ping_pong.jsonl
# and stream.jsonl between two hosts, COLLECTIVE.jsonl by all algorithms of the catalog and by the schedule that `railgauge synthesise` makes
# for the topology, which is COLLECTIVE.trees.jsonl. Files that are there are not measured again. Run by tests/launch/slurm.sh --rig N.
# RAILGAUGE_RIG_TIME is the time that a size of a collective takes at most: 4s where it is not set. How links are made like cables: shape.sh.
set -uo pipefail
. "${0%/*}/lib.sh"
. "$rig_folder/measure.sh"
results=$1 rate=$2 slow=$3 topology=$4 sizes=$5
shift 5
mkdir -p "$results" || exit 2
shape_links "$rate"
# A host keeps its address, on the interface that leads to the switch; by which cable it reaches another host, its routes say.
# end_of FROM TO RATE: the cable's end at FROM.
end_of() {
  # shellcheck disable=SC2086,SC2154 # words; packet and shape of shape.sh
  inside "$1" ip link set "to$2" mtu $packet gso_max_segs 1 up && inside "$1" tc qdisc replace dev "to$2" root tbf rate "${3}mbit" $shape &&
    inside "$1" ip route add "$measured_network.$(($2 + 1))/32" dev "to$2" src "$measured_network.$(($1 + 1))"
}
for a in $(seq 0 $((nodes - 1))); do
  for b in $(seq $((a + 1)) $((nodes - 1))); do
    its=$rate
    [ "$a$b" != 12 ] || its=$slow
    inside "$a" ip link add "to$b" type veth peer name "to$a" netns "$prefix$b" && end_of "$a" "$b" "$its" && end_of "$b" "$a" "$its" ||
      skip "hosts cannot be cabled to each other here"
  done
done

measure_constants
for collective in "$@"; do
  trees=$results/$collective.trees.jsonl
  [ -s "$trees" ] || "$RAILGAUGE" synthesise "$collective" --topology "$topology" --chunks 32 -o "$trees" >/dev/null || failed=1
  measure "$collective" "$nodes" bench "$collective" --algorithm "all,$trees" --mode isolated --bytes "$sizes" --min-time 1s \
    --max-time "${RAILGAUGE_RIG_TIME:-4s}" --cache warm --check last
done
exit $failed
