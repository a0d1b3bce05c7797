// Which share of a collective's data blocks are, whatever its size.
#pragma once

#include <cstdint>

#include "bench/schedule/layout.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// Of one rank. Blocks are taken as equal as the collective has them (those of all_to_all_v are not).
class Shares {
 public:
  // `shape` names the rank whose schedule this is.
  Shares(Collective collective, const Shape& shape, const Schedule& schedule);
  // As a share of S (docs/bandwidth.md), and in units of which S has whole(). Throw std::out_of_range for blocks that do not
  // exist.
  [[nodiscard]] double of(const Blocks& blocks) const { return static_cast<double>(units(blocks)) / static_cast<double>(whole_); }
  [[nodiscard]] std::uint64_t units(const Blocks& blocks) const;
  [[nodiscard]] std::uint64_t whole() const { return whole_; }

 private:
  std::uint64_t whole_;
  Layout layout_;
};

}  // namespace railgauge
