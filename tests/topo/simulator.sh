# The simulator of InfiniBand fabrics, for the tests of the live fabric: start it, change cables, ask it. Sourced, under `set -u`.
. "${BASH_SOURCE[0]%/*}/../nap.sh"

skip() {
  echo "skipped: $*"
  exit 4
}
fail() {
  echo "failed: $*" >&2
  tail -n 5 errors >&2 2>/dev/null
  exit 1
}
export PATH=$PATH:/usr/sbin
for tool in ibsim ibsim-run ibnetdiscover; do
  command -v $tool >/dev/null || skip "there is no $tool (ibsim-utils, infiniband-diags)"
done

# A folder of its own: clients make folders where they stand.
simulator=
enter_fabric() {
  scratch=$(mktemp -d) && cd "$scratch" || exit 2
  trap 'stop; rm -rf "$scratch"' EXIT
}
stop() {
  [ -n "$simulator" ] && kill "$simulator" 2>/dev/null && wait "$simulator" 2>/dev/null
  simulator=
}
# loads NETLIST: whether this simulator, which ends with its standard input, knows all that stands there.
loads() { timeout 10 ibsim -s "$1" </dev/null 2>&1 | grep -q 'simulator ready'; }
# start NETLIST [OPTION OF IBSIM...]. It ends with its standard input, which is the fifo `console`.
start() {
  stop
  rm -f console
  : >output
  mkfifo console
  exec 7<>console
  export IBSIM_SOCKNAME=railgauge-$$-$1
  unset IBSIM_SERVER_NAME
  local net=$1
  shift
  ibsim -s "$@" "$net" <console >output 2>errors 7>&- &
  simulator=$!
  until grep -q 'simulator ready' output; do
    kill -0 $simulator 2>/dev/null || fail "ibsim does not load $net"
    nap 0.02
  done
}
# A simulator that is absent lets its clients wait for ever, so each has a limit; so has each script, in its test.
sim() { timeout "${patience:-60}" ibsim-run "$@" 2>>errors; }
# until_links ENDS: until ibnetdiscover prints so many ends of links. Commands of the console answer nothing that is easy to wait
# for. It is asked by ibnetdiscover, since the simulator has room for a few clients only that end without a word, as children do.
until_links() {
  for _ in $(seq 300); do
    sim ibnetdiscover >dump
    [ "$(grep -c '^\[' dump)" = "$1" ] && return
  done
  fail "ibnetdiscover never printed $1 ends of links"
}
# A sweep of the subnet manager: afterwards ports are active and have addresses.
manage() {
  mkdir -p opensm
  OSM_TMP_DIR=$PWD/opensm OSM_CACHE_DIR=$PWD/opensm sim opensm -o -f "$PWD/opensm/log" -s 0 >opensm/said || fail "opensm"
}
