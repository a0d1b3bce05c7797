// How two ranks agree on the transfers of an Exchange: how many there are, and where each block lies.
#pragma once

#include <cstddef>
#include <vector>

#include "transports/cuda_ipc/exchange.hpp"

namespace railgauge::cuda_ipc {

// Collective over the ranks that `rounds` name. Throws Error(usage) that names both ranks and the message where the two sides
// differ.
[[nodiscard]] std::vector<PreparedRound> agree(CudaIpcEndpoint& endpoint, std::size_t lane,
                                               const std::vector<std::vector<Message>>& rounds);

}  // namespace railgauge::cuda_ipc
