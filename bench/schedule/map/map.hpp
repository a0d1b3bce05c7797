// From an algorithm as others publish it to schedules of ours, which every transport, device and prediction takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/read/program.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

struct MappedProgram {
  Collective collective = Collective::all_reduce;
  std::int32_t root = 0;
  bool in_place = false, out_of_place = false;  // where it may be used, as the program says
  bool equal_blocks = false;                    // right only where all blocks have the same bytes
  std::vector<Schedule> ranks;                  // one for each
};

// Proves the program (prove()), maps it, and proves the schedules (verify()). Throws Error(usage) "ORIGIN: ...": a program that
// is wrong, with the first finding of its proof, and one that cannot be mapped, with the step and its line.
[[nodiscard]] MappedProgram map_program(const Program& program, const std::string& origin);

}  // namespace railgauge
