// Finds the change points of a history of runs, offline: pure arithmetic, explained in docs/compare.md. A single outlier is no
// change point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace railgauge::compare {

// Standard deviation of a history around its levels: from the differences of neighbours, which a few steps and outliers hardly
// affect. 0 for a constant history, and for fewer than two values.
[[nodiscard]] double noise_of(std::span<const double> history);

struct PeltOptions {
  enum class Cost : std::uint8_t {
    median,  // sum of distances from the median: an outlier costs its distance, not the square of it
    mean,    // sum of squared distances from the mean
  };
  Cost cost = Cost::median;
  std::size_t min_segment = 5;                   // runs between two steps, at least
  std::optional<double> penalty = std::nullopt;  // of a step, in units of twice the log likelihood; empty: 3 log n
};

// The first run of each new level, ascending: the best of all segmentations of the history, where each cut costs the penalty.
// R. Killick, P. Fearnhead, I. Eckley, Journal of the American Statistical Association 107, 2012. Values are finite. Time and,
// of the median, memory grow with the square of the history.
[[nodiscard]] std::vector<std::size_t> pelt(std::span<const double> history, const PeltOptions& options = {});

// A step of the history: medians of the levels before and after it, each up to the neighbouring step.
struct Step {
  std::size_t at = 0;  // the first run of the new level
  double before = 0, after = 0;
};
[[nodiscard]] std::vector<Step> steps_at(std::span<const double> history, std::span<const std::size_t> points);

}  // namespace railgauge::compare
