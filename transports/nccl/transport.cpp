// Opens the NCCL transport's endpoints.
#include "transports/nccl/transport.hpp"

#include "transports/nccl/endpoint.hpp"

namespace railgauge::nccl {

std::unique_ptr<Endpoint> NcclTransport::connect(Group& group, const Place& place) {
  return std::make_unique<NcclEndpoint>(group, place, options_);
}

}  // namespace railgauge::nccl
