# What the scripts of ci/ share: saying what happens, installing what is missing, and stopping with one sentence.
# Sourced, after `set -euo pipefail`. Leaves the shell in the root of the source tree, wherever it was started.

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd -P)
cd "$root" || exit 2
exec </dev/null  # nothing here asks a question
# What ccache keeps serves every clone of this tree, wherever it lies.
# The precompiled headers, of 90 MB each, are hashed once (inode cache).
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=true CCACHE_INODECACHE=true

say() { printf '%s\n' "== $*"; }
die() {
  printf '%s\n' "${0##*/}: $*" >&2
  exit 2
}

# Runs a command as root. Callers have made sure with can_be_root that it can.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}
# A person at a terminal may be asked for the password of sudo; nobody else is.
can_be_root() {
  [ "$(id -u)" = 0 ] && return
  command -v sudo >/dev/null 2>&1 || return 1
  sudo -n true 2>/dev/null && return
  [ -t 2 ] && [ -z "${CI:-}" ] && sudo -v
}

codename() { (. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-unknown}") || echo unknown; }

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# missing_packages SET...: those of ci/packages that are neither installed nor made unnecessary by a program that is there.
missing_packages() {
  local set release package program here wanted=" $* "
  here=$(codename)
  while read -r set release package program; do
    case $set in '' | \#*) continue ;; esac
    case $wanted in *" $set "*) ;; *) continue ;; esac
    [ "$release" = any ] || [ "$release" = "$here" ] || continue
    if [ -n "$program" ] && command -v "$program" >/dev/null 2>&1; then continue; fi
    is_installed "$package" || echo "$package"
  done <ci/packages
}

# While packages are installed no service may start. policy-rc.d is how Debian says so; one that is there already is put
# back. Some packages enable their service too, so what they brought is disabled again afterwards.
policy=/usr/sbin/policy-rc.d
forbid_services() {
  as_root sh -c "
    if [ -e $policy ] || [ -L $policy ]; then
      grep -qs 'set by railgauge' $policy || mv $policy $policy.before-railgauge
    fi
    printf '%s\n' '#!/bin/sh' '# set by railgauge while it installs packages' 'exit 101' >$policy
    chmod 755 $policy"
}
allow_services() {
  as_root sh -c "
    grep -qs 'set by railgauge' $policy && rm -f $policy
    if [ -e $policy.before-railgauge ] || [ -L $policy.before-railgauge ]; then mv $policy.before-railgauge $policy; fi" || true
}

# disable_services PACKAGE...: every unit and init script that these packages brought.
disable_services() {
  local file name
  for file in $(dpkg-query -L "$@" 2>/dev/null | grep -E '^(/usr)?/lib/systemd/system/[^/]+\.(service|socket|timer|path)$' || true); do
    name=${file##*/}
    case $name in *@*) continue ;; esac
    as_root deb-systemd-helper disable "$name" >/dev/null 2>&1 || true
  done
  for file in $(dpkg-query -L "$@" 2>/dev/null | grep -E '^/etc/init\.d/[^/]+$' || true); do
    as_root update-rc.d "${file##*/}" disable >/dev/null 2>&1 || true
  done
}

installed_packages() { dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort -u; }

# need SET...: installs what is missing of these sets, or stops with one sentence.
need() {
  local missing log before code=0
  command -v dpkg-query >/dev/null 2>&1 ||
    die "this is not Debian or one of its relatives: install the packages that ci/packages names by hand, then use cmake --preset dev"
  missing=$(missing_packages "$@" | xargs)
  if [ -z "$missing" ]; then
    say "packages: all there ($*)"
    return
  fi
  can_be_root || die "these packages are missing, and without root or sudo they cannot be installed: run  apt-get install $missing"
  say "packages: installing $missing"
  log=$(mktemp)
  before=$(mktemp)
  installed_packages >"$before"
  trap 'end_of_install "$before"; rm -f "$log" "$before"' EXIT
  trap 'exit 5' INT TERM HUP
  forbid_services
  if ! as_root apt-get -q -o DPkg::Lock::Timeout=300 update >"$log" 2>&1; then code=1; fi
  # shellcheck disable=SC2086 # a list of words
  if [ $code = 0 ]; then
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
      install --no-install-recommends $missing >"$log" 2>&1 || code=$?
  fi
  if [ $code != 0 ]; then
    grep -E '^(E|W|Err)[: ]' "$log" | head -5 >&2 || true
    die "apt-get could not install $missing: is there a network, and does this release have them (Debian 12 and 13 do)?"
  fi
  end_of_install "$before"
  rm -f "$log" "$before"
  trap - EXIT INT TERM HUP
}

# Whatever came to be installed, wanted or as a dependency, has its services disabled and the old policy is back.
end_of_install() {
  local fresh
  fresh=$(installed_packages | comm -13 "$1" - | xargs)
  # shellcheck disable=SC2086 # a list of words
  [ -z "$fresh" ] || disable_services $fresh
  allow_services
}

# The modules for Python that tests need are installed for Debian's own interpreter. Where PATH has another one first, it has others; and
# one that a version manager hands over (pyenv) starts forty processes each time.
use_debian_python() {
  if [ -x /usr/bin/python3 ] && [ "$(command -v python3)" != /usr/bin/python3 ]; then
    mkdir -p "$root/build-path"
    ln -sfn /usr/bin/python3 "$root/build-path/python3"
    export PATH="$root/build-path:$PATH"
  fi
}

# need_version PROGRAM MINIMUM
need_version() {
  local found
  found=$("$1" --version 2>/dev/null | grep -oE '[0-9]+\.[0-9]+(\.[0-9]+)?' | head -1)
  if [ "$(printf '%s\n' "$2" "${found:-0}" | sort -V | head -1)" != "$2" ]; then
    die "$(command -v "$1") is version ${found:-unknown}, and $2 is the least that serves: update it, or put a newer one first in PATH"
  fi
}
need_compiler() {
  need_version cmake 3.25
  [ -n "${CXX:-}" ] || need_version g++ 12.0
}

# How many compilers fit: one a core, and a gigabyte and a half for each.
jobs_that_fit() {
  local cores kilobytes
  cores=$(nproc)
  kilobytes=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  local fit=$((${kilobytes:-1500000} / 1500000))
  [ "$fit" -ge 1 ] || fit=1
  [ "$fit" -le "$cores" ] && echo "$fit" || echo "$cores"
}

# configure PRESET FOLDER [OPTION...]: afresh when the folder was made for another source tree (one that was moved or copied), or
# by presets that have changed since.
configure() {
  local preset=$1 folder=$2 fresh=
  shift 2
  if [ -e "$folder/CMakeCache.txt" ]; then
    [ -w "$folder/CMakeCache.txt" ] || die "$root/$folder belongs to $(stat -c %U "$folder"): remove it, or run as that user"
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt" || fresh=--fresh
    [ CMakePresets.json -ot "$folder/CMakeCache.txt" ] || fresh=--fresh
  else
    mkdir -p "$folder" 2>/dev/null || die "cannot make $root/$folder: the source tree must be writable"
  fi
  # shellcheck disable=SC2086 # nothing or one word
  cmake --preset "$preset" -B "$folder" $fresh "$@" >"$folder/configure.log" 2>&1 || {
    grep -A6 -E '^CMake Error' "$folder/configure.log" >&2 || tail -20 "$folder/configure.log" >&2
    die "the build could not be configured; all of it is in $root/$folder/configure.log"
  }
  sed -n '/^-- railgauge /,/^--   tests/p' "$folder/configure.log"
}

# build FOLDER [TARGET...]
build() {
  local folder=$1
  shift
  # Compilers' memory in large pages, where the kernel gives them to programs that ask: some 7 % less of their time.
  GLIBC_TUNABLES=glibc.malloc.hugetlb=1 cmake --build "$folder" --parallel "$(jobs_that_fit)" ${1:+--target "$@"} >"$folder/build.log" 2>&1 || {
    grep -A12 -E '(error|Error|FAILED|undefined reference)' "$folder/build.log" | head -60 >&2 || tail -40 "$folder/build.log" >&2
    die "the build failed; all of it is in $root/$folder/build.log"
  }
}

# build_by_folders PRESET FOLDER [TARGET...], which is configured: each folder of sources is compiled as one file. Where two of its files have the same names, all are compiled
# one by one, which takes several times as long: railgauge_apart() of CMake takes one of them out.
build_by_folders() {
  local preset=$1 where=$2
  shift 2
  if (build "$where" "$@") 2>"$where/errors.log"; then return; fi
  head -20 "$where/errors.log" >&2
  grep -qE '^FAILED: .*/Unity/' "$where/build.log" || exit 2
  say "the above may be names that two files of a folder share (railgauge_apart in CONTRIBUTING.md): compiling them one by one"
  configure "$preset" "$where" -DCMAKE_UNITY_BUILD=OFF
  build "$where" "$@"
}

minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# bill_of_materials BUILD FOLDER FILE...: what these programs and libraries, and the pages of reports, are made of, into FOLDER.
bill_of_materials() {
  local build=$1 output=$2 built_in=() pages=() package version
  shift 2
  version=$(sed -nE 's/^project\(railgauge VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)
  # Compiled in by their headers.
  for package in nlohmann-json3-dev libcli11-dev; do built_in+=("$package"); done
  package=$(dpkg-query -S /usr/include/boost/version.hpp 2>/dev/null | cut -d: -f1)
  [ -z "$package" ] || built_in+=("$package")
  # Blank where the charts were left out.
  if [ "$(stat -c %s "$build/reports/web/report.js" 2>/dev/null || echo 0)" -gt 10 ]; then
    pages=(--lockfile reports/web/package-lock.json --modules "$build/reports/web/npm")
  fi
  ci/sbom --version "$version" --built-in "${built_in[@]}" "${pages[@]}" -o "$output" "$@" || die "the bill of materials could not be written"
}
