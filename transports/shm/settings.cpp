// Reads the settings of the shm transport.
#include "transports/shm/settings.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge::shm {

ShmSettings parse_settings(const Settings& settings) {
  ShmSettings parsed;
  for (const auto& [name, value] : settings) {
    if (name != "mapped") throw Error(Fault::usage, fmt::format("the shm transport has no setting \"{}\": it has mapped", name));
    if (value != "on" && value != "off") throw Error(Fault::usage, fmt::format("shm.mapped={}: expected on or off", value));
    parsed.mapped = value == "on";
  }
  return parsed;
}

}  // namespace railgauge::shm
