// InfiniBand links: lanes and speed against what both ends can, against siblings, and one end against the other.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "topo/check/rules.hpp"
#include "topo/infiniband.hpp"
#include "topo/judge.hpp"

namespace railgauge::topo {
namespace {

std::string words(const Rate& rate) {
  const InfinibandSpeed* speed = infiniband_speed(rate.speed);
  const std::string lanes = rate.width == 0 ? std::string() : fmt::format("{}x ", rate.width);
  if (rate.speed <= 0) return lanes + "(speed unknown)";
  return lanes + (speed != nullptr ? std::string(speed->name) : fmt::format("{:g} Gb/s", rate.speed));
}

double data(const Rate& rate) {
  const InfinibandSpeed* speed = infiniband_speed(rate.speed);
  return rate.width * (speed != nullptr ? speed->data : rate.speed);
}

constexpr const char* exchange =
    "Clean and reseat both plugs; if it stays, exchange the cable, then try another port to learn which end is at fault";

class Fabric {
 public:
  Fabric(const Context& context, Findings& findings)
      : view_(context.view), fabric_(context.fabric), findings_(findings), siblings_(view_.graph().links.size(), no_siblings) {
    find_siblings();
  }

  void run() {
    for (std::size_t i = 0; i < view_.graph().links.size(); ++i)
      if (usable(i)) count(i);
    for (std::size_t i = 0; i < view_.graph().links.size(); ++i)
      if (usable(i)) look_at(i);
  }

 private:
  [[nodiscard]] bool usable(std::size_t link) const {
    const LinkState state = view_.link(link).state;
    return view_.link(link).kind == LinkKind::infiniband && state != LinkState::down && state != LinkState::disabled &&
           view_.a(link) != View::none && view_.b(link) != View::none;
  }

  // Links of hosts and links between switches, apart: they need not be equally fast.
  [[nodiscard]] bool of_host(std::size_t link) const { return view_.node(view_.a(link)).kind != Kind::fabric_switch; }

  struct Class {
    std::size_t links = 0, below_speed = 0, two_lanes = 0;
  };

  // Links that should be equally fast: those between two tiers (the lower first), and those of hosts (tier 0), of each rail
  // apart. Hosts of other kinds than most may have NICs of other speeds, and have none.
  using Siblings = std::pair<std::uint32_t, std::uint32_t>;
  static constexpr Siblings no_siblings{fabric::npos, fabric::npos};

  void find_siblings() {
    for (const fabric::Switch& it : fabric_.switches)
      for (const fabric::Peer& peer : it.peers) {
        const Siblings tiers = std::minmax(it.tier, fabric_.switches[peer.other].tier);
        for (const std::uint32_t link : peer.links) siblings_[link] = tiers;
      }
    for (const fabric::Host& host : fabric_.hosts)
      for (const fabric::Uplink& up : host.uplinks)
        if (up.link != fabric::npos && (fabric_.rails == 0 || up.rail != fabric::npos))
          siblings_[up.link] = {0, fabric_.rails == 0 ? 0 : up.rail};
  }

  void count(std::size_t link) {
    const Link& it = view_.link(link);
    Class& of = classes_[of_host(link)];
    ++of.links;
    if (below(it.active.speed, it.capable.speed)) ++of.below_speed;
    if (it.active.width == 2) ++of.two_lanes;
    usual_[siblings_[link]].add(it);
  }

  Finding about(std::size_t link, const char* rule, Severity severity) const {
    const Link& it = view_.link(link);
    Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.a = view_.node_port(view_.a(link), it.a_port);
    finding.b = view_.node_port(view_.b(link), it.b_port);
    return finding;
  }

  void look_at(std::size_t link) {
    const bool is_narrow = narrow(link);
    const bool is_slow = slow(link);
    if (!is_narrow && !is_slow && !disagree(link)) beside_siblings(link);
  }

  bool narrow(std::size_t link) {
    const Link& it = view_.link(link);
    const unsigned lanes = it.active.width;
    if (!below(lanes, capable_rate(it).width) || (it.capable.width == 0 && may_be_split(it))) return false;
    const Class& of = classes_[of_host(link)];
    const std::string could = it.capable.width == 0 ? "4x" : fmt::format("{}x, which both ends can", it.capable.width);
    if (lanes == 1 || (lanes == 2 && !may_be_split(it))) {
      Finding finding = about(link, "infiniband-width", Severity::fault);
      finding.found = fmt::format("the link runs at {}", words(it.active));
      finding.expected = could;
      finding.why = fmt::format("{} of {} lanes carry data, and every message over this cable takes {} times as long", lanes,
                                std::max(4U, it.capable.width), std::max(4U, it.capable.width) / lanes);
      finding.action = exchange;
      findings_.add(std::move(finding));
      return true;
    }
    const bool alone = lanes == 2 && of.links >= 4 && of.two_lanes * 2 < of.links;
    Finding finding = about(link, "infiniband-width", alone ? Severity::warning : Severity::note);
    finding.found = fmt::format("the link runs at {}", words(it.active));
    finding.expected = could;
    if (lanes == 2) {
      finding.why =
          fmt::format("two lanes are right for a split port ({}), and a fault for any other", it.active.speed > 150  ? "XDR400"
                                                                                              : it.active.speed > 75 ? "NDR200"
                                                                                                                     : "HDR100");
      finding.action = "Look whether this is a splitter cable; if not, clean and reseat both plugs, then exchange the cable";
    } else {
      finding.why = "wider cables than 4x are rare, and most likely this one is 4x";
      finding.action = "Nothing, unless a wider cable was laid here";
    }
    findings_.add(std::move(finding));
    return true;
  }

  bool slow(std::size_t link) {
    const Link& it = view_.link(link);
    if (!below(it.active.speed, it.capable.speed)) return false;
    const Class& of = classes_[of_host(link)];
    const bool everywhere = of.links >= 4 && of.below_speed * 2 > of.links;
    Finding finding = about(link, "infiniband-speed", everywhere ? Severity::warning : Severity::fault);
    finding.found = fmt::format("the link runs at {}", words(it.active));
    finding.expected = fmt::format("{}, which both ends can", words({it.active.width, it.capable.speed}));
    finding.why = fmt::format("{:.0f} of {:.0f} Gb/s are left{}", data(it.active), data({it.active.width, it.capable.speed}),
                              everywhere ? ", and most links of this kind are as slow: this looks like a setting" : "");
    finding.action = everywhere
                         ? "Look for a speed limit in the subnet manager and in the switches' configuration, or for cables of an "
                           "older generation"
                         : exchange;
    findings_.add(std::move(finding));
    return true;
  }

  bool disagree(std::size_t link) {
    const Link& it = view_.link(link);
    if (!ends_disagree(it)) return false;
    Finding finding = about(link, "infiniband-ends", Severity::fault);
    finding.found = fmt::format("the first end says {}, the second {}", words(it.active), words(it.active_at_b));
    finding.expected = "one rate, for both ends agree on it when the link comes up";
    finding.why =
        "the link was changing while it was read, or one end reports what is not so; traffic runs at the lower rate at best";
    finding.action = "Read the fabric again; if they still disagree, disable and enable the port, then exchange the cable";
    findings_.add(std::move(finding));
    return true;
  }

  void beside_siblings(std::size_t link) {
    const Link& it = view_.link(link);
    const UsualRate& usual = usual_[siblings_[link]];
    if (siblings_[link] == no_siblings || !usual.is_slower(it)) return;
    Finding finding = about(link, "infiniband-slower", Severity::warning);
    finding.found = fmt::format("the link runs at {}", words(it.active));
    finding.expected =
        fmt::format("{}, as most {} have", words(usual.rate()), of_host(link) ? "links of hosts" : "links between switches");
    finding.why = "a job that spans this link runs at its pace";
    finding.action = "If this is no older device on purpose: clean and reseat both plugs, then exchange the cable";
    findings_.add(std::move(finding));
  }

  const View& view_;
  const fabric::Fabric& fabric_;
  Findings& findings_;
  std::map<bool, Class> classes_;   // by of_host
  std::vector<Siblings> siblings_;  // of each link
  std::map<Siblings, UsualRate> usual_;
};

}  // namespace

void check_infiniband(const Context& context, Findings& findings) { Fabric(context, findings).run(); }

}  // namespace railgauge::topo
