#!/usr/bin/env bash
# Run by tests/launch/slurm.sh --links 4: four hosts, links of 1 Gbit/s. The ring all-reduce of large messages must reach 0.95 of
# what the links carry: 2 (n - 1) / n of the bytes leave and enter each host, at 0.993 Gbit/s of payload.
set -uo pipefail
. "${0%/*}/lib.sh"
limit_all 1gbit
# In four parts, so that the links carry one while another is added up. The plan's receives are posted ahead: UCX need not ask
# before it sends.
timeout 300 srun -N4 -n4 --mpi=pmix "${comes_first[@]}" "$RAILGAUGE" bench all_reduce --algorithm ring --transport ucx "${over_eth0[@]}" \
  --lanes 4 --set ucx.rndv_thresh=inf --bytes 16M,64M,256M --cache warm --check last --iterations 12 -o "$folder/a.jsonl" \
  >"$folder/out" 2>&1 || {
  cat "$folder/out"
  exit 1
}
cat "$folder/out"
python3 - "$folder/a.jsonl" <<'END'
import json, sys
payload = 0.993e9 / 8
worst = 9
for record in map(json.loads, open(sys.argv[1], encoding="utf-8")):
    reached = 2 * 3 / 4 * record["bytes"] / record["median"] / payload
    worst = min(worst, reached)
    print(f"{record['bytes']:>10} bytes: {reached:.3f} of the wire")
print(f"{'ok' if worst >= 0.95 else 'FAILED'}: at least {worst:.3f} of the wire, 0.95 is asked for")
sys.exit(0 if worst >= 0.95 else 1)
END
