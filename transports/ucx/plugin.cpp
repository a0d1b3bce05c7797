// The symbol of the UCX plugin.
#include <string>

#include "transports/ucx/handles.hpp"
#include "transports/ucx/transport.hpp"

namespace railgauge::ucx {
namespace {

std::unique_ptr<Transport> open(const Settings& settings) { return std::make_unique<UcxTransport>(settings); }

}  // namespace
}  // namespace railgauge::ucx

extern "C" [[gnu::visibility("default")]] const railgauge::TransportTable* railgauge_transport() {
  static const std::string summary =
      std::string("UCX ") + ucp_get_version_string() + ": shared memory, TCP, InfiniBand and RoCE, as UCX chooses";
  static const railgauge::TransportTable table{
      .abi = railgauge::plugin_abi, .name = "ucx", .summary = summary.c_str(), .open = railgauge::ucx::open};
  return &table;
}
