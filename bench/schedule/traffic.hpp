// Who sends to whom in the patterns between ranks: stream, bidirectional, incast, outcast, permutation, bisection and pairs. Each
// message carries S and has a block of its own on both ends, so the two lists are also what input and output hold.
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

// Of shape.rank; nothing for what is no pattern.
[[nodiscard]] Traffic traffic(Collective collective, const Shape& shape);

// Whether shape.rank has anything to do: some stand idle in ping_pong and in patterns.
[[nodiscard]] bool takes_part(Collective collective, const Shape& shape);

// Messages that the busiest rank sends or receives, whichever is more; 1 for what is no pattern.
[[nodiscard]] std::uint32_t busiest_end(Collective collective, const Shape& shape);

// What part of an iteration's time is that of one message: half a ping-pong, a share of a window; 1 for all others.
[[nodiscard]] double time_share(Collective collective, const Shape& shape);

}  // namespace railgauge
