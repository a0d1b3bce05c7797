// When the next sample starts, as all ranks agree without asking each other: from what they told each other last, about how long
// each needs to be ready.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/measure/batch_report.hpp"

namespace railgauge {

class StartWindow {
 public:
  // What comes before a start, which decides how long the interval before it is.
  enum class After : std::uint8_t { news, batch, sample };

  // The ranks do something else from here on: nothing is known of how long it takes.
  void forget();
  // What all ranks told; the same on all ranks. Times are by rank 0's clock.
  void learn(std::span<const BatchReport> all);
  // False until ranks have told how long they need; then they start after a barrier.
  [[nodiscard]] bool agreed() const { return period_ > 0; }
  // The next agreed time, by rank 0's clock. Called once for each sample, in the same order on all ranks.
  [[nodiscard]] double next(After after);

  // This rank was ready to start: so long after what came before.
  void note(After after, double seconds);
  // Puts what was noted into the news, and begins anew.
  void tell(BatchReport& news);

 private:
  void adapt(std::span<const BatchReport> all);

  double margin_ = 1.3;
  double start_ = 0;  // the last agreed one, or rank 0's last news
  double lead_ = 0, gap_ = 0, period_ = 0;
  double after_news_ = 0;
  std::vector<double> batches_, samples_;
};

}  // namespace railgauge
