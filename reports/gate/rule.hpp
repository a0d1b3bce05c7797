// How a pipeline is stopped: a run that looks slow is only suspected, and measured again at once; what the median of the re-runs
// says counts. Pure arithmetic over logarithms of times; docs/compare.md has its power and its false alarms.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace railgauge::compare {

struct GateRule {
  std::size_t window = 30;        // the latest runs that make the baseline
  std::size_t least_history = 8;  // with fewer nothing is suspected
  std::size_t least_cases = 5;    // from so many on, what all cases of a run share is told apart from what one of them is off
  double suspect = 2;             // robust standard deviations above the baseline
  double suspect_among = 2.5;     // the same of one case among many
  std::size_t reruns = 7;         // of a run in which something is suspected
  double confirm = 3;             // standard errors that the median of the re-runs lies above the baseline
  double confirm_among = 4.25;    // the same of one case among many
  double least_effect = 0.02;     // and by so much, as a share
};

struct Baseline {
  double centre = 0;     // median of the latest runs
  double spread = 0;     // their standard deviation, in which an outlier counts as 2.5 of them
  std::size_t runs = 0;  // how many those are
};
// `history` is oldest first. Nothing where it is too short. Those runs count whose values are finite.
[[nodiscard]] std::optional<Baseline> baseline_of(std::span<const double> history, const GateRule& rule);

[[nodiscard]] bool suspected(const Baseline& baseline, double value, const GateRule& rule);

// The least median of `reruns` re-runs that is called slower.
[[nodiscard]] double confirmation_level(const Baseline& baseline, std::size_t reruns, const GateRule& rule);
// Whether a suspicion holds; false where there are no re-runs.
[[nodiscard]] bool confirmed(const Baseline& baseline, std::span<const double> reruns, const GateRule& rule);

// All cases of a pipeline. A launch is lucky or not in all its cases, so each run is parted: what it is off as a whole (the
// median over its cases), and what each case is off beside that, which is known better. Parts are numbered as the cases; the last
// one more, whole(), is the run.
class Gate {
 public:
  // `history`: by case, then by run, oldest first, all equally long; not a number where a run lacks a case.
  Gate(std::span<const std::vector<double>> history, const GateRule& rule);
  [[nodiscard]] std::size_t whole() const { return centres_.size(); }
  // The parts that a run makes suspicious: it is to be measured again. `run` is by case.
  [[nodiscard]] std::vector<std::size_t> suspects(std::span<const double> run) const;
  // Those of them that the re-runs confirm: the pipeline is to be stopped. Each of `reruns` is by case.
  [[nodiscard]] std::vector<std::size_t> confirmed(std::span<const std::size_t> suspects,
                                                   std::span<const std::vector<double>> reruns) const;
  // The parts whose median over these runs lies as far below the baseline as confirmed() asks above it. Each is by case.
  [[nodiscard]] std::vector<std::size_t> faster(std::span<const std::vector<double>> runs) const;

 private:
  [[nodiscard]] std::vector<double> parted(std::span<const double> run) const;

  GateRule rule_, among_;                           // of the run as a whole, and of each case
  std::vector<double> centres_;                     // of the cases
  std::vector<std::optional<Baseline>> baselines_;  // of the parts
};

}  // namespace railgauge::compare
