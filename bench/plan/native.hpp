// A collective of a transport's library as something to run, over the same buffers as a plan of ours.
#pragma once

#include <memory>

#include "bench/plan/collective_spec.hpp"
#include "transports/collectives.hpp"

namespace railgauge {

// As the library's table wants it. S is the spec's elements.
[[nodiscard]] CollectiveCall native_call(const CollectiveSpec& spec);

// For the buffer set at `memory` (RankPart::set_bytes of it, in an attached region). `compute` outlives it; where the endpoint
// works in its stream it is complete when that has come so far. Throws Error(usage).
[[nodiscard]] std::unique_ptr<CollectiveRunnable> make_native_plan(RankParts& parts, Endpoint& endpoint,
                                                                   const CollectiveTable& library, Compute& compute,
                                                                   std::byte* memory, bool stream_ordered);

}  // namespace railgauge
