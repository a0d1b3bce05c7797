# What the tests of launchers share: a command is run, and what it says and how it ends is checked. Sourced.

failures=0

skip() {
  echo "skipped: $1"
  exit 4
}

# check TITLE CODES PATTERN COUNT COMMAND...: COMMAND ends with one of CODES (0,1; any when -), and COUNT lines (at least) have PATTERN.
check() {
  local title=$1 code=$2 pattern=$3 count=$4
  shift 4
  local said ended
  said=$(timeout 100 "$@" 2>&1)
  ended=$?
  local lines
  lines=$(grep -c -E "$pattern" <<< "$said")
  if { [ "$code" = - ] || [[ ",$code," == *",$ended,"* ]]; } && [ "$lines" -ge "$count" ]; then
    echo "ok: $title"
  else
    echo "FAILED: $title: ended with $ended (expected $code), $lines lines with '$pattern' (expected $count). It said:"
    echo "$said"
    failures=$((failures + 1))
  fi
}

# A port that nobody listens on, below those that the kernel hands out.
free_port() {
  local port
  while port=$((10000 + RANDOM % 20000)) && (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do :; done
  echo $port
}

# Ranks that nothing but their variables tells who they are, each by SET: "torchrun RANK RANKS" or "own RANK RANKS" prints them.
one_of() {
  local rank=$2 ranks=$3
  case $1 in
    torchrun)
      echo "TORCHELASTIC_RUN_ID=7 RANK=$rank WORLD_SIZE=$ranks LOCAL_RANK=$((rank % 2)) LOCAL_WORLD_SIZE=2 GROUP_RANK=$((rank / 2))" \
        "MASTER_ADDR=localhost MASTER_PORT=$((port - 1))"
      ;;
    own) echo "RAILGAUGE_RANK=$rank RAILGAUGE_RANKS=$ranks RAILGAUGE_NODE=n$rank RAILGAUGE_RENDEZVOUS=localhost:$port" ;;
  esac
}
# by_variables SET RANKS WORDS...: $program, at $port, as so many ranks; the last come first. Ends with the code of the last that failed.
by_variables() {
  local set=$1 ranks=$2 rank code=0 processes=()
  shift 2
  for rank in $(seq $((ranks - 1)) -1 0); do
    # shellcheck disable=SC2046 # variables, one a word
    env $(one_of "$set" "$rank" "$ranks") "$program" "$@" &
    processes+=($!)
  done
  for rank in "${processes[@]}"; do wait "$rank" || code=$?; done
  return $code
}
export -f by_variables one_of

# MPICH's mpirun, again where it ended by a signal of its own (141): it writes to a node's daemon that has gone when all ranks end at
# once, and says nothing then.
hydra=(bash -c 'for try in 1 2 3; do said=$("$@" 2>&1); code=$?; [ "$code$said" = 141 ] || break; done; echo "$said"; exit $code' hydra mpirun.mpich)
