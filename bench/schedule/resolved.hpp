// A schedule with each block replaced by its range in memory: the input of plan, credits and the verifier.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/schedule/layout.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// One message of a transfer. With one lane a transfer is one message; with several it is one a block, since a lane's shares of
// neighbouring blocks do not adjoin. A transfer of nothing is one message of nothing (its range is empty).
struct ResolvedMessage {
  Transfer::Kind kind = Transfer::Kind::send;
  std::int32_t peer = 0;
  Range range;
};

// Source and target have the same size, which is not 0. A copy onto itself is left out.
struct ResolvedLocal {
  Local::Kind kind = Local::Kind::copy;
  std::size_t index = 0;  // of the Local in its Round
  Range source, target;
};

struct ResolvedRound {
  std::vector<ResolvedMessage> messages;
  std::vector<ResolvedLocal> locals;
};

using ResolvedSchedule = std::vector<ResolvedRound>;

// Throws std::out_of_range for blocks that do not exist, std::invalid_argument for a local whose sides differ in size.
[[nodiscard]] ResolvedSchedule resolve(const Schedule& schedule, const Layout& layout, std::size_t lane, std::size_t lanes);

[[nodiscard]] constexpr bool overlap(const Range& a, const Range& b) { return a.begin < b.end && b.begin < a.end; }

}  // namespace railgauge
