// A collective of a transport's library as a Runnable, over the same buffers as a plan of ours.
#pragma once

#include <memory>

#include "bench/plan/collective_spec.hpp"
#include "transports/collectives.hpp"

namespace railgauge {

// The call that a CollectiveTable takes; its S is the spec's elements.
[[nodiscard]] CollectiveCall native_call(const CollectiveSpec& spec);

// For the buffer set at `memory` (RankPart::set_bytes of it, in an attached region). `compute` must outlive the answer.
// `stream_ordered`: the endpoint works in the stream of `compute`, and test() is true once the stream has completed the
// operation. Throws Error(usage).
[[nodiscard]] std::unique_ptr<CollectiveRunnable> make_native_plan(RankParts& parts, Endpoint& endpoint,
                                                                   const CollectiveTable& library, Compute& compute,
                                                                   std::byte* memory, bool stream_ordered);

}  // namespace railgauge
