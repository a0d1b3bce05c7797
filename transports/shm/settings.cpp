// Reads the settings of the shm transport.
#include "transports/shm/settings.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "base/error.hpp"

namespace railgauge::shm {

namespace {

void read_mapped(ShmSettings& settings, std::string_view value) {
  if (value != "on" && value != "off") throw Error(Fault::usage, fmt::format("shm.mapped={}: expected on or off", value));
  settings.mapped = value == "on";
}

int read_rank(std::string_view value) {
  int rank = -1;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), rank);
  if (problem != std::errc{} || end != value.data() + value.size() || rank < 0)
    throw Error(Fault::usage, fmt::format("shm.rank={}: expected the number of a rank", value));
  return rank;
}

constexpr double most_times = 1000;

double read_times(std::string_view value) {
  double times = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), times);
  if (problem != std::errc{} || end != value.data() + value.size() || !(times >= 1 && times <= most_times))
    throw Error(Fault::usage,
                fmt::format("shm.times={}: expected how many times as long a copy takes, from 1 to {}", value, most_times));
  return times;
}

}  // namespace

ShmSettings parse_settings(const Settings& settings) {
  ShmSettings parsed;
  for (const auto& [name, value] : settings) {
    if (name == "mapped")
      read_mapped(parsed, value);
    else if (name == "rank")
      parsed.slow_rank = read_rank(value);
    else if (name == "times")
      parsed.slow_times = read_times(value);
    else if (name != "fault")
      throw Error(Fault::usage, fmt::format("the shm transport has no setting \"{}\": it has mapped, fault, rank, times", name));
    else if (value != "slow")
      throw Error(Fault::usage, fmt::format("shm.fault={}: expected slow", value));
  }
  if (settings.contains("fault") != settings.contains("rank"))
    throw Error(Fault::usage, "a fault of the shm transport needs both shm.fault=slow and shm.rank");
  if (settings.contains("times") && !settings.contains("fault"))
    throw Error(Fault::usage, "shm.times is of a fault, and needs shm.fault=slow and shm.rank");
  return parsed;
}

}  // namespace railgauge::shm
