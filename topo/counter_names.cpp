// Parts of the names that kernels and drivers give to counters.
#include "topo/counter_names.hpp"

#include <algorithm>
#include <array>

namespace railgauge::topo {
namespace {

// Of names of counters that count traffic, time or state, and no errors.
constexpr auto harmless = std::to_array<std::string_view>({"data", "packets", "pkts", "wait", "bytes", "octets", "duration",
                                                           "lifespan", "ecn", "cnp", "_requests", "rdma_sends", "rdma_recvs",
                                                           "dct_connect", "active", "cmds", "wrs", "keep_alive"});

}  // namespace

bool counts_errors(std::string_view name) {
  if (name.find("deferred") != std::string_view::npos) return false;  // soft-RoCE's acknowledgements: an "err" by chance
  // "port_rcv_data" is traffic; "crc_data" is NVLink's count of damaged data.
  if (name.find("err") != std::string_view::npos || name.find("crc") != std::string_view::npos ||
      name.find("ecc") != std::string_view::npos || name.find("discard") != std::string_view::npos)
    return true;
  return std::none_of(harmless.begin(), harmless.end(),
                      [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

}  // namespace railgauge::topo
