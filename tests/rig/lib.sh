# The rig: hosts with a measured link each, eth0, of 1 Gbit/s in each direction, and a management network beside it; and what can be made
# wrong with one of them. Run by tests/launch/slurm.sh --rig N, at the switch.
rig_folder=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
. "$rig_folder/../cluster/lib.sh"
# shellcheck disable=SC2034 # for hosts.sh
rig=yes nodes=$RAILGAUGE_LINKED_HOSTS
. "$rig_folder/../launch/hosts.sh"
full=1gbit
. "$rig_folder/faults.sh"
limit_all $full
