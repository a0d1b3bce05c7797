#include "base/invocation.hpp"

#include <unistd.h>

#include <cstdlib>

#include "base/plugin.hpp"
#include "base/program.hpp"

namespace railgauge {

Invocation read_invocation(int argc, char** argv) {
  Invocation invocation;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::size_t equal = text.find('=');
    if (equal != std::string::npos) invocation.environment[text.substr(0, equal)] = text.substr(equal + 1);
  }
  const auto value = [&](const char* name) {
    const auto found = invocation.environment.find(name);
    return found == invocation.environment.end() ? std::string() : found->second;
  };
  invocation.plugin_folders = plugin_folders(value("RAILGAUGE_PLUGIN_PATH"));
  if (const std::filesystem::path starter = value(program_variable); !starter.empty()) {
    invocation.plugin_folders.push_back(starter.parent_path().parent_path() / "lib" / "railgauge");
    ::unsetenv(program_variable);
  }
  invocation.colour = value("NO_COLOR").empty() && value("TERM") != "dumb";
  for (int i = 1; i < argc; ++i) invocation.arguments += (i == 1 ? "" : " ") + std::string(argv[i]);
  return invocation;
}

Environment environment_of(const Invocation& invocation) {
  return [&invocation](std::string_view name) -> std::optional<std::string> {
    const auto found = invocation.environment.find(name);
    return found == invocation.environment.end() ? std::nullopt : std::optional(found->second);
  };
}

}  // namespace railgauge
