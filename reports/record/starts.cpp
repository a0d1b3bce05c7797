// The sums behind reports/record/starts.hpp.
#include "reports/record/starts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railgauge {
namespace {

void add_counts(std::vector<std::uint64_t>& sums, const std::vector<std::uint64_t>& counts) {
  sums.resize(std::max(sums.size(), counts.size()));
  for (std::size_t rank = 0; rank < counts.size(); ++rank) sums[rank] += counts[rank];
}

// "rank 3 in 61 %".
std::string most_often(const std::vector<std::uint64_t>& sums) {
  const auto most = std::max_element(sums.begin(), sums.end());
  std::uint64_t all = 0;
  for (const std::uint64_t count : sums) all += count;
  if (most == sums.end() || all == 0) return "nobody";
  return fmt::format("rank {} in {:.0f} %", most - sums.begin(), 100 * static_cast<double>(*most) / static_cast<double>(all));
}

}  // namespace

void Starts::add(const Result& result) {
  if (!result.arrival) return;
  const Arrival& arrival = *result.arrival;
  samples_ += arrival.samples;
  timed_ += result.summary.samples;
  late_ += arrival.late_starts;
  window_ = window_ || result.point.mode == "window";
  skew_ = std::max(skew_, arrival.skew);
  clock_error_ = std::max(clock_error_, arrival.clock_error);
  add_counts(last_, arrival.last);
  add_counts(slowest_, arrival.slowest);
}

std::string Starts::sentence() const {
  if (samples_ == 0) return {};
  std::string text = fmt::format(
      "starts of a sample: up to {} apart in the median of a point, each known within {}; last to start: {}; slowest: {}",
      format_seconds(skew_), format_seconds(clock_error_), most_often(last_), most_often(slowest_));
  if (window_) text += fmt::format("; {} of {} started late", late_, timed_);
  return text;
}

}  // namespace railgauge
