#!/bin/bash
# The live InfiniBand fabric, through the simulator ibsim: what the module ibfabric discovers is what ibnetdiscover prints; links
# that are narrow, unplugged or silent; and nothing that answers at all.
#   live_fabric.sh PROGRAM PLUGINS
set -u
program=$1 plugins=$2
. "${0%/*}/simulator.sh"
[ -e "$plugins/railgauge_ibfabric.so" ] || skip "the module ibfabric is not built (libibnetdisc-dev)"
enter_fabric
same() {
  sim ibnetdiscover >dump || fail "ibnetdiscover on $1"
  sim "$program" compare "$plugins" dump >compared || { cat compared; fail "$1 differs"; }
  echo "$1: $(tail -n 1 compared), the same"
}
cat >small.net <<NET
Switch 40 "S-000000000000000a"   # "leaf0"
[1] "H-0000000000000010"[1] w=2 s=7 e=7
[2] "H-0000000000000020"[1] w=2 s=7 e=7
[39] "S-000000000000000b"[39] w=2 s=7 e=7
[40] "S-000000000000000b"[40] w=1 s=7 e=7

Switch 40 "S-000000000000000b"   # "MF0;leaf1:MQM8700/U1"
[1] "H-0000000000000030"[1] w=2 s=7 e=3
[2] "H-0000000000000040"[2] w=16 s=7 e=7
[39] "S-000000000000000a"[39] w=2 s=7 e=7
[40] "S-000000000000000a"[40] w=1 s=7 e=7

Hca 1 "H-0000000000000010"   # "host0 mlx5_0"
[1] "S-000000000000000a"[1] w=2 s=7 e=7
Hca 1 "H-0000000000000020"   # "host1 mlx5_0"
[1] "S-000000000000000a"[2] w=2 s=7 e=7
Hca 1 "H-0000000000000030"   # "host2 mlx5_0"
[1] "S-000000000000000b"[1] w=2 s=7 e=3
Hca 2 "H-0000000000000040"   # "MT4123 ConnectX6   Mellanox Technologies"
[2] "S-000000000000000b"[2] w=16 s=7 e=7
NET
start small.net
same "a small fabric"
sim "$program" read "$plugins" 60 >links || fail "reading the small fabric"
[ "$(grep -c 'active 4x53.125' links)" = 3 ] || { cat links; fail "three links are 4x HDR"; }
[ "$(grep -c 'active 1x53.125 at b 0x0 .*init' links)" = 1 ] || { cat links; fail "one link is 1x HDR, in state Init without a subnet manager"; }
[ "$(grep -c 'active 4x25.78125' links)" = 1 ] || { cat links; fail "one link is EDR"; }
[ "$(grep -c 'active 2x53.125' links)" = 1 ] || { cat links; fail "one link is 2x HDR"; }
[ "$(grep -c 'down 3-38$' links)" = 2 ] || { cat links; fail "36 ports of each switch have no cable"; }
echo 'Unlink "S-000000000000000a"[39]' >console
until_links 10
same "a cable less"
sim "$program" read "$plugins" 60 | grep -c 'down 3-39$' | grep -qx 2 || fail "both ends of the cable are down"
# Port 1 of one adapter no longer tells its PortInfo (attribute 21): its rate is what the switch says, not zero.
echo 'Error "H-0000000000000030"[1] 100 21' >console
for _ in $(seq 300); do
  timeout 60 ibsim-run ibnetdiscover >dump 2>silent
  grep -q 'timed out' silent && break
done
grep -q 'timed out' silent || fail "ibsim never dropped an answer"
sim "$program" read "$plugins" 60 >links || fail "reading a fabric with a silent port"
grep -q 'active 4x25.78125 at b 0x0' links || { cat links; fail "a silent port has the rate of its peer"; }
grep -q 'active 0x0' links && { cat links; fail "a silent port is no link of no width"; }
if command -v opensm >/dev/null; then
  start small.net
  manage
  same "a small fabric with a subnet manager"
  grep -q ' lid [1-9]' dump || fail "the subnet manager gave no addresses"
fi

"$program" generate 16 >tree.net || fail "generating a fat tree"
start tree.net -N 2048 -S 512 -P 16384
same "a fat tree of 1,024 hosts"
grep -qx '3392 nodes, 3072 links' compared || fail "1,024 hosts with an adapter and a port each, 320 switches, 3,072 cables"

stop
if timeout 60 ibsim-run "$program" read "$plugins" 0.5 >links 2>said; then fail "a fabric was read where there is none"; fi
grep -q 'did not answer within 0.5 s\|nothing answered' said || { cat said; fail "the sentence about silence"; }
if "$program" read "$scratch" 5 2>said; then fail "a fabric was read without the module"; fi
grep -q 'railgauge_ibfabric.so not found in' said || { cat said; fail "the sentence about the module"; }
echo "silence and a missing module are sentences"
