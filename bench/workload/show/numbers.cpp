// bench/workload/show/numbers.hpp
#include "bench/workload/show/numbers.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "base/units.hpp"

namespace railgauge {

std::string seconds_text(double seconds) { return format_seconds(Seconds(seconds)); }

std::string percent_text(double part, double whole) { return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-"; }

std::string difference_text(std::optional<double> share) { return share ? fmt::format("{:+.1f} %", 100 * *share) : "-"; }

std::string megabytes_text(std::uint64_t bytes) { return fmt::format("{:.4g} MB", static_cast<double>(bytes) / 1e6); }

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

}  // namespace railgauge
