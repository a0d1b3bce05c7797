// Says in words what a finding means: one row for each class, and the rules by which evidence of a host narrows what bandwidth
// leaves open.
#include "bench/validate/method/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace railgauge::validate {
namespace {

struct BlameRow {
  Blame blame;
  std::string_view next;
};
constexpr BlameRow rows[] = {
    {Blame::gpu, "look at its clocks, temperature and Xid errors, reset it, and replace it if it stays slow"},
    {Blame::nvlink, "read the NVLink error counters of its GPUs, restart the fabric manager, and have the board looked at"},
    {Blame::pcie,
     "reseat the card, compare link width and speed with other hosts, and replace the riser or card if it stays slow"},
    {Blame::nic, "reset the card and compare its firmware and settings with other hosts, then replace it"},
    {Blame::cable_port,
     "reseat the cable at both ends; if it stays slow swap it with its neighbour: what moves with the cable is the cable, what "
     "stays is "
     "the port"},
    {Blame::leaf, "read the error counters of the ports named here, reseat or replace the cable, then have the switch looked at"},
    {Blame::spine,
     "read the error and wait counters of the ports named here; errors mean the cable, waiting without errors means congestion: "
     "look at the "
     "routes"},
    {Blame::configuration, "set the host up as its peers are, and validate it again"},
    {Blame::unstable, "validate again with more rounds, and look at what else runs there"},
    {Blame::inconclusive, "validate again with more rounds, or with more hosts that are known to be good"},
};

bool low(const std::optional<double>& share) { return share && *share < slow_share; }

// Of a host, or of one of its rails.
Blame of_host(const Component& component, const Evidence& evidence) {
  if (!evidence.differences.empty()) return Blame::configuration;
  if (low(evidence.gpu_share)) return Blame::gpu;
  if (low(evidence.nvlink_share)) return Blame::nvlink;
  if (evidence.pcie_degraded || low(evidence.pcie_share)) return Blame::pcie;
  if (component.kind == ComponentKind::nic) {
    if (low(evidence.loopback_share)) return Blame::nic;
    if (evidence.link_errors > 0 || evidence.loopback_share) return Blame::cable_port;
    return Blame::nic;
  }
  return Blame::configuration;
}

// A NIC that passes nothing at all, where its host answers.
Blame of_cut(const Evidence& evidence) {
  if (!evidence.differences.empty()) return Blame::configuration;
  if (evidence.pcie_degraded) return Blame::pcie;
  return low(evidence.loopback_share) ? Blame::nic : Blame::cable_port;
}

std::string_view direction_of(const Component& component) {
  const bool cable = component.kind == ComponentKind::uplink || component.kind == ComponentKind::spine_link ||
                     component.kind == ComponentKind::uplinks || component.kind == ComponentKind::spine_links;
  if (!cable || component.direction == Direction::both) return way_of_host(component.direction);
  return component.direction == Direction::out ? "up" : "down";
}

// What bandwidth leaves open, said as part of the sentence.
std::string open_question(Blame blame, const Component& component, const Evidence& evidence) {
  if (component.kind == ComponentKind::nic && blame == Blame::nic && !evidence.loopback_share)
    return "; without a loopback of the NIC it may also be its cable or the port of the leaf";
  if (component.kind == ComponentKind::host && blame == Blame::configuration && evidence.differences.empty())
    return "; all its rails are, and nothing that was read of it says why";
  return "";
}

// "spine-0-0-0 to spine-0-0-15": of a set of switches.
std::string members(const Fleet& fleet, Index set) {
  Index first = npos, last = npos;
  for (Index i = 0; i < fleet.switches.size(); ++i) {
    if (fleet.switches[i].set != set) continue;
    if (first == npos) first = i;
    last = i;
  }
  if (first == npos) return {};
  return first == last ? fleet.switches[first].name
                       : fmt::format("{} to {}", fleet.switches[first].name, fleet.switches[last].name);
}

void name_ends(const Fleet& fleet, const Component& component, Diagnosis& diagnosis) {
  switch (component.kind) {
    case ComponentKind::host:
    case ComponentKind::nic: {
      diagnosis.from = end_of_host(fleet, component.at, component.rail);
      diagnosis.hosts = {fleet.hosts[component.at].name};
      if (component.kind == ComponentKind::nic) diagnosis.to = far_end_of_host(fleet, component.at, component.rail);
      break;
    }
    case ComponentKind::leaf:
    case ComponentKind::spine:
      diagnosis.from = end_of_switch(fleet, component.at, 0);
      break;
    case ComponentKind::uplinks:
      diagnosis.from = fmt::format("the uplinks of {}", end_of_switch(fleet, component.at, 0));
      break;
    case ComponentKind::spines:
      diagnosis.from = "the switches " + members(fleet, component.at);
      break;
    case ComponentKind::spine_links:
      diagnosis.from = "the cables above " + members(fleet, component.at);
      break;
    case ComponentKind::uplink:
    case ComponentKind::spine_link: {
      const Cable& cable = fleet.cables[component.at];
      diagnosis.from = end_of_switch(fleet, cable.a, cable.a_port);
      diagnosis.to = end_of_switch(fleet, cable.b, cable.b_port);
      break;
    }
  }
}

}  // namespace

Blame blame_of_host(const Component& component, const Evidence& evidence) { return of_host(component, evidence); }
std::string_view next_step(Blame blame) noexcept { return rows[static_cast<std::size_t>(blame)].next; }

std::string end_of_host(const Fleet& fleet, Index host, Index rail) {
  const Host& it = fleet.hosts[host];
  if (rail == npos) return it.name;
  if (rail < it.rails.size() && !it.rails[rail].port.empty()) return fmt::format("{}:{}", it.name, it.rails[rail].port);
  return fmt::format("{} rail {}", it.name, rail);
}

std::string far_end_of_host(const Fleet& fleet, Index host, Index rail) {
  const std::vector<Attachment>& rails = fleet.hosts[host].rails;
  if (rail >= rails.size() || rails[rail].leaf == npos) return {};
  return end_of_switch(fleet, rails[rail].leaf, rails[rail].leaf_port);
}

std::string_view way_of_host(Direction direction) noexcept {
  return direction == Direction::out ? "sending" : direction == Direction::in ? "receiving" : "both ways";
}

std::string end_of_switch(const Fleet& fleet, Index place, unsigned port) {
  const std::string& its = fleet.switches[place].name;
  return port > 0 ? fmt::format("{} port {}", its, port) : its;
}

namespace {

// With one rail a host's bandwidth is that of its NIC.
Component narrowed(const Fleet& fleet, const Component& component) {
  if (component.kind != ComponentKind::host || fleet.rails != 1) return component;
  return {ComponentKind::nic, component.direction, component.at, 0};
}

Blame blame_of(const Component& component, bool at_times, const Evidence& evidence) {
  switch (component.kind) {
    case ComponentKind::host:
    case ComponentKind::nic:
      return at_times ? Blame::unstable : of_host(component, evidence);
    case ComponentKind::leaf:
    case ComponentKind::uplink:
    case ComponentKind::uplinks:
      return Blame::leaf;
    case ComponentKind::spine:
    case ComponentKind::spine_link:
    case ComponentKind::spines:
    case ComponentKind::spine_links:
      return Blame::spine;
  }
  return Blame::inconclusive;
}

// "one of the 4 uplinks of leaf3": of a set that is slow at times.
std::string members_at_fault(const Fleet& fleet, const Component& component, double often) {
  std::size_t count = 0;
  for (const Cable& it : fleet.cables)
    count += component.kind == ComponentKind::uplinks       ? it.a == component.at
             : component.kind == ComponentKind::spine_links ? fleet.switches[it.a].set == component.at
                                                            : 0;
  for (const Switch& it : fleet.switches) count += component.kind == ComponentKind::spines && it.set == component.at ? 1 : 0;
  const auto bad = static_cast<std::size_t>(std::max(1.0, std::round(often * static_cast<double>(count))));
  const std::string some = bad == 1 ? "one" : fmt::format("some {}", bad);
  switch (component.kind) {
    case ComponentKind::uplinks:
      return fmt::format("{} of the {} uplinks of {}", some, count, end_of_switch(fleet, component.at, 0));
    case ComponentKind::spine_links:
      return fmt::format("{} of the {} cables above {}", some, count, members(fleet, component.at));
    default:
      return fmt::format("{} of the {} switches {}, or what they are joined by", some, count, members(fleet, component.at));
  }
}

// "12.3 % slower than its peers", or of latency how many times theirs.
std::string how_slow(double slower, Measure measure) {
  if (measure == Measure::bandwidth) return fmt::format("{:.1f} % slower than its peers", 100 * slower);
  const double times = 1 / std::max(1e-3, 1 - slower);
  if (measure == Measure::tail)
    return fmt::format("slower to answer at times than its peers, with {:.1f} times their 99th percentile of latency", times);
  return fmt::format("slower to answer than its peers, with {:.2f} times their latency", times);
}

// "slow at times: 31 % of the time, to 0.012 GB/s, about every 3 s"
std::string how_often(const Finding& finding, std::string_view slow) {
  std::string text = finding.level > 0
                         ? fmt::format("slow at times: {:.0f} % of the time, to {:.3g} GB/s", 100 * finding.often, finding.level)
                         : fmt::format("slow at times: {:.0f} % of its measurements are {}", 100 * finding.often, slow);
  if (finding.period) text += fmt::format(", about every {:.2g} s", finding.period->count());
  return text;
}

// "1,810 to 1".
std::string odds_text(double odds) {
  constexpr double most = 1e6;
  if (!(odds < most)) return "more than 1,000,000 to 1";
  const auto whole = static_cast<unsigned>(std::max(1.0, odds));
  return whole < 1000 ? fmt::format("{} to 1", whole) : fmt::format("{},{:03} to 1", whole / 1000, whole % 1000);
}

// What is not confirmed names all that may be at fault.
std::string either(const Fleet& fleet, const Finding& finding) {
  std::string all;
  for (const Rival& rival : finding.suspect.rivals) {
    const Component component = narrowed(fleet, rival.component);
    Diagnosis other;
    name_ends(fleet, component, other);
    const std::string_view direction = direction_of(component);
    all += fmt::format(" or {}{}{}", other.from, component.direction == Direction::both ? "" : ", ",
                       component.direction == Direction::both ? "" : direction);
  }
  return all;
}

}  // namespace

Diagnosis diagnosis_of(const Fleet& fleet, const Finding& finding, const Evidence& evidence, Measure measure) {
  const Component component = narrowed(fleet, finding.component);
  Diagnosis diagnosis;
  diagnosis.direction = direction_of(component);
  diagnosis.measure = measure == Measure::bandwidth ? Symptom::bandwidth : Symptom::latency;
  name_ends(fleet, component, diagnosis);
  diagnosis.faulty = finding.outcome == Outcome::faulty;
  diagnosis.slower = diagnosis.faulty ? finding.slower : finding.suspect.slower;
  diagnosis.odds = std::exp(std::min(700.0, finding.log_odds));
  const bool at_times = finding.suspect.often < 1;
  if (at_times && in_set(component)) diagnosis.from = members_at_fault(fleet, component, finding.suspect.often);
  if (finding.outcome == Outcome::cleared)
    diagnosis.blame = Blame::unstable;
  else if (diagnosis.faulty)
    diagnosis.blame = blame_of(component, at_times, evidence);
  if (!diagnosis.faulty) diagnosis.hosts.clear();
  diagnosis.next = rows[static_cast<std::size_t>(diagnosis.blame)].next;
  const std::string ends = diagnosis.to.empty() ? diagnosis.from : fmt::format("{} - {}", diagnosis.from, diagnosis.to);
  const std::string slow = how_slow(diagnosis.slower, measure);
  const std::string_view is = in_set(component) && !at_times ? "are" : "is";
  const std::string direction = diagnosis.direction.empty()              ? ""
                                : component.direction == Direction::both ? " in both directions"
                                                                         : ", " + diagnosis.direction;
  if (diagnosis.faulty && at_times)
    diagnosis.sentence = fmt::format(
        "{}: {} is {}{}, with {} partners that are good "
        "({}).",
        name(diagnosis.blame), ends, how_often(finding, slow), direction, finding.partners, odds_text(diagnosis.odds));
  else if (diagnosis.faulty)
    diagnosis.sentence =
        fmt::format("{}: {} {} {}{}, with {} partners that are good ({}){}.", name(diagnosis.blame), ends, is, slow, direction,
                    finding.partners, odds_text(diagnosis.odds), open_question(diagnosis.blame, component, evidence));
  else if (finding.outcome == Outcome::cleared)
    diagnosis.sentence = fmt::format("unstable: {} looked {}{}, and was not when it was measured again.", ends, slow, direction);
  else
    diagnosis.sentence = fmt::format(
        "inconclusive: {}{}{} looked {}; {}.", ends, direction, either(fleet, finding),
        at_times ? fmt::format("slow at times: {:.0f} % of its measurements were {}", 100 * finding.suspect.often, slow) : slow,
        finding.reason.empty() ? "there was no time left to decide" : finding.reason);
  for (const std::string& difference : evidence.differences)
    if (diagnosis.faulty && diagnosis.blame == Blame::configuration) diagnosis.sentence += fmt::format(" {}.", difference);
  return diagnosis;
}

Diagnosis diagnosis_of(const Fleet& fleet, const Unreached& unreached, const Evidence& evidence) {
  using Cause = Unreached::Cause;
  Diagnosis diagnosis;
  diagnosis.measure = unreached.cause == Cause::silent ? Symptom::presence : Symptom::reach;
  diagnosis.faulty = unreached.faulty;
  // It is counted, not estimated.
  if (diagnosis.faulty) diagnosis.odds = std::numeric_limits<double>::infinity();
  diagnosis.slower = 1;
  // An end with the rail where it is one: with one rail it always is.
  const Index rail = fleet.rails == 1 ? 0 : unreached.rail;
  const auto end = [&](Index host) { return end_of_host(fleet, host, rail); };
  const std::string failed = fmt::format("{} measurement{} since round {} failed", unreached.failures,
                                         unreached.failures == 1 ? "" : "s", unreached.since);
  switch (unreached.cause) {
    case Cause::silent:
      diagnosis.from = fleet.hosts[unreached.host].name;
      diagnosis.blame = unreached.again ? Blame::unstable : Blame::configuration;
      diagnosis.sentence =
          fmt::format("{} {}: it died, was stopped, or the network for control does not reach it; {}", diagnosis.from,
                      unreached.again ? "did not answer for a while" : "does not answer", failed);
      break;
    case Cause::host: {
      Component component{rail == npos ? ComponentKind::host : ComponentKind::nic, Direction::both, unreached.host, rail};
      name_ends(fleet, component, diagnosis);
      diagnosis.hosts.clear();
      diagnosis.blame = unreached.again ? Blame::unstable : rail == npos ? of_host(component, evidence) : of_cut(evidence);
      diagnosis.sentence = fmt::format(
          "{}{} {}, with {} partners that reach others; {}", diagnosis.from, diagnosis.to.empty() ? "" : " - " + diagnosis.to,
          unreached.again ? "passes data at times and at times none" : "passes no data", unreached.partners, failed);
      break;
    }
    case Cause::path:
      diagnosis.from = end(unreached.a);
      diagnosis.to = end(unreached.b);
      diagnosis.blame = !unreached.faulty                                                                      ? Blame::unstable
                        : distance(fleet, unreached.a, unreached.b, rail == npos ? 0 : rail) == Distance::leaf ? Blame::leaf
                                                                                                               : Blame::spine;
      diagnosis.sentence = fmt::format("no data {} between {} and {}, which both reach others; {}",
                                       unreached.again ? "passed at times" : "passes", diagnosis.from, diagnosis.to, failed);
      break;
    case Cause::either:
      diagnosis.from = end(unreached.a);
      diagnosis.to = end(unreached.b);
      diagnosis.sentence =
          fmt::format("no data passed between {} and {}, and too few others were met since to tell which of them it is; {}",
                      diagnosis.from, diagnosis.to, failed);
      break;
    case Cause::all:
      diagnosis.from = "all hosts";
      diagnosis.sentence = fmt::format("no data passed between any two hosts; {}", failed);
      break;
  }
  if (unreached.faulty && unreached.host != npos) diagnosis.hosts = {fleet.hosts[unreached.host].name};
  diagnosis.sentence = fmt::format("{}: {}.", name(diagnosis.blame), diagnosis.sentence);
  diagnosis.next = unreached.cause == Cause::silent ? "look whether the host is up and its processes run, then validate it again"
                   : unreached.cause == Cause::all
                       ? "look at the addresses, firewalls and the fabric's own state before anything else"
                       : std::string(rows[static_cast<std::size_t>(diagnosis.blame)].next);
  return diagnosis;
}

}  // namespace railgauge::validate
