// The reckoning behind bench/measure/window.hpp.
#include "bench/measure/window.hpp"

#include <algorithm>

#include "base/statistics/samples.hpp"

namespace railgauge {
namespace {

// Times what the slowest rank needed: a rank that was interrupted makes up for it by what is left over of each interval, so where
// many came late there must be more of it.
constexpr double least_margin = 1.3, most_margin = 8;
constexpr double many = 0.05, few = 0.01;  // shares of late samples
constexpr double usual = 0.9;        // the share of its times that a rank's need covers; single interruptions lengthen nothing
constexpr double least_lead = 1e-3;  // seconds from news to the first start: all ranks must have heard the news
constexpr double least_period = 2e-6;

double usual_of(std::vector<double>& values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return nearest_rank(values, usual);
}

}  // namespace

void StartWindow::forget() { lead_ = gap_ = period_ = 0; }

void StartWindow::learn(std::span<const BatchReport> all) {
  adapt(all);
  double lead = 0, gap = 0, period = 0;
  for (const BatchReport& news : all) {
    lead = std::max(lead, news.after_news);
    gap = std::max(gap, news.between_batches);
    period = std::max(period, news.between_samples);
  }
  if (lead > 0) lead_ = margin_ * lead;
  if (gap > 0) gap_ = margin_ * gap;
  if (period > 0) period_ = margin_ * period;
  // One sample a batch has no interval from sample to sample, one batch between news none from batch to batch.
  if (period_ == 0) period_ = gap_;
  if (period_ == 0) period_ = lead_;
  if (gap_ == 0) gap_ = std::max(lead_, period_);
  if (period_ > 0) period_ = std::max(period_, least_period);
  start_ = all.front().now;
}

void StartWindow::adapt(std::span<const BatchReport> all) {
  const std::size_t samples = all.front().late.size();
  std::size_t late = 0;
  for (std::size_t s = 0; s < samples; ++s)
    late +=
        std::any_of(all.begin(), all.end(), [s](const BatchReport& news) { return s < news.late.size() && news.late[s] != 0; });
  const double share = samples == 0 ? 0 : static_cast<double>(late) / static_cast<double>(samples);
  if (share > many) margin_ = std::min(most_margin, margin_ * 2);
  if (share < few) margin_ = std::max(least_margin, margin_ / 1.4);
}

double StartWindow::next(After after) {
  start_ += after == After::news ? std::max(lead_, least_lead) : after == After::batch ? gap_ : period_;
  return start_;
}

void StartWindow::note(After after, double seconds) {
  if (after == After::news)
    after_news_ = std::max(after_news_, seconds);
  else
    (after == After::batch ? batches_ : samples_).push_back(seconds);
}

void StartWindow::tell(BatchReport& news) {
  news.after_news = after_news_;
  news.between_batches = usual_of(batches_);
  news.between_samples = usual_of(samples_);
  after_news_ = 0;
  batches_.clear();
  samples_.clear();
}

}  // namespace railgauge
