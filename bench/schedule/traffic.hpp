// The messages of the patterns between ranks: stream, bidirectional, incast, outcast, permutation, bisection and pairs. Each
// message has S bytes and its own block at both ends, so the two lists also describe input and output.
#pragma once

#include <cstdint>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// The `nth` message of this rank and `peer` in that direction, counted from 0.
struct Correspondence {
  std::int32_t peer = 0;
  std::uint32_t nth = 0;
  friend bool operator==(const Correspondence&, const Correspondence&) = default;
};

// Block b of the rank's input goes to to[b]; block b of its output comes from from[b].
struct Traffic {
  std::vector<Correspondence> to, from;
};

[[nodiscard]] bool is_pattern(Collective collective) noexcept;

// The traffic of shape.rank; empty where `collective` is no pattern.
[[nodiscard]] Traffic traffic(Collective collective, const Shape& shape);

// Whether shape.rank sends or receives: some ranks are idle in ping_pong and in patterns.
[[nodiscard]] bool takes_part(Collective collective, const Shape& shape);

// The messages that the busiest rank sends or receives, whichever is more; 1 where `collective` is no pattern.
[[nodiscard]] std::uint32_t busiest_end(Collective collective, const Shape& shape);

// The share of an iteration's time that one message takes: half a ping-pong, a share of a window; 1 for all others.
[[nodiscard]] double time_share(Collective collective, const Shape& shape);

}  // namespace railgauge
