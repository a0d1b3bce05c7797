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

}  // namespace

ShmSettings parse_settings(const Settings& settings) {
  ShmSettings parsed;
  for (const auto& [name, value] : settings) {
    if (name == "mapped")
      read_mapped(parsed, value);
    else if (name == "rank")
      parsed.slow_rank = read_rank(value);
    else if (name != "fault")
      throw Error(Fault::usage, fmt::format("the shm transport has no setting \"{}\": it has mapped, fault, rank", name));
    else if (value != "slow")
      throw Error(Fault::usage, fmt::format("shm.fault={}: expected slow", value));
  }
  if (settings.contains("fault") != settings.contains("rank"))
    throw Error(Fault::usage, "a fault of the shm transport needs both shm.fault=slow and shm.rank");
  return parsed;
}

}  // namespace railgauge::shm
