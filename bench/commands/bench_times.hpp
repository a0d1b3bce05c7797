// Options of `railgauge bench` that say how long a point is measured, and how well it is to be known.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/measure/stop.hpp"

namespace railgauge {

// As the command line has them. Must outlive the command.
struct GivenTimes {
  std::string precision, min_time, max_time, duration, budget;
  std::uint64_t iterations = 0;
};

// `longest` is what --help calls the default of --max-time.
void add_time_options(CLI::App& command, GivenTimes& given, const std::string& longest);

// What was given, in `policy`; `max_time` where none was. Throws Error(usage) where they contradict each other.
void read_times(const GivenTimes& given, const std::string& max_time, Policy& policy);
[[nodiscard]] std::optional<Seconds> budget_of(const GivenTimes& given);

}  // namespace railgauge
