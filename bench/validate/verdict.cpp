// From parts to words: one row for each class, and the rules by which evidence of a host narrows what bandwidth leaves open.
#include "bench/validate/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace railgauge::validate {
namespace {

struct BlameRow {
  Blame blame;
  std::string_view name, next;
};
constexpr BlameRow rows[] = {
    {Blame::gpu, "gpu", "look at its clocks, temperature and Xid errors, reset it, and replace it if it stays slow"},
    {Blame::nvlink, "nvlink",
     "read the NVLink error counters of its GPUs, restart the fabric manager, and have the board looked at"},
    {Blame::pcie, "pcie",
     "reseat the card, compare link width and speed with other hosts, and replace the riser or card if it stays slow"},
    {Blame::nic, "nic", "reset the card and compare its firmware and settings with other hosts, then replace it"},
    {Blame::cable_port, "cable/port",
     "reseat the cable at both ends; if it stays slow swap it with its neighbour: what moves with the cable is the cable, what "
     "stays is "
     "the port"},
    {Blame::leaf, "leaf",
     "read the error counters of the ports named here, reseat or replace the cable, then have the switch looked at"},
    {Blame::spine, "spine/congestion",
     "read the error and wait counters of the ports named here; errors mean the cable, waiting without errors means congestion: "
     "look at the "
     "routes"},
    {Blame::configuration, "host configuration", "set the host up as its peers are, and validate it again"},
    {Blame::unstable, "unstable", "validate again with more rounds, and look at what else runs there"},
    {Blame::inconclusive, "inconclusive", "validate again with more rounds, or with more hosts that are known to be good"},
};

std::string host_end(const Fleet& fleet, Index host, Index rail) {
  const Host& it = fleet.hosts[host];
  if (rail == nowhere) return it.name;
  if (rail < it.rails.size() && !it.rails[rail].port.empty()) return fmt::format("{}:{}", it.name, it.rails[rail].port);
  return fmt::format("{} rail {}", it.name, rail);
}
std::string switch_end(const Fleet& fleet, Index place, unsigned port) {
  const std::string& its = fleet.switches[place].name;
  return port > 0 ? fmt::format("{} port {}", its, port) : its;
}

bool low(const std::optional<double>& share) { return share && *share < slow_share; }

// Of a host, or of one of its rails.
Blame of_host(const Component& component, const Evidence& evidence) {
  if (!evidence.differences.empty()) return Blame::configuration;
  if (low(evidence.gpu_share)) return Blame::gpu;
  if (low(evidence.nvlink_share)) return Blame::nvlink;
  if (evidence.pcie_degraded || low(evidence.pcie_share)) return Blame::pcie;
  if (component.part == Part::nic) {
    if (low(evidence.loopback_share)) return Blame::nic;
    if (evidence.link_errors > 0 || evidence.loopback_share) return Blame::cable_port;
    return Blame::nic;
  }
  return Blame::configuration;
}

std::string_view way_of(const Component& component) {
  const bool cable = component.part == Part::uplink || component.part == Part::spine_link || component.part == Part::uplinks ||
                     component.part == Part::spine_links;
  switch (component.way) {
    case Way::out:
      return cable ? "up" : "sending";
    case Way::in:
      return cable ? "down" : "receiving";
    case Way::both:
      return "both ways";
  }
  return "";
}

// What bandwidth leaves open, said as part of the sentence.
std::string open_question(Blame blame, const Component& component, const Evidence& evidence) {
  if (component.part == Part::nic && blame == Blame::nic && !evidence.loopback_share)
    return "; without a loopback of the NIC it may also be its cable or the port of the leaf";
  if (component.part == Part::host && blame == Blame::configuration && evidence.differences.empty())
    return "; all its rails are, and nothing that was read of it says why";
  return "";
}

// "spine-0-0-0 to spine-0-0-15": of a set of switches.
std::string members(const Fleet& fleet, Index set) {
  Index first = nowhere, last = nowhere;
  for (Index i = 0; i < fleet.switches.size(); ++i) {
    if (fleet.switches[i].set != set) continue;
    if (first == nowhere) first = i;
    last = i;
  }
  if (first == nowhere) return {};
  return first == last ? fleet.switches[first].name
                       : fmt::format("{} to {}", fleet.switches[first].name, fleet.switches[last].name);
}

void name_ends(const Fleet& fleet, const Component& component, Verdict& verdict) {
  switch (component.part) {
    case Part::host:
    case Part::nic: {
      verdict.from = host_end(fleet, component.at, component.rail);
      verdict.hosts = {fleet.hosts[component.at].name};
      const Host& host = fleet.hosts[component.at];
      if (component.part == Part::nic && component.rail < host.rails.size() && host.rails[component.rail].leaf != nowhere)
        verdict.to = switch_end(fleet, host.rails[component.rail].leaf, host.rails[component.rail].leaf_port);
      break;
    }
    case Part::leaf:
    case Part::spine:
      verdict.from = switch_end(fleet, component.at, 0);
      break;
    case Part::uplinks:
      verdict.from = fmt::format("the uplinks of {}", switch_end(fleet, component.at, 0));
      break;
    case Part::spines:
      verdict.from = "the switches " + members(fleet, component.at);
      break;
    case Part::spine_links:
      verdict.from = "the cables above " + members(fleet, component.at);
      break;
    case Part::uplink:
    case Part::spine_link: {
      const Cable& cable = fleet.cables[component.at];
      verdict.from = switch_end(fleet, cable.a, cable.a_port);
      verdict.to = switch_end(fleet, cable.b, cable.b_port);
      break;
    }
  }
}

}  // namespace

std::string_view name(Blame blame) noexcept { return rows[static_cast<std::size_t>(blame)].name; }

Verdict verdict_of(const Fleet& fleet, const Finding& finding, const Evidence& evidence) {
  const Component& component = finding.component;
  Verdict verdict;
  verdict.way = way_of(component);
  name_ends(fleet, component, verdict);
  verdict.accused = finding.outcome == Outcome::accused;
  verdict.slower = verdict.accused ? finding.slower : finding.suspect.slower;
  verdict.odds = std::exp(finding.log_odds);
  if (finding.outcome == Outcome::cleared)
    verdict.blame = Blame::unstable;
  else if (verdict.accused)
    switch (component.part) {
      case Part::host:
      case Part::nic:
        verdict.blame = of_host(component, evidence);
        break;
      case Part::leaf:
      case Part::uplink:
      case Part::uplinks:
        verdict.blame = Blame::leaf;
        break;
      case Part::spine:
      case Part::spine_link:
      case Part::spines:
      case Part::spine_links:
        verdict.blame = Blame::spine;
        break;
    }
  if (!verdict.accused) verdict.hosts.clear();
  verdict.next = rows[static_cast<std::size_t>(verdict.blame)].next;
  const std::string ends = verdict.to.empty() ? verdict.from : fmt::format("{} - {}", verdict.from, verdict.to);
  if (verdict.accused)
    verdict.sentence =
        fmt::format("{}: {} is {:.1f} % slower than its peers, {}, with {} partners that are good ({:.0f} to 1){}.",
                    name(verdict.blame), ends, 100 * verdict.slower, verdict.way, finding.partners, verdict.odds,
                    open_question(verdict.blame, component, evidence));
  else if (finding.outcome == Outcome::cleared)
    verdict.sentence =
        fmt::format("unstable: {} looked {:.1f} % slower than its peers, {}, and was not when it was measured again.", ends,
                    100 * verdict.slower, verdict.way);
  else
    verdict.sentence = fmt::format("inconclusive: {} looked {:.1f} % slower than its peers, {}; {}.", ends, 100 * verdict.slower,
                                   verdict.way, finding.reason);
  for (const std::string& difference : evidence.differences)
    if (verdict.accused && verdict.blame == Blame::configuration) verdict.sentence += fmt::format(" {}.", difference);
  return verdict;
}

}  // namespace railgauge::validate
