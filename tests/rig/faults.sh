# What can be made wrong with a host of the rig, and undone. Sourced by lib.sh.
#
# Each fault of one $host: name | when (before the run begins, or during it) | what is done | whom a verdict may blame | what it
# says is off | direction, where there is a right one | where: the link is named, or only the host. What stands in capitals is given
# behind the name, in ${parameters[@]}: flap33_3 is flap with 33 and 3. A host may have several; of those that set rates the last counts.
faults='
slow       | before | limit $host 100mbit 100mbit             | cable/port,nic                         | bandwidth       |           | link
half       | before | limit $host 500mbit 500mbit             | cable/port,nic                         | bandwidth       |           | link
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
flap SHARE PERIOD | before | flap $host ${parameters[@]}      | unstable,cable/port,nic                | bandwidth       |           | host
loss PERCENT      | before | relay $host 0 ${parameters[@]}   | cable/port,nic                         | loss            |           | link
'
fault_names() { sed -nE 's/^([a-z][a-z0-9_]*) .*/\1/p' <<<"$faults"; }
# fault_row NAME: when, what, blames, measures, direction, where and parameters into variables of those names.
fault_row() {
  local name stem=${1%%[0-9]*} words
  IFS=_ read -ra parameters <<<"${1#"$stem"}"
  while IFS='|' read -r name when what blames measures direction where; do
    read -ra words <<<"$name"
    if [ "${words[0]:-}" = "$1" ] && [ ${#words[@]} = 1 ]; then
      parameters=()
    elif [ "${words[0]:-}" != "$stem" ] || [ ${#words[@]} = 1 ]; then
      continue
    elif [ ${#parameters[@]} != $((${#words[@]} - 1)) ]; then
      echo "$1: numbers for ${words[*]:1} must follow $stem, with _ between them" >&2
      return 2
    fi
    when=${when// /} measures=${measures// /} direction=${direction// /} where=${where// /} blames=$(sed 's/^ *//; s/ *$//' <<<"$blames")
    return
  done <<<"$faults"
  echo "there is no fault $1: $(fault_names | paste -sd' ')" >&2
  return 2
}
inject() {
  # shellcheck disable=SC2034 # for what is done
  local when what blames measures direction where parameters host=$2
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

# What runs for a fault of a host, by its process; a host may have several.
remember() { echo "$2" >>"/run/fault-$1"; }

# relay HOST MICROSECONDS [PERCENT]: its cable takes so long in each direction and loses so many of the frames. Between the switch's
# port and the bridge: programs on the host see an eth0 like all others.
relay() {
  local line ready network=/run/netns/${prefix}sw
  if inside sw ip link show "far$1" >/dev/null 2>&1; then echo "n$1 has a relay already: it takes one of latency and loss" >&2 && return 2; fi
  [ -c /dev/net/tun ] || skip "this machine has no /dev/net/tun"
  inside sw ip link set "v$1" nomaster && bridge "far$1" && inside sw ip link set "v$1" master "far$1" || return
  exec {ready}< <(exec "${RAILGAUGE_RELAY:?the program of tests/rig/relay.cpp}" "$network" "a$1" "$network" "b$1" "$2" "${3:-0}" "$RANDOM")
  remember "$1" $!
  read -r -t 10 line <&"$ready" && [ "$line" = ready ] || skip "the relay cannot make its interfaces here"
  exec {ready}<&-
  # The queues hold what comes while the relay waits for a core: it alone loses frames.
  inside sw ip link set "a$1" mtu 9000 txqueuelen 10000 master "far$1" up && inside sw ip link set "b$1" mtu 9000 txqueuelen 10000 master br0 up
}
# flap HOST SHARE PERIOD: its link carries a tenth for SHARE percent of each PERIOD seconds.
flap() {
  python3 "$rig_folder/flap.py" "$2" "$3" "$RANDOM" "rate 100mbit $shape" "rate $full $shape" "/run/netns/$prefix$1" eth0 "/run/netns/${prefix}sw" "v$1" &
  remember "$1" $!
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
  remember "$1" $!
}

# heal HOST: whatever was wrong with it.
heal() {
  local words process
  read -ra words <<<"$(cable "$1")"
  for process in $(cat "/run/fault-$1" 2>/dev/null); do
    kill "$process" && wait "$process"
    # Its interfaces are gone when it is.
    for _ in $(seq 100); do kill -0 "$process" && sleep 0.05 || break; done
  done 2>/dev/null
  rm -f "/run/fault-$1"
  for process in $(processes_of "$1"); do kill -CONT "$process"; done
  inside sw ip link del "far$1" 2>/dev/null
  inside "$1" ip link del eth0 2>/dev/null
  plug "${words[@]}" && limit "$1" $full $full
}
