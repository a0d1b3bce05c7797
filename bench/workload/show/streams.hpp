// What the streams of a rank are called, for people.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/workload/workload.hpp"

namespace railgauge {

// By the stream's number: the kinds of groups that communicate in it, and "compute" where it computes.
[[nodiscard]] std::map<int, std::string> stream_names(const Workload& workload, const std::vector<WorkNode>& nodes);

}  // namespace railgauge
