// An edge lies on a path between two chosen vertices exactly when its biconnected component lies between them in the block tree.
#include "topo/network/between.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <cstddef>
#include <numeric>

namespace railgauge::topo {
namespace {

using Undirected = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                         boost::property<boost::edge_index_t, std::size_t>>;

// Boost skips what is parallel to the edge that led to a vertex: parallel edges go in once.
std::vector<std::size_t> components_of(std::uint32_t vertices, std::span<const UndirectedEdge> edges, std::size_t& count) {
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto ends = [&](std::size_t i) { return std::minmax(edges[i].a, edges[i].b); };
  std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) { return ends(left) < ends(right); });
  Undirected graph(vertices);
  std::vector<std::size_t> places(edges.size());  // of each edge the one that went in for it
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const UndirectedEdge& edge = edges[order[i]];
    if (i == 0 || ends(order[i]) != ends(order[i - 1])) boost::add_edge(edge.a, edge.b, distinct++, graph);
    places[order[i]] = distinct - 1;
  }
  std::vector<std::size_t> components(distinct);
  count = boost::biconnected_components(
      graph, boost::make_iterator_property_map(components.begin(), boost::get(boost::edge_index, graph)));
  for (std::size_t& place : places) place = components[place];
  return places;
}

}  // namespace

std::vector<bool> edges_between(std::uint32_t vertices, std::span<const UndirectedEdge> edges,
                                std::span<const std::uint32_t> chosen) {
  std::size_t count = 0;
  const std::vector<std::size_t> components = components_of(vertices, edges, count);
  std::vector<std::vector<std::uint32_t>> members(count);  // vertices of each component
  for (std::size_t i = 0; i < edges.size(); ++i) {
    members[components[i]].push_back(edges[i].a);
    members[components[i]].push_back(edges[i].b);
  }
  std::vector<std::vector<std::size_t>> holders(vertices);  // components of each vertex
  for (std::size_t i = 0; i < count; ++i) {
    std::sort(members[i].begin(), members[i].end());
    members[i].erase(std::unique(members[i].begin(), members[i].end()), members[i].end());
    for (const std::uint32_t vertex : members[i]) holders[vertex].push_back(i);
  }
  // A component stays while at least two of its vertices are chosen or lead to another that stays.
  std::vector<std::size_t> live(vertices);
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) live[vertex] = holders[vertex].size();
  for (const std::uint32_t vertex : chosen) ++live[vertex];  // as if a component of its own
  std::vector<std::size_t> ends(count);                      // vertices of each component that lead on
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < count; ++i) {
    ends[i] = static_cast<std::size_t>(
        std::count_if(members[i].begin(), members[i].end(), [&](std::uint32_t vertex) { return live[vertex] > 1; }));
    if (ends[i] < 2) open.push_back(i);
  }
  std::vector<bool> gone(count);
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (gone[at]) continue;
    gone[at] = true;
    for (const std::uint32_t vertex : members[at]) {
      if (--live[vertex] != 1) continue;
      for (const std::size_t other : holders[vertex])
        if (!gone[other] && --ends[other] < 2) open.push_back(other);
    }
  }
  std::vector<bool> used(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) used[i] = !gone[components[i]];
  return used;
}

}  // namespace railgauge::topo
