// Puts the remarks of a result together.
#include "reports/remark.hpp"

#include "reports/power.hpp"
#include "reports/wire.hpp"

namespace railgauge {

std::string remark_of(const Result& result) {
  const std::string wire = result.wire ? remark_of(*result.wire) : std::string();
  const std::string power = result.power ? remark_of(*result.power) : std::string();
  return wire + (wire.empty() || power.empty() ? "" : "; ") + power;
}

}  // namespace railgauge
