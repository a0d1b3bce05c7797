// Orders for facts, and evidence from them.
#include "bench/validate/stages/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "bench/validate/method/port_name.hpp"
#include "bench/validate/preflight/read.hpp"

namespace railgauge::validate {
namespace {

using topo::preflight::Extent;

constexpr Seconds patience{20};  // of which the sources take 12 at most

// A link of that device, or of any where it is not known which one the rail has.
bool degrades(const topo::preflight::Remark& remark, const std::string& device) {
  return (remark.rule == "pcie-width" || remark.rule == "pcie-speed") &&
         (device.empty() || remark.subject == device || remark.subject.starts_with(device + " "));
}
bool of_gpu(const std::string& fact) {
  const topo::preflight::FactRow* const row = topo::preflight::row_of(fact);
  return row != nullptr && row->about == topo::preflight::About::gpu;
}
bool of_port(const std::string& subject, const std::string& device) {
  return subject == device || subject.starts_with(device + "/") || subject.starts_with(device + ":");
}

}  // namespace

std::map<Index, topo::preflight::HostFacts> read_facts_of(ValidationRun& run, const std::string& stage,
                                                          const std::vector<Index>& hosts, Extent extent) {
  std::vector<Order> orders;
  for (const Index host : hosts) {
    Order order = order_to(FactsTask{extent == Extent::counters});
    order.members = {run.ranks_of(host).front()};
    order.limit = patience;
    orders.push_back(std::move(order));
  }
  std::map<Index, topo::preflight::HostFacts> known;
  const auto answers = run.carry_out(
      stage, fmt::format("{} of {} hosts", extent == Extent::counters ? "counters" : "all", hosts.size()), std::move(orders));
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const Answer& answer = answers[i].front();
    if (answer.ending != Answer::Ending::done) continue;
    const std::string& name = run.fleet.hosts[hosts[i]].name;
    known.emplace(hosts[i], topo::preflight::from_json(answer.figures.get<Facts>().facts, name));
    known.at(hosts[i]).host = name;
  }
  return known;
}

std::string port_without_link(ValidationRun& run, const std::string& stage, Index host) {
  const auto told = read_facts_of(run, fmt::format("{}, {}", stage, run.fleet.hosts[host].name), {host}, Extent::all);
  const auto now = told.find(host);
  if (now == told.end()) return {};
  for (const std::string& port : run.options.ports) {
    const std::string name = device_of(port);
    const std::string* const state = topo::preflight::value_of(now->second, name, "state");
    if (state != nullptr && *state != "up" && *state != "unknown") return name;
  }
  for (const Attachment& rail : run.fleet.hosts[host].rails) {
    const std::string* const state = topo::preflight::value_of(now->second, port_or_first(rail.port), "port state");
    if (state != nullptr && state->find("ACTIVE") == std::string::npos) return port_or_first(rail.port);
  }
  return {};
}

void learn_ports(ValidationRun& run) {
  if (!run.options.ports.empty() || run.options.transport.find("verbs") == std::string::npos) return;
  for (const auto& [host, facts] : run.facts) {
    std::vector<std::string> ports;
    for (const topo::preflight::Fact& fact : facts.facts)
      if (fact.name == "port state") ports.push_back(fact.subject);
    std::vector<Attachment>& rails = run.fleet.hosts[host].rails;
    if (ports.size() != run.ranks_of(host).size() || ports.size() > rails.size()) continue;
    for (std::size_t rail = 0; rail < ports.size(); ++rail)
      if (rails[rail].port.empty()) rails[rail].port = run.found.hosts[host].rails[rail].port = ports[rail];
  }
}

namespace {

void lower(std::optional<double>& share, double other) { share = std::min(share.value_or(other), other); }

// Empty where it is not known.
std::string port_of(const ValidationRun& run, Index host, Index rail) {
  const std::vector<Attachment>& rails = run.fleet.hosts[host].rails;
  return rail < rails.size() ? rails[rail].port : rails.size() == 1 ? rails.front().port : std::string();
}

// What the host did by itself beside its peers.
void take_own(const ValidationRun& run, Index host, Index rail, Evidence& evidence) {
  const auto own = run.own.find(host);
  if (own == run.own.end()) return;
  const std::string port = port_of(run, host, rail);
  const auto ports = std::count_if(own->second.begin(), own->second.end(),
                                   [](const OwnShare& its) { return its.component == HostComponent::nic; });
  for (const OwnShare& its : own->second) {
    if (its.component == HostComponent::gpu) lower(evidence.gpu_share, its.share);
    if (its.component == HostComponent::pcie) lower(evidence.pcie_share, its.share);
    if (its.component == HostComponent::nvlink) lower(evidence.nvlink_share, its.share);
    // Of an unknown rail it is known only where there is one port.
    const bool same = port.empty() ? ports == 1 && run.fleet.rails == 1 : port_or_first(port) == port_or_first(its.of);
    if (its.component == HostComponent::nic && same) lower(evidence.loopback_share, its.share);
  }
}

}  // namespace

Evidence evidence_of(ValidationRun& run, const std::string& stage, Index host, Index rail) {
  Evidence evidence;
  take_own(run, host, rail, evidence);
  const auto before = run.facts.find(host);
  if (before == run.facts.end() || !run.lives(host)) return evidence;
  const std::string device = device_of(port_of(run, host, rail));
  for (const topo::preflight::Remark& remark : before->second.remarks) evidence.pcie_degraded |= degrades(remark, device);
  for (const validation::Difference& each : run.found.differences)
    if (each.host == run.fleet.hosts[host].name && each.severity == topo::Severity::fault &&
        (each.subject.empty() || device.empty() || of_port(each.subject, device)))
      evidence.differences.push_back(fmt::format("{}{}{} is {}, expected {}", each.subject, each.subject.empty() ? "" : ": ",
                                                 each.name, each.found, each.expected));
  const std::map<Index, topo::preflight::HostFacts> after =
      read_facts_of(run, fmt::format("{}, {}", stage, run.fleet.hosts[host].name), {host}, Extent::counters);
  if (const auto now = after.find(host); now != after.end())
    for (const topo::preflight::Growth& growth : topo::preflight::grown(before->second, now->second))
      if (device.empty() ? !growth.subject.empty() && !of_gpu(growth.name) : of_port(growth.subject, device))
        evidence.link_errors += growth.after - (growth.reset ? 0 : growth.before);
  return evidence;
}

}  // namespace railgauge::validate
