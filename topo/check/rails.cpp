// Rails: NICs that are on the rail or in the unit of others, rails that a host is not on, and NICs whose rail is unknown.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topo/check/rules.hpp"
#include "topo/roles.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

using fabric::Host;
using fabric::npos;
using fabric::Switch;
using fabric::Uplink;

class Rails {
 public:
  Rails(const Context& context, Findings& findings)
      : view_(context.view),
        fabric_(context.fabric),
        options_(context.options),
        findings_(findings),
        of_own_rail_(fabric_.switches.size()) {
    if (!options_.nics.empty()) roles_ = nic_roles(view_, options_.nics);
    for (const Host& host : fabric_.hosts)
      for (const Uplink& up : host.uplinks)
        if (up.rail == leaf_of(up).rail) ++of_own_rail_[up.to];
  }

  void run() {
    for (const Host& host : fabric_.hosts) look_at(host);
    if (options_.design != nullptr) return;  // which says the rest better
    const std::size_t whole = with([&](const Host& it) { return it.uplinks.size() == fabric_.rails; });
    const std::size_t partial = with([&](const Host& it) { return is_partial(it); });
    if (whole >= 3 && whole >= 3 * partial) {
      for (const Host& host : fabric_.hosts)
        if (is_partial(host)) missing(host);
      for (const auto& [place, hosts] : lacking_) tell(place.first, place.second, hosts);
    }
    unknown();
  }

 private:
  template <class Is>
  [[nodiscard]] std::size_t with(const Is& is) const {
    return static_cast<std::size_t>(std::count_if(fabric_.hosts.begin(), fabric_.hosts.end(), is));
  }

  // "mlx5_3/1", or "rail 3" where its NICs have several names.
  [[nodiscard]] std::string name(std::uint32_t rail) const {
    return rail < fabric_.rail_names.size() ? fabric_.rail_names[rail] : fmt::format("rail {}", rail);
  }
  [[nodiscard]] std::string label(const Uplink& up) const { return view_.label(fabric::end_of(fabric_, up)); }
  [[nodiscard]] bool counts(const Uplink& up) const { return roles_.empty() || roles_[up.nic] == NicRole::compute; }
  [[nodiscard]] const Switch& leaf_of(const Uplink& up) const { return fabric_.switches[up.to]; }

  // The unit that most of the host's NICs are in; npos where none has more than half.
  [[nodiscard]] std::uint32_t home(const Host& host) const {
    std::map<std::uint32_t, std::size_t> votes;
    for (const Uplink& up : host.uplinks) ++votes[leaf_of(up).unit];
    for (const auto& [unit, count] : votes)
      if (count * 2 > host.uplinks.size()) return unit;
    return npos;
  }

  Finding about(const Uplink& up) const {
    Finding finding;
    finding.rule = "rail";
    finding.severity = Severity::warning;
    const std::size_t end = fabric::end_of(fabric_, up);
    finding.a = view_.node_port(end);
    unsigned port = 0;
    if (up.link != npos) port = view_.a(up.link) == end ? view_.link(up.link).b_port : view_.link(up.link).a_port;
    finding.b = view_.node_port(leaf_of(up).node, port);
    finding.why = "traffic between GPUs of one number crosses the spines instead of one leaf, and NCCL's rings share a cable";
    finding.action = "Exchange this cable with the one that belongs here; `railgauge topo check --design` names both";
    return finding;
  }

  void look_at(const Host& host) {
    const std::uint32_t unit = home(host);
    for (const Uplink& up : host.uplinks) {
      const Switch& leaf = leaf_of(up);
      if (up.rail == npos || leaf.rail == npos || !counts(up)) continue;
      if (leaf.rail != up.rail) {
        Finding finding = about(up);
        finding.found = fmt::format("{} is plugged into the rail of {}", label(up), name(leaf.rail));
        finding.expected = fmt::format("a leaf of {}: {} of {} ports here belong to {}", name(up.rail), of_own_rail_[up.to],
                                       leaf.hosts.size(), name(leaf.rail));
        findings_.add(std::move(finding));
      } else if (unit != npos && leaf.unit != npos && leaf.unit != unit) {
        Finding finding = about(up);
        finding.found = fmt::format("{} is plugged into a leaf of another unit", label(up));
        finding.expected = fmt::format("the leaf of {} that serves the same hosts as switch {}", name(up.rail),
                                       fabric_.name(fabric_.switches[unit]));
        findings_.add(std::move(finding));
      }
    }
  }

  // Most of its NICs are on rails, and one or more rails have none.
  [[nodiscard]] bool is_partial(const Host& host) const {
    if (host.uplinks.size() >= fabric_.rails || host.uplinks.size() * 2 <= fabric_.rails) return false;
    const auto known = std::count_if(host.uplinks.begin(), host.uplinks.end(), [](const Uplink& it) { return it.rail != npos; });
    return static_cast<std::size_t>(known) * 2 >= fabric_.rails;
  }

  // Whether a NIC of the host says itself that its port is down: that is told by another rule.
  [[nodiscard]] bool is_down(const Host& host, std::uint32_t rail) const {
    std::vector<std::size_t> open{host.node};
    while (!open.empty()) {
      const std::size_t it = open.back();
      open.pop_back();
      open.insert(open.end(), view_.children(it).begin(), view_.children(it).end());
      if (view_.node(it).kind == Kind::port && text_of(view_.node(it).attributes, "state") == "down" &&
          view_.label(it) == name(rail))
        return true;
    }
    return false;
  }

  void missing(const Host& host) {
    std::set<std::uint32_t> there;
    for (const Uplink& up : host.uplinks) there.insert(up.rail);
    const std::uint32_t unit = home(host);
    for (std::uint32_t rail = 0; rail < fabric_.rails; ++rail)
      if (!there.contains(rail) && !is_down(host, rail)) lacking_[{unit, rail}].push_back(&host);
  }

  // Several hosts of a unit that has no leaf of this rail have one cause.
  void tell(std::uint32_t unit, std::uint32_t rail, const std::vector<const Host*>& hosts) {
    const auto leaf = std::find_if(fabric_.switches.begin(), fabric_.switches.end(), [&](const Switch& it) {
      return it.tier == 1 && it.rail == rail && it.unit == unit && unit != npos;
    });
    Finding finding;
    finding.rule = "rail-missing";
    finding.severity = Severity::warning;
    finding.absent = true;
    finding.why = "the GPU of this rail sends through the NICs of others, and shares their bandwidth";
    if (unit != npos && leaf == fabric_.switches.end() && hosts.size() > 1) {
      finding.a = view_.node_port(fabric_.switches[unit].node);
      finding.found = fmt::format("none of the {} hosts of this leaf has a link on the rail of {}", hosts.size(), name(rail));
      finding.expected = fmt::format("a leaf of {} for the same hosts: {} leaves, one for each rail", name(rail), fabric_.rails);
      finding.action = "Look at that leaf: is it powered, and joined to the fabric that was read";
      findings_.add(std::move(finding));
      return;
    }
    finding.expected = fmt::format("{} links, one on each rail, as the other hosts have", fabric_.rails);
    finding.action = "See whether the NIC is there, and whether its cable is plugged in and lit at both ends";
    if (leaf != fabric_.switches.end()) finding.b = view_.node_port(leaf->node);
    for (const Host* host : hosts) {
      finding.a = view_.node_port(host->node);
      finding.found = fmt::format("{} links, and none on the rail of {}", host->uplinks.size(), name(rail));
      findings_.add(finding);
    }
  }

  // One finding for all: names that the vendor wrote, and hosts that are no part of the rails.
  void unknown() {
    std::size_t count = 0;
    const Uplink* first = nullptr;
    for (const Host& host : fabric_.hosts)
      for (const Uplink& up : host.uplinks) {
        if (up.rail != npos || leaf_of(up).rail == npos || leaf_of(up).tier != 1 || !counts(up)) continue;
        if (count++ == 0) first = &up;
      }
    if (count == 0) return;
    Finding finding = about(*first);
    finding.rule = "rail-unknown";
    finding.severity = Severity::note;
    finding.found = fmt::format("{} {} no name of a rail: rails were not checked for {}", counted(count, "HCA", "HCAs"),
                                count == 1 ? "has" : "have", count == 1 ? "it" : "them, the first of which this is");
    finding.expected = fmt::format("names such as {}, as the NICs on rails have", name(0));
    finding.why = "an HCA that says only what its vendor wrote, or that is called otherwise, may be of any rail or of none";
    finding.action =
        "Nothing for management and storage hosts; else set the node description (rdma-ndd), and read the fabric again";
    findings_.add(std::move(finding));
  }

  const View& view_;
  const fabric::Fabric& fabric_;
  const CheckOptions& options_;
  Findings& findings_;
  std::vector<NicRole> roles_;
  std::vector<std::size_t> of_own_rail_;  // links of hosts to each switch whose NIC is of its rail
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const Host*>> lacking_;  // by unit and rail
};

}  // namespace

void check_rails(const Context& context, Findings& findings) {
  if (context.fabric.rails != 0 && context.fabric.cables) Rails(context, findings).run();
}

}  // namespace railgauge::topo
