// The symbol of the cuda_ipc plugin.
#include <memory>

#include "transports/cuda_ipc/driver.hpp"
#include "transports/cuda_ipc/transport.hpp"
#include "transports/table.hpp"

namespace railgauge::cuda_ipc {
namespace {

std::unique_ptr<Transport> open(const Settings& settings) { return std::make_unique<CudaIpcTransport>(settings); }

const char* missing() noexcept { return driver().missing.c_str(); }

}  // namespace
}  // namespace railgauge::cuda_ipc

extern "C" [[gnu::visibility("default")]] const railgauge::TransportTable* railgauge_transport() {
  static const railgauge::TransportTable table{.abi = railgauge::plugin_abi,
                                               .name = "cuda_ipc",
                                               .summary = "GPUs that map each other's memory, over NVLink, PCIe or in one GPU",
                                               .open = railgauge::cuda_ipc::open,
                                               .missing = railgauge::cuda_ipc::missing};
  return &table;
}
