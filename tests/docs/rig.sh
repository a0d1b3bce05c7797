# What the pages with srun need on the rig: its faults (tests/rig/lib.sh), and tasks that come first among what this machine does, since
# the hosts of the rig share its cores (tests/launch/slurm.sh says why). Sourced by run_page.py's shell.
. "$SOURCES/tests/rig/lib.sh"
srun() {
  local options=()
  while [[ ${1:-} == -* ]]; do
    options+=("$1")
    [ "$1" != -N ] || { options+=("$2") && shift; }
    shift
  done
  command srun "${options[@]}" "${comes_first[@]}" "$@"
}
