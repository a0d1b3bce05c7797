// Fills a queue, and empties it.
#include "bench/measure/in_flight.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/statistics/samples.hpp"

namespace railgauge {
namespace {

// Calls that may be in a queue at once: CUDA's hold about a thousand. Two long operations take up to three times this; of longer
// ones there is one at a time.
constexpr std::size_t queue_room = 256;
// Stamps among the iterations in flight, so that room is seen as it comes.
constexpr std::uint64_t stamps_under_way = 4;

// That a stamp is reached, as something to complete.
class Passing final : public Runnable {
 public:
  Passing(QueueClock& clock, std::uint64_t stamp, Queued* last) : clock_(clock), stamp_(stamp), last_(last) {}
  void start() override {}
  bool test() override {
    if (clock_.reached(stamp_)) return true;
    if (last_ != nullptr) last_->look();
    return false;
  }

 private:
  QueueClock& clock_;
  std::uint64_t stamp_;
  Queued* last_;
};

// And that all of an operation is in the queue.
class Putting final : public Runnable {
 public:
  explicit Putting(Queued& operation) : operation_(operation) {}
  void start() override {}
  bool test() override { return operation_.put(); }

 private:
  Queued& operation_;
};

}  // namespace

InFlight::InFlight(const MeasuredOperation& subject, const Completion& complete) : complete_(complete), clock_(*subject.clock) {
  std::size_t room = 1;
  for (Runnable* const set : subject.sets) {
    auto* const queued = dynamic_cast<Queued*>(set);
    if (queued == nullptr) throw std::invalid_argument("a device's clock, and an operation that is not in its queue alone");
    sets_.push_back(queued);
    room = std::max(room, queued->room() + 1);
  }
  most_ = std::clamp<std::size_t>(queue_room / room, 2 * room <= 3 * queue_room ? 2 : 1, most);
  stride_ = std::max<std::uint64_t>(1, most_ / stamps_under_way);
  static_assert(most + 2 <= kept_stamps, "between() is asked for the last one passed and the next");
}

Seconds InFlight::cost() {
  constexpr int readings = 16;
  std::vector<double> seconds;
  for (int i = 0; i < readings; ++i) {
    stamp(0, false);
    stamp(0, false);
    await(stamped_, 0);
    seconds.push_back(clock_.between(stamped_ - 1, stamped_).count());
    passed_ = stamped_;
  }
  std::sort(seconds.begin(), seconds.end());
  return std::max(clock_.resolution(), Seconds{nearest_rank(seconds, 0.5)});
}

void InFlight::stamp(std::uint64_t iterations, bool ends) {
  stamped_ = clock_.stamp();
  stamps_[stamped_ % stamps_.size()] = {iterations, ends};
}

void InFlight::await(std::uint64_t stamp, std::uint64_t iteration) {
  Passing passing(clock_, stamp, last_);
  complete_.finish(passing, false, iteration);
  complete_.check_time();
}

void InFlight::pass_next(const Series& series, std::vector<double>& seconds) {
  const Stamp& next = stamps_[(passed_ + 1) % stamps_.size()];
  await(passed_ + 1, series.first + next.iterations - 1);
  sample_ += clock_.between(passed_, passed_ + 1).count();
  ++passed_;
  over_ = next.iterations;
  if (!next.ends) return;
  seconds.push_back(sample_);
  sample_ = 0;
}

void InFlight::run(const Series& series, std::vector<double>& seconds) {
  stamp(0, false);
  passed_ = stamped_;  // what is awaited later comes behind it
  over_ = 0;
  sample_ = 0;
  std::uint64_t begun = 0, without_stamp = 0;
  std::size_t set = series.set;
  for (std::uint64_t s = 0; s < series.samples; ++s) {
    for (std::uint64_t i = 0; i < series.batch; ++i) {
      while (begun - over_ >= most_) pass_next(series, seconds);
      last_ = sets_[set];
      if (!last_->begin()) {
        Putting putting(*last_);
        complete_.finish(putting, false, series.first + begun);
      }
      ++begun;
      if (++set == sets_.size()) set = 0;
      const bool ends = i + 1 == series.batch;
      if (++without_stamp < stride_ && !ends) continue;
      stamp(begun, ends);
      without_stamp = 0;
    }
  }
  while (passed_ != stamped_) pass_next(series, seconds);
  for (Queued* const each : sets_) each->look();
}

}  // namespace railgauge
