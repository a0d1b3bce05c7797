// Words to settings.
#include "bench/commands/settings.hpp"

#include "base/error.hpp"

namespace railgauge {

std::map<std::string, Settings> settings_of_words(const std::vector<std::string>& words) {
  std::map<std::string, Settings> settings;
  for (const std::string& text : words) {
    const std::size_t dot = text.find('.');
    const std::size_t equal = text.find('=');
    if (dot == std::string::npos || equal == std::string::npos || dot > equal || dot == 0)
      throw Error(Fault::usage, "--set " + text + ": expected TRANSPORT.NAME=VALUE, for example ucx.tls=tcp");
    settings[text.substr(0, dot)][text.substr(dot + 1, equal - dot - 1)] = text.substr(equal + 1);
  }
  return settings;
}

}  // namespace railgauge
