#!/usr/bin/env bash
# COUNT writers add a run each to one history at once, in a file and on a server, while some are killed at random and some just when they hold the
# history: what was acknowledged is there, whole and once, and of a killed one all or nothing. Added again, all are there once.
set -uo pipefail
. "${0%/*}/lib.sh"
begin_campaign 200 "$@"
# shellcheck disable=SC2154 # set by lib.sh
. "$tests/cli/postgresql.sh"
writers=$count

# A file for each writer: a run of 50 results, from a real one.
"$RAILGAUGE" bench all_reduce --ranks 2 --transport memory --algorithm ring --bytes 8 --iterations 20 -o real.jsonl >/dev/null 2>&1 </dev/null ||
  { echo "there is nothing to add: bench failed" && exit 1; }
python3 - "$writers" <<'END_OF_PYTHON'
import json, sys
one = json.loads(open("real.jsonl", encoding="utf-8").readline())
for writer in range(1, int(sys.argv[1]) + 1):
    with open(f"writer-{writer}.jsonl", "w", encoding="utf-8") as file:
        for size in range(50):
            one["run"], one["bytes"], one["count"] = f"writer-{writer}", 8 * (size + 1), 2 * (size + 1)
            file.write(json.dumps(one) + "\n")
END_OF_PYTHON

# add WRITER PLACE: in the place of this shell.
add() { marked "$RAILGAUGE" history add "writer-$1.jsonl" --history "$2" --label "writer $1" --wait 300s; }

# The process that holds the history just now.
holder_of_file() {
  local number
  number=$(stat -c %i history.db 2>/dev/null) || return
  awk -v number="$number" '$2 == "POSIX" && $4 == "WRITE" && $6 ~ ":" number "$" {print $5; exit}' /proc/locks
}
holder_of_server() {
  local writer
  writer=$(ask "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND l.granted LIMIT 1" 2>/dev/null)
  [ -z "$writer" ] || echo "${processes[${writer#writer-}]:-}"
}

# What is wrong with what is kept, given the writers that were acknowledged.
problems_of() {
  "$RAILGAUGE" history export --history "$1" >kept.jsonl 2>&1 || { echo "it cannot be exported: $(head -c 300 kept.jsonl)" && return; }
  "$RAILGAUGE" history list --format json --history "$1" >kept.json 2>&1 || { echo "it cannot be listed: $(head -c 300 kept.json)" && return; }
  python3 - "$writers" "${@:2}" <<'END_OF_PYTHON'
import collections, json, sys
writers, acknowledged = int(sys.argv[1]), set(sys.argv[2:])
kept = collections.defaultdict(list)
for line in open("kept.jsonl", encoding="utf-8"):
    kept[json.loads(line)["run"]].append(line)
for writer in range(1, writers + 1):
    run = f"writer-{writer}"
    if run not in kept:
        if str(writer) in acknowledged:
            print(f"{run} was acknowledged and is lost")
    elif kept.pop(run) != list(open(f"{run}.jsonl", encoding="utf-8")):
        print(f"{run} is not as it was added")
    else:
        print(f"there: {run}")
for run in kept:
    print(f"{run} was never added")
listed = [row["run"] for row in json.load(open("kept.json"))["runs"]]
if len(set(listed)) != len(listed):
    print("a run is listed twice")
for row in json.load(open("kept.json"))["runs"]:
    if (row["results"], row["measured"]) != (50, 50):
        print(f"{row['run']} has {row['results']} results and {row['measured']} points")
END_OF_PYTHON
}

# round NUMBER WHAT PLACE HOLDER
round() {
  local number=$1 what=$2 place=$3 holder=$4 writer began kills=0 held=0 alive
  local acknowledged=() killed=() others=()
  processes=()
  : >gate
  exec 7>gate
  flock -x 7
  for ((writer = 1; writer <= writers; writer++)); do
    (
      flock -s 8
      exec 7>&- 8<&-
      add "$writer" "${place//WRITER/$writer}"
    ) >"run.$writer.out" 2>"run.$writer.err" 8<gate &
    processes[writer]=$!
  done
  began=$EPOCHREALTIME
  flock -u 7
  # A third of them is killed: every other time the one that holds the history, else any.
  while alive=($(jobs -pr)) && [ ${#alive[@]} -gt 0 ] && [ $kills -lt $((writers / 3)) ]; do
    if [ $((kills % 2)) = 0 ]; then
      victim=$($holder)
      [ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null && held=$((held + 1)) && kills=$((kills + 1))
    else
      draw ${#alive[@]}
      kill -KILL "${alive[drawn]}" 2>/dev/null && kills=$((kills + 1))
    fi
    draw 20
    sleep "$(printf '0.%03d' $((drawn + 1)))"
  done
  for ((writer = 1; writer <= writers; writer++)); do
    wait "${processes[writer]}"
    case $? in
      0) acknowledged+=("$writer") ;;
      137) killed+=("$writer") ;;
      *) others+=("$writer: $(head -c 200 "run.$writer.err")") ;;
    esac
  done
  exec 7>&-
  local took there problems
  took=$(seconds_since "$began")
  note_time "$took"
  problems=$(problems_of "${place//WRITER/check}" "${acknowledged[@]}")
  there=$(grep -c '^there: ' <<<"$problems")
  problems=$(
    grep -v '^there: ' <<<"$problems" | sed '/^$/d'
    printf '%s\n' "${others[@]}" | sed '/^$/d'
    # Who was killed adds again, which is nothing where it was done already.
    for writer in "${killed[@]}"; do
      (add "$writer" "${place//WRITER/$writer}") >/dev/null 2>run.err || echo "writer $writer cannot add again: $(head -c 200 run.err)"
    done
    problems_of "${place//WRITER/check}" $(seq "$writers") | grep -v '^there: '
    if [ "$holder" = holder_of_file ]; then
      python3 -c 'import sqlite3; print(sqlite3.connect("history.db").execute("PRAGMA integrity_check").fetchone()[0])' | grep -vx ok
    else
      "$server_bin/pg_amcheck" -h "$room/pg" -U railgauge --install-missing -d postgres 2>&1
    fi
    true
  )
  echo "$what: ${#acknowledged[@]} of $writers writers acknowledged, ${#killed[@]} killed ($held of them as they held it); after $took s $there runs were there"
  [ ${#killed[@]} -gt 0 ] || problems+="nobody was killed"
  end_run "$number" "$what" "$problems"
}

round 1 "a file" "$room/history.db" holder_of_file
if [ -d /usr/lib/postgresql ]; then
  start_postgresql # with its own limit of 100 connections
  round 2 "a server" "postgresql://railgauge@/postgres?host=$room/pg&application_name=writer-WRITER" holder_of_server
fi
end_campaign "slowest $slowest s"
