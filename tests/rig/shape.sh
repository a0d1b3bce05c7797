# Links like cables, whose time is that of what a rank sends. Sourced behind lib.sh; over_ucx are the words of a command for it.
# - A link lets one packet pass at once (the bucket of tbf). Packets are as large as takes 120 us, which timers keep up with, and 9000 bytes
#   at most.
# - A host has four packets in the queue of its link, as a network card would: with more of them acknowledgements wait behind data.
# - Who waits sleeps (--shared-cores), since all hosts are on the cores of one machine.
# - A connection that did not send for a while sends at full rate at once, without a slow start.
# - UCX sends without asking (rndv_thresh): what asks and answers would wait behind data that goes the same direction on the one TCP
#   connection, and two ranks that exchange large messages would send one after the other.
# shellcheck disable=SC2154,SC2034 # of lib.sh; for scripts that source this
over_ucx=(--transport ucx "${over_eth0[@]}" --set ucx.rndv_thresh=inf --shared-cores)
# shape_links RATE: of all hosts, RATE megabits a second. Sets packet.
shape_links() {
  local node
  packet=$(($1 * 15 < 1500 ? 1500 : $1 * 15 > 9000 ? 9000 : $1 * 15))
  shape="burst $((packet + 20)) limit 4mb"
  for node in $(seq 0 $((nodes - 1))); do
    inside "$node" ip link set eth0 mtu $packet gso_max_segs 1 && inside sw ip link set "v$node" mtu $packet &&
      inside "$node" sh -c "echo $((4 * packet)) >/proc/sys/net/ipv4/tcp_limit_output_bytes; echo 0 >/proc/sys/net/ipv4/tcp_slow_start_after_idle" ||
      skip "the size of packets and how TCP sends cannot be set"
  done
  limit_all "${1}mbit"
}
