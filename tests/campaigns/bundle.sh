#!/usr/bin/env bash
# bundle.sh: ci/bundle makes an archive below 50 MiB, without NCCL and without a folder of this machine in it, that works in a bare Debian
# 13 in which nothing was installed (where debootstrap and root are at hand).
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/../cli/lib.sh"
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
found=$(find "$top" -name '*nccl*' ! -name 'railgauge_nccl.so') && [ -z "$found" ] || wrong "NCCL is in it: $found"
files=0
while read -r file; do
  head -c 4 "$file" | grep -q ELF || continue
  files=$((files + 1))
  for path in $(objdump -p "$file" | awk '$1 == "RUNPATH" || $1 == "RPATH" {gsub(":", " ", $2); print $2}'); do
    case $path in '$ORIGIN'*) ;; *) wrong "$file looks for libraries in $path" ;; esac
  done
done < <(find "$top" -type f)
[ $files -gt 10 ] || wrong "only $files programs and libraries"

[ $failed = 0 ] || exit 1
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null ||
  skip "debootstrap and root are needed for a bare Debian 13; the archive of $size bytes is right so far"
bare=${TMPDIR:-/tmp}/railgauge-bare-trixie
if [ ! -e "$bare/.done" ]; then
  rm -rf "$bare"
  debootstrap --variant=minbase trixie "$bare" >debootstrap.log 2>&1 || skip "debootstrap: $(tail -1 debootstrap.log)"
  touch "$bare/.done"
fi
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
for transport in shm ucx; do
  inside $program bench --ranks 2 --transport $transport --bytes 4K --iterations 4
  expect 0 '^1 point in'
done
inside bash -c 'cd /tmp && /opt/railgauge/gpu -o /opt/results'
[ -e /dev/nvidia0 ] || expect 2 '^gpu: there is no GPU here that can be used'
echo "bundle: $size bytes, $files programs and libraries, works in Debian $(cat "$bare/etc/debian_version") with nothing installed"
exit $failed
