// Schedules as text: a line of JSON that says what they are for, and a line for each rank and round (docs/schedules.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

struct ScheduleFile {
  Collective collective = Collective::all_gather;
  std::int32_t root = 0;
  std::vector<Schedule> ranks;  // one for each
};

[[nodiscard]] std::string to_text(const ScheduleFile&);

// Throws Error(usage) with the line where the text is no such file, names ranks, blocks or slots that do not exist, or is cut.
// What it gives is well formed and no more: verify() (bench/schedule/verify/verify.hpp) says whether it is right. `origin` names
// the text in sentences.
[[nodiscard]] ScheduleFile read_schedules(std::string_view text, const std::string& origin);

}  // namespace railgauge
