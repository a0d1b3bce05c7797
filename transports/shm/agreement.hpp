// How two ranks agree on the transfers of an Exchange: whose counters say what, and where each block lies.
#pragma once

#include <cstddef>
#include <vector>

#include "transports/shm/exchange.hpp"

namespace railgauge::shm {

// Collective over the ranks that `rounds` name. Throws Error(usage) that names both ranks and the message where the two sides
// differ.
[[nodiscard]] PreparedRounds agree(ShmEndpoint& endpoint, std::size_t lane, const std::vector<std::vector<Message>>& rounds);

}  // namespace railgauge::shm
