// How two ranks agree on the transfers of an Exchange: who writes what where, and that both mean the same.
#pragma once

#include <cstddef>
#include <vector>

#include "transports/memory/exchange.hpp"

namespace railgauge::memory {

// Collective over the ranks that `rounds` name. `timed`: messages take time. Throws Error(usage) that names both ranks and the
// message where the two sides differ in number, bytes or elision of their messages, or where credits go back.
[[nodiscard]] PreparedRounds agree(Group& group, std::size_t lane, const std::vector<std::vector<Message>>& rounds, bool timed);

}  // namespace railgauge::memory
