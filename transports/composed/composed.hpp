// Two transports as one: the first between ranks of one host, the second between hosts, over the same regions. What every real
// cluster runs.
#pragma once

#include <memory>
#include <string>

#include "transports/transport.hpp"

namespace railgauge {

// Throws Error(usage) when the two cannot work together: one that does not cross hosts across them, or one whose messages are
// over in a stream alone (Abilities::stream_ordered).
[[nodiscard]] std::unique_ptr<Transport> compose(std::unique_ptr<Transport> within, std::unique_ptr<Transport> across);

}  // namespace railgauge
