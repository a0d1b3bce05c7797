// Searches outwards from all ranks at once, and back from each switch.
#include "topo/trees/tiers.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "topo/groups.hpp"

namespace railgauge::topo {
namespace {

constexpr auto far_off = std::numeric_limits<std::uint32_t>::max();
constexpr unsigned most_climbs = 16;    // of a rank to a switch
constexpr std::size_t most_steps = 64;  // of the search for them, for each rank

class Search {
 public:
  explicit Search(const Wires& wires) : wires_(wires), out_(wires.vertices), distances_(wires.vertices, far_off) {
    for (std::uint32_t i = 0; i < wires.edges.size(); ++i) {
      const Wire& edge = wires.edges[i];
      if (edge.forward == 0 || edge.back == 0) continue;
      out_[edge.a].push_back(2 * i);
      out_[edge.b].push_back(2 * i + 1);
    }
  }

  std::optional<Tiers> tiers() {
    measure();
    Groups joined(wires_.vertices);
    tiers_.groups.resize(wires_.ranks.size());
    for (std::size_t rank = 0; rank < wires_.ranks.size(); ++rank) {
      tiers_.groups[rank].ranks.push_back(static_cast<std::int32_t>(rank));
      group_of_[joined.top(wires_.ranks[rank])] = static_cast<std::uint32_t>(rank);
    }
    for (std::size_t i = 0; i < order_.size();) {
      std::vector<std::uint32_t> switches;
      const std::uint32_t distance = distances_[order_[i]];
      for (; i < order_.size() && distances_[order_[i]] == distance; ++i)
        if (distance != 0 && joins(order_[i], joined)) switches.push_back(order_[i]);
      if (!switches.empty()) join(switches, joined);
    }
    if (tiers_.groups.back().ranks.size() != wires_.ranks.size()) return std::nullopt;
    for (std::uint32_t group = 0; group < tiers_.groups.size(); ++group)
      if (!find_climbs(group)) return std::nullopt;
    return std::move(tiers_);
  }

 private:
  [[nodiscard]] std::uint32_t end_of(std::uint32_t half) const {
    const Wire& edge = wires_.edges[half / 2];
    return half % 2 == 0 ? edge.b : edge.a;
  }

  // Distances from the nearest ranks, and which these are.
  void measure() {
    nearest_.resize(wires_.vertices);
    for (std::size_t rank = 0; rank < wires_.ranks.size(); ++rank) {
      distances_[wires_.ranks[rank]] = 0;
      nearest_[wires_.ranks[rank]] = {static_cast<std::int32_t>(rank)};
      order_.push_back(wires_.ranks[rank]);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::uint32_t at = order_[i];
      std::vector<std::int32_t>& near = nearest_[at];
      std::sort(near.begin(), near.end());
      near.erase(std::unique(near.begin(), near.end()), near.end());
      for (const std::uint32_t half : out_[at]) {
        const std::uint32_t other = end_of(half);
        if (distances_[other] == far_off) {
          distances_[other] = distances_[at] + 1;
          order_.push_back(other);
        }
        if (distances_[other] == distances_[at] + 1) nearest_[other].insert(nearest_[other].end(), near.begin(), near.end());
      }
    }
  }

  [[nodiscard]] bool joins(std::uint32_t vertex, Groups& joined) const {
    const std::vector<std::int32_t>& near = nearest_[vertex];
    return std::any_of(near.begin(), near.end(),
                       [&](std::int32_t rank) { return joined.top(vertex_of(rank)) != joined.top(vertex_of(near.front())); });
  }
  [[nodiscard]] std::uint32_t vertex_of(std::int32_t rank) const { return wires_.ranks[static_cast<std::size_t>(rank)]; }

  // Makes groups of those that these switches join.
  void join(const std::vector<std::uint32_t>& switches, Groups& joined) {
    std::map<std::size_t, std::uint32_t> before;
    before.swap(group_of_);
    Groups after = joined;
    for (const std::uint32_t vertex : switches)
      for (const std::int32_t rank : nearest_[vertex]) after.join(vertex_of(nearest_[vertex].front()), vertex_of(rank));
    std::map<std::size_t, std::vector<std::uint32_t>> children;  // by what they are joined to
    for (const auto& [top, group] : before) children[after.top(top)].push_back(group);
    for (auto& [top, those] : children) {
      std::sort(those.begin(), those.end());
      if (those.size() == 1) {
        group_of_[top] = those.front();
        continue;
      }
      const auto number = static_cast<std::uint32_t>(tiers_.groups.size());
      Group group;
      for (const std::uint32_t child : those) {
        tiers_.groups[child].parent = number;
        const std::vector<std::int32_t>& ranks = tiers_.groups[child].ranks;
        group.ranks.insert(group.ranks.end(), ranks.begin(), ranks.end());
      }
      group.children = std::move(those);
      tiers_.groups.push_back(std::move(group));
      group_of_[top] = number;
    }
    for (const std::uint32_t vertex : switches)
      tiers_.groups[group_of_[after.top(vertex_of(nearest_[vertex].front()))]].switches.push_back(vertex);
    joined = after;
  }

  // The climbs to the switches of a group, as exits of its children.
  bool find_climbs(std::uint32_t number) {
    const Group& group = tiers_.groups[number];
    std::map<std::int32_t, std::uint32_t> child_of;
    for (const std::uint32_t child : group.children) {
      tiers_.groups[child].exits.resize(group.switches.size());
      for (const std::int32_t rank : tiers_.groups[child].ranks) child_of[rank] = child;
    }
    for (std::size_t i = 0; i < group.switches.size(); ++i) {
      const std::size_t first = tiers_.climbs.size();
      std::map<std::int32_t, unsigned> counts;
      Halves halves;
      steps_ = most_steps * nearest_[group.switches[i]].size();
      if (!descend(group.switches[i], halves, counts)) return false;
      for (std::size_t climb = first; climb < tiers_.climbs.size(); ++climb) {
        Group& child = tiers_.groups[child_of.at(tiers_.climbs[climb].rank)];
        child.exits[i].push_back(static_cast<std::uint32_t>(climb));
        child.leaving.push_back(tiers_.climbs[climb].halves.back());
      }
    }
    for (const std::uint32_t child : group.children) {
      Halves& leaving = tiers_.groups[child].leaving;
      std::sort(leaving.begin(), leaving.end());
      leaving.erase(std::unique(leaving.begin(), leaving.end()), leaving.end());
    }
    return true;
  }

  bool descend(std::uint32_t at, Halves& halves, std::map<std::int32_t, unsigned>& counts) {
    if (steps_ == 0) return false;
    --steps_;
    if (distances_[at] == 0) {
      const std::int32_t rank = nearest_[at].front();
      if (counts[rank]++ >= most_climbs) return true;
      tiers_.climbs.push_back({rank, Halves(halves.rbegin(), halves.rend())});
      return true;
    }
    for (const std::uint32_t half : out_[at]) {
      if (distances_[end_of(half)] + 1 != distances_[at]) continue;
      halves.push_back(half ^ 1U);
      const bool listed = descend(end_of(half), halves, counts);
      halves.pop_back();
      if (!listed) return false;
    }
    return true;
  }

  const Wires& wires_;
  std::vector<Halves> out_;
  std::vector<std::uint32_t> distances_, order_;
  std::vector<std::vector<std::int32_t>> nearest_;
  std::map<std::size_t, std::uint32_t> group_of_;  // by the top of what is joined
  std::size_t steps_ = 0;
  Tiers tiers_;
};

}  // namespace

std::optional<Tiers> tiers_of(const Wires& wires) { return Search(wires).tiers(); }

}  // namespace railgauge::topo
