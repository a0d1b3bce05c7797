// The symbol of the verbs plugin.
#include <memory>
#include <string>

#include "transports/table.hpp"
#include "transports/verbs/native/operations.hpp"
#include "transports/verbs/port.hpp"
#include "transports/verbs/transport.hpp"

namespace railgauge::verbs {
namespace {

std::unique_ptr<Transport> open(const Settings& settings) { return std::make_unique<VerbsTransport>(settings); }

const char* missing() noexcept {
  static const std::string reason = missing_devices();
  return reason.c_str();
}

}  // namespace
}  // namespace railgauge::verbs

extern "C" [[gnu::visibility("default")]] const railgauge::TransportTable* railgauge_transport() {
  static const railgauge::TransportTable table{.abi = railgauge::plugin_abi,
                                               .name = "verbs",
                                               .summary = "RDMA writes over InfiniBand, RoCE and iWARP through libibverbs",
                                               .version = "",
                                               .open = railgauge::verbs::open,
                                               .missing = railgauge::verbs::missing,
                                               .natives = &railgauge::verbs::natives};
  return &table;
}
