// The report of each rank to all others between batches, so that all ranks decide alike.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/measure/check.hpp"
#include "transports/group.hpp"

namespace railgauge {

struct BatchReport {
  double elapsed = 0;           // seconds since the point began, by this rank's clock
  double clock_cost = 0;        // seconds
  std::uint64_t wrong = 0;      // elements since the point began
  std::vector<double> seconds;  // samples since the last news; the same number on all ranks
  std::vector<double> host;     // the same by this rank's clock where a device's own timed them; as many on all ranks, or none
  std::vector<double> starts;   // of the samples, by this rank's clock: of all or of the first, as many on all ranks
  double now = 0;               // this rank's clock as it told the news
  // Mode::window: the seconds that this rank needs until it is ready to start again after news, from one batch to the next and
  // from one sample to the next; 0 where that did not occur. `late[s]` is 1 for a sample that it started late.
  double after_news = 0, between_batches = 0, between_samples = 0;
  std::vector<std::uint8_t> late;
  std::optional<Mistake> mistake;
};

// Collective. Element r is the report of rank r. Throws Error(lost) when a rank's report is truncated, or has another number of
// samples.
[[nodiscard]] std::vector<BatchReport> exchange_news(Group& group, const BatchReport& mine);

}  // namespace railgauge
