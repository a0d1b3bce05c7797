// Reads /proc.
#include "bench/launch/process_state.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace railgauge {

std::optional<char> state_of_process(int process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  // The name of the program stands in parentheses before the state, and may have parentheses itself.
  const std::size_t state = line.rfind(") ");
  if (state == std::string::npos || state + 2 >= line.size()) return std::nullopt;
  return line[state + 2];
}

}  // namespace railgauge
