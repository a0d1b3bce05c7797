// Hosts with a NIC for each of their links, then switches, then links: the order of the validation, so that equal ones give equal
// graphs.
#include "reports/validation/fabric_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "reports/validation/picture.hpp"
#include "reports/validation/words.hpp"
#include "reports/web/inert.hpp"

namespace railgauge::validation {
namespace {

using web::shown;

constexpr std::size_t nobody = static_cast<std::size_t>(-1);

// What the validation does not say, and the picture leaves out: every title in it names the ends of a link in place of its kind.
constexpr topo::LinkKind some_cable = topo::LinkKind::infiniband;

// 0 for what is no number.
unsigned port_number(const std::string& text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() ? port : 0;
}

std::string end_words(const std::string& name, const std::string& port, const char* between) {
  return shown(name) + (port.empty() ? "" : between + shown(port));
}

// Names as keys, of which there are no two.
class Keys {
 public:
  std::string fresh(const std::string& name) {
    const unsigned times = ++times_[name];
    return times == 1 ? name : fmt::format("{} ({})", name, times);
  }

 private:
  std::unordered_map<std::string, unsigned> times_;
};

class FabricMaker {
 public:
  explicit FabricMaker(const Validation& validation) : of_(validation) {
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < of_.hosts.size(); ++i) places.try_emplace(of_.hosts[i].name, i);
    hosts_.resize(of_.map.links.size(), nobody);
    links_of_.resize(of_.hosts.size());
    for (std::uint32_t i = 0; i < of_.map.links.size(); ++i) {
      const auto found = places.find(of_.map.links[i].host);
      if (of_.map.links[i].host.empty() || found == places.end()) continue;
      hosts_[i] = found->second;
      links_of_[found->second].push_back(i);
    }
    for (const Diagnosis& it : of_.diagnoses) {
      diagnoses_of_[it.host].push_back(&it);
      diagnoses_at_[it.from].push_back(&it);
      if (it.to != it.from) diagnoses_at_[it.to].push_back(&it);
    }
  }

  KnownFabric make() {
    nics_.resize(of_.map.links.size());
    for (std::size_t i = 0; i < of_.hosts.size(); ++i) add_host(i);
    for (const MapSwitch& it : of_.map.switches) {
      switches_.push_back(keys_.fresh(shown(it.name)));
      add_node(switches_.back(), topo::Kind::fabric_switch, shown(it.name), "");
    }
    for (std::uint32_t i = 0; i < of_.map.links.size(); ++i) add_link(i);
    for (const MapSwitch& it : of_.map.switches)
      find_switch(it, switches_[static_cast<std::size_t>(&it - of_.map.switches.data())]);
    for (std::size_t i = 0; i < of_.hosts.size(); ++i) find_host(i);
    std::stable_sort(made_.diagnosis.findings.begin(), made_.diagnosis.findings.end(),
                     [](const topo::Finding& a, const topo::Finding& b) { return a.severity < b.severity; });
    return std::move(made_);
  }

 private:
  void add_node(const std::string& key, topo::Kind kind, const std::string& name, const std::string& parent) {
    made_.graph.nodes.push_back({key, kind, name, parent, {}, {}});
  }

  void add_host(std::size_t place) {
    if (links_of_[place].empty()) {
      host_keys_.emplace_back();
      return;
    }
    const std::string name = shown(of_.hosts[place].name);
    host_keys_.push_back(keys_.fresh(name));
    add_node(host_keys_.back(), topo::Kind::machine, name, "");
    for (const std::uint32_t it : links_of_[place]) {
      const MapLink& link = of_.map.links[it];
      const std::string port = link.a_port.empty() ? fmt::format("rail {}", link.rail) : shown(link.a_port);
      nics_[it] = keys_.fresh(name + ":" + port);
      add_node(nics_[it], topo::Kind::nic, port, host_keys_.back());
    }
  }

  void add_link(std::uint32_t place) {
    const MapLink& it = of_.map.links[place];
    if (it.a >= switches_.size() || (it.host.empty() ? it.b >= switches_.size() : hosts_[place] == nobody)) return;
    topo::Link link;
    link.kind = some_cable;
    if (it.host.empty()) {
      link.a = switches_[it.a];
      link.b = switches_[it.b];
      link.a_port = port_number(it.a_port);
    } else {
      link.a = nics_[place];
      link.b = switches_[it.a];
    }
    link.b_port = port_number(it.b_port);
    if (is_low(it)) {
      const auto [at, fresh] = made_.low.try_emplace(topo::link_key(link), *it.share);
      if (!fresh) at->second = std::min(at->second, *it.share);
    }
    if (it.faulty) find_link(place, link);
    made_.graph.links.push_back(std::move(link));
    made_.links.push_back(place);
  }

  static topo::NodePort end(const std::string& key, unsigned port = 0) {
    return {key, port, port == 0 ? key : fmt::format("{} port {}", key, port)};
  }

  topo::Finding& find(topo::Severity severity, std::string rule, std::string found, const topo::NodePort& at) {
    topo::Finding finding;
    finding.rule = std::move(rule);
    finding.severity = severity;
    finding.a = at;
    finding.found = !found.empty() ? std::move(found) : severity == topo::Severity::fault ? "faulty" : "not decided";
    return made_.diagnosis.findings.emplace_back(std::move(finding));
  }

  void find_link(std::uint32_t place, const topo::Link& link) {
    const MapLink& it = of_.map.links[place];
    const Diagnosis* cause = nullptr;
    if (!it.host.empty())
      for (const Diagnosis* one : named(diagnoses_of_, it.host))
        if (one->faulty && one->blame == Blame::cable_port && cause == nullptr) cause = one;
    std::string found = cause != nullptr ? effect_of(*cause) : "";
    if (found.empty() && it.share && std::isfinite(*it.share)) found = percent(it.share) + " of usual";
    topo::Finding& finding = find(topo::Severity::fault, cause != nullptr ? fmt::format("✖ {}", name(cause->blame)) : "✖ link",
                                  std::move(found), end(link.a, link.a_port));
    finding.b = end(link.b, link.b_port);
    finding.link = made_.graph.links.size();
    if (!it.host.empty()) told_.insert(hosts_[place]);
  }

  using ByName = std::unordered_map<std::string, std::vector<const Diagnosis*>>;

  static std::span<const Diagnosis* const> named(const ByName& diagnoses, const std::string& name) {
    const auto found = diagnoses.find(name);
    return found == diagnoses.end() ? std::span<const Diagnosis* const>() : found->second;
  }

  void find_switch(const MapSwitch& it, const std::string& key) {
    for (const Diagnosis* one : named(diagnoses_at_, it.name)) find_by(*one, key);
  }

  void find_by(const Diagnosis& it, const std::string& key) {
    find(it.faulty ? topo::Severity::fault : topo::Severity::warning, fmt::format("{} {}", it.faulty ? "✖" : "?", name(it.blame)),
         effect_of(it), end(key));
  }

  void find_host(std::size_t place) {
    const Host& host = of_.hosts[place];
    if (host.state == HostState::good || host.state == HostState::unmeasured) return;
    const std::string& key = host_keys_[place];
    if (key.empty()) {
      made_.apart.push_back(fmt::format("{} ({})", shown(host.name), name(host.state)));
      return;
    }
    if (host.state == HostState::lost) {
      find(topo::Severity::fault, "⚠ lost", shown(host.reason), end(key));
      return;
    }
    const bool faulty = host.state == HostState::faulty;
    bool told = faulty && told_.contains(place);
    for (const Diagnosis* it : named(diagnoses_of_, host.name))
      if (it->faulty == faulty && !(told_.contains(place) && it->blame == Blame::cable_port)) {
        find_by(*it, key);
        told = true;
      }
    if (!told)
      find(faulty ? topo::Severity::fault : topo::Severity::warning, faulty ? "✖ faulty" : "? doubtful", shown(host.reason),
           end(key));
  }

  const Validation& of_;
  KnownFabric made_;
  Keys keys_;
  std::vector<std::size_t> hosts_;                    // of each link of the map its host
  std::vector<std::vector<std::uint32_t>> links_of_;  // of each host
  std::vector<std::string> host_keys_, switches_, nics_;
  ByName diagnoses_of_, diagnoses_at_;  // by the host, and by either end
  std::set<std::size_t> told_;          // hosts with a link that is faulty
};

}  // namespace

KnownFabric fabric_of(const Validation& validation) { return FabricMaker(validation).make(); }

bool is_low(const MapLink& link) { return link.share && *link.share < low_share; }

std::string words_of(const Map& map, const MapLink& link) {
  const std::string& a = map.switches[link.a].name;
  std::string text = link.host.empty() ? end_words(a, link.a_port, " port ") + " - " +
                                             end_words(map.switches[link.b].name, link.b_port, " port ")
                                       : end_words(link.host, link.a_port, ":") + " - " + end_words(a, link.b_port, " port ");
  if (link.share) text += fmt::format(", {} of usual", percent(link.share));
  return text;
}

}  // namespace railgauge::validation
