// Judges a link by its own numbers and by those of similar links, for the rules of `topo check` and for the pictures.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Whether both values are known (not 0) and the first is less by more than rounding. 25 and 25.78125 differ here, since readers
// give each speed its signalling rate.
[[nodiscard]] bool below(double value, double other) noexcept;

// Whether the link is known to carry no traffic: down, disabled, or waiting for a subnet manager.
[[nodiscard]] bool without_traffic(const Link&) noexcept;
// Whether the link has two lanes of InfiniBand HDR or newer (HDR100, NDR200, XDR400): half of a split
// port, which is no fault.
[[nodiscard]] bool may_be_split(const Link&) noexcept;
// The rate that the link should have: `capable`, or four lanes for InfiniBand with unknown capability. Zeros are unknown.
[[nodiscard]] Rate capable_rate(const Link&) noexcept;
// Whether the rate of an end is below capable_rate(): fewer lanes, except for a split port, or a lower speed in a state
// other than `low`.
[[nodiscard]] bool degraded(const Link&) noexcept;
// Whether the ends report different rates.
[[nodiscard]] bool ends_disagree(const Link&) noexcept;

// The rate that most links of one sort have. A slower link is suspect even when its capability is unknown.
class UsualRate {
 public:
  void add(const Link&);  // ignores a link with unknown rate
  // The rate of at least three quarters of four or more links; zeros when there is none.
  [[nodiscard]] Rate rate() const;
  // False when the link's rate or the usual rate is unknown, and for a split port whose capability says so.
  [[nodiscard]] bool is_slower(const Link&) const;

 private:
  std::map<std::pair<unsigned, double>, std::size_t> often_;
  std::size_t all_ = 0;
};

}  // namespace railgauge::topo
