// Oversubscription: how much more bandwidth the switches of a tier have below than above.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "topo/check/rules.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

constexpr double worth_telling = 1.25;
constexpr std::size_t fewest_links = 4;  // below a switch: fewer are a part of a fabric

struct Capacity {
  double gigabytes = 0;
  std::size_t links = 0;
  bool known = true;  // the bandwidth of each link

  void add(const Link& link) {
    gigabytes += link.bandwidth.nominal;
    links += link.count;
    known = known && link.bandwidth.nominal > 0;
  }
};

struct Sides {
  Capacity below, above;

  // By the links where a bandwidth is unknown. 0 where one side has none.
  [[nodiscard]] double ratio() const {
    if (below.links == 0 || above.links == 0) return 0;
    if (below.known && above.known) return below.gigabytes / above.gigabytes;
    return static_cast<double>(below.links) / static_cast<double>(above.links);
  }
};

// "16:1", "1.5:1".
std::string words(double ratio) { return fmt::format("{:g}:1", std::round(10 * ratio) / 10); }

class Tiers {
 public:
  Tiers(const Context& context, Findings& findings)
      : view_(context.view), fabric_(context.fabric), findings_(findings), sides_(fabric_.switches.size()) {
    for (const fabric::Host& host : fabric_.hosts)
      for (const fabric::Uplink& up : host.uplinks)
        if (up.link != fabric::npos) sides_[up.to].below.add(view_.link(up.link));
    for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i)
      for (const fabric::Peer& peer : fabric_.switches[i].peers) {
        const unsigned other = fabric_.switches[peer.other].tier;
        if (other == fabric_.switches[i].tier) continue;
        Capacity& side = other > fabric_.switches[i].tier ? sides_[i].above : sides_[i].below;
        for (const std::uint32_t link : peer.links) side.add(view_.link(link));
      }
  }

  void look_at(unsigned tier) {
    std::vector<double> ratios;
    std::uint32_t worst = fabric::npos;
    for (const std::uint32_t i : fabric_.by_tier[tier]) {
      const double ratio = sides_[i].ratio();
      if (ratio == 0) continue;
      ratios.push_back(ratio);
      if (worst == fabric::npos || ratio > sides_[worst].ratio()) worst = i;
    }
    if (ratios.empty()) return;
    std::sort(ratios.begin(), ratios.end());
    const double usual = ratios[ratios.size() / 2];
    if (usual < worth_telling || sides_[worst].below.links < fewest_links) return;
    Finding finding;
    finding.rule = "oversubscribed";
    finding.severity = Severity::note;
    finding.a = view_.node_port(fabric_.switches[worst].node);
    const Sides& sides = sides_[worst];
    finding.found = fmt::format("tier {} is oversubscribed {}: {} of this switch lead down and {} up", tier, words(usual),
                                counted(sides.below.links, "link", "links"), sides.above.links);
    if (words(ratios.front()) != words(ratios.back()))
      finding.found += fmt::format("; its {} have {} to {}", counted(ratios.size(), "switch", "switches"), words(ratios.front()),
                                   words(ratios.back()));
    finding.expected = "1:1, where all hosts are to send through the next tier at full rate";
    finding.why =
        fmt::format("when all hosts below send to other switches at once, each gets {:.0f} % of its bandwidth", 100 / usual);
    finding.action = "Nothing if it was bought so: place jobs below one switch, and expect less of those that span several";
    findings_.add(std::move(finding));
  }

 private:
  const View& view_;
  const fabric::Fabric& fabric_;
  Findings& findings_;
  std::vector<Sides> sides_;
};

}  // namespace

void check_capacity(const Context& context, Findings& findings) {
  const fabric::Fabric& fabric = context.fabric;
  if (!fabric.cables || !fabric.tiered()) return;
  Tiers tiers(context, findings);
  for (unsigned tier = 1; tier < fabric.tiers; ++tier) tiers.look_at(tier);
}

}  // namespace railgauge::topo
