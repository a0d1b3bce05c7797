// LinearForwardingTable along the directed route that discovery took, PortCounters and PortCountersExtended by LID (InfiniBand
// Architecture Specification, volume 1, 14.2.5.9 and 16.1.3.5; the counters' names are those of Linux).
#include "topo/evidence/ibfabric/ask.hpp"

#include <fmt/format.h>
#include <infiniband/mad.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"

namespace railgauge::topo {
namespace {

constexpr unsigned patience = 200;  // milliseconds for an answer
constexpr int tries = 2;
constexpr unsigned most_silent = 64;  // then nothing more is asked: it would last
constexpr unsigned lids_of_block = 64;
constexpr std::uint8_t no_port = 255;

struct CounterRow {
  MAD_FIELDS field;
  const char* name;
};
constexpr auto errors = std::to_array<CounterRow>({{IB_PC_ERR_SYM_F, "symbol_error"},
                                                   {IB_PC_LINK_RECOVERS_F, "link_error_recovery"},
                                                   {IB_PC_LINK_DOWNED_F, "link_downed"},
                                                   {IB_PC_ERR_RCV_F, "port_rcv_errors"},
                                                   {IB_PC_ERR_PHYSRCV_F, "port_rcv_remote_physical_errors"},
                                                   {IB_PC_ERR_SWITCH_REL_F, "port_rcv_switch_relay_errors"},
                                                   {IB_PC_XMT_DISCARDS_F, "port_xmit_discards"},
                                                   {IB_PC_ERR_LOCALINTEG_F, "local_link_integrity_errors"},
                                                   {IB_PC_ERR_EXCESS_OVR_F, "excessive_buffer_overrun_errors"},
                                                   {IB_PC_VL15_DROPPED_F, "VL15_dropped"},
                                                   {IB_PC_XMT_WAIT_F, "port_xmit_wait"}});
// Of 32 bits they are full within seconds: only the extended ones say anything.
constexpr auto traffic = std::to_array<CounterRow>({{IB_PC_EXT_XMT_BYTES_F, "port_xmit_data"},
                                                    {IB_PC_EXT_RCV_BYTES_F, "port_rcv_data"},
                                                    {IB_PC_EXT_XMT_PKTS_F, "port_xmit_packets"},
                                                    {IB_PC_EXT_RCV_PKTS_F, "port_rcv_packets"}});

}  // namespace

Asker::Asker(const FabricQuestion& question, std::chrono::steady_clock::time_point end) : end_(end) {
  std::array<int, 3> classes{IB_SMI_CLASS, IB_SMI_DIRECT_CLASS, IB_PERFORMANCE_CLASS};
  std::string device = question.device;
  port_.reset(mad_rpc_open_port(device.empty() ? nullptr : device.data(), question.port, classes.data(),
                                static_cast<int>(classes.size())));
  if (!port_) throw Error(Fault::usage, "switches and ports cannot be asked: mad_rpc_open_port failed");
  mad_rpc_set_timeout(port_.get(), static_cast<int>(patience));
  mad_rpc_set_retries(port_.get(), tries);
}

bool Asker::may_ask() {
  if (silent_ < most_silent && std::chrono::steady_clock::now() < end_) return true;
  ++silent_;
  return false;
}

std::string Asker::routes(ibnd_node_t& node) {
  const std::uint32_t top = mad_get_field(node.switchinfo, 0, IB_SW_LINEAR_FDB_TOP_F);
  std::string text;
  std::uint32_t first = 0;  // of LIDs that leave by the same port; 0: none
  std::uint8_t leaves_by = no_port;
  const auto end_run = [&](std::uint32_t next) {
    if (first == 0) return;
    fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ",", first);
    if (next - first > 1) fmt::format_to(std::back_inserter(text), "-{}", next - 1);
    fmt::format_to(std::back_inserter(text), "={}", leaves_by);
    first = 0;
  };
  for (std::uint32_t block = 0; block * lids_of_block <= top; ++block) {
    std::array<std::uint8_t, IB_SMP_DATA_SIZE> ports{};
    if (!may_ask()) return {};
    if (smp_query_via(ports.data(), &node.path_portid, IB_ATTR_LINEARFORWTBL, block, 0, port_.get()) == nullptr) {
      ++silent_;
      return {};
    }
    for (std::uint32_t i = 0; i < lids_of_block; ++i) {
      const std::uint32_t lid = block * lids_of_block + i;
      const std::uint8_t to = lid == 0 || lid > top ? no_port : ports[i];
      if (first != 0 && to == leaves_by) continue;
      end_run(lid);
      if (to != no_port) first = lid;
      leaves_by = to;
    }
  }
  end_run(top + 1);
  return text;
}

std::string Asker::counters(const ibnd_port_t& port) {
  const std::uint16_t lid = port.node->type == IB_NODE_SWITCH ? port.node->smalid : port.base_lid;
  if (lid == 0 || !may_ask()) return {};
  ib_portid_t to{};
  ib_portid_set(&to, lid, 0, 0);
  std::array<std::uint8_t, 1024> answer{};
  std::string text;
  const auto take = [&](const auto& rows, unsigned attribute, bool wide) {
    answer.fill(0);
    if (pma_query_via(answer.data(), &to, port.portnum, 0, attribute, port_.get()) == nullptr) return false;
    for (const CounterRow& row : rows) {
      const std::uint64_t value =
          wide ? mad_get_field64(answer.data(), 0, row.field) : mad_get_field(answer.data(), 0, row.field);
      fmt::format_to(std::back_inserter(text), "{}{}:{}", text.empty() ? "" : ",", row.name, value);
    }
    return true;
  };
  if (!take(errors, IB_GSI_PORT_COUNTERS, false)) {
    ++silent_;
    return {};
  }
  (void)take(traffic, IB_GSI_PORT_COUNTERS_EXT, true);  // old devices lack them
  return text;
}

}  // namespace railgauge::topo
