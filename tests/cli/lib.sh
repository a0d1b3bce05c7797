# What the tests and campaigns of the built program share: a room of their own, and what a run leaves behind in it.
# Sourced. RAILGAUGE is the program.

RAILGAUGE=${RAILGAUGE:?the program to test: RAILGAUGE=build/bin/railgauge}
[[ $RAILGAUGE == /* && ! -L $RAILGAUGE ]] || RAILGAUGE=$(readlink -f "$RAILGAUGE")
tests=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)

skip() {
  echo "skipped: $*"
  exit 4
}
. "$tests/nap.sh"
# The path of the first that there is.
find_chromium() { command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome; }

# Starts this script again with System V shared memory and /dev/shm of its own, where the kernel lets us; then what is there
# after a run was left by it. In a chroot, whose root is no mount point, only the mount that is covered can be made private.
isolate() {
  [ -z "${RAILGAUGE_ISOLATED:-}" ] || return 0
  local options cover='mount -t tmpfs none /dev/shm'
  local covers=("$cover" "mount --make-private /dev/shm && $cover")
  for options in '--ipc --mount' '-r --ipc --mount' '--ipc --mount --propagation unchanged'; do
    case $options in *unchanged) cover=${covers[1]} ;; *) cover=${covers[0]} ;; esac
    # shellcheck disable=SC2086 # words
    if unshare $options sh -c "$cover" 2>/dev/null; then
      RAILGAUGE_ISOLATED=yes exec unshare $options sh -c "$cover"'; exec "$@"' sh bash "$0" "$@"
    fi
  done
  export RAILGAUGE_ISOLATED=no
}

# A folder to work in, with a folder for temporary files, and a mark that all processes of a run carry in their environment.
enter_room() {
  room=$(mktemp -d "${TMPDIR:-/tmp}/railgauge-test.XXXXXX")
  mkdir "$room/tmp"
  mark=railgauge-test-$$-${room##*.}
  trap leave_room EXIT
  trap 'exit 5' INT TERM HUP
  cd "$room" || exit 2
}
leave_room() {
  end_marked
  cd /
  [ "${keep_room:-no}" = yes ] || rm -rf "$room"
}

# Runs a command as part of a test: marked, and with the room's folder for temporary files.
marked() {
  export RAILGAUGE_TEST_MARK=$mark TMPDIR=$room/tmp
  exec "$@" </dev/null
}
# Into `marked`: the processes of the run that are there. None of them is older than this script; where the kernel counts
# from the beginning again, as many as that are looked at.
find_marked() {
  local process last words
  marked=()
  read -r _ _ _ _ last </proc/loadavg
  for process in /proc/[0-9]*; do
    process=${process#/proc/}
    [ "$process" -gt $$ ] || [ "$last" -lt $$ ] || continue
    mapfile -d '' -t words <"/proc/$process/environ" || continue
    [[ " ${words[*]} " != *" RAILGAUGE_TEST_MARK=$mark "* ]] || marked+=("$process")
  done 2>/dev/null
}
marked_processes() {
  local marked
  find_marked
  [ ${#marked[@]} = 0 ] || printf '%s\n' "${marked[@]}"
}
end_marked() {
  local marked
  find_marked
  [ ${#marked[@]} = 0 ] || kill -KILL "${marked[@]}" 2>/dev/null
}

# What is there before a run; what more there is after it: one line each. Each run asks twice, so no process is started for it.
remember_surroundings() {
  local thing
  declare -gA things_before=()
  find_things
  for thing in "${things[@]}"; do things_before[$thing]=1; done
}
# Shared memory and temporary files, into `things`.
find_things() {
  local path key segment
  things=()
  shopt -s nullglob globstar dotglob
  for path in /dev/shm/** "$room"/tmp/*; do
    case $path in /dev/shm/) ;; "$room"/*) things+=("temporary file ${path##*/}") ;; *) things+=("$path") ;; esac
  done
  shopt -u nullglob globstar dotglob
  while read -r key segment _; do
    [ "$key" = key ] || things+=("System V segment $segment")
  done </proc/sysvipc/shm
}
find_new_things() {
  local thing left=()
  find_things
  for thing in "${things[@]}"; do [ -n "${things_before[$thing]:-}" ] || left+=("$thing"); done
  things=("${left[@]}")
}
# Of `things` those that are still there.
find_old_things() {
  local thing left=()
  local -A seen=()
  for thing in "${things[@]}"; do seen[$thing]=1; done
  find_things
  for thing in "${things[@]}"; do [ -z "${seen[$thing]:-}" ] || left+=("$thing"); done
  things=("${left[@]}")
}
left_behind() {
  local patience=300 process marked
  find_new_things
  # Without a room of our own they may belong to a test beside this one, and then they vanish with it.
  while [ ${#things[@]} != 0 ] && [ "$RAILGAUGE_ISOLATED" = no ] && [ $((patience -= 1)) -gt 0 ]; do
    nap 0.1
    find_old_things
  done
  [ ${#things[@]} = 0 ] || printf 'left behind: %s\n' "${things[@]}"
  # The kernel may take a moment to clear a process away that was killed.
  patience=100
  while find_marked && [ ${#marked[@]} != 0 ] && [ $((patience -= 1)) -gt 0 ]; do nap 0.02; done
  for process in "${marked[@]}"; do
    echo "left behind: process $process: $(tr '\0' ' ' <"/proc/$process/cmdline" 2>/dev/null)"
  done
}

# Whether nothing is left, without a process for the question.
nothing_left_behind() {
  local marked
  find_new_things
  [ ${#things[@]} = 0 ] && find_marked && [ ${#marked[@]} = 0 ]
}

# Says what is wrong with a results file that may have been cut short: each line must be a whole result.
bad_lines() {
  [ -e "$1" ] || return 0
  local problems code=0
  problems=$(python3 "$tests/reports/validate.py" "$tests/../docs/result.schema.json" "$1" 2>&1) || code=$?
  case $code in
  4 | 127)
    [ -z "$(tail -c 1 "$1" | tr -d '\n')" ] || echo "$1 ends in half a line"
    grep -nvE '^\{.*\}$' "$1" | cut -c1-80
    ;;
  *) [ -z "$problems" ] || echo "$problems" ;;
  esac
}

seconds_since() { awk -v now="$EPOCHREALTIME" -v then="$1" 'BEGIN {printf "%.3f", now - then}'; }

# A random whole number below $1, into `drawn`. Bash draws the same numbers from the same seed.
draw() { drawn=$(((RANDOM << 15 | RANDOM) % $1)); }
