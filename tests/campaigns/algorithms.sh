#!/usr/bin/env bash
# algorithms.sh FOLDER [RANKS [GPUS]]: every file of MSCCL XML and every plan of MSCCL++ in the folder, of up to RANKS ranks (16), runs over
# memory, shm and ucx, and of up to GPUS (8) over cuda_ipc on GPUs in software, with 5 sizes and 3 types; what is no right algorithm is
# refused in one sentence. To look at each access of each thread for races takes the GPUs in software several times as long: they do at
# one size and type.
. "${0%/*}/../cli/lib.sh"
folder=$(readlink -f "${1:?a folder of algorithms}") most=${2:-16} most_gpus=${3:-8}
files=()
for file in "$folder"/*.xml "$folder"/*.xml.gz "$folder"/*.json "$folder"/*.json.gz; do [ -f "$file" ] && files+=("$file"); done
[ ${#files[@]} != 0 ] || skip "there are no algorithms in $folder"
plugins=${RAILGAUGE%/*}/../tests/softgpu/plugins
[ -e "$plugins/railgauge_cuda_ipc.so" ] || { most_gpus=0 && echo "cuda_ipc is left out: $plugins/railgauge_cuda_ipc.so is not built"; }
isolate "$@"
enter_room
failed=0 measured=0 refused=0 large=0 runs=0
. "$tests/cli/expect.sh"
patience=570

# over TRANSPORT MEMORY SIZES TYPES EXPECTED VARIABLE...: so many results of the file, all of them right.
over() {
  local transport=$1 memory=$2 sizes=$3 types=$4 expected=$5 results
  shift 5
  rm -f results.jsonl
  runs=$((runs + 1))
  # shellcheck disable=SC2154 # set by the loop below
  run env "$@" "$RAILGAUGE" bench --algorithm "$link" --transport "$transport" --memory "$memory" --bytes "$sizes" --type "$types" \
    --iterations 3 -o results.jsonl
  results=$(grep -c '"status":"\(ok\|not_converged\)"' results.jsonl)
  measured=$((measured + results))
  # shellcheck disable=SC2154 # set by run
  [ "$code" = 0 ] && [ "$results" = "$expected" ] && [ "$(grep -c '"algorithm"' results.jsonl)" = "$expected" ] ||
    wrong "$name over $transport: exit code $code and $results of $expected results: $(tail -2 err | cut -c1-300)"
}

for file in "${files[@]}"; do
  name=${file##*/}
  link=algorithm${name#"${name%%.*}"}
  ln -sf "$file" "$link"
  if ! "$RAILGAUGE" algorithm check "$link" >check 2>&1; then
    refused=$((refused + 1))
    run "$RAILGAUGE" bench --algorithm "$link" --transport memory --bytes 4K --iterations 3
    [ "$code" = 2 ] && [ "$(wc -l <err)" = 1 ] || wrong "$name is not right, and bench says: exit code $code, $(head -3 err)"
    echo "$name: refused: $(cut -c1-220 err)"
    continue
  fi
  read -r ranks blocks < <("$RAILGAUGE" algorithm show "$link" --format json |
    python3 -c 'import json, sys; one, = json.load(sys.stdin)["files"]; print(one["ranks"], one["blocks"])')
  if [ "$ranks" -gt "$most" ]; then
    large=$((large + 1))
    echo "$name: $ranks ranks, more than $most"
    continue
  fi
  sizes=$(for times in 1 3 16 125 1000; do echo $((blocks * 8 * times)); done | paste -sd,)
  types=float16,float32,int64
  before=$failed
  for transport in memory shm ucx; do over $transport host "$sizes" $types 15; done
  if [ "$ranks" -le "$most_gpus" ]; then
    gpus="gpus=$ranks,sms=2,gigabytes=1"
    over cuda_ipc cuda "$sizes" $types 15 RAILGAUGE_PLUGIN_PATH="$plugins" RAILGAUGE_SOFTGPU="$gpus,checked=0"
    over cuda_ipc cuda $((blocks * 24)) float32 1 RAILGAUGE_PLUGIN_PATH="$plugins" RAILGAUGE_SOFTGPU="$gpus"
  fi
  [ "$failed" != "$before" ] || echo "$name: right, $ranks ranks, $blocks blocks"
done
echo "${#files[@]} files ($refused refused, $large for more than $most ranks): $runs runs, $measured results$([ $failed = 0 ] && echo ', all of them right')"
[ "$measured" -gt 0 ] || { echo "nothing was measured" && exit 1; }
exit $failed
