# What the campaigns share: counting runs, collecting what failed, and the closing table.
# Sourced by a script that was started as  SCRIPT [COUNT [SEED]].
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../cli/lib.sh"

notice='^railgauge: (oversubscribed: |still )'

# begin_campaign DEFAULT_COUNT "$@"
begin_campaign() {
  local default=$1
  shift
  case ${1:-} in -h | --help) echo "usage: ${0##*/} [COUNT [SEED]]: $default runs by default" && exit 0 ;; esac
  count=${1:-$default}
  seed=${2:-$(date +%s)}
  RANDOM=$((seed % 32768))
  seed=$((seed % 32768))
  isolate "$count" "$seed"
  enter_room
  echo "${0##*/}: $count runs, seed $seed"
  exec 3>&2 2>"$room/noise"  # what bash says of killed jobs
  failed=0
  slowest=0
  done_runs=0
  : >table
}

# end_run NUMBER WHAT PROBLEMS: notes a run that was wrong, and keeps its files.
end_run() {
  done_runs=$((done_runs + 1))
  if [ -n "$3" ]; then
    failed=$((failed + 1))
    printf '%-6s %-40s %s\n' "$1" "$2" "$(head -3 <<<"$3" | cut -c1-200 | paste -sd';')" | tee -a table
    keep_room=yes
    mkdir -p "failed/$1"
    cp run.* "failed/$1/" 2>/dev/null
  fi
  rm -f run.*
}

note_time() { slowest=$(awk -v a="$slowest" -v b="$1" 'BEGIN {print (b > a ? b : a)}'); }

# await_end PROCESS SECONDS: false when it is still there then.
await_end() {
  local until=$((${EPOCHREALTIME/[.,]/} + $2 * 1000000))
  while kill -0 "$1" 2>/dev/null; do
    [ "${EPOCHREALTIME/[.,]/}" -lt "$until" ] || return 1
    nap 0.01
  done
}

# The processes of the run, what each waits for, and its last words of a command line.
who_is_left() {
  local process
  for process in $(marked_processes); do
    echo "$process $(awk '/^State/ {print $2}' "/proc/$process/status") $(cat "/proc/$process/wchan") $(tr '\0' ' ' <"/proc/$process/cmdline" | cut -c1-60)"
  done 2>/dev/null | paste -sd';'
}
# finish PROCESS: waits up to $limit seconds; then it and all of its run are ended. Sets code, and begins the list of problems.
# What run.err says of the machine, and not of what went wrong, goes to run.notices.
finish() {
  problems=''
  if ! await_end "$1" "$limit"; then
    problems="did not end within $limit s: $(who_is_left)"$'\n'
    end_marked
  fi
  wait "$1"
  code=$?
  grep -E "$notice" run.err >run.notices
  sed -Ei "/$notice/d" run.err
}

# end_campaign SUMMARY: the table of what failed, and one line.
end_campaign() {
  if [ $failed != 0 ]; then
    printf '\n%-6s %-40s %s\n' run what wrong
    cat table
    echo "what these runs said is kept in $room/failed"
  fi
  echo "${0##*/}: $((done_runs - failed)) of $done_runs runs right (seed $seed); $*"
  [ $failed = 0 ]
  exit
}
