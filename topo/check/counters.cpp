// Error counters that are not zero: no proof of a fault, but the first thing to look at beside one.
#include <fmt/format.h>

#include "topo/check/rules.hpp"
#include "topo/counter_names.hpp"

namespace railgauge::topo {
namespace {

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
    finding.a = view.node_port(view.a(i), link.a_port);
    finding.b = view.node_port(view.b(i), link.b_port);
    finding.found = fmt::format("{}{}{}", a.empty() ? "" : "first end: " + a, a.empty() || b.empty() ? "" : "; ",
                                b.empty() ? "" : "second end: " + b);
    finding.expected = "zeros, where counting began after the last change of cables";
    finding.why = "errors are retried, which costs bandwidth and time; old ones, from before a repair, do not matter";
    finding.action = "Reset the counters, run a benchmark over this link, and read them again: what grows is a fault";
    findings.add(std::move(finding));
  }
}

}  // namespace railgauge::topo
