# The rig: hosts with a measured link each, eth0, of 1 Gbit/s in each direction, and a management network beside it; and what can be made
# wrong with one of them. Run by tests/launch/slurm.sh --rig N, at the switch.
rig_folder=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
. "$rig_folder/../cluster/lib.sh"
# shellcheck disable=SC2034 # for hosts.sh
rig=yes nodes=$RAILGAUGE_LINKED_HOSTS
. "$rig_folder/../launch/hosts.sh"
full=1gbit
. "$rig_folder/faults.sh"
# stream FROM TO BYTES: seconds that so many bytes take from one host to the other, over TCP on eth0.
stream() { python3 "$rig_folder/stream.py" "/run/netns/$prefix$1" "/run/netns/$prefix$2" "$measured_network.$(($2 + 1))" "$3"; }
# resent HOST: how many segments it had to send again.
resent() { inside "$1" awk '$1 == "Tcp:" {count = $13} END {print count}' /proc/net/snmp; }
limit_all $full
