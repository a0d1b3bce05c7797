#!/usr/bin/env bash
# switches.sh FOLDER SEED FAULT:HOST: a validation of the rig with that fault and with a topology, which has n0 and n1 below leaf0, the
# others below leaf1, and spine0 above both. The verdict must name the port of the host and that of its leaf, and the map must have
# the link. Run by tests/launch/slurm.sh --rig 4.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$1 host=${3##*:}
mkdir -p "$folder"
{
  for leaf in 0 1; do
    printf 'switchguid=0x1%s(1%s)\nSwitch 40 "S-000000000000001%s" # "leaf%s" base port 0 lid %s lmc 0\n' $leaf $leaf $leaf $leaf $((leaf + 1))
    for port in 1 2; do printf '[%s] "H-000000000000003%s"[1](4%s) # "n%s mlx5_0" lid 9 4xEDR\n' $port $((2 * leaf + port - 1)){,,}; done
    printf '[40] "S-0000000000000012"[%s] # "spine0" lid 3 4xEDR\n\n' $((leaf + 1))
  done
  printf 'switchguid=0x12(12)\nSwitch 40 "S-0000000000000012" # "spine0" base port 0 lid 3 lmc 0\n'
  for leaf in 0 1; do printf '[%s] "S-000000000000001%s"[40] # "leaf%s" lid 1 4xEDR\n' $((leaf + 1)) $leaf $leaf; done
} >"$folder/fabric.out"
RAILGAUGE_RIG_WORDS="--topology $folder/fabric.out" bash "$here/run.sh" "$@"
code=$?
[ $code = 0 ] || exit $code
python3 - "$folder/verdict.json" "n$host" "leaf$((host / 2)) port $((host % 2 + 1))" <<'PYTHON'
import json, sys

path, host, leaf = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    found = json.load(file)
ends = [(one["from"], one["to"]) for one in found["verdicts"] if one["accused"]]
links = [f"{link['host']}:{link['a_port']} - {found['map']['switches'][link['a']]['name']} port {link['b_port']}"
         for link in found["map"]["links"] if link["accused"]]
good = ends == [(f"{host}:eth0", leaf)] and links == [f"{host}:eth0 - {leaf}"]
print(f"{'both ends are named' if good else 'wrong'}: {ends}, on the map {links}")
sys.exit(0 if good else 1)
PYTHON
