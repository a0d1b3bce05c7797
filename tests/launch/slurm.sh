#!/bin/bash
# slurm.sh [--links | --rig] NODES COMMAND...: runs COMMAND with SLURM_CONF set to a private Slurm of NODES nodes on this machine,
# then stops it. It uses its own folder, munge key, socket and ports, and starts no system service. Exits 4 with the reason where
# it cannot run.
# With --links every node is a host with a network of its own: its link eth0, address 10.77.0.1 and on, ends as v0, v1 ... in a
# switch. COMMAND runs at the switch; RAILGAUGE_LINKED_HOSTS is their number and RAILGAUGE_LINKS the prefix of the namespaces:
# ${RAILGAUGE_LINKS}0 is node n0, ${RAILGAUGE_LINKS}sw the switch.
# With --rig every host has a second interface, mgmt0, 10.78.0.1 and on, for Slurm and all who must go on when eth0 is broken.
# Processes and files of the rig are in namespaces of their own: they end with this script, even when it is killed.
set -u
links=no
rig=no
case $1 in
  --links) links=yes && shift ;;
  --rig) links=yes rig=yes && shift ;;
esac
nodes=$1
shift

skip() {
  echo "skipped: $1"
  exit 4
}
[ "$(id -u)" = 0 ] || skip "Slurm on one machine needs root"
PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd srun scontrol; do
  command -v $program > /dev/null || skip "$program is not installed"
done

if [ $links = yes ]; then
  for program in ip nsenter unshare; do
    command -v $program > /dev/null || skip "$program is not installed"
  done
fi

# The rig starts this script once more, as the first process of its namespaces: when that ends, the kernel ends all others and
# forgets the networks. It ends when this one does.
if [ $rig = yes ] && [ -z "${RAILGAUGE_RIG_INSIDE:-}" ]; then
  inside=(unshare --mount --ipc --pid --fork --kill-child --mount-proc)
  "${inside[@]}" true 2> /dev/null || skip "this machine lets us make no namespaces for processes and mounts"
  command -v setpriv > /dev/null || skip "setpriv is not installed"
  RAILGAUGE_RIG_INSIDE=yes setpriv --pdeathsig KILL setsid "${inside[@]}" bash "$0" --rig "$nodes" "$@" <&0 &
  first=$!
  trap 'kill -KILL $first 2> /dev/null; exit 130' INT TERM HUP
  wait $first
  exit
fi
if [ $rig = yes ]; then
  # Sockets, networks and the shared memory of the rig are its own; and names are looked up in a file, so that nobody waits for a
  # name server that cannot be reached.
  mount -t tmpfs -o mode=755 none /run && mkdir /run/netns && mount -t tmpfs -o mode=1777 none /dev/shm ||
    skip "this machine lets us mount nothing"
  {
    echo "127.0.0.1 localhost $(uname -n)"
    for node in $(seq 0 $((nodes - 1))); do echo "10.78.0.$((node + 1)) n$node"; done
  } > /run/hosts
  mount --bind /run/hosts /etc/hosts || skip "this machine lets us mount nothing"
fi
if [ $links = yes ]; then
  # Hosts do not wait for each other's neighbours: among what else this machine does they come first. Links of 1 Gbit/s then carry
  # 0.98 with a load of fifteen beside them, and 0.6 to 0.8 without this. Slurm gives each task a session of its own, which has to say so
  # once more (comes_first of tests/cluster/lib.sh).
  { echo -10 > /proc/self/autogroup; } 2> /dev/null
fi

# munged insists on folders that only root can write, and sockets need short paths.
if [ $rig = yes ]; then folder=/run/railgauge-slurm && mkdir $folder; else folder=$(mktemp -d /tmp/railgauge-slurm.XXXXXX); fi || exit 2
chmod 755 "$folder"
stop() {
  # The kernel stops what is in the namespaces of the rig.
  [ $rig = no ] || return
  local file process processes=()
  for file in "$folder"/run/slurmd-*.pid "$folder"/run/slurmctld.pid "$folder"/run/munged.pid; do
    [ -f "$file" ] && processes+=("$(cat "$file")")
  done
  # All at once: who has ended may stand in the table of processes for seconds, until its exit code is asked for.
  kill "${processes[@]}" 2> /dev/null
  for process in "${processes[@]}"; do
    for _ in $(seq 50); do
      kill -0 "$process" 2> /dev/null || break
      sleep 0.1
    done
    kill -9 "$process" 2> /dev/null
  done
  rm -rf "$folder"
  [ $links = no ] || remove_links
}
trap stop EXIT
trap 'exit 130' INT TERM
fail() {
  echo "slurm.sh: $1"
  tail -n 5 "$folder"/log/*.log
  exit 2
}

# A run of ports that nobody listens on, below those that the kernel hands out.
free_ports() {
  local first port
  for _ in $(seq 100); do
    first=$((10000 + RANDOM % 20000))
    for port in $(seq $first $((first + nodes))); do
      if (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then continue 2; fi
    done
    echo $first
    return
  done
}
port=$(free_ports)
[ -n "$port" ] || skip "no $((nodes + 1)) neighbouring ports are free"

if [ $links = yes ]; then
  . "$(dirname "$(readlink -f "$0")")/hosts.sh"
else
  at() { shift && "$@"; }
fi

host=$(uname -n)
controller="$host(127.0.0.1)"
if [ $links = yes ]; then
  make_links || skip "this machine lets us make no network namespaces with links"
  export RAILGAUGE_LINKS=$prefix RAILGAUGE_LINKED_HOSTS=$nodes
  controller="localhost($slurm_network.254)"
fi
# The lines of the nodes: on one host they differ by their ports, on links by their addresses.
node_lines() {
  local node what='CPUs=4 CoresPerSocket=4 RealMemory=500 State=UNKNOWN'
  if [ $links = no ]; then
    echo "NodeName=n[0-$((nodes - 1))] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] $what"
    return
  fi
  for node in $(seq 0 $((nodes - 1))); do
    echo "NodeName=n$node NodeAddr=$slurm_network.$((node + 1)) Port=$((port + 1 + node)) $what"
  done
}
mkdir -p "$folder"/{state,spool,log,run}
head -c 128 /dev/urandom > "$folder/munge.key"
chmod 400 "$folder/munge.key"
cat > "$folder/slurm.conf" << CONF
ClusterName=railgauge
SlurmctldHost=$controller
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/run/munge.sock
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd-%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TmpFS=$folder/tmp/%n
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_min_interval=100000
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SlurmdParameters=config_overrides
MpiDefault=none
$(node_lines)
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$folder/slurm.conf

munged --force --key-file="$folder/munge.key" --socket="$folder/run/munge.sock" --pid-file="$folder/run/munged.pid" \
  --log-file="$folder/log/munged.log" --seed-file="$folder/run/munge.seed" --num-threads=2 || fail "munged did not start"
at sw slurmctld -f "$SLURM_CONF" || fail "slurmctld did not start"
for node in $(seq 0 $((nodes - 1))); do
  # Each node has a folder for temporary files, or PMIx of one meets that of another.
  mkdir -p "$folder/spool/n$node" "$folder/tmp/n$node"
  at "$node" slurmd -f "$SLURM_CONF" -N "n$node" || fail "slurmd of n$node did not start"
done
for _ in $(seq 200); do
  [ "$(at sw sinfo -h -t idle -o %D 2> /dev/null)" = "$nodes" ] && break
  sleep 0.1
done
[ "$(at sw sinfo -h -t idle -o %D)" = "$nodes" ] || fail "the nodes did not become idle"
at sw srun --mpi=list 2>&1 | grep -q pmix || skip "this Slurm has no PMIx plugin"

at sw "$@"
