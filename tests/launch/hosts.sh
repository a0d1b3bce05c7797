# Hosts as network namespaces: each has one end of a cable, eth0, whose other end, v0, v1 ..., is in the bridge of the namespace
# "switch". Sourced with `nodes`, how many there are, and `rig`, whether they have a management network too (slurm.sh says more).
prefix=${RAILGAUGE_LINKS:-rg$$-}
measured_network=10.77.0
slurm_network=$measured_network
[ "$rig" = no ] || slurm_network=10.78.0

# inside WHERE COMMAND...: in a network alone. `ip -n` would want to change mounts too, which a container may not.
inside() {
  local where=$1
  shift
  nsenter --net="/run/netns/$prefix$where" "$@"
}
# at WHERE COMMAND...: in the network of a node or of the switch, under its name.
at() {
  local where=$1 name=n$1
  shift
  [ "$where" != sw ] || name=localhost # slurmctld looks up the host that srun runs on, for as long as that may take
  # shellcheck disable=SC2016 # for the shell behind the names
  inside "$where" unshare -u sh -c 'hostname "$0" && exec "$@"' "$name" "$@"
}

# plug NODE INTERFACE PORT BRIDGE ADDRESS: a cable from the node to a bridge of the switch. The interface has the same hardware address
# each time: others remember it for most of a minute, and would send to one that is gone.
plug() {
  local hardware
  # shellcheck disable=SC2086 # four numbers
  hardware=$(printf '02:00:%02x:%02x:%02x:%02x' ${5//./ })
  inside "$1" ip link add "$2" address "$hardware" mtu 9000 type veth peer name "$3" mtu 9000 netns "${prefix}sw" &&
    inside sw ip link set "$3" mtu 9000 master "$4" up && inside "$1" ip link set "$2" mtu 9000 up &&
    inside "$1" ip addr add "$5/24" dev "$2"
}
# cable NODE: the words of the measured cable.
cable() { echo "$1 eth0 v$1 br0 $measured_network.$(($1 + 1))"; }
bridge() { inside sw ip link add "$1" type bridge && inside sw ip link set "$1" mtu 9000 up; }
make_links() {
  local node control=br0
  ip netns add "${prefix}sw" && inside sw ip link set lo up && bridge br0 || return
  if [ "$rig" = yes ]; then control=br1 && bridge br1 || return; fi
  inside sw ip addr add "$slurm_network.254/24" dev $control || return
  for node in $(seq 0 $((nodes - 1))); do
    ip netns add "$prefix$node" && inside "$node" ip link set lo up || return
    # The system's own may be BBR, which estimates the rate of a link for longer than a transfer lasts; Reno fills the link, and is the only
    # one that each network namespace is allowed.
    [ "$rig" = no ] || inside "$node" sh -c 'echo reno >/proc/sys/net/ipv4/tcp_congestion_control' || return
    # The first interface is the first that programs try.
    [ "$rig" = no ] || plug "$node" mgmt0 "m$node" br1 "$slurm_network.$((node + 1))" || return
    # shellcheck disable=SC2046 # words
    plug $(cable "$node") || return
  done
}
remove_links() {
  local node
  for node in sw $(seq 0 $((nodes - 1))); do ip netns del "$prefix$node" 2> /dev/null; done
}
