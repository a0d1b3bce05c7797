// Names of counters, by kernel and driver.
#include "topo/evidence/sent_packets.hpp"

#include <algorithm>
#include <array>

#include "topo/evidence/sysfs.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t longest = 1 << 16;  // of a table of /proc/net in bytes: some 10 times what kernels write

// The table has two lines of that title: names, and their values in the same order.
std::optional<std::uint64_t> count_in(std::string_view table, std::string_view title, std::string_view name) {
  const std::size_t end = table.rfind('\n');
  Lines lines(table.substr(0, end == std::string_view::npos ? 0 : end + 1));
  std::optional<std::size_t> place;
  while (lines.next()) {
    Scan words(lines.line());
    if (!words.take(title) || !words.take(":")) continue;
    if (place) {
      std::string_view word;
      for (std::size_t i = 0; i <= *place; ++i) word = words.word();
      Scan digits(word);
      const std::optional<std::uint64_t> count = digits.number();
      return digits.done() ? count : std::nullopt;
    }
    std::size_t number = 0;
    for (std::string_view word = words.word(); !word.empty(); word = words.word(), ++number)
      if (word == name) place = number;
    if (!place) return std::nullopt;
  }
  return std::nullopt;
}

// Below a port's folder. The first that is there counts all packets that it sent: those of soft-RoCE; of bnxt_re and EFA; and of
// ports as InfiniBand defines them, among them those of mlx5.
constexpr auto packets =
    std::to_array<const char*>({"hw_counters/sent_pkts", "hw_counters/tx_pkts", "counters/port_xmit_packets"});
// Retransmissions that the sender began. Not those after "receiver not ready" (rnr_nak_retry_err, rnr_naks_rcvd): there the
// receiver had no buffer, and no packet was lost. What the receiver counts (out_of_sequence, duplicate_request) is the same loss
// once more.
constexpr auto retransmissions = std::to_array<const char*>({
    "hw_counters/packet_seq_err",         // mlx5: the receiver said that packets were missing
    "hw_counters/implied_nak_seq_err",    // mlx5: a response to a read or an atomic operation was missing
    "hw_counters/local_ack_timeout_err",  // mlx5: no acknowledgement came in time
    "hw_counters/roce_adp_retrans",       // mlx5: the same, with adaptive retransmission
    "hw_counters/completer_retry_err",    // soft-RoCE: for any of these reasons
    "hw_counters/to_retransmits",         // bnxt_re: no acknowledgement came in time
    "hw_counters/seq_err_naks_rcvd",      // bnxt_re: the receiver said that packets were missing
    "hw_counters/retrans_pkts"            // EFA: packets, for any reason
});

std::optional<SentPackets> port_packets(const fs::path& folder, const std::string& port) {
  std::optional<std::uint64_t> sent, resent;
  for (const char* const file : packets)
    if (!sent) sent = sysfs_number(folder / file);
  for (const char* const file : retransmissions)
    if (const auto count = sysfs_number(folder / file)) resent = resent.value_or(0) + *count;
  if (!sent || !resent) return std::nullopt;
  return SentPackets{port, *sent, *resent, 0};
}

}  // namespace

std::optional<SentPackets> tcp_packets(std::string_view snmp, std::string_view netstat) {
  const auto all = count_in(snmp, "Tcp", "OutSegs"), resent = count_in(snmp, "Tcp", "RetransSegs");
  if (!all || !resent) return std::nullopt;
  const auto fresh = count_in(netstat, "TcpExt", "TCPOrigDataSent");
  // Older kernels count acknowledgements that tell of duplicates, and not the duplicates.
  auto spare = count_in(netstat, "TcpExt", "TCPDSACKRecvSegs");
  if (!spare) spare = count_in(netstat, "TcpExt", "TCPDSACKRecv");
  return SentPackets{tcp, fresh.value_or(*all), *resent, spare.value_or(0)};
}

std::vector<SentPackets> read_sent_packets(const fs::path& root) {
  const fs::path top = root.empty() ? fs::path("/") : root;
  const fs::path net = top / "proc/self/net", devices = top / "sys/class/infiniband";
  std::vector<SentPackets> found;
  if (auto its = tcp_packets(sysfs_bytes(net / "snmp", longest), sysfs_bytes(net / "netstat", longest)))
    found.push_back(std::move(*its));
  for (const std::string& device : sysfs_names(devices))
    for (const std::string& number : sysfs_names(devices / device / "ports"))
      if (auto its = port_packets(devices / device / "ports" / number, device + "/" + number)) found.push_back(std::move(*its));
  return found;
}

std::vector<SentPackets> sent_between(const std::vector<SentPackets>& before, const std::vector<SentPackets>& after) {
  std::vector<SentPackets> added;
  for (const SentPackets& now : after) {
    const auto then = std::find_if(before.begin(), before.end(), [&](const SentPackets& one) { return one.by == now.by; });
    if (then == before.end() || now.sent < then->sent || now.resent < then->resent || now.spare < then->spare) continue;
    added.push_back({now.by, now.sent - then->sent, now.resent - then->resent, now.spare - then->spare});
  }
  return added;
}

}  // namespace railgauge::topo
