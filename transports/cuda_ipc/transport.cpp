// Opens the cuda_ipc transport's endpoints.
#include "transports/cuda_ipc/transport.hpp"

#include "transports/cuda_ipc/endpoint.hpp"

namespace railgauge::cuda_ipc {

std::unique_ptr<Endpoint> CudaIpcTransport::connect(Group& group, const Place& place) {
  return std::make_unique<CudaIpcEndpoint>(group, place, options_);
}

}  // namespace railgauge::cuda_ipc
