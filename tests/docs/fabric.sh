#!/usr/bin/env bash
# fabric.sh: prints a fabric as ibnetdiscover does: eight hosts below two leaves, and two spines.
set -eu
host() { printf 'H-%016x' $((0x30 + $1)); }
switch() { printf 'S-%016x' $((0x10 + $1)); }
# port NUMBER TO TO_PORT NAME
port() { printf '[%s]\t"%s"[%s]\t\t# "%s" lid 1 4xHDR\n' "$@"; }
for leaf in 0 1; do
  printf '\nswitchguid=0x%x(%x)\nSwitch\t40 "%s"\t\t# "leaf%s" base port 0 lid %s lmc 0\n' $((16 + leaf)) $((16 + leaf)) "$(switch $leaf)" $leaf $((leaf + 1))
  for n in 0 1 2 3; do port $((n + 1)) "$(host $((4 * leaf + n)))" 1 "node$((4 * leaf + n)) mlx5_0"; done
  for spine in 0 1; do port $((39 + spine)) "$(switch $((2 + spine)))" $((leaf + 1)) "spine$spine"; done
done
for spine in 0 1; do
  printf '\nswitchguid=0x%x(%x)\nSwitch\t40 "%s"\t\t# "spine%s" base port 0 lid %s lmc 0\n' $((18 + spine)) $((18 + spine)) "$(switch $((2 + spine)))" $spine $((spine + 3))
  for leaf in 0 1; do port $((leaf + 1)) "$(switch $leaf)" $((39 + spine)) "leaf$leaf"; done
done
for n in 0 1 2 3 4 5 6 7; do
  printf '\ncaguid=0x%x\nCa\t1 "%s"\t\t# "node%s mlx5_0"\n' $((0x30 + n)) "$(host $n)" "$n"
  port 1 "$(switch $((n / 4)))" $((n % 4 + 1)) "leaf$((n / 4))"
done
