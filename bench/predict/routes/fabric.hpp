// Shortest paths from switch to switch: how long they are, all of them at once, or one that a hash draws.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "bench/predict/routes/incidence.hpp"
#include "bench/predict/routes/spread.hpp"

namespace railgauge::predict {

class Fabric {
 public:
  explicit Fabric(const Incidence& incidence);

  // Cables between the two switches; too_far when no path joins them.
  [[nodiscard]] std::uint16_t hops(std::uint32_t from, std::uint32_t to);
  // Over all shortest paths. Valid until forget().
  [[nodiscard]] std::span<const Use> all(std::uint32_t from, std::uint32_t to);
  // One of them; `flow` and the switch decide at each switch.
  void one(std::uint32_t from, std::uint32_t to, std::uint64_t flow, std::vector<Use>& uses);

  [[nodiscard]] std::size_t held() const { return held_; }  // arcs that all() keeps
  void forget();

 private:
  struct Search {                         // from a target; goes on where it ended
    std::vector<std::uint16_t> distance;  // of each switch
    std::vector<std::uint32_t> frontier;  // vertices
    std::uint16_t depth = 0;
  };
  Search& search(std::uint32_t to);
  [[nodiscard]] std::uint16_t distance(const Search& search, std::uint32_t vertex) const {
    return numbers_[vertex] == none ? too_far : search.distance[numbers_[vertex]];
  }

  static constexpr std::uint32_t none = 0xffffffff;
  const Incidence& incidence_;
  Spreader spreader_;
  std::vector<std::uint32_t> numbers_;  // of the switches among the vertices
  std::uint32_t switches_ = 0;
  std::unordered_map<std::uint32_t, Search> searches_;
  std::unordered_map<std::uint64_t, std::vector<Use>> all_;
  std::size_t held_ = 0;
};

// Scatters numbers evenly over 64 bits.
[[nodiscard]] std::uint64_t scatter(std::uint64_t value);

}  // namespace railgauge::predict
