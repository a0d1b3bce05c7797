// Schedules as text: round by round for people, and as GOAL for simulators.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/words.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

[[nodiscard]] std::string text_of(const Blocks&);    // "input 3-4", "scratch 0 (2)": slot 0 of scratch, holding block 2
[[nodiscard]] std::string text_of(const Transfer&);  // "send input 3 -> 1"
[[nodiscard]] std::string text_of(const Local&);     // "reduce scratch 0 (2) -> output 2"

// All ranks side by side, one column a rank, in the words of the schedule: "send input 3 -> 1", "reduce scratch 0 (2) -> output
// 2" (slot 0 of scratch, holding block 2). Ends with a newline.
[[nodiscard]] std::string show(std::span<const Schedule> ranks);
// One rank, line by line.
[[nodiscard]] std::string show(const Schedule& schedule, std::int32_t rank);

// In the Group Operation Assembly Language of Torsten Hoefler, Christian Siebert and Andrew Lumsdaine, "Group Operation Assembly
// Language - A Flexible Way to Express Collective Communication", International Conference on Parallel Processing, 2009, as
// LogGOPSim reads it: `bytes` is the size S of the collective; locals are calc of as many units as they touch bytes.
[[nodiscard]] std::string goal(Collective collective, std::span<const Schedule> ranks, Shape shape, std::uint64_t bytes);

}  // namespace railgauge
