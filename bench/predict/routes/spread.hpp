// A flow over all shortest paths at once: at each vertex it divides among the next arcs in proportion to their capacities.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/predict/flows/path.hpp"
#include "bench/predict/routes/incidence.hpp"

namespace railgauge::predict {

inline constexpr std::uint16_t too_far = 0xffff;

// Keeps its memory from one call to the next.
class Spreader {
 public:
  explicit Spreader(const Incidence& incidence) : incidence_(incidence), places_(incidence.network().vertices.size()) {}

  // Appends the arcs from `from`, which is `hops` arcs away from the target, with the share of the flow in each.
  // next(arc) says whether a shortest path goes on through that arc from a vertex so many hops away.
  template <class Next>
  void spread(std::uint32_t from, std::uint16_t hops, const Next& next, std::vector<Use>& uses) {
    level_.assign(1, {from, 1.0});
    for (; hops > 0; --hops) {
      following_.clear();
      for (const At& at : level_) {
        double whole = 0;
        for (const std::uint32_t arc : incidence_.leaving(at.vertex))
          if (next(arc, hops)) whole += capacity(arc);
        for (const std::uint32_t arc : incidence_.leaving(at.vertex))
          if (next(arc, hops)) add(arc, at.share * capacity(arc) / whole, uses);
      }
      for (const At& at : following_) places_[at.vertex] = 0;
      level_.swap(following_);
    }
  }

 private:
  struct At {
    std::uint32_t vertex;
    double share;
  };
  [[nodiscard]] double capacity(std::uint32_t arc) const { return static_cast<double>(incidence_.network().arcs[arc].capacity); }
  void add(std::uint32_t arc, double share, std::vector<Use>& uses) {
    uses.push_back({arc, share});
    std::uint32_t& place = places_[incidence_.network().arcs[arc].to];  // one more than the place in following_
    if (place == 0) {
      following_.push_back({incidence_.network().arcs[arc].to, 0.0});
      place = static_cast<std::uint32_t>(following_.size());
    }
    following_[place - 1].share += share;
  }

  const Incidence& incidence_;
  std::vector<std::uint32_t> places_;
  std::vector<At> level_, following_;
};

}  // namespace railgauge::predict
