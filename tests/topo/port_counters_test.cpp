// Counters of ports from the kernel's files.
#include "topo/evidence/port_counters.hpp"

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/counter_names.hpp"

using namespace railgauge;
using namespace railgauge::test;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  fill(file, text + "\n");
}

}  // namespace

TEST_CASE("RDMA ports count words, Amazon's bytes, and soft-RoCE what its interface does") {
  const Scratch root;
  const fs::path rdma = root.path() / "sys/class/infiniband", net = root.path() / "sys/class/net";
  write(rdma / "mlx5_0/ports/1/counters/port_xmit_data", "1000");
  write(rdma / "mlx5_0/ports/1/counters/port_rcv_data", "18446744073709551615");  // more words than bytes can be
  write(rdma / "mlx5_0/ports/1/counters/symbol_error", "7");
  write(rdma / "mlx5_0/ports/1/counters/port_xmit_wait", "9");
  write(rdma / "mlx5_0/ports/1/hw_counters/out_of_sequence", "3");
  write(rdma / "mlx5_0/ports/1/hw_counters/rx_write_requests", "100");
  write(rdma / "mlx5_0/ports/1/hw_counters/lifespan", "10");
  write(rdma / "mlx5_0/ports/1/hw_counters/odd_err", "N/A (no PMA)");
  write(rdma / "mlx5_0/ports/1/gid_attrs/ndevs/0", "eth0");
  write(rdma / "rdmap0s6/ports/1/hw_counters/tx_bytes", "11");
  write(rdma / "rdmap0s6/ports/1/hw_counters/rx_bytes", "12");
  write(rdma / "rxe0/ports/1/hw_counters/sent_pkts", "13");
  write(rdma / "rxe0/ports/1/hw_counters/retry_exceeded_err", "14");
  write(rdma / "rxe0/ports/1/gid_attrs/ndevs/0", "cable0");
  write(net / "cable0/statistics/tx_bytes", "15");
  write(net / "cable0/statistics/rx_bytes", "16");
  write(net / "cable0/statistics/rx_dropped", "17");
  write(net / "cable0/statistics/rx_errors", "20");
  write(net / "eth0/statistics/tx_bytes", "18");
  write(net / "eth0/statistics/rx_bytes", "not a number");
  write(net / "lo/statistics/tx_bytes", "19");
  const auto found = topo::read_port_counters(root.path());
  REQUIRE(found.size() == 4);
  CHECK(found[0].port == "eth0");
  CHECK(found[0].sent == 18U);
  CHECK_FALSE(found[0].received.has_value());
  CHECK(found[1].port == "mlx5_0/1");
  CHECK(found[1].sent == 4000U);
  CHECK_FALSE(found[1].received.has_value());
  CHECK(found[1].errors == std::map<std::string, std::uint64_t>{{"out_of_sequence", 3}, {"symbol_error", 7}});
  CHECK(found[2].port == "rdmap0s6/1");
  CHECK(found[2].sent == 11U);
  CHECK(found[2].received == 12U);
  CHECK(found[3].port == "rxe0/1");
  CHECK(found[3].sent == 15U);
  CHECK(found[3].received == 16U);
  CHECK(found[3].errors == std::map<std::string, std::uint64_t>{{"retry_exceeded_err", 14}, {"rx_errors", 20}});
}

TEST_CASE("a machine without ports has no counters") {
  const Scratch root;
  CHECK(topo::read_port_counters(root.path()).empty());
}

TEST_CASE("names of counters tell errors from traffic") {
  for (const char* name :
       {"symbol_error", "link_downed", "port_rcv_errors", "port_xmit_discards", "out_of_sequence", "local_ack_timeout_err",
        "duplicate_request", "crc_data", "rx_dropped", "VL15_dropped", "out_of_buffer", "replay", "ip4InDiscards",
        "roce_adp_retrans", "rnr_nak_retry_err", "recoverable_errors", "tcpRetransSegs"})
    CHECK(topo::counts_errors(name));
  for (const char* name : {"port_xmit_data",
                           "port_rcv_packets",
                           "sent_pkts",
                           "port_xmit_wait",
                           "rx_write_requests",
                           "np_cnp_sent",
                           "np_ecn_marked_roce_packets",
                           "lifespan",
                           "rdma_sends",
                           "ack_deferred",
                           "tx_bytes",
                           "submitted_cmds",
                           "ip4OutOctets",
                           "OutRdmaWrites",
                           "RxUDP",
                           "cnpSent",
                           "RxECNMrkd",
                           "watermark_qps",
                           "resize_cq_cnt",
                           "tx_write_req",
                           "transferred",
                           "interrupts"})
    CHECK_FALSE(topo::counts_errors(name));
}
