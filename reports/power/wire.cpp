// Judges traffic.
#include "reports/power/wire.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/output/text.hpp"

namespace railgauge {
namespace {

// Packets have headers, so ports count more than was asked for, and never so much less.
constexpr double least_share = 0.9;
// Below, what else a machine sends hides it.
constexpr std::uint64_t least_asked = std::uint64_t{1} << 20;
constexpr double stray_share = 0.1;  // of what was asked for, that a port is named

bool any_planned(const Wire& wire) {
  return std::any_of(wire.ports.begin(), wire.ports.end(), [](const PortTraffic& port) { return port.planned; });
}

std::string amount(std::uint64_t bytes) { return fmt::format("{:.4g} MB", static_cast<double>(bytes) / 1e6); }

std::string end_of(const PortTraffic& port) { return fmt::format("{} of {}", printable(port.port), printable(port.node)); }

std::string stray_sentence(const Wire& wire) {
  const std::optional<std::uint64_t> sent = bytes_sent(wire);
  const auto asked = static_cast<double>(wire.asked);
  if (!any_planned(wire) || !sent || wire.asked < least_asked || static_cast<double>(*sent) >= least_share * asked) return {};
  std::string others;
  for (const PortTraffic& port : wire.ports)
    if (!port.planned && port.sent && static_cast<double>(*port.sent) >= stray_share * asked)
      others += fmt::format("{}{} sent {}", others.empty() ? "" : ", ", end_of(port), amount(*port.sent));
  return fmt::format("bytes took other ports than planned: of {} that were asked for, the planned ports sent {}; {}",
                     amount(wire.asked), amount(*sent), others.empty() ? "no other port sent as many" : others);
}

std::string error_sentence(const Wire& wire) {
  std::string text;
  for (const PortTraffic& port : wire.ports) {
    std::string errors;
    for (const auto& [name, count] : port.errors)
      errors += fmt::format("{}{} {}", errors.empty() ? "" : ", ", printable(name), count);
    if (!errors.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", end_of(port), errors);
  }
  return text.empty() ? text : "errors counted meanwhile: " + text;
}

}  // namespace

std::optional<std::uint64_t> bytes_sent(const Wire& wire) {
  const bool planned = any_planned(wire);
  std::uint64_t sent = 0;
  for (const PortTraffic& port : wire.ports) {
    if (!port.planned && planned) continue;
    if (!port.sent) return std::nullopt;
    sent += *port.sent;
  }
  return sent;
}

std::uint64_t errors_counted(const Wire& wire) {
  std::uint64_t sum = 0;
  for (const PortTraffic& port : wire.ports)
    for (const auto& [name, count] : port.errors) sum += count;
  return sum;
}

std::string remark_of(const Wire& wire) {
  const std::string strays = stray_sentence(wire), errors = error_sentence(wire);
  return strays + (strays.empty() || errors.empty() ? "" : "; ") + errors;
}

}  // namespace railgauge
