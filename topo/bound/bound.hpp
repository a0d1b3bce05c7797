// What a collective can reach at best on a network, whatever its algorithm: exact bounds on its time, and the cut that causes
// each. docs/verdicts.md explains them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "topo/bound/fraction.hpp"
#include "topo/bound/gather.hpp"
#include "topo/graph.hpp"
#include "topo/network/network.hpp"

namespace railgauge::topo {

// The links that limit a collective: they part the ranks, and what crosses them in one direction is at least so much.
struct Cut {
  std::vector<std::int32_t> ranks;  // of the side with fewer ranks, in order
  bool into = false;                // the data goes to these ranks; else from them to the others
  std::vector<std::size_t> links;   // places in Graph::links, in order
  std::uint64_t capacity = 0;       // megabytes (1e6) per second of these links in that direction
};

// S and busbw are those of docs/bandwidth.md.
struct Bound {
  Collective collective = Collective::all_reduce;
  std::uint32_t ranks = 0;
  // Of S in megabytes, the least time in seconds for each: no algorithm is faster.
  Fraction time;
  // The time that trees reach, pipelined in ever smaller chunks of a large message, where switches only forward. Equal to `time`
  // except of all_reduce, which is reached by a reduce_scatter and then an all_gather. Nothing where it is unknown (all_to_all).
  std::optional<Fraction> reached;
  Cut cut;

  [[nodiscard]] double seconds(double bytes) const;  // of a message of so many bytes (S)
  [[nodiscard]] double algbw() const;                // GB/s, at most
  [[nodiscard]] double busbw() const;
  [[nodiscard]] double reached_algbw() const;  // GB/s; 0 where it is unknown
  [[nodiscard]] double reached_busbw() const;
};

[[nodiscard]] bool has_bound(Collective) noexcept;

// Bounds on one network, which must outlive this object; what several of them have in common is computed once. Throws
// Error(usage) for a collective without a bound, fewer than two ranks, and a root that does not exist.
class Bounds {
 public:
  explicit Bounds(const Network& network);
  explicit Bounds(Network&&) = delete;
  [[nodiscard]] Bound of(Collective collective, std::uint32_t root = 0);

 private:
  [[nodiscard]] const GatherRate& gathering();
  [[nodiscard]] const GatherRate& scattering();
  [[nodiscard]] const Side& narrowest();
  [[nodiscard]] Cut cut_of(const Side& side, bool reversed) const;
  [[nodiscard]] Bound rooted(Collective collective, std::uint32_t root);
  [[nodiscard]] Bound all_reduce();
  [[nodiscard]] Bound all_to_all();
  [[nodiscard]] std::uint64_t in_side(const Side& side) const;  // ranks

  const Network& network_;
  Wires wires_, reversed_;
  bool symmetric_;  // each link carries the same in both directions
  std::optional<GatherRate> gathering_, scattering_;
  std::optional<Side> narrowest_;
};

// The links of a network, with those between the same vertices as one edge.
[[nodiscard]] Wires wires_of(const Network& network);

// to_text() is for people, to_json() for programs; each ends with a newline. The graph is that of the network.
[[nodiscard]] std::string to_text(const Graph&, const Bound&);
[[nodiscard]] std::string to_json(const Graph&, const Bound&);
// The same for people as one line, without its end: what is at most reached, and the cut with its first link.
[[nodiscard]] std::string to_line(const Graph&, const Bound&);

}  // namespace railgauge::topo
