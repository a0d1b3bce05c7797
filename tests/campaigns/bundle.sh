#!/usr/bin/env bash
# bundle.sh: ci/bundle makes an archive below 50 MiB, without NCCL and without a folder of this machine in it, that works in bare Debian
# 11 (glibc 2.31), 12 and 13 in which nothing was installed (where debootstrap and root are at hand).
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
(cd "$tests/.." && RAILGAUGE_BUILD=$RAILGAUGE_BUILD ci/bundle "$room/bundle.tar.gz") || exit 1
mkdir unpacked
tar -xzf bundle.tar.gz -C unpacked
top=$(echo unpacked/*)
size=$(stat -c %s bundle.tar.gz)
[ "$size" -lt $((50 << 20)) ] || wrong "the archive has $size bytes"
found=$(find "$top" -name '*nccl*.so*' ! -name 'railgauge_nccl.so') && [ -z "$found" ] || wrong "NCCL is in it: $found"
files=0
while read -r file; do
  head -c 4 "$file" | grep -q ELF || continue
  files=$((files + 1))
  for path in $(objdump -p "$file" | awk '$1 == "RUNPATH" || $1 == "RPATH" {gsub(":", " ", $2); print $2}'); do
    case $path in '$ORIGIN'*) ;; *) wrong "$file looks for libraries in $path" ;; esac
  done
done < <(find "$top" -type f)
[ $files -gt 10 ] || wrong "only $files programs and libraries"
"$tests/../ci/symbols" "$top" 2.28 || wrong "it needs symbols that older machines do not have"
for file in README share/doc/railgauge/sbom.spdx.json share/doc/railgauge/THIRD-PARTY-LICENSES.txt share/doc/railgauge/LICENSE; do
  [ -s "$top/$file" ] || wrong "there is no $file"
done
grep -qE "driver [0-9]+ or newer|no CUDA" "$top/README" || wrong "README does not say the lowest driver"
# Here, by both C libraries; what it starts has none of its libraries.
for library in carried host; do
  RAILGAUGE_LIBC=$library "$top/bin/railgauge" list transports >out || wrong "it does not start with the C library $library: $(cat out)"
  grep -q '^ucx  *UCX' out || wrong "plugins are not found with the C library $library: $(cat out)"
done

[ $failed = 0 ] || exit 1
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null ||
  skip "debootstrap and root are needed for a bare Debian; the archive of $size bytes is right so far"
cat >inside.sh <<'END'
mount -t tmpfs none "$1/opt" && cp -a "$2" "$1/opt/railgauge" && mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" &&
  mount --rbind /sys "$1/sys" && mount -t tmpfs none "$1/dev/shm" || exit 99
root=$1
shift 2
exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 chroot "$root" "$@"
END
# inside WORD...: into out, and its exit code into code.
inside() {
  code=0
  (marked unshare --mount bash inside.sh "$bare" "$top" "$@") >out 2>&1 || code=$?
  [ $code != 99 ] || skip "folders cannot be mounted here: $(head -1 out)"
}
expect() {
  [ $code = "$1" ] || { cat out && wrong "exit code $code instead of $1"; }
  grep -qE -- "$2" out || { cat out && wrong "no '$2'"; }
}
program=/opt/railgauge/bin/railgauge
try_release() {
  inside $program --version
  expect 0 '^railgauge [0-9]'
  inside $program list transports
  expect 0 '^nccl +unavailable: libnccl.so.2: cannot open shared object file'
  expect 0 '^verbs +unavailable: libibverbs.so.1: cannot open shared object file'
  expect 0 '^ucx +UCX'
  inside $program list devices
  expect 0 '^cuda +unavailable: NVIDIA.s driver is not there: libcuda.so.1'
  inside $program topo
  expect 0 'Package 0'
  inside $program bench all_reduce --ranks 2 --transport shm,ucx --bytes 4K --iterations 4
  expect 0 '^2 points in'
  inside /opt/railgauge/bin/all_reduce_perf -b 4K -e 4K -g 2 -n 4
  expect 0 'Avg bus bandwidth'
  # A build is compared with itself: it starts itself again.
  inside $program compare --interleave 2 --base 'bench all_reduce --ranks 2 --bytes 4K --iterations 4' \
    --new 'bench all_reduce --ranks 2 --bytes 4K --iterations 4'
  case $code in 0 | 1 | 4) ;; *) cat out && wrong "compare --interleave: exit code $code" ;; esac
  inside bash -c 'cd /tmp && /opt/railgauge/gpu -o /opt/results'
  [ -e /dev/nvidia0 ] || expect 2 '^gpu: there is no GPU here that can be used'
}
bases=${RAILGAUGE_BASES:-${TMPDIR:-/tmp}/railgauge-bare}
works=''
for release in bullseye bookworm trixie; do
  bare=$bases/$release
  if [ ! -e "$bare/.done" ]; then
    rm -rf "$bare"
    mkdir -p "$bare"
    debootstrap --variant=minbase $release "$bare" >debootstrap.log 2>&1 || skip "debootstrap $release: $(tail -1 debootstrap.log)"
    touch "$bare/.done"
  fi
  try_release
  works="$works $(cat "$bare/etc/debian_version")"
done
echo "bundle: $size bytes, $files programs and libraries, tried in Debian$works with nothing installed"
exit $failed
