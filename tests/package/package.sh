#!/usr/bin/env bash
# package.sh CASE: what `cmake --install` leaves, and ci/sbom, ci/symbols and ci/starter on small folders.
set -uo pipefail
. "${0%/*}/../cli/lib.sh"
tree=$(cd "$tests/.." && pwd)
enter_room
failed=0
wrong() {
  echo "wrong: $*"
  failed=1
}

case_install() { # the program finds its plugins where they were installed, and its documents and names are there
  local file share=$room/prefix/share
  cmake --install "$RAILGAUGE_BUILD" --prefix "$room/prefix" >log 2>&1 || { tail -3 log && wrong "cmake --install failed"; }
  for file in README.md LICENSE CHANGELOG.md docs/topology.md docs/result.schema.json; do
    [ -s "$share/doc/railgauge/$file" ] || wrong "there is no $file among the documents"
  done
  [ "$(readlink "$room/prefix/bin/all_reduce_perf")" = railgauge ] || wrong "all_reduce_perf is not a link to railgauge"
  "$room/prefix/bin/railgauge" --version >said || wrong "--version: exit code $?"
  grep -qE '^commit      ([0-9a-f]{7,}|v[0-9]|unknown commit)' said || wrong "there is no commit: $(cat said)"
  grep -qE '^compiler    [A-Z]' said || wrong "there is no compiler: $(cat said)"
  grep -qE '^  fmt +[0-9]' said || wrong "there is no version of fmt: $(cat said)"
  [ ! -e "$room/prefix/lib/railgauge/railgauge_ucx.so" ] || ! grep -q 'railgauge_ucx.so not found' said || wrong "plugins are not found: $(cat said)"
  if [ -d "$RAILGAUGE_BUILD/share/man/man1" ]; then
    [ -s "$share/man/man1/railgauge.1" ] || [ -s "$share/man/man1/railgauge.1.gz" ] || wrong "the man page is not installed"
    find "$share" -path '*completion*' -type f | grep -q . || wrong "no completion is installed"
  else
    echo "man pages and completions are not built here: not looked for"
  fi
}

# A program, a library of ours and one of its needs.
small_program() {
  echo 'int answer() { return 4; }' >answer.cpp
  echo 'int answer(); int main() { return answer() - 4; }' >program.cpp
  "$CXX" -shared -fPIC -Wl,-soname,libanswer.so.1 -o libanswer.so.1 answer.cpp && "$CXX" -o program program.cpp ./libanswer.so.1 '-Wl,-rpath,$ORIGIN' ||
    skip "$CXX links no small program"
}

case_sbom() {
  small_program
  mkdir -p npm/node_modules/zrender
  echo 'Copyright of zrender' >npm/node_modules/zrender/LICENSE
  "$tree/ci/sbom" --version 1.2.3 --lockfile "$tree/reports/web/package-lock.json" --modules npm -o out program >log 2>&1 || wrong "$(cat log)"
  python3 - out/sbom.spdx.json <<'END' || wrong "the bill of materials is wrong"
import json, re, sys
document = json.load(open(sys.argv[1]))
assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0", document
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"])
identifiers = [package["SPDXID"] for package in document["packages"]]
assert len(set(identifiers)) == len(identifiers)
assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", each) for each in identifiers), identifiers
assert document["packages"][0]["versionInfo"] == "1.2.3"
for relation in document["relationships"]:
    assert relation["relatedSpdxElement"] in identifiers, relation
names = {package["name"] for package in document["packages"]}
assert {"railgauge", "echarts", "zrender", "libanswer.so.1"} <= names, names
assert not names & {"esbuild", "typescript", "playwright-core"}, names
END
  grep -q 'Copyright of zrender' out/THIRD-PARTY-LICENSES.txt || wrong "the licence of zrender is missing"
  "$tree/ci/sbom" --version 1 -o out missing >log 2>&1 && wrong "a missing file is not noticed"
  [ "$(cat log)" = "sbom: missing is not there" ] || wrong "$(cat log)"
}

case_symbols() {
  small_program
  mkdir folder
  cp program libanswer.so.1 folder/
  "$tree/ci/symbols" folder 99.0 >log || wrong "nothing is newer than 99: $(cat log)"
  "$tree/ci/symbols" folder 2.1 >log && wrong "symbols that are newer than 2.1 are not noticed"
  grep -qE '^program: GLIBC_2\.[0-9.]+ of libc.so.6: newer than GLIBC_2.1$' log || wrong "$(cat log)"
  # Carried, it is right again; a library of another version is not.
  cp -L "$(ldd program | awk '$1 == "libc.so.6" {print $3}')" folder/libc.so.6
  "$tree/ci/symbols" folder 2.1 | grep -q '^program: .*libc.so.6' && wrong "what is carried is not looked at"
  cp libanswer.so.1 folder/libc.so.6
  "$tree/ci/symbols" folder 99.0 >log && wrong "a carried library without the version is not noticed"
  grep -q 'the one that is carried has no such version' log || wrong "$(cat log)"
}

case_starter() { # which C library is taken, the words, and the name
  mkdir -p top/bin top/libexec top/glibc path
  sed 's/@MINOR@/31/; s/@LOADER@/loader/' "$tree/ci/starter" >top/bin/railgauge
  printf '#!/bin/sh\necho "here $0 $RAILGAUGE_PROGRAM $*"\n' >top/libexec/railgauge
  printf '#!/bin/sh\necho "carried $*"\n' >top/glibc/loader
  printf '#!/bin/sh\necho "$GETCONF"\n' >path/getconf
  chmod 755 top/bin/railgauge top/libexec/railgauge top/glibc/loader path/getconf
  ln -s railgauge top/bin/all_reduce_perf
  ln -s railgauge top/libexec/all_reduce_perf
  local row libc expected folder=$room/top
  for row in 'glibc 2.31|here' 'glibc 2.40|here' 'glibc 2.28|carried' 'musl|carried' '|carried'; do
    libc=${row%|*} expected=${row#*|}
    GETCONF=$libc PATH=$room/path:$PATH top/bin/railgauge 'a b' >said || wrong "exit code $?"
    [ "$(cut -d' ' -f1 said)" = "$expected" ] || wrong "with '$libc': $(cat said) instead of $expected"
  done
  GETCONF='glibc 2.31' PATH=$room/path:$PATH top/bin/all_reduce_perf -b 8 >said
  [ "$(cat said)" = "here $folder/libexec/all_reduce_perf $folder/bin/railgauge -b 8" ] || wrong "$(cat said)"
  GETCONF='glibc 2.28' PATH=$room/path:$PATH top/bin/all_reduce_perf -b 8 >said
  [ "$(cat said)" = "carried --argv0 $folder/libexec/all_reduce_perf --library-path $folder/glibc $folder/libexec/all_reduce_perf -b 8" ] ||
    wrong "$(cat said)"
  ln -s "$folder/bin/railgauge" path/railgauge # from PATH, through a link
  GETCONF='glibc 2.31' PATH=$room/path:$PATH railgauge x >said
  [ "$(cat said)" = "here $folder/libexec/railgauge $folder/bin/railgauge x" ] || wrong "$(cat said)"
}

"case_$1"
exit $failed
