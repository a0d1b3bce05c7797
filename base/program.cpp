#include "base/program.hpp"

#include <system_error>

namespace railgauge {

std::filesystem::path program_file(const Environment& environment) {
  if (const std::optional<std::string> starter = environment(program_variable); starter && !starter->empty()) return *starter;
  std::error_code fault;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", fault);
  return fault ? std::filesystem::path() : executable;
}

}  // namespace railgauge
