# A PostgreSQL server of a test's own, which only a socket in its room leads to. Sourced, after lib.sh and enter_room.
# shellcheck shell=bash

server_bin=

# As the user postgres where root runs the tests, since initdb refuses root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups env HOME="$room/pg" "$@"; else "$@"; fi
}

# start_postgresql [SETTING=VALUE...]: into $server its address, or skips. It ends with the test.
start_postgresql() {
  local setting options="-k $room/pg -c listen_addresses= -c dynamic_shared_memory_type=mmap"
  server_bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1)
  [ -x "$server_bin/initdb" ] || skip "there is no PostgreSQL server (the package postgresql)"
  [ "$(id -u)" != 0 ] || getent passwd postgres >/dev/null || skip "there is no user postgres, and initdb refuses root"
  mkdir "$room/pg"
  chmod a+x "$room"
  [ "$(id -u)" != 0 ] || chown postgres "$room/pg"
  for setting in "$@"; do options+=" -c $setting"; done
  # Its processes carry no mark: they are no part of a run.
  as_postgres "$server_bin/initdb" -D "$room/pg/data" -A trust -U railgauge -E UTF8 --no-sync >"$room/pg.log" 2>&1 &&
    (cd / && as_postgres "$server_bin/pg_ctl" -D "$room/pg/data" -o "$options" -w -t 60 -l "$room/pg/log" start) >>"$room/pg.log" 2>&1 </dev/null || {
    cat "$room/pg.log" "$room/pg/log"
    echo "wrong: the server does not start"
    exit 1
  }
  trap 'stop_postgresql; leave_room' EXIT
  server="postgresql://railgauge@/postgres?host=$room/pg"
}
stop_postgresql() { (cd / && as_postgres "$server_bin/pg_ctl" -D "$room/pg/data" -m immediate stop) >/dev/null 2>&1; }

# ask QUERY: what the server answers, one line a row.
ask() { "$server_bin/psql" -X -q -A -t -h "$room/pg" -U railgauge -d postgres -c "$1"; }
