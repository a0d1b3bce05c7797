#!/bin/bash
# A validation of a live InfiniBand fabric, through the simulator ibsim: leaves, ports and routes are those that libibnetdisc and the
# switches' own tables tell, and ports tell what they counted.
#   live_switches.sh PROGRAM PLUGINS
set -u
RAILGAUGE=$1 plugins=$2
. "${0%/*}/../topo/simulator.sh"
[ -e "$plugins/railgauge_ibfabric.so" ] || skip "the module ibfabric is not built (libibnetdisc-dev)"
command -v opensm >/dev/null || skip "there is no opensm"
enter_fabric
cat >small.net <<NET
Switch 40 "S-000000000000000a"   # "leaf0"
[1] "H-0000000000000010"[1] w=2 s=7 e=7
[2] "H-0000000000000020"[1] w=2 s=7 e=7
[40] "S-000000000000000c"[1] w=2 s=7 e=7

Switch 40 "S-000000000000000b"   # "leaf1"
[1] "H-0000000000000030"[1] w=2 s=7 e=7
[2] "H-0000000000000040"[1] w=2 s=7 e=7
[40] "S-000000000000000c"[2] w=2 s=7 e=7

Switch 40 "S-000000000000000c"   # "spine0"
[1] "S-000000000000000a"[40] w=2 s=7 e=7
[2] "S-000000000000000b"[40] w=2 s=7 e=7

Hca 1 "H-0000000000000010"   # "n0 mlx5_0"
[1] "S-000000000000000a"[1] w=2 s=7 e=7
Hca 1 "H-0000000000000020"   # "n1 mlx5_0"
[1] "S-000000000000000a"[2] w=2 s=7 e=7
Hca 1 "H-0000000000000030"   # "n2 mlx5_0"
[1] "S-000000000000000b"[1] w=2 s=7 e=7
Hca 1 "H-0000000000000040"   # "n3 mlx5_0"
[1] "S-000000000000000b"[2] w=2 s=7 e=7
NET
start small.net
manage
# answer FILE EXPRESSION VALUE: what python makes of the file's `it`.
answer() {
  local found
  found=$(python3 -c 'import json, sys; it = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2" 2>&1 | tail -n 1)
  [ "$found" = "$3" ] || fail "$2 is $found instead of $3"
}

echo 'PerformanceSet "S-000000000000000a"[1] PortCounters.SymbolErrorCounter=1234' >console
# The simulator may look at its console late, and has room for a few clients only that end without a word, as railgauge's children.
for _ in 1 2 3; do
  rm -f fabric.json
  sim "$RAILGAUGE" topo --fabric --routes --counters --as json -o fabric.json || fail "reading routes and counters"
  ! grep -q 1234 fabric.json || break
  sleep 0.2
done
answer fabric.json 'sorted(n["name"] for n in it["nodes"] if "routes" in n["attributes"])' "['leaf0', 'leaf1', 'spine0']"
answer fabric.json 'sum(1 for l in it["links"] if l["kind"] == "infiniband" and "port_xmit_data" in l["a_counters"] and "symbol_error" in l["b_counters"])' 6
answer fabric.json '[(l["b_port"], l["b_counters"]["symbol_error"]) for l in it["links"] if "b_counters" in l and l["b_counters"]["symbol_error"] + l["a_counters"]["symbol_error"] > 0]' '[(1, 1234)]'
sim "$RAILGAUGE" topo --fabric --as json -o plain.json || fail "reading the fabric"
answer plain.json 'any("routes" in n["attributes"] for n in it["nodes"]), any("a_counters" in l for l in it["links"])' '(False, False)'
mkdir saved && sim "$RAILGAUGE" topo --fabric --routes --save saved >/dev/null || fail "saving the fabric"

# hosts OPTIONS...: four ranks that are told to be n0 to n3, the first of which sees the fabric.
hosts() {
  local rank port=$((10000 + RANDOM % 20000)) others=()
  export RAILGAUGE_TOKEN=00112233445566778899aabbccddeeff RAILGAUGE_RANKS=4 RAILGAUGE_RENDEZVOUS=localhost:$port
  for rank in 1 2 3; do
    RAILGAUGE_RANK=$rank RAILGAUGE_NODE=n$rank timeout 200 "$RAILGAUGE" validate --stages preflight "$@" >"out.$rank" 2>&1 &
    others+=($!)
  done
  RAILGAUGE_RANK=0 RAILGAUGE_NODE=n0 patience=200 sim "$RAILGAUGE" validate --stages preflight "$@" >out
  code=$?
  wait "${others[@]}"
  unset RAILGAUGE_RANKS
}
for source in --fabric '--fabric --routes' '--topology saved'; do
  rm -f verdict.json
  # shellcheck disable=SC2086 # words
  hosts $source -o verdict.json
  [ $code = 4 ] || { cat out; fail "validate $source: exit code $code, and nobody was measured"; }
  answer verdict.json '[(r["port"], r["leaf"], r["leaf_port"]) for h in it["hosts"] for r in h["rails"]]' \
    "[('mlx5_0/1', 'leaf0', 1), ('mlx5_0/1', 'leaf0', 2), ('mlx5_0/1', 'leaf1', 1), ('mlx5_0/1', 'leaf1', 2)]"
  answer verdict.json '[s["name"] for s in it["map"]["switches"]], len(it["map"]["links"])' "(['leaf0', 'leaf1', 'spine0'], 6)"
  routes=False
  [ "$source" = --fabric ] || routes=True
  answer verdict.json '"routes are known" in it["stages"][0]["notes"][0]' $routes
done
echo "leaves, ports, routes and counters of a live fabric"

# A fabric that does not answer is a sentence, for all ranks, within the deadline.
stop
hosts --fabric
[ $code = 2 ] || fail "validate without a fabric: exit code $code"
grep -q 'the InfiniBand fabric cannot be read' errors || { tail errors; fail "the sentence about silence"; }
echo "silence is a sentence"
