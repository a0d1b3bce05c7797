#!/usr/bin/env bash
# device_memory.sh RAILGAUGE: memory of a device (that of the tests, which the host must not touch) over the verbs transport, inside the
# machine of ci/vm: from the buffers where the card can register them, through memory of the host where it cannot.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
program=$1
export RAILGAUGE_PLUGIN_PATH=${program%/bin/*}/tests/fake_device
before=$(resources)
run() { rm -f /tmp/results.jsonl; "$program" bench all_reduce --algorithm ring,recursive_doubling --ranks 2 --transport verbs --bytes 4,12K --iterations 4 "$@"; }
# of KIND PATH: all four results are of that memory, and took that path.
of() {
  [ "$(grep -cE "\"status\":\"(ok|not_converged)\".*\"device\":\"$1\".*\"path\":\"$2\"" /tmp/results.jsonl)" = 4 ] ||
    { cut -c 1-600 /tmp/results.jsonl && echo "not four results of $1 memory, $2" && exit 1; }
}
run --memory pinned -o /tmp/results.jsonl
of pinned exchange
run --memory pinned --path staged -o /tmp/results.jsonl
of pinned staged
run --memory cuda -o /tmp/results.jsonl
of cuda staged
grep -q '"staged because":"rank 0: ibv_reg_mr of [0-9]* bytes on rxe.*nvidia_peermem' /tmp/results.jsonl ||
  { cut -c 1-600 /tmp/results.jsonl && echo "does not say why" && exit 1; }
if run --memory cuda --path exchange >/tmp/out 2>&1; then echo "not refused" && exit 1; fi
grep -q -- '--path exchange: messages cannot leave from the buffers of rank 0: ibv_reg_mr' /tmp/out || { cat /tmp/out && exit 1; }
expect_no_leak "$before"
