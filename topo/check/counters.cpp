// Error counters that are not zero: no proof of a fault, but the first thing to look at beside one.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "topo/check/rules.hpp"

namespace railgauge::topo {
namespace {

// Parts of names of counters that count traffic or time, and no errors.
constexpr auto harmless =
    std::to_array<std::string_view>({"data", "packets", "pkts", "wait", "bytes", "octets", "duration", "lifespan", "ecn", "cnp"});

bool counts_errors(std::string_view name) {
  // "port_rcv_data" is traffic; "crc_data" is NVLink's count of damaged data.
  if (name.find("err") != std::string_view::npos || name.find("crc") != std::string_view::npos ||
      name.find("ecc") != std::string_view::npos || name.find("discard") != std::string_view::npos)
    return true;
  return std::none_of(harmless.begin(), harmless.end(),
                      [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

std::string errors_of(const Counters& counters) {
  std::string text;
  for (const auto& [name, count] : counters)
    if (count != 0 && counts_errors(name)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  return text;
}

}  // namespace

void check_counters(const Context& context, Findings& findings) {
  const View& view = context.view;
  for (std::size_t i = 0; i < view.graph().links.size(); ++i) {
    const Link& link = view.link(i);
    const std::string a = errors_of(link.a_counters);
    const std::string b = errors_of(link.b_counters);
    if (a.empty() && b.empty()) continue;
    Finding finding;
    finding.rule = "error-counters";
    finding.severity = Severity::note;
    finding.a = view.end(view.a(i), link.a_port);
    finding.b = view.end(view.b(i), link.b_port);
    finding.found = fmt::format("{}{}{}", a.empty() ? "" : "first end: " + a, a.empty() || b.empty() ? "" : "; ",
                                b.empty() ? "" : "second end: " + b);
    finding.expected = "zeros, where counting began after the last change of cables";
    finding.why = "errors are retried, which costs bandwidth and time; old ones, from before a repair, do not matter";
    finding.action = "Reset the counters, run a benchmark over this link, and read them again: what grows is a fault";
    findings.add(std::move(finding));
  }
}

}  // namespace railgauge::topo
