// The agreed start of the next sample: all ranks compute it without communication, from the last reports of how long each needs
// to be ready.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/measure/batch_report.hpp"

namespace railgauge {

class StartWindow {
 public:
  // The event before a start, which determines the interval between them.
  enum class After : std::uint8_t { news, batch, sample };

  // Discards all intervals: the ranks now run another operation, whose times are unknown.
  void forget();
  // Takes the reports of all ranks, which are the same on all ranks. Times are by rank 0's clock.
  void learn(std::span<const BatchReport> all);
  // False until the ranks have reported how long they need; meanwhile they start after a barrier.
  [[nodiscard]] bool agreed() const { return period_ > 0; }
  // The next agreed start, in seconds of rank 0's clock. Called once for each sample, in the same order on all ranks.
  [[nodiscard]] double next(After after);

  // Records that this rank was ready to start `seconds` after the event `after`.
  void note(After after, double seconds);
  // Moves the recorded intervals into `news`.
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
