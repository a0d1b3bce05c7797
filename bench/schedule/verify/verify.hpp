// Runs the schedules of all ranks symbolically and says everything that is wrong with them; nothing found is a proof for this
// shape, with no hardware. docs/schedules.md says in words what is proved.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/schedule.hpp"
#include "bench/schedule/verify/credits.hpp"

namespace railgauge {

// How many units the blocks have that verify runs on.
enum class Sizes : std::uint8_t {
  distinct,    // every block another size (above 37 blocks: sizes that repeat), so that equal counts of unequal bytes are caught
  equal,       // for algorithms that need equal blocks
  some_empty,  // distinct, and every third block has no bytes
};

// Answers as credits() does.
using CreditRule = std::function<std::vector<Credit>(const ResolvedSchedule& receiver, std::int32_t receiver_rank,
                                                     const ResolvedSchedule& sender, std::int32_t sender_rank)>;

struct VerifyOptions {
  bool in_place = false;
  Sizes sizes = Sizes::distinct;
  std::size_t lanes = 1;
  CreditRule credits = railgauge::credits;
  bool touched_between = false;  // each rank reads and writes all of its buffers between two runs, and no barrier is passed
};

// Sentences, each with rank, round and what is wrong; at most `findings_limit` of them. Empty means proved.
using Findings = std::vector<std::string>;
inline constexpr std::size_t findings_limit = 20;

// `ranks` has one schedule a rank of `shape`, whose own rank does not matter. Each lane runs the same schedule.
[[nodiscard]] Findings verify(Collective collective, std::span<const Schedule> ranks, const Shape& shape,
                              const VerifyOptions& options);

}  // namespace railgauge
