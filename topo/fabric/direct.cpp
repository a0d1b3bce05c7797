// Recognises fabrics without spines: a torus by the squares its links make, a dragonfly by groups that are full of links.
//
// In a torus two links that lie opposite each other in a square (a ring of four switches) run along the same dimension:
//
//   a--b   so a-b and d-c are of one dimension, a-d and b-c of another. A switch's place along a dimension is the same as its
//   |  |   neighbours' along all others: without the links of that dimension the fabric falls into slices, and those make a ring.
//   d--c   Two links that follow each other in one dimension are never sides of a square. (A ring of four switches is one, so it
//          is found as two dimensions of two, and put together again.)
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "topo/fabric/fabric.hpp"

namespace railgauge::topo::fabric {
namespace {

constexpr std::size_t most_peers = 96;  // of one switch: tori have few
constexpr std::size_t fewest_switches = 6;

class Union {
 public:
  explicit Union(std::size_t size) : roots_(size) { std::iota(roots_.begin(), roots_.end(), std::uint32_t{0}); }
  std::uint32_t find(std::uint32_t i) {
    while (roots_[i] != i) i = roots_[i] = roots_[roots_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) { roots_[std::max(find(a), find(b))] = std::min(find(a), find(b)); }

 private:
  std::vector<std::uint32_t> roots_;
};

// Numbers 0, 1, 2 ... of the sets.
std::vector<std::uint32_t> numbered(Union& sets, std::size_t size, std::uint32_t& count) {
  std::map<std::uint32_t, std::uint32_t> names;
  std::vector<std::uint32_t> numbers(size);
  for (std::uint32_t i = 0; i < size; ++i)
    numbers[i] = names.try_emplace(sets.find(i), static_cast<std::uint32_t>(names.size())).first->second;
  count = static_cast<std::uint32_t>(names.size());
  return numbers;
}

struct Ends {
  std::uint32_t a, b;
};

class Torus {
 public:
  explicit Torus(Fabric& fabric) : fabric_(fabric), near_(fabric.switches.size()) {
    for (std::uint32_t i = 0; i < fabric.switches.size(); ++i)
      for (const Peer& peer : fabric.switches[i].peers) {
        if (peer.other > i) {
          number_[{i, peer.other}] = static_cast<std::uint32_t>(edges_.size());
          edges_.push_back({i, peer.other});
        }
        near_[i].push_back(peer.other);
      }
  }

  // With `least` of 1 every link must be there; with 3 a few may be missing, but each dimension has three links side by side.
  bool recognise(unsigned least) {
    Union classes(edges_.size());
    for (std::uint32_t e = 0; e < edges_.size(); ++e) squares(e, classes);
    follow(classes, least);
    std::uint32_t dimensions = 0;
    const std::vector<std::uint32_t> dimension = numbered(classes, edges_.size(), dimensions);
    if (dimensions < 2 || dimensions > 12) return false;
    std::vector<std::vector<std::uint32_t>> positions(fabric_.switches.size(), std::vector<std::uint32_t>(dimensions));
    std::vector<std::uint32_t> sizes(dimensions);
    for (std::uint32_t d = 0; d < dimensions; ++d)
      if (!walk(d, dimension, positions, sizes)) return false;
    std::size_t volume = 1;
    for (const std::uint32_t size : sizes) {
      volume *= size;
      if (volume > 2 * positions.size()) return false;
    }
    std::set<std::vector<std::uint32_t>> taken(positions.begin(), positions.end());
    if (taken.size() != positions.size() || positions.size() * 10 < volume * 9) return false;
    fold_rings_of_four(positions, sizes);
    if (sizes.size() < 2) return false;
    order(positions, sizes);
    fabric_.positions = std::move(positions);
    fabric_.sizes = std::move(sizes);
    return true;
  }

 private:
  std::uint32_t number(std::uint32_t a, std::uint32_t b) const {
    const auto found = number_.find({std::min(a, b), std::max(a, b)});
    return found == number_.end() ? npos : found->second;
  }

  void squares(std::uint32_t e, Union& classes) const {
    const auto [a, b] = edges_[e];
    for (const std::uint32_t d : near_[a])
      if (d != b)
        for (const std::uint32_t c : near_[b])
          if (c != a && c != d)
            if (const std::uint32_t other = number(c, d); other != npos) classes.join(e, other);
  }

  // Joins sets of opposite links that meet at least so often, and never in a square. Two sets of different dimensions make one
  // square in the plane: where one of its links is missing they meet twice without it.
  void follow(Union& classes, unsigned least) const {
    struct Crossing {
      bool square = false;
      unsigned times = 0;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Crossing> crossings;
    for (std::uint32_t a = 0; a < near_.size(); ++a)
      for (std::size_t i = 0; i < near_[a].size(); ++i)
        for (std::size_t j = i + 1; j < near_[a].size(); ++j) {
          const std::uint32_t p = classes.find(number(a, near_[a][i]));
          const std::uint32_t q = classes.find(number(a, near_[a][j]));
          if (p == q) continue;
          const auto& one = near_[near_[a][i]];
          const auto& other = near_[near_[a][j]];
          Crossing& crossing = crossings[{std::min(p, q), std::max(p, q)}];
          ++crossing.times;
          crossing.square = crossing.square || std::any_of(one.begin(), one.end(), [&](std::uint32_t it) {
                              return it != a && std::binary_search(other.begin(), other.end(), it);
                            });
        }
    for (const auto& [pair, crossing] : crossings)
      if (!crossing.square && crossing.times >= least) classes.join(pair.first, pair.second);
  }

  // Slices across dimension d, numbered along it.
  bool walk(std::uint32_t d, const std::vector<std::uint32_t>& dimension, std::vector<std::vector<std::uint32_t>>& positions,
            std::vector<std::uint32_t>& sizes) const {
    Union slices(fabric_.switches.size());
    for (std::uint32_t e = 0; e < edges_.size(); ++e)
      if (dimension[e] != d) slices.join(edges_[e].a, edges_[e].b);
    std::uint32_t count = 0;
    const std::vector<std::uint32_t> slice = numbered(slices, fabric_.switches.size(), count);
    if (count < 2 || count > 4096) return false;
    std::vector<std::set<std::uint32_t>> next(count);
    for (std::uint32_t e = 0; e < edges_.size(); ++e)
      if (dimension[e] == d) {
        if (slice[edges_[e].a] == slice[edges_[e].b]) return false;
        next[slice[edges_[e].a]].insert(slice[edges_[e].b]);
        next[slice[edges_[e].b]].insert(slice[edges_[e].a]);
      }
    std::uint32_t start = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (next[i].empty() || next[i].size() > 2) return false;
      if (next[i].size() == 1 && next[start].size() == 2) start = i;  // a mesh begins at its edge
    }
    std::vector<std::uint32_t> place(count, npos);
    std::uint32_t at = start;
    for (std::uint32_t n = 0;; ++n) {
      place[at] = n;
      const auto on = std::find_if(next[at].begin(), next[at].end(), [&](std::uint32_t it) { return place[it] == npos; });
      if (on == next[at].end()) break;
      at = *on;
    }
    if (std::find(place.begin(), place.end(), npos) != place.end()) return false;
    sizes[d] = count;
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i][d] = place[slice[i]];
    return true;
  }

  // Two dimensions of two are one of four: 00, 01, 11, 10.
  static void fold_rings_of_four(std::vector<std::vector<std::uint32_t>>& positions, std::vector<std::uint32_t>& sizes) {
    for (;;) {
      const auto first = std::find(sizes.begin(), sizes.end(), 2U);
      const auto second = first == sizes.end() ? first : std::find(first + 1, sizes.end(), 2U);
      if (second == sizes.end()) return;
      const auto a = first - sizes.begin();
      const auto b = second - sizes.begin();
      for (auto& position : positions) {
        const std::uint32_t x = position[static_cast<std::size_t>(a)];
        const std::uint32_t y = position[static_cast<std::size_t>(b)];
        position[static_cast<std::size_t>(a)] = 2 * x + (x ^ y);
        position.erase(position.begin() + b);
      }
      sizes[static_cast<std::size_t>(a)] = 4;
      sizes.erase(second);
    }
  }

  // Long dimensions first.
  static void order(std::vector<std::vector<std::uint32_t>>& positions, std::vector<std::uint32_t>& sizes) {
    std::vector<std::size_t> by_size(sizes.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    const auto turned = [&](const std::vector<std::uint32_t>& old) {
      std::vector<std::uint32_t> fresh;
      for (const std::size_t it : by_size) fresh.push_back(old[it]);
      return fresh;
    };
    for (auto& position : positions) position = turned(position);
    sizes = turned(sizes);
  }

  Fabric& fabric_;
  std::vector<std::vector<std::uint32_t>> near_;
  std::vector<Ends> edges_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> number_;
};

// Groups of switches that share most of their peers, or that hang together without the links between spines. Gives their number.
std::uint32_t find_groups(const Fabric& fabric, std::vector<std::uint32_t>& groups) {
  Union sets(fabric.switches.size());
  for (std::uint32_t i = 0; i < fabric.switches.size(); ++i)
    for (const Peer& peer : fabric.switches[i].peers) {
      if (peer.other < i) continue;
      const Switch& a = fabric.switches[i];
      const Switch& b = fabric.switches[peer.other];
      if (fabric.tiers > 1) {
        if (a.tier != b.tier) sets.join(i, peer.other);
        continue;
      }
      std::size_t shared = 2;  // each other
      auto x = a.peers.begin();
      auto y = b.peers.begin();
      while (x != a.peers.end() && y != b.peers.end()) {
        if (x->other == y->other)
          ++shared, ++x, ++y;
        else if (x->other < y->other)
          ++x;
        else
          ++y;
      }
      if (shared * 2 > std::min(a.peers.size(), b.peers.size()) + 1) sets.join(i, peer.other);
    }
  std::uint32_t count = 0;
  groups = numbered(sets, fabric.switches.size(), count);
  return count;
}

// Groups of like sizes, most pairs of which are joined.
bool is_dragonfly(Fabric& fabric) {
  std::vector<std::uint32_t> groups;
  const std::uint32_t count = find_groups(fabric, groups);
  if (count < 3 || count > fabric.switches.size() / 2) return false;
  std::vector<std::size_t> sizes(count);
  for (const std::uint32_t it : groups) ++sizes[it];
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  if (*least < 2 || *most > 2 * *least) return false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
  for (std::uint32_t i = 0; i < fabric.switches.size(); ++i)
    for (const Peer& peer : fabric.switches[i].peers)
      if (groups[i] < groups[peer.other]) joined.emplace(groups[i], groups[peer.other]);
  if (joined.size() * 10 < std::size_t{count} * (count - 1) / 2 * 7) return false;
  fabric.groups = std::move(groups);
  return true;
}

}  // namespace

std::uint32_t GroupLinks::count(std::uint32_t a, std::uint32_t b) const {
  const auto found = pairs.find(std::minmax(a, b));
  return found == pairs.end() ? 0 : found->second.count;
}

GroupLinks links_of_groups(const Fabric& fabric) {
  GroupLinks between;
  between.groups = *std::max_element(fabric.groups.begin(), fabric.groups.end()) + 1;
  for (std::uint32_t i = 0; i < fabric.switches.size(); ++i)
    for (const Peer& peer : fabric.switches[i].peers)
      if (fabric.groups[i] < fabric.groups[peer.other]) {
        GroupLinks::Links& links = between.pairs[{fabric.groups[i], fabric.groups[peer.other]}];
        links.places.insert(links.places.end(), peer.links.begin(), peer.links.end());
        links.count += peer.count();
      }
  std::map<std::uint32_t, std::size_t> often;
  for (const auto& [pair, links] : between.pairs) ++often[links.count];
  for (const auto& [links, pairs] : often)
    if (pairs > between.as_usual) {
      between.usual = links;
      between.as_usual = pairs;
    }
  return between;
}

void recognise_direct(Fabric& fabric) {
  if (fabric.rails != 0 || fabric.switches.size() < fewest_switches || fabric.tiers > 2) return;
  std::size_t level = 0;
  std::size_t most = 0;
  for (std::uint32_t i = 0; i < fabric.switches.size(); ++i) {
    most = std::max(most, fabric.switches[i].peers.size());
    for (const Peer& peer : fabric.switches[i].peers)
      if (fabric.switches[peer.other].tier == fabric.switches[i].tier) ++level;
  }
  if (level == 0) return;
  if (fabric.tiers == 1 && most <= most_peers && (Torus(fabric).recognise(1) || Torus(fabric).recognise(3))) {
    fabric.shape = Shape::torus;
    std::string sizes;
    for (const std::uint32_t size : fabric.sizes) sizes += fmt::format("{}{}", sizes.empty() ? "" : " \u00d7 ", size);
    fabric.shape_words = "torus " + sizes;
  } else if (is_dragonfly(fabric)) {
    fabric.shape = Shape::dragonfly;
    fabric.shape_words = fmt::format("dragonfly, {} groups", *std::max_element(fabric.groups.begin(), fabric.groups.end()) + 1);
  }
}

}  // namespace railgauge::topo::fabric
