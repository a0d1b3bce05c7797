// What each rank tells all others between batches, so that all decide alike.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/measure/check.hpp"
#include "transports/group.hpp"

namespace railgauge {

struct News {
  double elapsed = 0;           // seconds since the point began, by this rank's clock
  double clock_cost = 0;        // seconds
  std::uint64_t wrong = 0;      // elements since the point began
  std::vector<double> seconds;  // samples since the last news; the same number on all ranks
  std::optional<Mistake> mistake;
};

// Collective. Element r is what rank r gave. Throws Error(lost) when a rank's news is cut, or it took another number of samples.
[[nodiscard]] std::vector<News> exchange_news(Group& group, const News& mine);

}  // namespace railgauge
