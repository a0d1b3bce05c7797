// Links that are missing in a torus or between the groups of a dragonfly.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topo/check/rules.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

using fabric::npos;
using fabric::Peer;

class Direct {
 public:
  Direct(const Context& context, Findings& findings) : view_(context.view), fabric_(context.fabric), findings_(findings) {}

  // Neighbours of the grid without a link. A dimension where many are is no ring.
  void torus() {
    std::map<std::vector<std::uint32_t>, std::uint32_t> at;
    for (std::uint32_t i = 0; i < fabric_.positions.size(); ++i) at.emplace(fabric_.positions[i], i);
    for (std::size_t d = 0; d < fabric_.sizes.size(); ++d) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> lost;
      for (std::uint32_t i = 0; i < fabric_.positions.size(); ++i) {
        std::vector<std::uint32_t> next = fabric_.positions[i];
        next[d] = (next[d] + 1) % fabric_.sizes[d];
        const auto found = at.find(next);
        if (found != at.end() && found->second != i && count(i, found->second) == 0) lost.emplace_back(i, found->second);
      }
      if (lost.size() * 8 > fabric_.positions.size()) continue;
      for (const auto& [a, b] : lost) missing(a, b, {}, "there is no link", "one, as between other neighbours in the torus");
    }
  }

  void dragonfly() {
    const fabric::GroupLinks between = fabric::links_of_groups(fabric_);
    if (between.as_usual * 4 < between.all() * 3) return;
    for (std::uint32_t a = 0; a < between.groups; ++a)
      for (std::uint32_t b = a + 1; b < between.groups; ++b) {
        const std::uint32_t has = between.count(a, b);
        if (has >= between.usual) continue;
        missing(free_in(a), free_in(b), fmt::format("between group {} and group {}: ", a, b),
                has == 0 ? "there is no link" : counted(has, "link", "links"),
                fmt::format("{}, as between most pairs of groups", between.usual));
      }
  }

 private:
  [[nodiscard]] std::uint32_t count(std::uint32_t a, std::uint32_t b) const {
    const auto& peers = fabric_.switches[a].peers;
    const auto at = std::lower_bound(peers.begin(), peers.end(), b, [](const Peer& x, std::uint32_t y) { return x.other < y; });
    return at != peers.end() && at->other == b ? at->count() : 0;
  }

  // The switch of a group with the fewest links to other groups: the one that lacks a link, where one does.
  [[nodiscard]] std::uint32_t free_in(std::uint32_t group) const {
    std::uint32_t best = npos;
    std::uint32_t fewest = 0;
    for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i) {
      if (fabric_.groups[i] != group) continue;
      std::uint32_t links = 0;
      for (const Peer& peer : fabric_.switches[i].peers) links += fabric_.groups[peer.other] == group ? 0 : peer.count();
      if (best != npos && links >= fewest) continue;
      best = i;
      fewest = links;
    }
    return best;
  }

  void missing(std::uint32_t a, std::uint32_t b, const std::string& where, const std::string& found, std::string expected) {
    Finding finding;
    finding.rule = "uplink-missing";
    finding.severity = Severity::warning;
    finding.absent = true;
    finding.a = view_.node_port(fabric_.switches[a].node);
    finding.b = view_.node_port(fabric_.switches[b].node);
    finding.found = where + found;
    finding.expected = std::move(expected);
    finding.why = "traffic takes longer paths, and shares their links";
    finding.action = "Look at both ends for power, lights and plugs";
    findings_.add(std::move(finding));
  }

  const View& view_;
  const fabric::Fabric& fabric_;
  Findings& findings_;
};

}  // namespace

void check_direct(const Context& context, Findings& findings) {
  if (!context.fabric.cables || context.options.design != nullptr) return;  // a design says it better
  if (context.fabric.shape == fabric::Shape::torus) Direct(context, findings).torus();
  if (context.fabric.shape == fabric::Shape::dragonfly) Direct(context, findings).dragonfly();
}

}  // namespace railgauge::topo
