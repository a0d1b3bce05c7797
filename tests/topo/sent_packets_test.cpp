// Packets that were sent again, from the kernel's tables and files.
#include "topo/evidence/sent_packets.hpp"

#include <string>

#include "base/statistics/draws.hpp"
#include "tests/test.hpp"
#include "tests/topo/machines.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::topo;
namespace fs = std::filesystem;

namespace {

const std::string snmp =
    "Ip: Forwarding DefaultTTL\nIp: 1 64\n"
    "Tcp: RtoAlgorithm MaxConn InSegs OutSegs RetransSegs InErrs\nTcp: 1 -1 4484 2326 17 0\n"
    "Udp: InDatagrams\nUdp: 9\n";
const std::string netstat =
    "TcpExt: SyncookiesSent TCPOrigDataSent TCPDSACKRecv TCPDSACKRecvSegs\nTcpExt: 0 1200 2 5\n"
    "IpExt: InNoRoutes\nIpExt: 0\n";

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  fill(file, text);
}

}  // namespace

TEST_CASE("sent packets: TCP tells new data, retransmissions, and those that were not needed") {
  CHECK(tcp_packets(snmp, netstat) == SentPackets{tcp, 1200, 17, 5});
  CHECK(tcp_packets(snmp, "") == SentPackets{tcp, 2326, 17, 0});
  CHECK(tcp_packets(snmp, "TcpExt: TCPDSACKRecv\nTcpExt: 2\n") == SentPackets{tcp, 2326, 17, 2});
  CHECK_FALSE(tcp_packets("", netstat));
  CHECK_FALSE(tcp_packets("Tcp: OutSegs RetransSegs\nTcp: -1 3\n", netstat));
  CHECK_FALSE(tcp_packets("Tcp: OutSegs RetransSegs\nTcp: 7 99999999999999999999999\n", netstat));
  CHECK_FALSE(tcp_packets("Tcp: OutSegs RetransSegs\nTcp: 7x 3\n", netstat));
  CHECK_FALSE(tcp_packets("TcpExt: OutSegs RetransSegs\nTcpExt: 7 3\n", netstat));
}

TEST_CASE("sent packets: a table that was cut off anywhere tells the truth or nothing") {
  for (std::size_t size = 0; size < snmp.size(); ++size) {
    INFO(size);
    const auto told = tcp_packets(snmp.substr(0, size), netstat);
    CHECK((!told || told == SentPackets{tcp, 1200, 17, 5}));
  }
  for (std::size_t size = 0; size < netstat.size(); ++size) {
    INFO(size);
    const auto told = tcp_packets(snmp, netstat.substr(0, size));
    REQUIRE(told);
    CHECK((told->sent == 1200 || told->sent == 2326));
    CHECK((told->spare == 0 || told->spare == 5));
  }
}

TEST_CASE("sent packets: garbage and giant tables tell nothing") {
  compare::Draws draws(7);
  for (int turn = 0; turn < 300; ++turn) {
    std::string text = snmp;
    for (int i = 0; i < 8; ++i) text[draws.below(text.size())] = static_cast<char>(draws.below(256));
    (void)tcp_packets(text, text);
  }
  std::string names = "Tcp:", values = "Tcp:";
  for (int i = 0; i < 200'000; ++i) {
    names += " Name" + std::to_string(i);
    values += " 1";
  }
  CHECK_FALSE(tcp_packets(names + "\n" + values + "\n", ""));
  CHECK(tcp_packets(names + " OutSegs RetransSegs\n" + values + " 8 9\n", "") == SentPackets{tcp, 8, 9, 0});
}

TEST_CASE("sent packets: each driver's counters of retransmissions, and no port that lacks them") {
  const Scratch root;
  const fs::path rdma = root.path() / "sys/class/infiniband";
  const auto count = [&](const char* file, int value) { write(rdma / file, std::to_string(value) + "\n"); };
  count("mlx5_0/ports/1/counters/port_xmit_packets", 1000);
  count("mlx5_0/ports/1/hw_counters/packet_seq_err", 1);
  count("mlx5_0/ports/1/hw_counters/implied_nak_seq_err", 2);
  count("mlx5_0/ports/1/hw_counters/local_ack_timeout_err", 4);
  count("mlx5_0/ports/1/hw_counters/out_of_sequence", 100);
  count("mlx5_0/ports/1/hw_counters/rnr_nak_retry_err", 100);
  count("mlx5_1/ports/1/counters/port_xmit_packets", 1000);
  count("mlx5_2/ports/1/hw_counters/packet_seq_err", 1);
  count("rxe0/ports/1/hw_counters/sent_pkts", 50);
  count("rxe0/ports/1/hw_counters/completer_retry_err", 3);
  count("bnxt_re0/ports/1/hw_counters/tx_pkts", 60);
  count("bnxt_re0/ports/1/hw_counters/to_retransmits", 5);
  count("bnxt_re0/ports/1/hw_counters/seq_err_naks_rcvd", 6);
  count("rdmap0/ports/1/hw_counters/tx_pkts", 70);
  count("rdmap0/ports/1/hw_counters/retrans_pkts", 8);
  write(root.path() / "proc/self/net/snmp", snmp);
  write(root.path() / "proc/self/net/netstat", netstat);
  CHECK(
      read_sent_packets(root.path()) ==
      std::vector<SentPackets>{
          {tcp, 1200, 17, 5}, {"bnxt_re0/1", 60, 11, 0}, {"mlx5_0/1", 1000, 7, 0}, {"rdmap0/1", 70, 8, 0}, {"rxe0/1", 50, 3, 0}});
}

TEST_CASE("sent packets: a difference leaves out what was reset, is new, or is gone") {
  const std::vector<SentPackets> before{{tcp, 100, 10, 1}, {"a/1", 100, 10, 0}, {"b/1", 5, 5, 0}, {"d/1", 7, 7, 0}};
  const std::vector<SentPackets> after{{tcp, 150, 12, 1}, {"a/1", 90, 20, 0}, {"c/1", 5, 5, 0}, {"d/1", 7, 7, 0}};
  CHECK(sent_between(before, after) == std::vector<SentPackets>{{tcp, 50, 2, 0}, {"d/1", 0, 0, 0}});
  CHECK(sent_between({}, after).empty());
}

TEST_CASE("sent packets: this machine counts its own TCP, and a machine without files nothing") {
  const Scratch root;
  CHECK(read_sent_packets(root.path()).empty());
  const std::vector<SentPackets> here = read_sent_packets();
  if (!fs::exists("/proc/self/net/snmp")) skip("there is no /proc/self/net/snmp here");
  REQUIRE_FALSE(here.empty());
  CHECK(here.front().by == tcp);
}
