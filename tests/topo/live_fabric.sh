#!/bin/bash
# The live InfiniBand fabric, through the simulator ibsim: what the module ibfabric discovers is what ibnetdiscover prints; links
# that are narrow, unplugged or silent; and nothing that answers at all.
#   live_fabric.sh PROGRAM PLUGINS
set -u
program=$1 plugins=$2
for tool in ibsim ibsim-run ibnetdiscover; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool (ibsim-utils, infiniband-diags)"; exit 4; }
done
[ -e "$plugins/railgauge_ibfabric.so" ] || { echo "skipped: the module ibfabric is not built (libibnetdisc-dev)"; exit 4; }
# A simulator that is absent lets its clients wait for ever, so each has a limit; so has this script, in its test.
scratch=$(mktemp -d) && cd "$scratch" || exit 2
simulator=
stop() {
  [ -n "$simulator" ] && kill "$simulator" 2>/dev/null && wait "$simulator" 2>/dev/null
  simulator=
}
trap 'stop; rm -rf "$scratch"' EXIT
fail() {
  echo "failed: $*"
  tail -n 5 errors 2>/dev/null
  exit 1
}
# Clients make folders where they stand; ibsim ends with its standard input.
start() {
  stop
  rm -f console
  mkfifo console
  exec 7<>console
  export IBSIM_SOCKNAME=railgauge-$$-$1
  unset IBSIM_SERVER_NAME
  ibsim -s "$1" <console >output 2>errors 7>&- &
  simulator=$!
  until grep -q 'simulator ready' output; do
    kill -0 $simulator 2>/dev/null || fail "ibsim does not load $1"
    read -rt 0.02 <> <(:)
  done
}
sim() { timeout 60 ibsim-run "$@" 2>>errors; }
same() {
  sim ibnetdiscover >dump || fail "ibnetdiscover on $1"
  sim "$program" compare "$plugins" dump >compared || { cat compared; fail "$1 differs"; }
  echo "$1: $(tail -n 1 compared), the same"
}
# A simulator has room for a few clients that end without a word, which children of the program do: so ibnetdiscover waits.
# Commands of the console answer nothing that is easy to wait for: wait for what they change.
until_links() {
  for _ in $(seq 300); do
    sim ibnetdiscover >dump
    [ "$(grep -c '^\[' dump)" = "$1" ] && return
  done
  fail "ibnetdiscover never printed $1 ends of links"
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

"$program" generate 8 >tree.net || fail "generating a fat tree"
start tree.net
same "a fat tree of 128 hosts"
grep -qx '464 nodes, 384 links' compared || fail "128 hosts with an adapter and a port each, 80 switches, 384 cables"

stop
if timeout 60 ibsim-run "$program" read "$plugins" 0.5 >links 2>said; then fail "a fabric was read where there is none"; fi
grep -q 'did not answer within 0.5 s\|nothing answered' said || { cat said; fail "the sentence about silence"; }
if "$program" read "$scratch" 5 2>said; then fail "a fabric was read without the module"; fi
grep -q 'railgauge_ibfabric.so not found in' said || { cat said; fail "the sentence about the module"; }
echo "silence and a missing module are sentences"
