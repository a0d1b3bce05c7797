// --set TRANSPORT.NAME=VALUE, as several commands have it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "transports/transport.hpp"

namespace railgauge {

// By transport. Throws Error(usage) for a word that is no such setting.
[[nodiscard]] std::map<std::string, Settings> settings_of_words(const std::vector<std::string>& words);

}  // namespace railgauge
