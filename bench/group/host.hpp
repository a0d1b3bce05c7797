// This host in a few words, for the results.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/result.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge {

[[nodiscard]] Host describe_host();

// Names and versions of what a measurement over this transport depends on.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> versions(const ChosenTransport& transport);

// The key of `versions` under which a result over a device has the name of rank 0's: "cuda:0 (NVIDIA H200)".
inline constexpr const char* device_of_rank_0 = "device of rank 0";
// The model of that device: "NVIDIA H200"; empty where the host is the device, and where the result does not say.
[[nodiscard]] std::string gpu_of(const Result& result);

// Settings of its transports as they were given, "ucx.tls" to "tcp".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> settings_of(const ChosenTransport& transport);

}  // namespace railgauge
