// The same cable in both readings, counter by counter.
#include "bench/validate/stages/port_evidence.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/validate/method/diagnosis.hpp"
#include "topo/counter_names.hpp"
#include "topo/ratios.hpp"

namespace railgauge::validate {
namespace {

constexpr double word_bytes = 4;  // of port_xmit_data and port_rcv_data

using Links = std::unordered_map<std::string, const topo::Link*>;

Links links_of(const topo::Graph& graph) {
  Links links;
  for (const topo::Link& link : graph.links)
    if (link.kind == topo::LinkKind::infiniband) links.emplace(topo::link_key(link), &link);
  return links;
}

// A cable that a diagnosis names: its key, and what people call its ends.
struct Named {
  std::string key, switch_key;  // of the end that stands second
  std::string first, second;
};

std::optional<Named> cable_of(const Fleet& fleet, const validation::Diagnosis& diagnosis) {
  for (Index host = 0; host < fleet.hosts.size(); ++host) {
    if (fleet.hosts[host].name != diagnosis.host) continue;
    for (Index rail = 0; rail < fleet.hosts[host].rails.size(); ++rail) {
      const Attachment& it = fleet.hosts[host].rails[rail];
      if (it.leaf == npos || it.cable.empty()) continue;
      Named named{it.cable, fleet.switches[it.leaf].key, end_of_host(fleet, host, rail),
                  end_of_switch(fleet, it.leaf, it.leaf_port)};
      if (diagnosis.from == named.first && (diagnosis.to.empty() || diagnosis.to == named.second)) return named;
    }
  }
  for (const Cable& it : fleet.cables) {
    Named named{it.key, fleet.switches[it.b].key, end_of_switch(fleet, it.a, it.a_port), end_of_switch(fleet, it.b, it.b_port)};
    if (diagnosis.from == named.first && diagnosis.to == named.second) return named;
  }
  return std::nullopt;
}

// What came on top; a counter that was reset in between tells the least that came. Nothing of one that was not read before.
std::uint64_t grown(const topo::Counters& before, const topo::Counters& after, std::string_view name) {
  const auto was = before.find(name), is = after.find(name);
  if (was == before.end() || is == after.end()) return 0;
  return was->second > is->second ? is->second : is->second - was->second;
}

std::string told(const std::string& end, const topo::Counters& before, const topo::Counters& after) {
  if (before.empty() || after.empty()) return fmt::format("the counters of {} were not read: it did not tell them", end);
  std::string errors;
  for (const auto& [name, count] : after)
    if (const std::uint64_t more = grown(before, after, name); more > 0 && topo::counts_errors(name))
      errors += fmt::format("{}{} of {}", errors.empty() ? "" : ", ", more, name);
  std::string text = fmt::format("while the pairs were measured {} counted {}", end, errors.empty() ? "no errors" : errors);
  const auto both_read = [&](std::string_view name) { return before.contains(name) && after.contains(name); };
  if (both_read("port_xmit_data") && both_read("port_rcv_data"))
    text += fmt::format(", {:.4g} GB sent and {:.4g} GB received",
                        1e-9 * word_bytes * static_cast<double>(grown(before, after, "port_xmit_data")),
                        1e-9 * word_bytes * static_cast<double>(grown(before, after, "port_rcv_data")));
  if (const std::uint64_t waits = grown(before, after, "port_xmit_wait"); waits > 0)
    text += fmt::format(", and waited {} ticks for room to send", waits);
  return text;
}

}  // namespace

void add_port_evidence(validation::Validation& found, const Fleet& fleet, const topo::Graph& before, const topo::Graph* after,
                       const std::string& why) {
  std::optional<Links> then, now;
  for (validation::Diagnosis& diagnosis : found.diagnoses) {
    if (!diagnosis.faulty) continue;
    const std::optional<Named> cable = cable_of(fleet, diagnosis);
    if (!cable) continue;
    if (after == nullptr) {
      diagnosis.evidence.push_back(fmt::format("the counters of {} were not read: {}", cable->second, why));
      continue;
    }
    if (!then) then = links_of(before);
    if (!now) now = links_of(*after);
    const auto was = then->find(cable->key), is = now->find(cable->key);
    if (was == then->end()) continue;
    if (is == now->end()) {
      diagnosis.evidence.push_back(
          fmt::format("{} and {} are no longer joined: the fabric was read again", cable->first, cable->second));
      continue;
    }
    const bool turned = is->second->a == cable->switch_key;
    const bool was_turned = was->second->a == cable->switch_key;
    const auto end = [](const topo::Link& link, bool first) -> const topo::Counters& {
      return first ? link.a_counters : link.b_counters;
    };
    diagnosis.evidence.push_back(told(cable->first, end(*was->second, !was_turned), end(*is->second, !turned)));
    diagnosis.evidence.push_back(told(cable->second, end(*was->second, was_turned), end(*is->second, turned)));
  }
}

}  // namespace railgauge::validate
