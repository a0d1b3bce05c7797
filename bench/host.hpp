// This host in a few words, for the results.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/result.hpp"
#include "transports/registry.hpp"

namespace railgauge {

[[nodiscard]] Host describe_host();

// Names and versions of what a measurement over this transport depends on.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> versions(const ChosenTransport& transport);

// Settings of its transports as they were given, "ucx.tls" to "tcp".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> settings_of(const ChosenTransport& transport);

}  // namespace railgauge
