// Walks back through a timeline; bench/workload/analyse/critical_path.hpp.
#include "bench/workload/analyse/critical_path.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace railgauge {
namespace {

struct Place {
  std::size_t rank = 0;
  std::uint32_t node = 0;
};

class Walk {
 public:
  Walk(const Workload& workload, const Matches& matches, const Timeline& timeline)
      : workload_(workload), matches_(matches), timeline_(timeline) {
    for (const std::vector<WorkNode>& nodes : workload.nodes) {
      std::vector<std::uint32_t>& before = before_.emplace_back();
      std::map<int, std::uint32_t> last;
      for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const auto found = last.find(nodes[i].stream);
        before.push_back(found == last.end() ? i : found->second);
        last[nodes[i].stream] = i;
      }
    }
  }

  CriticalPath run() {
    std::optional<Place> place = last_of_all();
    double until = place ? at(*place).end : 0;
    CriticalPath path;
    while (place) {
      const Place latest = latest_member(*place);
      const Interval& its = at(latest);
      path.nodes.push_back({static_cast<int>(latest.rank), latest.node, std::min(its.start, until), until});
      const double length = std::max(0.0, until - its.start);
      const WorkKind work = workload_.nodes[latest.rank][latest.node].work;
      (work == WorkKind::compute ? path.computing : work == WorkKind::marker ? path.gaps : path.communicating) += length;
      const std::optional<Place> next = predecessor(latest);
      const double begin = std::min(its.start, until);
      until = next ? std::min(begin, at(*next).end) : 0;
      path.gaps += begin - until;
      place = next;
    }
    std::reverse(path.nodes.begin(), path.nodes.end());
    return path;
  }

 private:
  [[nodiscard]] const Interval& at(Place place) const { return timeline_[place.rank][place.node]; }

  [[nodiscard]] std::optional<Place> last_of_all() const {
    std::optional<Place> last;
    for (std::size_t rank = 0; rank < timeline_.size(); ++rank)
      for (std::uint32_t i = 0; i < timeline_[rank].size(); ++i)
        if (!last || timeline_[rank][i].end > at(*last).end) last = Place{rank, i};
    return last;
  }

  // Of a call: where it began last.
  [[nodiscard]] Place latest_member(Place place) const {
    const std::uint32_t number = matches_.of_node[place.rank][place.node];
    if (number == no_match) return place;
    for (const Match::Member& member : matches_.all[number].members) {
      const Place other{static_cast<std::size_t>(member.rank), member.node};
      if (at(other).start > at(place).start) place = other;
    }
    return place;
  }

  [[nodiscard]] std::optional<Place> predecessor(Place place) const {
    std::optional<Place> latest;
    const auto consider = [&](std::uint32_t node) {
      if (!latest || at({place.rank, node}).end > at(*latest).end) latest = Place{place.rank, node};
    };
    if (before_[place.rank][place.node] != place.node) consider(before_[place.rank][place.node]);
    for (const std::uint32_t each : workload_.nodes[place.rank][place.node].after) consider(each);
    return latest;
  }

  const Workload& workload_;
  const Matches& matches_;
  const Timeline& timeline_;
  std::vector<std::vector<std::uint32_t>> before_;  // in its stream; itself where it is the first
};

}  // namespace

CriticalPath critical_path(const Workload& workload, const Matches& matches, const Timeline& timeline) {
  return Walk(workload, matches, timeline).run();
}

std::vector<PathNode> longest_of(const CriticalPath& path, std::size_t most) {
  std::vector<PathNode> longest;
  for (const PathNode& node : path.nodes)
    if (node.end > node.start) longest.push_back(node);
  std::stable_sort(longest.begin(), longest.end(),
                   [](const PathNode& a, const PathNode& b) { return a.end - a.start > b.end - b.start; });
  longest.resize(std::min(most, longest.size()));
  return longest;
}

}  // namespace railgauge
