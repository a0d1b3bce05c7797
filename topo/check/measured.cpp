// Links that were measured far below the others.
#include <fmt/format.h>

#include <vector>

#include "base/statistics/median.hpp"
#include "topo/check/rules.hpp"

namespace railgauge::topo {
namespace {

constexpr double slow = 0.75;  // of the median of all that were measured

std::string share_words(double ratio) { return fmt::format("{:.0f} % of its bandwidth", 100 * ratio); }

}  // namespace

void check_measured(const Context& context, Findings& findings) {
  const Ratios* measured = context.options.measured;
  if (measured == nullptr || measured->empty() || context.fabric.switches.empty()) return;
  const View& view = context.view;
  std::vector<double> ratios;
  for (const auto& [link, ratio] : *measured) ratios.push_back(ratio);
  const double usual = median(ratios);
  for (std::size_t i = 0; i < view.graph().links.size(); ++i) {
    const Link& link = view.link(i);
    if (view.a(i) == View::none || view.b(i) == View::none) continue;
    const auto found = measured->find(link_key(link));
    if (found == measured->end() || found->second < 0 || found->second >= slow * usual) continue;
    Finding finding;
    finding.rule = "link-measured";
    finding.severity = Severity::warning;
    finding.a = view.node_port(view.a(i), link.a_port);
    finding.b = view.node_port(view.b(i), link.b_port);
    finding.found = share_words(found->second);
    finding.expected = share_words(usual);
    finding.why = "the best pair of hosts whose path this link lies on was far below the others";
    finding.action = "Measure pairs over this link alone, then clean and reseat both plugs, then exchange the cable";
    findings.add(std::move(finding));
  }
}

}  // namespace railgauge::topo
