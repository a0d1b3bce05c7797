#!/usr/bin/env bash
# Run by tests/launch/slurm.sh --links 4: eight ranks on four hosts whose links carry 1 Gbit/s, over shm+ucx. Collectives must give
# right data, pairs within a host must not go over its link, and hierarchical must be offered.
set -uo pipefail
. "${0%/*}/lib.sh"
limit_all 1gbit
failed=0
wrong() {
  echo "FAILED: $1"
  cat "$folder/out"
  failed=1
}
# bench WHAT...: exit code 0, the data having been checked.
bench() {
  rm -f "$folder/a.jsonl"
  timeout 200 srun -N4 -n8 --ntasks-per-node=2 --mpi=pmix "${comes_first[@]}" "$RAILGAUGE" bench "$@" --transport shm+ucx "${over_eth0[@]}" --iterations 6 --cache warm \
    -o "$folder/a.jsonl" >"$folder/out" 2>&1 || wrong "bench $*: exit code $?"
}
bench all_reduce --algorithm hierarchical,ring,recursive_doubling --bytes 8,4K,1M
[ "$(grep -c '"algorithm":"hierarchical"' "$folder/a.jsonl")" = 3 ] || wrong "hierarchical was not measured at three sizes"
[ "$(grep -c '"status":"ok"\|"status":"not_converged"' "$folder/a.jsonl")" = 9 ] || wrong "not nine results"
bench reduce_scatter all_gather broadcast reduce all_to_all --bytes 1K,64K
[ "$(grep -c '"status":"ok"\|"status":"not_converged"' "$folder/a.jsonl")" = 10 ] || wrong "not ten results"


# What the links allow, from a topology that is given: 2 ranks on each of 4 hosts, a NIC of 1 GB/s (4x SDR) each.
python3 - >"$folder/fabric.net" <<'END'
print('Switch 8 "S-0000000000000001"  # "leaf"')
for node in range(4): print(f'[{node + 1}] "H-00000000000001{node}0"[1] 4x SDR')
for node in range(4): print(f'\nHca 1 "H-00000000000001{node}0"  # "n{node} mlx5_0"\n[1] "S-0000000000000001"[{node + 1}] 4x SDR')
END
bench all_reduce barrier --algorithm auto --bytes 64K --topology "$folder/fabric.net"
grep -q 'of exp\.' "$folder/out" || wrong "the table has no column of what is expected"
grep -q '^predicted: unknown, n0 has several ranks in host memory' "$folder/out" || wrong "nobody says why nothing is predicted"
python3 - "$folder/a.jsonl" <<'END' || wrong "what is expected"
import json, sys
for one in map(json.loads, open(sys.argv[1], encoding="utf-8")):
    wanted = 0.5 * 7 / 3 if one["collective"] == "all_reduce" else None
    got = one["expected_busbw"]
    assert got == wanted or abs(got - wanted) < 1e-9, (one["collective"], got, wanted)
    assert wanted is None or one["expected_from"].startswith("hierarchical: "), one["expected_from"]
END
# The same against a share of it: links of 1 Gbit/s carry an eighth of the 1 GB/s at most, and something at least.
rm -f "$folder/a.jsonl"
timeout 200 srun -N4 -n8 --ntasks-per-node=2 --mpi=pmix "${comes_first[@]}" "$RAILGAUGE" bench all_reduce --algorithm ring --bytes 1M --cache warm --transport shm+ucx "${over_eth0[@]}" \
  --iterations 6 --topology "$folder/fabric.net" --expect 80% -o "$folder/a.jsonl" -o "$folder/a.xml" >"$folder/out" 2>&1
[ $? = 1 ] || wrong "below 80 % is not exit code 1"
grep -q '^railgauge: 1 of 1 result is below' "$folder/out" || wrong "nobody says that the point is below 80 %"
grep -q '"verdict":"below"' "$folder/a.jsonl" || wrong "the verdict is not below"
grep -q '<failure .*type="below expectation"' "$folder/a.xml" || wrong "JUnit has no failure of it"
rm "$folder"/a.*
bench all_reduce --algorithm ring --bytes 1M --topology "$folder/fabric.net" --expect 0.1%
grep -q '"verdict":"meets"' "$folder/a.jsonl" || wrong "the verdict is not meets"
grep -Eq '"topology":"[0-9a-f]{16}"' "$folder/a.jsonl" || wrong "the fingerprint of the hosts is missing"

# The slower the links, the less it matters that all hosts share the cores of one machine.
limit_all 100mbit
bench pairs --algorithm one_way --bytes 512K
python3 - "$folder/a.jsonl" <<'END' || wrong "the pairs within a host and between hosts"
import json, statistics, sys
inside, across = [], []
for one in map(json.loads, open(sys.argv[1], encoding="utf-8")):
    (inside if one["from"] // 2 == one["to"] // 2 else across).append(one["median"])
assert len(inside) == 8 and len(across) == 48, (len(inside), len(across))
ratio = statistics.median(across) / statistics.median(inside)
print(f"{'ok' if ratio >= 3 else 'FAILED'}: in the median a pair within a host is {ratio:.1f} times as fast as one between hosts")
sys.exit(0 if ratio >= 3 else 1)
END
exit $failed
