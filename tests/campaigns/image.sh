#!/usr/bin/env bash
# image.sh: ci/image builds an image with buildah in which a benchmark runs as a user without root, mpirun starts ranks, and sshd starts
# as that user with the key of an MPIJob.
set -uo pipefail
. "${0%/*}/../cli/lib.sh"
: "${RAILGAUGE_BUILD:?the folder that the program was built in}"
RAILGAUGE_BUILD=$(readlink -f "$RAILGAUGE_BUILD")
[ "$(id -u)" = 0 ] || skip "root is needed to make a bare Debian"
enter_room
failed=0
wrong() {
  echo "wrong: $*"
  failed=1
}
name=railgauge:campaign-$$
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
(cd "$tests/.." && RAILGAUGE_BUILD=$RAILGAUGE_BUILD ci/image "$name") || exit 1
container=$(buildah from "localhost/$name") || exit 1
trap 'buildah rm "$container" >/dev/null; buildah rmi "localhost/$name" >/dev/null; leave_room' EXIT
inside() { buildah run --isolation chroot "$container" -- "$@" >out 2>&1 </dev/null; }
version=$("$RAILGAUGE" --version | sed -n '1s/railgauge //p')
buildah inspect --type image "localhost/$name" >inspected
for label in "org.opencontainers.image.version\": \"$version\"" 'org.opencontainers.image.revision": "[0-9a-v]'; do
  grep -q "$label" inspected || wrong "there is no label $label"
done
inside id -u && grep -qx 1000 out || wrong "its user is $(cat out)"
inside railgauge bench --ranks 2 --bytes 4K --iterations 4 && grep -q 'points* in' out || wrong "bench: $(cat out)"
inside railgauge bench --ranks 2 --transport ucx --bytes 4K --iterations 4 && grep -q '^1 point in' out || wrong "ucx: $(cat out)"
inside mpirun --oversubscribe -n 2 railgauge bench all_reduce --bytes 4K --iterations 4 && grep -q '^1 point in\|points in' out || wrong "mpirun: $(cat out)"
inside bash -c 'ssh-keygen -q -t ecdsa -N "" -f ~/.ssh/id_rsa && cp ~/.ssh/id_rsa.pub ~/.ssh/authorized_keys && /usr/sbin/sshd && ssh localhost id -un' &&
  grep -qx mpiuser out || wrong "sshd: $(cat out)"
inside bash -c 'ls /usr/share/doc/railgauge/sbom.spdx.json /usr/share/doc/railgauge/THIRD-PARTY-LICENSES.txt' || wrong "no bill of materials: $(cat out)"
size=$(buildah inspect --type image --format '{{.OCIv1}}' "localhost/$name" >/dev/null; buildah images --format '{{.Size}}' "localhost/$name")
echo "image: $size, a benchmark and mpirun in it as a user without root"
exit $failed
