#!/usr/bin/env bash
# package.sh: ci/package makes a .deb that installs with apt-get in a bare Debian of the release that it was built on, without the
# libraries of plugins, and works there (where debootstrap, root and a network are at hand).
set -uo pipefail
. "${0%/*}/../cli/lib.sh"
: "${RAILGAUGE_BUILD:?the folder that the program was built in}"
RAILGAUGE_BUILD=$(readlink -f "$RAILGAUGE_BUILD")
enter_room
failed=0
wrong() {
  echo "wrong: $*"
  failed=1
}
(cd "$tests/.." && RAILGAUGE_BUILD=$RAILGAUGE_BUILD ci/package "$room") || exit 1
package=$(echo "$room"/railgauge_*.deb)
[ -s "$package" ] || { echo "there is no package" && exit 1; }
dpkg-deb -f "$package" >fields
! grep -E '^Depends:.*(libcuda|nccl|libucp|libibverbs|libpmix)' fields || wrong "the program depends on a plugin's library: $(cat fields)"
grep -qE '^Recommends:.*libucx0' fields || wrong "UCX is not recommended: $(cat fields)"
grep -qE '^Depends:.*libhwloc15' fields || wrong "hwloc is not among what it depends on: $(cat fields)"
dpkg-deb -c "$package" | awk '{print $6}' >files
for file in usr/bin/railgauge usr/bin/all_reduce_perf usr/lib/railgauge/railgauge_ucx.so usr/share/doc/railgauge/README.md \
  usr/share/doc/railgauge/LICENSE usr/share/doc/railgauge/CHANGELOG.md usr/share/doc/railgauge/docs/topology.md \
  usr/share/doc/railgauge/docs/result.schema.json usr/share/doc/railgauge/sbom.spdx.json usr/share/doc/railgauge/THIRD-PARTY-LICENSES.txt; do
  grep -qxF "./$file" files || wrong "there is no $file in it"
done
[ $failed = 0 ] || exit 1
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || skip "debootstrap and root are needed for a bare Debian; the package is right so far"
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
base=${RAILGAUGE_BASES:-${TMPDIR:-/tmp}/railgauge-bare}/$release
if [ ! -e "$base/.done" ]; then
  rm -rf "$base"
  mkdir -p "$base"
  debootstrap --variant=minbase "$release" "$base" >debootstrap.log 2>&1 || skip "debootstrap $release: $(tail -1 debootstrap.log)"
  touch "$base/.done"
fi
cat >inside.sh <<'END'
cp -a "$1/." "$2/" && mount -t proc proc "$2/proc" && mount --rbind /sys "$2/sys" && mount --bind /dev "$2/dev" && mount -t tmpfs none "$2/dev/shm" &&
  cp /etc/resolv.conf "$2/etc/" && cp "$3" "$2/root/" && cp "$4" "$2/root/try.sh" || exit 99
for file in /etc/apt/apt.conf.d/*proxy*; do [ ! -e "$file" ] || cp "$file" "$2$file"; done
exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 chroot "$2" bash /root/try.sh
END
cat >try.sh <<'END'
export DEBIAN_FRONTEND=noninteractive
apt-get -q update >/root/log 2>&1 || { tail -3 /root/log; exit 99; }
apt-get -q -y install --no-install-recommends /root/railgauge_*.deb >/root/log 2>&1 || { tail -20 /root/log; exit 1; }
railgauge --version | head -2
railgauge list transports | grep -E '^ucx +unavailable: libucp' || { echo "UCX is not said to be missing" && exit 1; }
railgauge topo | grep 'Package 0' || exit 1
railgauge bench --ranks 2 --transport shm --bytes 4K --iterations 4 || exit 1
all_reduce_perf -b 4K -e 4K -g 2 -n 4 | tail -3 || exit 1
railgauge doctor | grep 'apt-get install libucx0' || { echo "doctor does not say how UCX is installed" && exit 1; }
# The manual opens and the command line is completed once man-db and bash-completion are there, which no bare Debian carries.
apt-get -q -y install --no-install-recommends man-db bash-completion >/root/log 2>&1 || { tail -3 /root/log; exit 99; }
for page in railgauge railgauge-bench railgauge-topo-expect; do
  MANPAGER=cat man "$page" >/root/page 2>/root/log && grep -q 'EXIT STATUS' /root/page && echo "man $page: $(wc -l </root/page) lines" ||
    { echo "man $page does not open: $(tail -1 /root/log)"; exit 1; }
done
bash --norc -c '
  . /usr/share/bash-completion/bash_completion
  _comp_load railgauge 2>/dev/null || _completion_loader railgauge
  for words in "railgauge ben" "railgauge bench --transp"; do
    COMP_WORDS=($words) COMP_CWORD=$(($(wc -w <<<"$words") - 1))
    _railgauge
    echo "$words: ${COMPREPLY[*]}"
  done' >/root/completed 2>&1
cat /root/completed
grep -qx 'railgauge ben: bench' /root/completed && grep -qx 'railgauge bench --transp: --transport' /root/completed || { echo "no completion"; exit 1; }
apt-get -q -y install libucx0 >/root/log 2>&1 || { tail -3 /root/log; exit 99; }
railgauge bench --ranks 2 --transport ucx --bytes 4K --iterations 4
END
mkdir root
code=0
(marked unshare --mount bash inside.sh "$base" "$room/root" "$package" "$room/try.sh") >out 2>&1 || code=$?
cat out
[ $code != 99 ] || skip "no folders can be mounted, or no packages fetched, here: $(tail -1 out)"
[ $code = 0 ] || exit 1
echo "package: $(stat -c %s "$package") bytes, installed in a bare Debian $release"
