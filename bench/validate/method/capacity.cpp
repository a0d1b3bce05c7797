// Robust coordinate descent on min(send, receive): with all other capacities fixed, the distance between measurements and fit is
// piecewise linear in one of them, so that its best value is one of the measurements.
#include "bench/validate/method/capacity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/statistics/draws.hpp"
#include "base/statistics/median.hpp"

namespace railgauge::validate {
namespace {

constexpr double to_deviation = 1.4826;  // of a median distance, for a normal distribution
constexpr double of_median = 1.2533;     // the error of a median beside that of a mean
constexpr double unmeasured = std::numeric_limits<double>::quiet_NaN();

// A transfer, or a cast: `other` is a host, or the place of a cast.
struct Flow {
  Index from = 0, to = 0;
  Distance distance = Distance::unknown;  // models of hosts differ by what their ports carry
  double log = 0;
};

class Fitting {
 public:
  Fitting(const Fleet& fleet, const Samples& samples, std::span<const Cast> casts, Index rail) : count_(fleet.hosts.size()) {
    for (const Sample& it : samples.list)
      if (it.rail == rail) flows_.push_back({it.from, it.to, distance(fleet, it.from, it.to, rail), it.log});
    for (const Cast& it : casts)
      if (it.rail == rail && it.gigabytes_per_second > 0 && std::isfinite(it.gigabytes_per_second)) casts_.push_back(&it);
    sent_.resize(count_);
    received_.resize(count_);
    for (Index i = 0; i < flows_.size(); ++i) {
      sent_[flows_[i].from].push_back(i);
      received_[flows_[i].to].push_back(i);
    }
    cast_out_.resize(count_);
    cast_in_.resize(count_);
    for (Index i = 0; i < casts_.size(); ++i)
      (casts_[i]->direction == Direction::out ? cast_out_ : cast_in_)[casts_[i]->host].push_back(i);
  }

  Capacities run() {
    begin();
    constexpr int sweeps = 8;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (Index host = 0; host < count_; ++host) send_[host] = best(host, Direction::out);
      for (Index host = 0; host < count_; ++host) receive_[host] = best(host, Direction::in);
      move_distances();
      move_casts();
    }
    finish();
    return std::move(found_);
  }

 private:
  static std::size_t place(Distance distance) { return static_cast<std::size_t>(distance); }
  [[nodiscard]] double level(const Flow& it) const { return it.log - found_.distances[place(it.distance)]; }

  // Each can what its fastest transfer or cast shows.
  void begin() {
    std::map<Distance, std::vector<double>> distances;
    for (const Flow& it : flows_) distances[it.distance].push_back(it.log);
    double fastest = -std::numeric_limits<double>::infinity();
    for (auto& [distance, values] : distances) {
      std::sort(values.begin(), values.end());
      constexpr double upper = 0.9;
      found_.distances[place(distance)] = values[static_cast<std::size_t>(upper * static_cast<double>(values.size() - 1))];
      fastest = std::max(fastest, found_.distances[place(distance)]);
    }
    for (const auto& [distance, values] : distances) found_.distances[place(distance)] -= fastest;
    send_.assign(count_, unmeasured);
    receive_.assign(count_, unmeasured);
    const auto raise = [](double& to, double by) { to = std::isnan(to) ? by : std::max(to, by); };
    for (const Flow& it : flows_) {
      raise(send_[it.from], level(it));
      raise(receive_[it.to], level(it));
    }
    for (const Cast* const it : casts_)
      raise((it->direction == Direction::out ? send_ : receive_)[it->host], std::log(it->gigabytes_per_second));
    move_casts();
  }

  // The capacity of all partners of a cast together.
  [[nodiscard]] double of_partners(const Cast& cast) const {
    const std::vector<double>& capacities = cast.direction == Direction::out ? receive_ : send_;
    double sum = 0;
    for (const Index partner : cast.partners)
      if (!std::isnan(capacities[partner])) sum += std::exp(capacities[partner]);
    return sum > 0 ? std::log(sum) : unmeasured;
  }
  [[nodiscard]] double level(const Cast& it) const {
    return std::log(it.gigabytes_per_second) - (it.direction == Direction::out ? out_off_ : in_off_);
  }

  // What the measurement of a host allows at most, and what was measured.
  struct Look {
    double most = 0, seen = 0;
  };
  void looks_of(Index host, Direction direction, std::vector<Look>& looks) const {
    looks.clear();
    const bool out = direction == Direction::out;
    for (const Index i : (out ? sent_ : received_)[host])
      looks.push_back({out ? receive_[flows_[i].to] : send_[flows_[i].from], level(flows_[i])});
    for (const Index i : (out ? cast_out_ : cast_in_)[host])
      if (const double most = of_partners(*casts_[i]); !std::isnan(most)) looks.push_back({most, level(*casts_[i])});
  }

  // Beyond that, a measurement says no more about a capacity than that it is disturbed.
  static constexpr double most_off = 0.25;
  double best(Index host, Direction direction) {
    looks_of(host, direction, looks_);
    if (looks_.empty()) return unmeasured;
    candidates_.clear();
    for (const Look& it : looks_) candidates_.push_back(it.seen);
    std::sort(candidates_.begin(), candidates_.end());
    double least = std::numeric_limits<double>::infinity(), chosen = candidates_.front();
    for (const double candidate : candidates_) {
      double sum = 0;
      for (const Look& it : looks_) sum += std::min(most_off, std::fabs(it.seen - std::min(candidate, it.most)));
      constexpr double same = 1e-12;  // the lowest of those that are as good
      if (sum < least - same) {
        least = sum;
        chosen = candidate;
      }
    }
    return chosen;
  }

  // A distance is slower than the fastest by what its transfers lack beside what both ends have shown.
  void move_distances() {
    std::map<Distance, std::vector<double>> off;
    for (const Flow& it : flows_) off[it.distance].push_back(it.log - std::min(send_[it.from], receive_[it.to]));
    if (off.size() < 2) return;
    for (auto& [distance, values] : off) {
      constexpr std::size_t few = 4;
      if (values.size() >= few) found_.distances[place(distance)] = median(values);
    }
    double fastest = -std::numeric_limits<double>::infinity();
    for (const auto& [distance, values] : off) fastest = std::max(fastest, found_.distances[place(distance)]);
    for (const auto& [distance, values] : off) found_.distances[place(distance)] -= fastest;
  }

  // Casts have their own efficiency: how far off they are in the median, and no more than a tenth, is not the hosts' doing.
  void move_casts() {
    for (const Direction direction : {Direction::out, Direction::in}) {
      std::vector<double> off;
      for (const Cast* const it : casts_) {
        const double own = direction == Direction::out ? send_[it->host] : receive_[it->host], others = of_partners(*it);
        if (it->direction == direction && !std::isnan(own) && !std::isnan(others))
          off.push_back(std::log(it->gigabytes_per_second) - std::min(own, others));
      }
      constexpr double most = 0.1;
      (direction == Direction::out ? out_off_ : in_off_) = std::clamp(median(off), -most, most);
    }
  }

  void finish() {
    std::vector<double> off;
    for (const Flow& it : flows_) {
      const double fitted = std::min(send_[it.from], receive_[it.to]);
      off.push_back(std::fabs(level(it) - fitted));
      by_level_.emplace_back(fitted, off.back());
    }
    std::sort(by_level_.begin(), by_level_.end());
    found_.scatter = std::max(finest, to_deviation * median(off));
    found_.send.resize(count_);
    found_.receive.resize(count_);
    for (Index host = 0; host < count_; ++host) {
      found_.send[host] = capacity(host, Direction::out);
      found_.receive[host] = capacity(host, Direction::in);
    }
    count_unexplained();
  }
  Capacity capacity(Index host, Direction direction) {
    Capacity it;
    it.log = direction == Direction::out ? send_[host] : receive_[host];
    if (std::isnan(it.log)) return it;
    looks_of(host, direction, looks_);
    const double near = std::max(2 * found_.scatter, 0.01), beyond = std::max(3 * found_.scatter, 0.03);
    it.least = true;
    for (const Look& look : looks_) {
      if (look.most >= it.log - near) ++it.measured;
      if (look.most > it.log + beyond) it.least = false;
    }
    it.error = of_median * scatter_at(it.log) / std::sqrt(static_cast<double>(std::max<Index>(1, it.measured)));
    return it;
  }
  // Fast transfers scatter more than those that a limit holds back: only what is about as fast says how much.
  [[nodiscard]] double scatter_at(double exact) {
    constexpr double about = 0.2, step = 0.05;
    constexpr std::size_t few = 6;
    const double log = step * std::round(exact / step);
    if (const auto known = scatters_.find(log); known != scatters_.end()) return known->second;
    const auto begin = std::lower_bound(by_level_.begin(), by_level_.end(), std::pair(log - about, 0.0));
    std::vector<double> off;
    for (auto it = begin; it != by_level_.end() && it->first <= log + about; ++it) off.push_back(it->second);
    return scatters_[log] = off.size() < few ? std::max(found_.scatter, 0.02) : std::max(finest, to_deviation * median(off));
  }
  void count_unexplained() {
    const double far = std::max(6 * found_.scatter, 0.05);
    std::vector<double> low;
    for (const Flow& it : flows_)
      if (const double off = level(it) - std::min(send_[it.from], receive_[it.to]); off < -far) low.push_back(off);
    if (flows_.empty() || low.empty()) return;
    found_.unexplained = static_cast<double>(low.size()) / static_cast<double>(flows_.size());
    found_.unexplained_slower = -std::expm1(median(low));
  }

  std::size_t count_;
  std::vector<Flow> flows_;
  std::vector<const Cast*> casts_;
  std::vector<std::vector<Index>> sent_, received_, cast_out_, cast_in_;  // by host: places
  std::vector<double> send_, receive_;
  double out_off_ = 0, in_off_ = 0;
  std::vector<std::pair<double, double>> by_level_;  // fitted, and how far off, of each transfer
  std::map<double, double> scatters_;                // by level
  std::vector<Look> looks_;
  std::vector<double> candidates_;
  Capacities found_;
};

}  // namespace

Capacities capacities_of(const Fleet& fleet, const Samples& samples, std::span<const Cast> casts, Index rail) {
  return Fitting(fleet, samples, casts, rail).run();
}

namespace {

// Places in the order of falling capacities at which a new group begins.
class Splitting {
 public:
  Splitting(std::vector<Capacity> falling, double scatter, const GroupingOptions& options)
      : falling_(std::move(falling)),
        options_(options),
        least_(std::max(-std::log1p(-options.least_gap), options.least_scatters * scatter)) {}
  std::vector<std::size_t> run() {
    std::size_t begin = 0;
    for (std::size_t i = 1; i <= falling_.size(); ++i) {
      if (i < falling_.size() && !is_gap(i)) continue;
      split(begin, i);
      if (i < falling_.size()) starts_.push_back(i);
      begin = i;
    }
    std::sort(starts_.begin(), starts_.end());
    return std::move(starts_);
  }

 private:
  [[nodiscard]] bool is_gap(std::size_t i) const {
    const Capacity &above = falling_[i - 1], &below = falling_[i];
    return above.log - below.log > std::max(least_, options_.least_errors * std::hypot(above.error, below.error));
  }
  // Where two groups have the least scatter of their own (W. Fisher, On grouping for maximum homogeneity, 1958): they are two
  // when their means are far apart beside that scatter. Halves of one normal distribution are 2.7 of their deviations apart, of
  // an even one 3.5.
  void split(std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    double sums[2] = {}, squares[2] = {}, errors = 0;
    for (std::size_t i = begin; i < end; ++i) {
      sums[1] += falling_[i].log;
      squares[1] += falling_[i].log * falling_[i].log;
      errors += falling_[i].error / static_cast<double>(end - begin);
    }
    double least = std::numeric_limits<double>::infinity(), apart = 0;
    std::size_t best = begin;
    for (std::size_t i = begin; i + 1 < end; ++i) {
      const double value = falling_[i].log;
      sums[0] += value;
      squares[0] += value * value;
      sums[1] -= value;
      squares[1] -= value * value;
      const auto above = static_cast<double>(i + 1 - begin), below = static_cast<double>(end - i - 1);
      const double scatter = squares[0] - sums[0] * sums[0] / above + squares[1] - sums[1] * sums[1] / below;
      if (scatter >= least) continue;
      least = scatter;
      apart = sums[0] / above - sums[1] / below;
      best = i + 1;
    }
    const double within = std::sqrt(std::max(0.0, least) / static_cast<double>(end - begin));
    // Of few hosts the scatter is known badly.
    constexpr double far_apart = 5, of_few = 3;
    const double factor = far_apart * std::sqrt(1 + of_few / (static_cast<double>(end - begin) - 1));
    if (apart < std::max(least_, factor * std::max(within, errors))) return;
    starts_.push_back(best);
    split(begin, best);
    split(best, end);
  }

  std::vector<Capacity> falling_;
  GroupingOptions options_;
  double least_;
  std::vector<std::size_t> starts_;
};

}  // namespace

std::vector<Group> groups_of(const Fleet& fleet, const Capacities& capacities, const GroupingOptions& options) {
  std::vector<Group> groups;
  for (const Direction direction : {Direction::out, Direction::in}) {
    const std::vector<Capacity>& its = direction == Direction::out ? capacities.send : capacities.receive;
    std::map<std::string, std::vector<Index>> models;
    for (Index host = 0; host < its.size(); ++host)
      if (!std::isnan(its[host].log)) models[fleet.hosts[host].model].push_back(host);
    for (auto& [model, hosts] : models) {
      std::stable_sort(hosts.begin(), hosts.end(), [&](Index a, Index b) { return its[a].log > its[b].log; });
      std::vector<Capacity> falling;
      for (const Index host : hosts) falling.push_back(its[host]);
      std::vector<std::size_t> ends = Splitting(std::move(falling), capacities.scatter, options).run();
      ends.push_back(hosts.size());
      std::size_t begin = 0;
      for (const std::size_t end : ends) {
        Group group;
        group.model = model;
        group.direction = direction;
        group.hosts.assign(hosts.begin() + static_cast<std::ptrdiff_t>(begin), hosts.begin() + static_cast<std::ptrdiff_t>(end));
        std::vector<double> values;
        for (const Index host : group.hosts) values.push_back(its[host].log);
        group.log = median(values);
        groups.push_back(std::move(group));
        begin = end;
      }
    }
  }
  return groups;
}

std::vector<std::vector<CastSet>> cast_rounds(std::span<const Index> all, std::span<const Index> hosts,
                                              std::span<const Index> preferred, std::uint64_t seed, std::size_t partners) {
  std::vector<std::vector<CastSet>> rounds;
  if (all.size() < 2) return rounds;
  compare::Draws draws(seed);
  std::vector<Index> waiting(hosts.begin(), hosts.end());
  const std::size_t each = std::min(partners, all.size() - 1), sets = std::max<std::size_t>(1, all.size() / (each + 1));
  compare::shuffle(std::span(waiting), draws);
  while (!waiting.empty()) {
    std::vector<Index> others(all.begin(), all.end()), first(preferred.begin(), preferred.end());
    compare::shuffle(std::span(others), draws);
    compare::shuffle(std::span(first), draws);
    std::vector<CastSet> round;
    const std::size_t now = std::min(sets, waiting.size());
    for (std::size_t i = 0; i < now; ++i) {
      round.push_back({waiting.back(), {}});
      waiting.pop_back();
    }
    std::vector<bool> taken(1 + *std::max_element(all.begin(), all.end()), false);
    for (const CastSet& set : round) taken[set.host] = true;
    auto good = first.begin();
    auto other = others.begin();
    const auto take = [&](CastSet& set, auto& from, auto end) {
      while (from != end && taken[*from]) ++from;
      if (from == end) return;
      taken[*from] = true;
      set.partners.push_back(*from);
    };
    for (CastSet& set : round) take(set, good, first.end());
    for (CastSet& set : round)
      while (set.partners.size() < each && other != others.end()) take(set, other, others.end());
    rounds.push_back(std::move(round));
  }
  return rounds;
}

}  // namespace railgauge::validate
