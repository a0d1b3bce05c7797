// Workloads as Chakra execution traces, for ASTRA-sim and other readers.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workload/workload.hpp"

namespace railgauge {

// Calls `file` with the end of a name and the bytes: ".0.et", ".1.et", ... for each rank that has nodes, and ".groups.json",
// which ASTRA-sim takes as --comm-group-configuration. What Chakra has no place for stands in attributes that others pass over,
// so that reading the files gives the same workload. Returns what ASTRA-sim does not run as it is, a sentence each.
[[nodiscard]] std::vector<std::string> write_chakra(
    const Workload& workload, const std::function<void(const std::string& suffix, std::string_view bytes)>& file);

}  // namespace railgauge
