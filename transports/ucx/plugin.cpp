// The symbol of the UCX plugin.
#include <memory>

#include "transports/table.hpp"
#include "transports/ucx/handles.hpp"
#include "transports/ucx/leftovers.hpp"
#include "transports/ucx/transport.hpp"

namespace railgauge::ucx {
namespace {

std::unique_ptr<Transport> open(const Settings& settings) { return std::make_unique<UcxTransport>(settings); }

}  // namespace
}  // namespace railgauge::ucx

extern "C" [[gnu::visibility("default")]] const railgauge::TransportTable* railgauge_transport() {
  static const railgauge::TransportTable table{.abi = railgauge::plugin_abi,
                                               .name = "ucx",
                                               .summary = "UCX: shared memory, TCP, InfiniBand and RoCE through libucp",
                                               .version = ucp_get_version_string(),
                                               .open = railgauge::ucx::open,
                                               .remove_leftovers = railgauge::ucx::remove_leftovers};
  return &table;
}
