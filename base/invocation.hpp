// The inputs of the program, read once in main: its arguments, its environment, and the folders of its plugins.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/environment.hpp"

namespace railgauge {

struct Invocation {
  std::vector<std::filesystem::path> plugin_folders;
  std::map<std::string, std::string, std::less<>> environment;
  std::string arguments;  // the command line without the program's name
  bool colour = true;     // false where NO_COLOR is set or TERM is dumb
};

[[nodiscard]] Invocation read_invocation(int argc, char** argv);
// The environment of `invocation`, which must outlive the answer.
[[nodiscard]] Environment environment_of(const Invocation& invocation);

}  // namespace railgauge
