// The loop of bench/measure/loop.hpp: batches, what the ranks tell each other about them, and what follows.
#include "bench/measure/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "base/error.hpp"
#include "bench/measure/batch_report.hpp"
#include "bench/measure/completion.hpp"
#include "bench/measure/in_flight.hpp"
#include "bench/measure/warm_up.hpp"
#include "bench/measure/window.hpp"

namespace railgauge {
namespace {

constexpr double clock_readings_per_sample = 100;  // a sample is at least so many times as long as the clock takes
// Where not all is checked, the rounds of all sets between two checks: about as many as fill this time, so that what comes
// between batches (a barrier, a cold start) is little of it; of iterations so long that 16 would take a while, or much of the
// time that the point has, fewer.
constexpr std::uint64_t enough_rounds = 16, most_rounds = 1024;
constexpr double seconds_between_checks = 5e-3, longest_between_checks = 0.5, share_between_checks = 0.5;
constexpr double warm_up_share = 0.2;    // of the time of a point
constexpr double longest_silence = 0.5;  // seconds between two exchanges of news, as far as can be foreseen
constexpr double longest_window = 0.05;  // the same where starts are agreed on in them: who is late may be so up to the next

// What one reading costs, from many.
Seconds cost_of(const Clock& clock) {
  constexpr int readings = 64;
  const Seconds begin = clock.now();
  for (int i = 1; i < readings; ++i) (void)clock.now();
  return (clock.now() - begin) / readings;
}

// By what one round of all sets takes.
std::uint64_t rounds_between_checks(double round, const Policy& policy) {
  if (round <= 0) return enough_rounds;
  const double longest = policy.iterations ? longest_between_checks
                                           : std::min(longest_between_checks, share_between_checks * policy.max_time.count());
  if (round * static_cast<double>(enough_rounds) > longest)
    return std::max(std::uint64_t{1}, static_cast<std::uint64_t>(longest / round));
  return std::clamp(static_cast<std::uint64_t>(std::min(seconds_between_checks / round, 1e9)), enough_rounds, most_rounds);
}

class Loop {
 public:
  Loop(const MeasuredOperation& subject, Group& group, const Policy& policy, Clock clock)
      : subject_(subject), group_(group), policy_(policy), clock_(clock), complete_(subject, group, clock), begin_(clock.now()) {
    if (subject.sets.empty()) throw std::invalid_argument("nothing to measure: no buffer set");
    if (subject.mode == Mode::back_to_back && subject.clock != nullptr) in_flight_.emplace(subject, complete_);
    mine_.clock_cost = (in_flight_ ? in_flight_->cost() : cost_of(clock)).count();
    if (subject.mode == Mode::window && subject.line == nullptr) throw std::invalid_argument("no clock to agree on a start");
    result_.starts.resize(static_cast<std::size_t>(group.size()));
    if (subject.keep_ranks) {
      result_.by_rank.resize(static_cast<std::size_t>(group.size()));
      result_.host_by_rank.resize(static_cast<std::size_t>(group.size()));
    }
    set_batch(1);
  }

  Measurement run() {
    if (warm_up()) take_until_decided();
    result_.batch = batch_;
    result_.operations = iterations_;
    result_.checked =
        subject_.check ? static_cast<double>(subject_.sets.size()) / static_cast<double>(batch_ * samples_per_batch_) : 0;
    if (result_.mistake) {
      result_.converged = false;
      result_.reason = sentence(*result_.mistake);
    }
    for (const double seconds : seconds_) result_.samples.emplace_back(seconds);
    for (const double seconds : host_) result_.host_samples.emplace_back(seconds);
    result_.slowest.assign(static_cast<std::size_t>(group_.size()), 0);
    for (const std::uint32_t rank : slowest_) ++result_.slowest[rank];
    result_.late_starts = static_cast<std::uint64_t>(std::count(late_.begin(), late_.end(), 1));
    result_.statistics = summarise(seconds_, policy_.confidence);
    return std::move(result_);
  }

 private:
  // Iterations of a sample, as near to `wanted` as sets allow, and how many samples lie between two checks.
  void set_batch(std::uint64_t wanted) {
    const std::uint64_t sets = subject_.sets.size();
    const bool once = !subject_.repeatable || (subject_.check && subject_.check_every);
    const std::uint64_t between_checks = once ? sets : sets * rounds_;
    if (!subject_.repeatable) wanted = std::min(wanted, sets);
    wanted = std::clamp<std::uint64_t>(wanted, 1, std::max(subject_.max_batch, std::uint64_t{1}));
    if (wanted >= between_checks) {
      batch_ = (wanted + sets - 1) / sets * sets;
      samples_per_batch_ = 1;
    } else {
      batch_ = wanted;
      while (between_checks % batch_ != 0) ++batch_;
      samples_per_batch_ = between_checks / batch_;
    }
    window_.forget();
  }

  // Finds the batch that the clock needs, and takes samples until they fall no more. False when the point is over already.
  bool warm_up() {
    const Seconds budget = policy_.max_time * warm_up_share;
    if (!take(1)) return !result_.mistake.has_value() && drop(seconds_.size());
    drop(seconds_.size());  // the first batch connects, faults pages in and the like
    Seconds start = result_.elapsed;
    std::uint64_t more = 1;
    for (;;) {
      const bool time_left = take(more);
      if (result_.mistake) return false;
      if (time_left && lengthen_batch()) {
        drop(seconds_.size());
        start = result_.elapsed;
        more = 1;
        continue;
      }
      const WarmUp found = find_warm_up(seconds_, result_.elapsed - start, time_left ? budget : Seconds{0.0});
      if (found.state == WarmUp::State::running) {
        more = found.more;
        continue;
      }
      result_.warm = found.state == WarmUp::State::over;
      // A fixed number is counted from here, so that it is what was asked for.
      return drop(policy_.iterations ? seconds_.size() : found.end);
    }
  }

  // Whether a sample must consist of more iterations than so far to be long against the clock.
  bool lengthen_batch() {
    std::vector<double> sorted = seconds_;
    std::sort(sorted.begin(), sorted.end());
    const double iteration = nearest_rank(sorted, 0.5);
    const double wanted = clock_readings_per_sample * result_.clock_cost.count();
    const double round = iteration * static_cast<double>(subject_.sets.size());
    const std::uint64_t rounds_before = rounds_;
    rounds_ = std::max(rounds_, rounds_between_checks(round, policy_));
    if (rounds_ != rounds_before) set_batch(batch_);
    if (iteration * static_cast<double>(batch_) >= 0.9 * wanted) return false;
    const std::uint64_t before = batch_;
    const double needed = iteration > 0 ? std::ceil(1.2 * wanted / iteration) : 2.0 * static_cast<double>(batch_);
    set_batch(static_cast<std::uint64_t>(std::min(needed, static_cast<double>(subject_.max_batch))));
    if (batch_ > before) return true;
    set_batch(before);
    return false;
  }

  bool drop(std::size_t count) {
    const auto erase = [end = static_cast<std::ptrdiff_t>(count)](auto& samples) {
      samples.erase(samples.begin(), samples.begin() + std::min(end, std::ssize(samples)));
    };
    erase(seconds_);
    erase(host_);
    erase(slowest_);
    erase(late_);
    for (auto& starts : result_.starts) erase(starts);
    started_ -= std::min(started_, count);
    for (auto& samples : result_.by_rank) erase(samples);
    for (auto& samples : result_.host_by_rank) erase(samples);
    result_.warm_up = iterations_ - seconds_.size() * batch_;
    return true;
  }

  void take_until_decided() {
    for (;;) {
      const StopDecision stop = decide(policy_, seconds_, batch_, result_.elapsed);
      result_.converged = stop.decision == Decision::converged;
      result_.reason = stop.reason;
      if (stop.decision != Decision::more) return;
      take(stop.more);
      if (result_.mistake) return;
    }
  }

  // Takes at least so many samples. False when there is a mistake, or the time of the point is over (then perhaps fewer).
  bool take(std::uint64_t samples) {
    const std::uint64_t end = seconds_.size() + samples;
    while (seconds_.size() < end) {
      std::uint64_t now = end - seconds_.size();
      if (pace_ > 0)
        now = std::min(now, static_cast<std::uint64_t>(std::clamp(
                                (subject_.mode == Mode::window ? longest_window : longest_silence) / pace_, 1.0, 1e6)));
      else
        now = 1;
      const std::uint64_t batches = (now + samples_per_batch_ - 1) / samples_per_batch_;
      mine_.seconds.clear();
      mine_.seconds.reserve(batches * samples_per_batch_);
      mine_.host.clear();
      mine_.starts.clear();
      mine_.late.clear();
      // Starts go with the first samples, without a gap.
      const std::size_t room = started_ == seconds_.size() ? most_starts - std::min(most_starts, started_) : 0;
      starts_wanted_ = std::min(room, static_cast<std::size_t>(batches * samples_per_batch_));
      mine_.starts.reserve(starts_wanted_);
      if (subject_.mode == Mode::window) mine_.late.reserve(batches * samples_per_batch_);
      for (std::uint64_t b = 0; b < batches; ++b) run_batch();
      share_news();
      if (result_.mistake) return false;
      if (!policy_.iterations && result_.elapsed >= policy_.max_time) return false;
    }
    return true;
  }

  void run_batch() {
    if (subject_.restore) subject_.restore();
    // Before anything was in the queue, each is completed alone: the first ones may connect.
    if (in_flight_ && iterations_ != 0)
      take_in_queue();
    else
      take_each();
    if (subject_.yield) meet();  // what follows would take cores from ranks that still measure
    if (!subject_.check) return;
    if (auto mistake = subject_.check()) {
      mine_.wrong += mistake->wrong;
      if (!mine_.mistake) mine_.mistake = std::move(mistake);
    }
  }

  void take_in_queue() {
    const std::size_t before = mine_.seconds.size();
    meet();
    const Seconds begin = clock_.now();
    in_flight_->run({.samples = samples_per_batch_, .batch = batch_, .first = iterations_}, mine_.seconds);
    const std::uint64_t iterations = samples_per_batch_ * batch_;
    const double host = (clock_.now() - begin).count() / static_cast<double>(iterations);
    iterations_ += iterations;
    double start = begin.count();
    for (std::size_t s = before; s < mine_.seconds.size(); ++s) {
      double& seconds = mine_.seconds[s];
      if (mine_.starts.size() < starts_wanted_) mine_.starts.push_back(start);
      start += seconds;
      seconds /= static_cast<double>(batch_);
      mine_.host.push_back(host);
    }
  }

  void take_each() {
    const std::size_t sets = subject_.sets.size();
    const double share = 1 / static_cast<double>(batch_);
    const bool together = subject_.mode != Mode::back_to_back;
    std::size_t set = 0;
    if (!together) meet();
    Seconds start = clock_.now();
    for (std::uint64_t s = 0; s < samples_per_batch_; ++s) {
      if (together) {
        start_together(s == 0);
        start = clock_.now();
        last_start_ = start;
      }
      if (mine_.starts.size() < starts_wanted_) mine_.starts.push_back(start.count());
      for (std::uint64_t i = 0; i < batch_; ++i) {
        complete_(*subject_.sets[set], false, iterations_);
        ++iterations_;
        if (++set == sets) set = 0;
      }
      const Seconds end = clock_.now();
      const std::optional<Seconds> by_device = subject_.device_time ? subject_.device_time() : std::nullopt;
      mine_.seconds.push_back(by_device.value_or(end - start).count() * share);
      if (by_device || in_flight_) mine_.host.push_back((end - start).count() * share);
      start = end;
    }
  }

  void start_together(bool new_batch) {
    if (subject_.mode != Mode::window) return meet();
    using After = StartWindow::After;
    const After after = mine_.seconds.empty() ? After::news : new_batch ? After::batch : After::sample;
    const Seconds ready = clock_.now();
    const bool agreed = window_.agreed();
    bool late = false;
    if (after != After::news)
      window_.note(after, (ready - last_start_).count());
    else if (told_ > Seconds{0})
      window_.note(after, (ready - told_).count());
    if (agreed) {
      const Seconds time{subject_.line->from_reference(window_.next(after))};
      late = ready > time;
      await(time);
    } else {
      meet();
    }
    mine_.late.push_back(late ? 1 : 0);
  }

  void await(Seconds time) {
    const Seconds since = clock_.now();
    for (std::uint64_t spins = 1; clock_.now() < time; ++spins) {
      if (spins % 1024 != 0) continue;
      group_.check();
      if (clock_.now() - since >= subject_.watchdog)
        throw Error(Fault::lost,
                    fmt::format("{}: rank {} of {} has waited {:.3g} s for the agreed start of iteration {}", subject_.name,
                                group_.rank(), group_.size(), subject_.watchdog.count(), iterations_));
      if (subject_.yield) std::this_thread::yield();
    }
  }

  void meet() {
    if (subject_.barrier != nullptr) complete_(*subject_.barrier, true, iterations_);
  }

  // One exchange over the control tree: afterwards every rank knows the same.
  void share_news() {
    mine_.elapsed = (clock_.now() - begin_).count();
    if (subject_.mode == Mode::window) window_.tell(mine_);
    mine_.now = clock_.now().count();
    const std::vector<BatchReport> all = exchange_news(group_, mine_);
    if (subject_.mode == Mode::window) {
      window_.learn(all);
      // By this rank's clock, which the time to the next start is measured with.
      told_ = Seconds{subject_.line->from_reference(all.front().now)};
    }
    const Seconds before = result_.elapsed;
    result_.elapsed = Seconds{all.front().elapsed};
    pace_ = (result_.elapsed - before).count() / static_cast<double>(mine_.seconds.size());
    for (std::size_t s = 0; s < mine_.seconds.size(); ++s) {
      std::uint32_t slowest = 0;
      std::uint8_t late = 0;
      for (std::uint32_t r = 0; r < all.size(); ++r) {
        if (all[r].seconds[s] > all[slowest].seconds[s]) slowest = r;
        if (s < all[r].late.size()) late |= all[r].late[s];
      }
      seconds_.push_back(all[slowest].seconds[s]);
      if (!mine_.host.empty()) {
        double host = 0;
        for (const BatchReport& news : all) host = std::max(host, news.host[s]);
        host_.push_back(host);
      }
      slowest_.push_back(slowest);
      late_.push_back(late);
    }
    started_ += mine_.starts.size();
    result_.wrong = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
      result_.clock_cost = std::max(result_.clock_cost, Seconds{all[r].clock_cost});
      result_.wrong += all[r].wrong;
      if (all[r].mistake && !result_.mistake) result_.mistake = all[r].mistake;
      result_.starts[r].insert(result_.starts[r].end(), all[r].starts.begin(), all[r].starts.end());
      if (!subject_.keep_ranks) continue;
      for (const double seconds : all[r].seconds) result_.by_rank[r].emplace_back(seconds);
      for (const double seconds : all[r].host) result_.host_by_rank[r].emplace_back(seconds);
    }
  }

  const MeasuredOperation& subject_;
  Group& group_;
  const Policy& policy_;
  Clock clock_;
  Completion complete_;
  std::optional<InFlight> in_flight_;
  Seconds begin_;
  std::uint64_t batch_ = 1, samples_per_batch_ = 1, rounds_ = 1;
  std::uint64_t iterations_ = 0;
  double pace_ = 0;                              // seconds a sample, with all that surrounds it; 0: not known yet
  std::vector<double> seconds_, host_;           // maximum over ranks, by the clock that counts and by the hosts'
  std::vector<std::uint32_t> slowest_;           // the rank that has it
  std::vector<std::uint8_t> late_;               // whether any rank came late
  std::size_t started_ = 0, starts_wanted_ = 0;  // samples whose starts are known, and are wanted now
  StartWindow window_;
  Seconds last_start_{0.0}, told_{0.0};  // of this rank; told_: when rank 0 told its last news
  BatchReport mine_;
  Measurement result_;
};

Seconds read_steady_clock(void*) { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

Clock steady_clock() noexcept { return {read_steady_clock, nullptr}; }

Measurement measure(const MeasuredOperation& subject, Group& group, const Policy& policy, Clock clock) {
  return Loop(subject, group, policy, clock).run();
}

}  // namespace railgauge
