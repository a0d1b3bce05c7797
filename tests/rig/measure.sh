# What programs on the hosts of the rig say of links like cables, a file each. Sourced behind lib.sh, with `results`, the folder of the files.
# measure NAME HOSTS WORDS...: results/NAME.jsonl by railgauge WORDS, a rank each, unless it is there; its output is results/NAME.out. Sets
# failed to 1 where it fails.
# shellcheck disable=SC2154 # of lib.sh and shape.sh
. "$rig_folder/shape.sh"
failed=0
measure() {
  local name=$1 hosts=$2
  shift 2
  [ ! -s "$results/$name.jsonl" ] || return 0
  rm -f "$results/$name.part.jsonl"
  echo "$name: load $(cut -d' ' -f1-3 /proc/loadavg)"
  timeout 1500 srun --mpi=pmix -N "$hosts" -n "$hosts" "${comes_first[@]}" "$RAILGAUGE" "$@" "${over_ucx[@]}" \
    -o "$results/$name.part.jsonl" >"$results/$name.out" 2>&1 </dev/null ||
    {
      tail -n 5 "$results/$name.out"
      # shellcheck disable=SC2034 # for who sources this
      failed=1
      return
    }
  mv "$results/$name.part.jsonl" "$results/$name.jsonl"
}
# What predictions take their constants from.
measure_constants() {
  measure ping_pong 2 bench ping_pong --bytes 8:4M --factor 4 --max-time 2s --cache warm --check last
  measure stream 2 bench stream --bytes 8 --window 64 --max-time 1s --cache warm --check last
}
