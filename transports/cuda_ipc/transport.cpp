// Opens the cuda_ipc transport's endpoints.
#include "transports/cuda_ipc/transport.hpp"

#include "transports/cuda_ipc/endpoint.hpp"
#include "transports/cuda_ipc/host_driven.hpp"

namespace railgauge::cuda_ipc {

std::unique_ptr<Endpoint> CudaIpcTransport::connect(Group& group, const Place& place) {
  if (options_.progress == Progress::host) return std::make_unique<HostDrivenEndpoint>(group, place, options_);
  return std::make_unique<CudaIpcEndpoint>(group, place, options_);
}

}  // namespace railgauge::cuda_ipc
