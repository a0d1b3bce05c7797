// The loop of bench/measure/fixed.hpp.
#include "bench/measure/fixed.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "bench/measure/batch_report.hpp"
#include "bench/measure/completion.hpp"
#include "bench/measure/in_flight.hpp"

namespace railgauge {
namespace {

class FixedLoop {
 public:
  FixedLoop(const MeasuredOperation& subject, Group& group, const FixedRun& run, Clock clock)
      : subject_(subject), group_(group), run_(run), clock_(clock), complete_(subject, group, clock) {
    if (subject.sets.empty()) throw std::invalid_argument("nothing to measure: no buffer set");
    if (run.iterations == 0 || run.aggregated == 0) throw std::invalid_argument("nothing to measure: no iteration");
    const Seconds now = clock.now();
    if (run.limit) complete_.end_by(now + *run.limit, now);
    if (subject.clock != nullptr && run.blocking == Blocking::none && !run.launch_time) in_flight_.emplace(subject, complete_);
  }

  FixedMeasurement run() {
    if (subject_.restore) subject_.restore();
    for (std::uint64_t i = 0; i < run_.warm_up + 1; ++i) iterate();
    meet();
    spans_.reserve(run_.per_iteration ? run_.iterations : 1);
    launching_ = waiting_ = Seconds{0.0};
    const Seconds begin = clock_.now();
    if (in_flight_)
      put_all();
    else
      take_each(begin);
    const Seconds end = clock_.now();
    const Seconds time = run_.launch_time ? launching_ : end - begin - waiting_;
    const auto operations = static_cast<double>(run_.iterations) * static_cast<double>(run_.aggregated);
    meet();  // what follows would take cores from ranks that still measure
    return share(time.count() / operations);
  }

 private:
  void put_all() {
    const std::uint64_t all = run_.iterations * run_.aggregated;
    Series series{.samples = 1, .batch = all, .first = operations_, .set = set_};
    if (run_.per_iteration) series = {.samples = run_.iterations, .batch = run_.aggregated, .first = operations_, .set = set_};
    in_flight_->run(series, spans_);
    for (double& seconds : spans_) seconds /= static_cast<double>(series.batch);
    if (!run_.per_iteration) spans_.clear();
    operations_ += all;
    set_ = (set_ + all) % subject_.sets.size();
  }

  void take_each(Seconds before) {
    for (std::uint64_t i = 0; i < run_.iterations; ++i) {
      iterate();
      if (run_.blocking == Blocking::barrier || run_.blocking == Blocking::untimed_barrier) block();
      if (!run_.per_iteration) continue;
      const Seconds now = clock_.now();
      spans_.push_back((now - before).count() / static_cast<double>(run_.aggregated));
      before = now;
    }
  }

  void iterate() {
    for (std::uint64_t k = 0; k < run_.aggregated; ++k) {
      Runnable& operation = *subject_.sets[set_];
      if (++set_ == subject_.sets.size()) set_ = 0;
      if (run_.launch_time) {
        const Seconds begin = clock_.now();
        operation.start();
        launching_ += clock_.now() - begin;
        complete_.finish(operation, false, operations_);
      } else {
        complete_(operation, false, operations_);
      }
      ++operations_;
    }
    if (run_.limit) complete_.check_time();
  }

  void meet() {
    if (subject_.barrier != nullptr) complete_(*subject_.barrier, true, operations_);
  }

  void block() {
    if (run_.blocking == Blocking::barrier) return meet();
    const Seconds begin = clock_.now();
    meet();
    waiting_ += clock_.now() - begin;
  }

  // Each check is one operation on every set, since all are restored and compared together.
  void check() {
    for (std::uint64_t i = 0; i < run_.checks && subject_.check; ++i) {
      if (subject_.restore) subject_.restore();
      meet();
      for (Runnable* operation : subject_.sets) complete_(*operation, false, operations_++);
      if (auto mistake = subject_.check()) {
        mine_.wrong += mistake->wrong;
        if (!mine_.mistake) mine_.mistake = std::move(mistake);
      }
      if (run_.limit) complete_.check_time();
    }
  }

  [[nodiscard]] double combine(const std::vector<double>& times) const {
    switch (run_.average) {
      case Average::rank_0:
        return times.front();
      case Average::mean:
        return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
      case Average::least:
        return *std::min_element(times.begin(), times.end());
      case Average::most:
        break;
    }
    return *std::max_element(times.begin(), times.end());
  }

  FixedMeasurement share(double mine) {
    check();
    mine_.seconds = {mine};
    mine_.seconds.insert(mine_.seconds.end(), spans_.begin(), spans_.end());
    FixedMeasurement result;
    result.operations = operations_;
    std::vector<double> times;
    for (BatchReport& news : exchange_news(group_, mine_)) {
      times.push_back(news.seconds.front());
      result.wrong += news.wrong;
      if (news.mistake && !result.mistake) result.mistake = std::move(news.mistake);
      if (!run_.per_iteration) continue;
      auto& spans = result.by_rank.emplace_back();
      for (std::size_t i = 1; i < news.seconds.size(); ++i) spans.emplace_back(news.seconds[i]);
    }
    result.time = Seconds{combine(times)};
    return result;
  }

  const MeasuredOperation& subject_;
  Group& group_;
  const FixedRun& run_;
  Clock clock_;
  Completion complete_;
  std::optional<InFlight> in_flight_;
  std::size_t set_ = 0;
  std::uint64_t operations_ = 0;
  Seconds launching_{0.0}, waiting_{0.0};
  std::vector<double> spans_;
  BatchReport mine_;
};

}  // namespace

FixedMeasurement measure_fixed(const MeasuredOperation& subject, Group& group, const FixedRun& run, Clock clock) {
  return FixedLoop(subject, group, run, clock).run();
}

}  // namespace railgauge
