// The host's own topology: what topo::check finds at fault in it, and its fingerprint.
#include <fmt/format.h>

#include "bench/validate/preflight/read.hpp"
#include "bench/validate/preflight/sheet.hpp"
#include "topo/evidence/nvml.hpp"
#include "topo/fingerprint.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/view.hpp"

namespace railgauge::topo::preflight {
namespace {

// A GPU's driver is given less time than this source has, so that the rest of the topology is told without it.
Evidence gather(const ReadOptions& options, Sheet& sheet) {
  Evidence evidence;
  for (const Source& source : sources()) {
    if (source.collect == nullptr) continue;
    sheet.doing(fmt::format("the reading of the topology by {}", source.name));
    const bool nvml = source.name == "nvml";
    if (nvml && options.nvml.empty()) continue;
    Taken taken = nvml ? read_nvml_library(options.nvml, {options.patience * 3 / 4, options.patience * 3 / 4})
                       : source.collect(options.root);
    if (!taken.text.empty()) evidence.push_back({std::string(source.name), "this machine", std::move(taken.text)});
  }
  return evidence;
}

Area area_of(const Finding& finding, const View& view) {
  if (const std::size_t place = view.place(finding.a.key); place != View::none && view.node(place).kind == Kind::gpu)
    return Area::gpu;
  return finding.rule.starts_with("pcie-") ? Area::pcie : Area::setting;  // names of rules stay
}

}  // namespace

void read_topology(const ReadOptions& options, Sheet& sheet) {
  const Evidence evidence = gather(options, sheet);
  if (evidence.empty()) return sheet.unread("topology", "reading", "no source tells of it");
  sheet.doing("the building of the topology");
  const Graph graph = build(evidence);
  const View view(graph);
  std::string print;
  for (const HostPrint& host : host_prints(graph)) print += host.text;
  sheet.fingerprint(print);
  for (const Finding& finding : check(graph)) {
    if (finding.severity == Severity::note) continue;  // no reason to act, and as many as there are idle GPUs
    const std::string subject = finding.b.name.empty() ? finding.a.name : fmt::format("{} to {}", finding.a.name, finding.b.name);
    sheet.remark({finding.rule, subject, finding.severity, finding.found, finding.expected, finding.why, finding.action,
                  area_of(finding, view)});
  }
}

}  // namespace railgauge::topo::preflight
