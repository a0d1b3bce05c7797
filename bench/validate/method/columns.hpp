// Which measurements pass which part of a fleet: the routing matrix, sparse, one column for each part.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

class Columns {
 public:
  Columns(const Fleet& fleet, const Samples& samples);
  [[nodiscard]] std::size_t size() const { return starts_.size() - 1; }
  // Places of samples, ascending.
  [[nodiscard]] std::span<const Index> of(std::size_t column) const {
    return std::span(samples_).subspan(starts_[column], starts_[column + 1] - starts_[column]);
  }
  // Of the measurements of the one that has fewer: the share that are also the other's.
  [[nodiscard]] double overlap(std::size_t a, std::size_t b) const;
  // The only rail that its measurements are of; npos: several, or it has none.
  [[nodiscard]] Index rail_of(std::size_t column, const Samples& samples) const;
  [[nodiscard]] Component component(std::size_t column) const;
  [[nodiscard]] std::size_t column(const Component& it) const;

 private:
  template <typename Take>
  void each(const Fleet& fleet, const Samples& samples, Take take) const;

  std::size_t hosts_, rails_, switches_, cables_;
  std::size_t nics_from_, switches_from_, cables_from_, links_from_, sets_from_, end_;
  bool sets_ = false;  // no route says which cable it was, but sets are known
  std::vector<Part> switch_parts_, cable_parts_;
  std::vector<std::size_t> starts_;
  std::vector<Index> samples_;
};

}  // namespace railgauge::validate
