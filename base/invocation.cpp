#include "base/invocation.hpp"

#include <unistd.h>

#include "base/plugin.hpp"

namespace railgauge {

Surroundings look_around(int argc, char** argv) {
  Surroundings surroundings;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::size_t equal = text.find('=');
    if (equal != std::string::npos) surroundings.environment[text.substr(0, equal)] = text.substr(equal + 1);
  }
  const auto value = [&](const char* name) {
    const auto found = surroundings.environment.find(name);
    return found == surroundings.environment.end() ? std::string() : found->second;
  };
  surroundings.plugin_folders = plugin_folders(value("RAILGAUGE_PLUGIN_PATH"));
  surroundings.colour = value("NO_COLOR").empty() && value("TERM") != "dumb";
  for (int i = 1; i < argc; ++i) surroundings.arguments += (i == 1 ? "" : " ") + std::string(argv[i]);
  return surroundings;
}

Environment environment_of(const Surroundings& surroundings) {
  return [&surroundings](std::string_view name) -> std::optional<std::string> {
    const auto found = surroundings.environment.find(name);
    return found == surroundings.environment.end() ? std::nullopt : std::optional(found->second);
  };
}

}  // namespace railgauge
