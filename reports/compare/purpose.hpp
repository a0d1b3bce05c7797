// What differs between two sides because they are of two commands, and not by chance.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/result.hpp"

namespace railgauge::compare {

// The results of a launch, and the file that they are in.
struct LaunchResults {
  std::string file;
  std::span<const Result> results;
};

// Names for Allowed: conditions, and words of cases, that have one value in all launches of base and another in all of new. Never
// those that say where it ran (host, cpu, kernel, nodes), since that is not what a command is given for. Throws as Side::add().
[[nodiscard]] std::vector<std::string> differing_on_purpose(std::span<const LaunchResults> base,
                                                            std::span<const LaunchResults> next);

}  // namespace railgauge::compare
