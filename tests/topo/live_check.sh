#!/bin/bash
# What `railgauge topo check`, `diff` and `--design` say of a live fabric with faults, through the simulator ibsim with a subnet
# manager: a link that came up with one lane, one that came up slow, a cable that is gone, two that are swapped.
#   live_check.sh PROGRAM
set -u
program=$1
. "${0%/*}/simulator.sh"
command -v opensm >/dev/null || skip "there is no opensm"
enter_fabric
"$program" topo --fabric >/dev/null 2>said
! grep -q 'railgauge_ibfabric.so not found' said || skip "the module ibfabric is not built (libibnetdisc-dev)"

topo() { # topo CODE PATTERN ARGUMENT...: how railgauge topo ends, and what one of its lines says
  local code=$1 pattern=$2 ended=0
  shift 2
  sim "$program" topo "$@" >said 2>&1 || ended=$?
  [ $ended = "$code" ] || { cat said; fail "exit code $ended instead of $code: railgauge topo $*"; }
  says "$pattern"
}
says() { grep -qE -- "$1" said || { cat said; fail "railgauge topo does not say '$1'"; }; }
port() { echo "port $1 of switch $2 [(]0x[0-9a-f]+[)]"; }

# Two leaves with four hosts each and two spines; ports run at the best that they can, which is NDR from ibsim 0.11 on.
netlist() {
  local rate="w=2 s=7 e=$1"
  for leaf in 0 1; do
    printf 'Switch 40 "S-00000000000000a%s"   # "leaf%s"\n' $leaf $leaf
    for k in 1 2 3 4; do printf '[%s] "H-00000000000001%s%s"[1] %s\n' $k $leaf $k "$rate"; done
    for spine in 0 1; do printf '[3%s] "S-00000000000000b%s"[%s] %s\n' $((spine + 8)) $spine $((leaf + 1)) "$rate"; done
    echo
  done
  for spine in 0 1; do
    printf 'Switch 40 "S-00000000000000b%s"   # "spine%s"\n' $spine $spine
    for leaf in 0 1; do printf '[%s] "S-00000000000000a%s"[3%s] %s\n' $((leaf + 1)) $leaf $((spine + 8)) "$rate"; done
    echo
  done
  for leaf in 0 1; do
    for k in 1 2 3 4; do
      printf 'Hca 1 "H-00000000000001%s%s"   # "host%s%s mlx5_0"\n[1] "S-00000000000000a%s"[%s] %s\n\n' $leaf $k $leaf $k $leaf $k "$rate"
    done
  done
}
netlist 15 >fabric.net
loads fabric.net || netlist 7 >fabric.net
start fabric.net
topo 1 '^FAULT port-init: mlx5_0/1 of host14 to port 4 of switch leaf1 ' check --fabric
manage
# Ports of ibsim can do 12x, so each 4x link has a note; that is all.
topo 0 'checked: [0-9]+ notes[.;]' check --fabric
sim "$program" topo --fabric --save before >said 2>&1 || { cat said; fail "saving the fabric"; }
topo 0 '^No difference\.$' diff before --fabric
topo 0 'checked: [0-9]+ notes[.;]' check --fabric --design before
# What ibnetdiscover wrote serves as design too, though it tells less.
sim ibnetdiscover >design.out
topo 0 'checked: [0-9]+ notes[.;]' check --fabric --design design.out
# And what only one of the two tells is no difference.
topo 0 '^No difference\.$' diff design.out --fabric
# iblinkinfo tells the same fabric, in each of its forms.
for form in '' -l -p; do
  # shellcheck disable=SC2086 # nothing or one word
  sim iblinkinfo $form >iblinkinfo.txt || fail "iblinkinfo $form"
  topo 0 '^fabric: 4 switches, 8 hosts, 8 NICs$' iblinkinfo.txt
  says " 8 links to hosts: 4x [A-Z]+ .*[)]\$"
done
echo "a fabric without faults, $(grep -oE -m1 '4x[A-Z]+' design.out), is one without findings"

# The standard tool makes a port come up anew, with one lane or at a lower speed.
sim ibportstate -D 0 3 width 1 >tool || { cat tool; fail "ibportstate width"; }
sim ibportstate -D 0 38 espeed 2 >tool || { cat tool; fail "ibportstate espeed"; }
topo 1 "^FAULT infiniband-width: mlx5_0/1 of host03 to $(port 3 leaf0)" check --fabric
says "^FAULT infiniband-speed: $(port 38 leaf0) to $(port 1 spine0)"
topo 1 "mlx5_0/1 of host03 and $(port 3 leaf0): active width was 4, is 1" diff before --fabric
says "$(port 38 leaf0) and $(port 1 spine0): active speed was [0-9.]+, is 25.78"
echo "a link at 1x and a slow one are named with both ends"

start fabric.net
manage
echo 'Unlink "S-00000000000000a0"[39]' >console
until_links 22
topo 1 "^FAULT cabling: $(port 39 leaf0) to $(port 1 spine1)" check --fabric --design before
topo 1 "^gone: the InfiniBand link between $(port 39 leaf0) and $(port 1 spine1)" diff before --fabric
echo 'Unlink "S-00000000000000a1"[4]' >console
until_links 20
topo 1 '^gone: .*host14' diff before --fabric
echo "ports that are down are named with both ends"

start fabric.net
manage
for leaf in 0 1; do echo "Unlink \"S-00000000000000a$leaf\"[2]"; done >console
until_links 20
echo 'Link "S-00000000000000a0"[2] "H-0000000000000112"[1]' >console
until_links 22
echo 'Link "S-00000000000000a1"[2] "H-0000000000000102"[1]' >console
until_links 24
topo 1 '^FAULT cabling: mlx5_0/1 of host12 to mlx5_0/1 of host02: their cables are swapped: the first is in port 2 of switch leaf0' check --fabric --design before
topo 1 '^swapped: the cables of mlx5_0/1 of host12 and mlx5_0/1 of host02 changed places: the first was in port 2 of switch leaf1' diff before --fabric
echo "swapped cables are named with both ends"
