// The transport verbs as it is where cards take GPUs' memory, in the place of its plugin.
#include <string>

#include "tests/transports/cuda_ipc/fake/reaching.hpp"
#include "transports/table.hpp"
#include "transports/verbs/port.hpp"
#include "transports/verbs/transport.hpp"

namespace {

const char* missing() noexcept {
  static const std::string reason = railgauge::verbs::missing_devices();
  return reason.c_str();
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const railgauge::TransportTable* railgauge_transport() {
  static const railgauge::TransportTable table{.abi = railgauge::plugin_abi,
                                               .name = "verbs",
                                               .summary = "RDMA writes that reach the tests' device",
                                               .open = railgauge::test::open_reaching<railgauge::verbs::VerbsTransport>,
                                               .missing = missing};
  return &table;
}
