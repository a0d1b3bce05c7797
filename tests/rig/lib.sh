# The rig: hosts with a measured link each, eth0, of 1 Gbit/s in each direction, and a management network beside it; and what can be made
# wrong with one of them. Run by tests/launch/slurm.sh --rig N, at the switch.
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../cluster/lib.sh"
# shellcheck disable=SC2034 # for hosts.sh
rig=yes nodes=$RAILGAUGE_LINKED_HOSTS
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../launch/hosts.sh"
full=1gbit

# Each fault of one $host: name | when (before the run begins, or during it) | what is done | whom a verdict may blame | what it
# says is off | direction, where there is a right one | where: the link is named, or only the host.
faults='
slow       | before | limit $host 100mbit 100mbit             | cable/port,nic                         | bandwidth       |           | link
slower5    | before | limit $host 950mbit 950mbit             | cable/port,nic                         | bandwidth       |           | link
sends      | before | limit $host 500mbit $full               | cable/port,nic                         | bandwidth       | sending   | link
receives   | before | limit $host $full 500mbit               | cable/port,nic                         | bandwidth       | receiving | link
latency    | before | relay $host 1000                        | cable/port,nic                         | latency,bandwidth |           | link
busy       | before | busy $host                              | host configuration,unstable,gpu        | bandwidth,latency,reach |   | host
device     | before | inside $host ip link del eth0           | host configuration,nic                 | presence,reach,setting  |   | host
cut        | before | inside sw ip link set v$host down       | cable/port,nic                         | reach,presence  |           | link
cut_during | during | inside sw ip link set v$host down       | cable/port,nic                         | reach,presence  |           | link
stopped    | during | kill -STOP $(victim $host)              | host configuration,unstable            | presence,reach  |           | host
killed     | during | kill -KILL $(victim $host)              | host configuration,unstable            | presence,reach  |           | host
'
fault_names() { sed -n 's/^\([a-z0-9_]*\) .*/\1/p' <<<"$faults"; }
# fault_row NAME: when, what, blames, measures, direction and where into variables of those names.
fault_row() {
  local name
  while IFS='|' read -r name when what blames measures direction where; do
    [ "${name// /}" = "$1" ] || continue
    when=${when// /} measures=${measures// /} direction=${direction// /} where=${where// /} blames=$(sed 's/^ *//; s/ *$//' <<<"$blames")
    return
  done <<<"$faults"
  echo "there is no fault $1: $(fault_names | paste -sd' ')" >&2
  return 2
}
inject() {
  # shellcheck disable=SC2034 # for what is done
  local when what blames measures direction where host=$2
  fault_row "$1" && eval "$what"
}

# processes_of HOST [NAME]: the program's processes on that host; of that name, where any has it.
processes_of() {
  local process name all=() named=()
  for process in $(ip netns pids "$prefix$1"); do
    read -r name 2>/dev/null <"/proc/$process/comm" || continue
    [[ $name == railgauge* ]] || continue
    all+=("$process")
    [ "$name" != "${2:-}" ] || named+=("$process")
  done
  if [ ${#named[@]} -gt 0 ]; then echo "${named[@]}"; else echo "${all[@]}"; fi
}
# One process of the host that measures: where rank 0 is, not the one that conducts.
victim() { processes_of "$1" railgauge-agent | cut -d' ' -f1; }

# relay HOST MICROSECONDS: its cable takes so long in each direction. Between the switch's port and the bridge: programs on the host see an
# eth0 like all others.
relay() {
  local line network=/run/netns/${prefix}sw
  [ -c /dev/net/tun ] || skip "this machine has no /dev/net/tun"
  inside sw ip link set "v$1" nomaster && bridge "far$1" && inside sw ip link set "v$1" master "far$1" || return
  coproc RELAY { exec "${RAILGAUGE_RELAY:?the program of tests/rig/relay.cpp}" "$network" "a$1" "$network" "b$1" "$2"; }
  echo "$RELAY_PID" >"/run/fault-$1"
  read -r -t 10 line <&"${RELAY[0]}" && [ "$line" = ready ] || skip "the relay cannot make its interfaces here"
  inside sw ip link set "a$1" mtu 9000 master "far$1" up && inside sw ip link set "b$1" mtu 9000 master br0 up
}
# busy HOST: its processes run 70 % of the time.
busy() {
  (
    while sleep 0.14; do
      read -ra processes <<<"$(processes_of "$1")"
      [ ${#processes[@]} -gt 0 ] || continue
      kill -STOP "${processes[@]}"
      sleep 0.06
      kill -CONT "${processes[@]}"
    done
  ) 2>/dev/null &
  echo $! >"/run/fault-$1"
}
# heal HOST: whatever was wrong with it.
heal() {
  local words process
  read -ra words <<<"$(cable "$1")"
  if [ -f "/run/fault-$1" ]; then
    process=$(<"/run/fault-$1")
    kill "$process" && wait "$process"
    rm "/run/fault-$1"
  fi 2>/dev/null
  for process in $(processes_of "$1"); do kill -CONT "$process"; done
  inside sw ip link del "far$1" 2>/dev/null
  inside "$1" ip link del eth0 2>/dev/null
  plug "${words[@]}" && limit "$1" $full $full
}
limit_all $full
