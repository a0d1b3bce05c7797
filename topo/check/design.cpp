// Cables against a design: any graph that railgauge reads, of which only cables and their rates are compared.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "topo/check/rules.hpp"
#include "topo/diff/diff.hpp"

namespace railgauge::topo {
namespace {

bool is_cabling(LinkKind kind) { return kind == LinkKind::infiniband || kind == LinkKind::ethernet || kind == LinkKind::tree; }

Finding about(Severity severity, const NodePort& a, const NodePort& b) {
  Finding finding;
  finding.rule = "cabling";
  finding.severity = severity;
  finding.a = a;
  finding.b = b;
  return finding;
}

}  // namespace

void check_design(const Context& context, Findings& findings) {
  if (context.options.design == nullptr) return;
  const Difference difference = diff(*context.options.design, context.view.graph());
  for (const LinksSwapped& it : difference.links_swapped) {
    if (!is_cabling(it.first.kind)) continue;
    Finding finding = about(Severity::fault, it.first.end, it.second.end);
    finding.found =
        fmt::format("their cables are swapped: the first is in {}, the second in {}", it.first.to.name, it.second.to.name);
    finding.expected = fmt::format("the first in {}, the second in {}", it.first.from.name, it.second.from.name);
    finding.why = "both hosts hang on ports meant for the other, so that rails and the scheduler's idea of the fabric are wrong";
    finding.action = "Exchange the two plugs at the switch";
    findings.add(std::move(finding));
  }
  for (const LinkMoved& it : difference.links_moved) {
    if (!is_cabling(it.kind)) continue;
    Finding finding = about(Severity::fault, it.end, it.to);
    finding.found = fmt::format("the cable is in {}", it.to.name);
    finding.expected = it.from.name + ", as the design has it";
    finding.why = "rails and the scheduler's idea of the fabric are wrong, and another cable may be missing its port";
    finding.action = fmt::format("Move the plug to {}, or correct the design", it.from.name);
    findings.add(std::move(finding));
  }
  for (const LinkOnce& it : difference.links_vanished) {
    if (!is_cabling(it.kind)) continue;
    Finding finding = about(Severity::fault, it.a, it.b);
    finding.found = "there is no link";
    finding.expected = "a cable, as the design has it";
    finding.why = "the cable is missing, broken or unplugged, or a device at one end is off";
    finding.action = "Look at both ends for power, lights and plugs";
    findings.add(std::move(finding));
  }
  for (const LinkOnce& it : difference.links_appeared) {
    if (!is_cabling(it.kind)) continue;
    Finding finding = about(Severity::warning, it.a, it.b);
    finding.found = "there is a cable";
    finding.expected = "none: the design does not have it";
    finding.why = "it may close a loop in the routing, or be missing where it should be";
    finding.action = "Pull it, or add it to the design";
    findings.add(std::move(finding));
  }
  for (const LinkChanged& it : difference.links_changed) {
    if (!is_cabling(it.kind)) continue;
    for (const Change& change : it.changes) {
      if (change.attribute != "active width" && change.attribute != "active speed" && change.attribute != "count") continue;
      if (change.from.empty() || change.to.empty()) continue;  // the design, or the fabric, does not tell it
      Finding finding = about(Severity::warning, it.a, it.b);
      finding.found = fmt::format("{} {}", change.attribute, change.to);
      finding.expected = fmt::format("{}, as the design has it", change.from);
      finding.why = "the link is not as fast as it was planned, or the design is not up to date";
      finding.action = "Look at the cable's and the devices' models against the design";
      findings.add(std::move(finding));
    }
  }
}

}  // namespace railgauge::topo
