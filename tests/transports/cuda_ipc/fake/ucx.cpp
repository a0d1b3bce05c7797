// The transport ucx as it is where UCX was built with CUDA, in the place of its plugin.
#include <ucp/api/ucp.h>

#include "tests/transports/cuda_ipc/fake/reaching.hpp"
#include "transports/table.hpp"
#include "transports/ucx/leftovers.hpp"
#include "transports/ucx/transport.hpp"

extern "C" [[gnu::visibility("default")]] const railgauge::TransportTable* railgauge_transport() {
  static const railgauge::TransportTable table{.abi = railgauge::plugin_abi,
                                               .name = "ucx",
                                               .summary = "UCX that reaches the tests' device",
                                               .version = ucp_get_version_string(),
                                               .open = railgauge::test::open_reaching<railgauge::ucx::UcxTransport>,
                                               .remove_leftovers = railgauge::ucx::remove_leftovers};
  return &table;
}
