// The routing matrix: which measurements cross which component of a fleet. It is sparse, with one column for each component.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

class Columns {
 public:
  // Keeps neither the fleet nor the samples.
  Columns(const Fleet& fleet, const Samples& samples);
  // The number of columns.
  [[nodiscard]] std::size_t size() const { return starts_.size() - 1; }
  // The places in Samples::list that the column has, ascending. The span lives as long as this object.
  [[nodiscard]] std::span<const Index> of(std::size_t column) const {
    return std::span(samples_).subspan(starts_[column], starts_[column + 1] - starts_[column]);
  }
  // The share of the smaller column's measurements that the larger column has too: 0 to 1.
  [[nodiscard]] double overlap(std::size_t a, std::size_t b) const;
  // The rail, where all measurements of the column are of one rail; else npos.
  [[nodiscard]] Index rail_of(std::size_t column, const Samples& samples) const;
  [[nodiscard]] Component component(std::size_t column) const;
  [[nodiscard]] std::size_t column(const Component& it) const;

 private:
  template <typename Take>
  void each(const Fleet& fleet, const Samples& samples, Take take) const;

  std::size_t hosts_, rails_, switches_, cables_;
  std::size_t nics_from_, switches_from_, cables_from_, links_from_, sets_from_, end_;
  bool sets_ = false;  // no route says which cable it was, but sets are known
  std::vector<ComponentKind> switch_kinds_, cable_kinds_;
  std::vector<std::size_t> starts_;
  std::vector<Index> samples_;
};

}  // namespace railgauge::validate
