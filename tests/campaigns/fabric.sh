#!/bin/bash
# A fat tree of 11,664 hosts in the simulator ibsim (or of K^3/4 hosts, with K ports a switch): what railgauge discovers is what
# ibnetdiscover prints, and how long both take, one after the other.
#   fabric.sh [ROUNDS [K]]
set -u
rounds=${1:-10} ports=${2:-36}
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd -P)
. "$here/../topo/simulator.sh"
build=${RAILGAUGE_BUILD:?the folder that railgauge was built in}
program=$build/tests/railgauge_live_fabric plugins=$build/lib/railgauge
patience=600
enter_fabric
"$program" generate "$ports" >tree.net || fail "generating a fat tree"
hosts=$((ports * ports * ports / 4)) switches=$((5 * ports * ports / 4))
begin() { start tree.net -N $((hosts + switches + 64)) -S $((switches + 16)) -P $((2 * hosts + switches * (ports + 1) + 64)); }
begin
sim ibnetdiscover >dump || fail "ibnetdiscover"
sim "$program" compare "$plugins" dump >compared || { tail compared; fail "railgauge and ibnetdiscover differ"; }
echo "$hosts hosts, $switches switches: $(tail -n 1 compared), the same as of ibnetdiscover"

peer() {
  local began=$EPOCHREALTIME
  sim ibnetdiscover >dump || fail "ibnetdiscover"
  peer="$began $EPOCHREALTIME"
}
own() { own=$(sim "$program" time "$plugins") || fail "railgauge"; }
# Each goes first in every second round. The simulator has room for ten clients that end without a word, as railgauge's children do.
for ((i = 0; i < rounds; i++)); do
  if ((i % 4 == 0)); then begin; fi
  if ((i % 2 == 0)); then peer && own; else own && peer; fi
  read -r discovery interpretation _ <<<"$own"
  echo "$peer $discovery $interpretation" >>times
done
python3 - times <<'PYTHON'
import statistics, sys
rows = [[float(word) for word in line.split()] for line in open(sys.argv[1])]
peer, own, graph = [r[1] - r[0] for r in rows], [r[2] for r in rows], [r[3] for r in rows]
ratios = [b / a for a, b in zip(peer, own)]
print(f"ibnetdiscover {statistics.median(peer):.3f} s, discovery {statistics.median(own):.3f} s, "
      f"ratio {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}), "
      f"interpretation {statistics.median(graph):.3f} s, medians of {len(rows)}")
PYTHON
