// What a link's own numbers say of it, and what those of its like do: the rules of `topo check` and the pictures judge alike.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Whether both are known and the first is less than the second, by more than roundings make of one speed (25 and 25.78125 are
// not one speed here: readers give each its signalling rate).
[[nodiscard]] bool below(double value, double other) noexcept;

// Whether it is known to carry nothing: down, disabled, or waiting for a subnet manager.
[[nodiscard]] bool without_traffic(const Link&) noexcept;
// Two lanes of InfiniBand from HDR on (HDR100, NDR200, XDR400): half of a port that a splitter cable shares out, so no fault.
[[nodiscard]] bool may_be_split(const Link&) noexcept;
// What the link should run at: `capable`, and of InfiniBand whose capability nobody tells four lanes. Zeros are unknown.
[[nodiscard]] Rate capable_rate(const Link&) noexcept;
// Whether one end's rate is below that: fewer lanes (but for a split port), or a lower speed and not merely saving power.
[[nodiscard]] bool degraded(const Link&) noexcept;
// Whether end b tells another rate than end a.
[[nodiscard]] bool ends_disagree(const Link&) noexcept;

// The rate that nearly all links of one sort have: what is slower is odd, though nobody said what it is capable of.
class UsualRate {
 public:
  void add(const Link&);  // one whose rate is not known does not count
  // Of at least three quarters, of four links or more; zeros when there is no such rate.
  [[nodiscard]] Rate rate() const;
  // False where nothing is known or usual, and for half of a split port that says that it is no more.
  [[nodiscard]] bool is_slower(const Link&) const;

 private:
  std::map<std::pair<unsigned, double>, std::size_t> often_;
  std::size_t all_ = 0;
};

}  // namespace railgauge::topo
