#!/usr/bin/env bash
# emulated.sh CONFORMANCE.SH BUILD: the conformance suite over verbs inside the emulated machine (ci/vm --kind qemu: Debian's own kernel, two
# cores). Where user-mode Linux runs every case, in a fifth of the time, some do here, and all in ci/full.
set -euo pipefail
vm=$(dirname "$0")/../../../ci/vm
if "$vm" --kind uml --timeout 60 -- true >/dev/null 2>&1; then
  export CASES="order both_directions all_pairs connect_again random_rounds unequal_bytes death_posted"
fi
exec "$vm" --kind qemu --rdma rxe --timeout 1100 -- env "CASES=${CASES:-}" "$1" "$2" verbs processes
