// Parts ranks in every manner where they are few, and as leaves, machines and pods would part them where they are many.
#include "topo/bound/parting.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace railgauge::topo {
namespace {

class Search {
 public:
  explicit Search(const Wires& wires) : wires_(wires), places_(wires.vertices, none), flow_(wires.vertices + 2) {
    for (const Wire& wire : wires.edges) {
      flow_.add(wire.a, wire.b);
      symmetric_ = symmetric_ && wire.forward == wire.back;
      all_ += static_cast<std::int64_t>(wire.forward + wire.back);
    }
    for (std::size_t rank = 0; rank < wires.ranks.size(); ++rank) {
      places_[wires.ranks[rank]] = rank;
      ends_.push_back({flow_.add(wires.vertices, wires.ranks[rank]), flow_.add(wires.ranks[rank], wires.vertices + 1)});
    }
  }

  Side all() {
    const std::size_t ranks = wires_.ranks.size();
    // Where links carry the same in both directions, the sets with the first rank are all that there are.
    for (std::size_t mask = 1; mask + 1 < (std::size_t{1} << ranks); mask += symmetric_ ? 2 : 1) {
      std::vector<bool> inside(ranks);
      for (std::size_t rank = 0; rank < ranks; ++rank) inside[rank] = (mask >> rank & 1U) != 0;
      part(inside);
    }
    return std::move(best_);
  }

  Side some() {
    const std::size_t ranks = wires_.ranks.size();
    gather_neighbours();
    for (std::uint32_t vertex = 0; vertex < wires_.vertices; ++vertex)
      if (ranks <= many_ranks || (places_[vertex] == none && neighbours_[vertex].size() >= crossroads)) balls(vertex);
    const GatherRate gathering = gather_rate(wires_);
    offer(ranks_in(gathering.worst));
    offer(ranks_in(broadcast_cut(wires_, wires_.ranks.front())));
    for (const std::vector<bool>& inside : sets_) part(inside);
    for (std::size_t rank = 0; rank < ranks; ++rank) {  // what leaves the rank's own vertex needs no flow
      std::vector<bool> in(wires_.vertices);
      in[wires_.ranks[rank]] = true;
      for (int direction = 0; direction < 2; ++direction, in.flip()) hold({in, leaves(wires_, in)}, ranks - 1);
    }
    return std::move(best_);
  }

 private:
  static constexpr auto none = static_cast<std::size_t>(-1);
  static constexpr std::size_t many_ranks = 256;  // of more, only switches are centres of balls: vertices that are no ranks
  static constexpr std::size_t crossroads = 4;    // with at least so many neighbours

  [[nodiscard]] std::vector<bool> ranks_in(const Side& side) const {
    std::vector<bool> inside;
    for (const std::uint32_t at : wires_.ranks) inside.push_back(side.in[at]);
    return inside;
  }

  // What leaves a set leaves the others too where links carry the same in both directions.
  void offer(std::vector<bool> inside) {
    if (symmetric_ && !inside.front()) inside.flip();
    sets_.insert(inside);
    if (symmetric_) return;
    inside.flip();
    sets_.insert(inside);
  }

  void gather_neighbours() {
    neighbours_.resize(wires_.vertices);
    for (const Wire& edge : wires_.edges) {
      neighbours_[edge.a].push_back(edge.b);
      neighbours_[edge.b].push_back(edge.a);
    }
  }

  // The ranks within 1, 2, ... links of a vertex, until all are.
  void balls(std::uint32_t vertex) {
    std::vector<bool> seen(wires_.vertices), inside(wires_.ranks.size());
    std::vector<std::uint32_t> edge{vertex};
    std::size_t held = 0;
    seen[vertex] = true;
    while (!edge.empty()) {
      std::vector<std::uint32_t> next;
      bool more = false;
      for (const std::uint32_t at : edge) {
        if (places_[at] != none) {
          inside[places_[at]] = true;
          ++held;
          more = true;
        }
        for (const std::uint32_t other : neighbours_[at])
          if (!seen[other]) {
            seen[other] = true;
            next.push_back(other);
          }
      }
      if (held == wires_.ranks.size()) return;
      if (more) offer(inside);
      edge = std::move(next);
    }
  }

  // The least capacity that parts these ranks from the others.
  void part(const std::vector<bool>& inside) {
    const auto held = static_cast<std::uint64_t>(std::count(inside.begin(), inside.end(), true));
    if (held == 0 || held == inside.size()) return;
    set_capacities(wires_, flow_);
    for (std::size_t rank = 0; rank < inside.size(); ++rank) {
      flow_.set(ends_[rank].source, inside[rank] ? all_ : 0, 0);
      flow_.set(ends_[rank].sink, inside[rank] ? 0 : all_, 0);
    }
    const auto value = static_cast<std::uint64_t>(flow_.push(wires_.vertices, wires_.vertices + 1));
    std::vector<bool> in = flow_.reachable(wires_.vertices);
    in.resize(wires_.vertices);
    hold({std::move(in), value}, held * (inside.size() - held));
  }

  void hold(Side side, std::uint64_t pairs) {
    const Fraction load = fraction(pairs, side.leaves);
    if (!best_.in.empty() && !(worst_ < load)) return;
    worst_ = load;
    best_ = std::move(side);
  }

  const Wires& wires_;
  std::vector<std::size_t> places_;  // the rank of each vertex
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::set<std::vector<bool>> sets_;
  struct Ends {
    std::uint32_t source, sink;  // edges of flow_ that lead to a rank and from it
  };
  Flow flow_;
  std::vector<Ends> ends_;
  std::int64_t all_ = 1;  // more than any cut
  bool symmetric_ = true;
  Fraction worst_;
  Side best_;
};

}  // namespace

Side worst_parting(const Wires& wires) {
  Search search(wires);
  return wires.ranks.size() <= few_ranks ? search.all() : search.some();
}

}  // namespace railgauge::topo
