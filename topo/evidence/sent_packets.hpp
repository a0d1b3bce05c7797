// Counts the packets that this host sent and sent again, by TCP and by its RDMA ports. The difference between a reading before a
// transfer and one after it shows how many of its packets were lost on their way, also where the bandwidth looks right.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge::topo {

inline constexpr const char* tcp = "TCP";

struct SentPackets {
  std::string by;            // `tcp` for all sockets of the network namespace, or an RDMA port: "mlx5_0/1"
  std::uint64_t sent = 0;    // of TCP segments with new data; of an RDMA port all packets
  std::uint64_t resent = 0;  // of TCP segments; of an RDMA port, retransmissions that it began, of one packet or of many
  std::uint64_t spare = 0;   // of these, whose first copy had arrived as well, as the receiver says (RFC 2883)
  friend bool operator==(const SentPackets&, const SentPackets&) = default;
};

// Reads TCP's counters from the text of /proc/net/snmp and /proc/net/netstat. Nothing where `snmp` lacks them; a kernel that does
// not tell in `netstat` which segments had new data gives all segments instead. A line that has no end was cut off, and counts as
// absent.
[[nodiscard]] std::optional<SentPackets> tcp_packets(std::string_view snmp, std::string_view netstat);

// Reads TCP of this process's network namespace, and all RDMA ports whose driver counts both packets and retransmissions, in the
// order of their names. `root` is a folder with another machine's /proc and /sys; empty: this machine's. Never throws.
[[nodiscard]] std::vector<SentPackets> read_sent_packets(const std::filesystem::path& root = {});

// Returns what was added from one reading to the next, of those that both have. One whose counters went back was reset, and is
// left out: how much it counted is unknown.
[[nodiscard]] std::vector<SentPackets> sent_between(const std::vector<SentPackets>& before,
                                                    const std::vector<SentPackets>& after);

}  // namespace railgauge::topo
