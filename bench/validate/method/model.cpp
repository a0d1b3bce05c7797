// Median polish, then Huber's weights: P. Huber, Robust estimation of a location parameter, Annals of Mathematical Statistics 35,
// 1964; J. Tukey, Exploratory Data Analysis, 1977. Time is linear in the samples.
#include "bench/validate/method/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/statistics/adjust.hpp"
#include "base/statistics/median.hpp"
#include "bench/validate/method/counts.hpp"

namespace railgauge::validate {
namespace {

// Samples by some index of theirs: those of one follow each other.
struct Sorted {
  std::vector<Index> starts, samples;
  template <typename Of>
  Sorted(const Samples& all, std::size_t count, Of of) : starts(count + 1), samples(all.list.size()) {
    for (const Sample& sample : all.list) ++starts[of(sample) + 1];
    for (std::size_t i = 0; i < count; ++i) starts[i + 1] += starts[i];
    std::vector<Index> next(starts.begin(), starts.end() - 1);
    for (Index i = 0; i < all.list.size(); ++i) samples[next[of(all.list[i])]++] = i;
  }
  [[nodiscard]] std::span<const Index> of(std::size_t one) const {
    return std::span(samples).subspan(starts[one], starts[one + 1] - starts[one]);
  }
};

class Fitting {
 public:
  Fitting(const Fleet& fleet, const Samples& samples)
      : fleet_(fleet),
        samples_(samples),
        by_kind_(samples, samples.kinds, [](const Sample& it) { return it.kind; }),
        by_rail_(samples, fleet.rails, [](const Sample& it) { return it.rail; }),
        by_sender_(samples, fleet.hosts.size(), [](const Sample& it) { return it.from; }),
        by_receiver_(samples, fleet.hosts.size(), [](const Sample& it) { return it.to; }) {
    model_.kinds.resize(samples.kinds);
    model_.rails.resize(fleet.rails);
    model_.send.resize(fleet.hosts.size());
    model_.receive.resize(fleet.hosts.size());
    left_.reserve(samples.list.size());
    for (const Sample& sample : samples.list) left_.push_back(sample.log);
    std::map<std::string, std::vector<Index>> models;
    for (Index host = 0; host < fleet.hosts.size(); ++host) models[fleet.hosts[host].model].push_back(host);
    for (auto& [name, hosts] : models) models_.push_back(std::move(hosts));
  }

  Model run() {
    constexpr int sweeps = 12;
    for (int sweep = 0; sweep < sweeps; ++sweep) polish([this](std::span<const Index> of) { return middle(of); });
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      scale_ = deviation(left_);
      polish([this](std::span<const Index> of) { return weighted(of); });
    }
    model_.scales = scales_of(samples_, left_);
    judge();
    model_.off_usual.reserve(samples_.list.size());
    for (const Sample& sample : samples_.list)
      model_.off_usual.push_back(sample.log - model_.kinds[sample.kind] - model_.rails[sample.rail]);
    for (std::size_t kind = 0; kind < model_.kinds.size(); ++kind)
      if (by_kind_.of(kind).empty()) model_.kinds[kind] = std::numeric_limits<double>::quiet_NaN();
    return std::move(model_);
  }

 private:
  template <typename Location>
  void polish(Location location) {
    move(by_kind_, model_.kinds, location);
    move(by_rail_, model_.rails, location);
    shift_rails();
    move(by_sender_, model_.send, location);
    move(by_receiver_, model_.receive, location);
    centre_hosts(model_.send, by_sender_);
    centre_hosts(model_.receive, by_receiver_);
  }

  template <typename Location>
  void move(const Sorted& sorted, std::vector<double>& effects, Location location) {
    for (std::size_t one = 0; one < effects.size(); ++one) shift(sorted, effects, one, location(sorted.of(one)));
  }
  void shift(const Sorted& sorted, std::vector<double>& effects, std::size_t one, double by) {
    effects[one] += by;
    for (const Index sample : sorted.of(one)) left_[sample] -= by;
  }
  // What all hosts of a model have in common is left to the kinds, which the next sweep takes up.
  void centre_hosts(std::vector<double>& effects, const Sorted& sorted) {
    for (const std::vector<Index>& hosts : models_) {
      scratch_.clear();
      for (const Index host : hosts)
        if (!sorted.of(host).empty()) scratch_.push_back(effects[host]);
      const double centre = median(scratch_);
      for (const Index host : hosts) shift(sorted, effects, host, -centre);
    }
  }
  void shift_rails() {
    scratch_ = model_.rails;
    const double centre = median(scratch_);
    for (Index rail = 0; rail < fleet_.rails; ++rail) shift(by_rail_, model_.rails, rail, -centre);
  }

  double middle(std::span<const Index> of) {
    scratch_.clear();
    for (const Index sample : of) scratch_.push_back(left_[sample]);
    return median(scratch_);
  }
  [[nodiscard]] double weighted(std::span<const Index> of) const {
    constexpr double huber = 1.345;  // 95 % of the mean's efficiency
    double sum = 0, weights = 0;
    for (const Index sample : of) {
      const double far = std::fabs(left_[sample]);
      const double weight = far <= huber * scale_ ? 1 : huber * scale_ / far;
      sum += weight * left_[sample];
      weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
  }

  // Groups of each host.
  [[nodiscard]] std::vector<double> rounds_of() const {
    std::vector<double> rounds(fleet_.hosts.size());
    Index last = npos;
    for (const Sample& sample : samples_.list) {
      if (sample.group == last) continue;
      last = sample.group;
      ++rounds[sample.from];
      ++rounds[sample.to];
    }
    return rounds;
  }

  void judge() {
    const std::size_t count = fleet_.hosts.size();
    const std::vector<double> rounds = rounds_of();
    for (const double one : rounds) model_.rounds += one / static_cast<double>(count);
    model_.spread = spread_of(samples_, cut(samples_, left_, model_.scales));
    // Of so many groups of a host two parameters were fitted to each.
    const double lost = model_.rounds > 2.5 ? model_.rounds / (model_.rounds - 2) : 5;
    model_.spread.own += model_.spread.direction * (lost - 1);
    model_.spread.direction *= lost;
    model_.spread.pair *= lost;

    std::vector<double> both(count);
    for (std::size_t host = 0; host < count; ++host) both[host] = (model_.send[host] + model_.receive[host]) / 2;
    const std::size_t rails = fleet_.rails;
    const double error_both = std::sqrt(model_.spread.of_mean(rails, rails)),
                 error_one = std::sqrt(model_.spread.of_mean(rails, 0));
    const double differ_both = deviation(both), differ_one = std::max(deviation(model_.send), deviation(model_.receive));
    // Partners are known no better than the host itself. Only what is more than the scatter of a median distance can bring
    // counts.
    const double expected = error_both * error_both / std::max(1.0, model_.rounds - 1), seen = differ_both * differ_both;
    if (seen > expected * (1 + 4.7 / std::sqrt(static_cast<double>(count)))) model_.hosts_differ = std::sqrt(seen - expected);

    model_.effects.resize(3 * count);
    std::vector<double> p(3 * count, 1);
    for (std::size_t host = 0; host < count; ++host) {
      const double root = std::sqrt(std::max(1.0, rounds[host]));
      const auto tell = [&](std::size_t place, Direction direction, double off, double error, double differ) {
        HostEffect& effect = model_.effects[3 * host + place];
        effect.direction = direction;
        effect.slower = -std::expm1(off);
        const double unit = std::max(error / root, differ);
        if (rounds[host] < least_rounds || unit <= 0) return;
        effect.z = -off / unit;
        p[3 * host + place] = boost::math::cdf(boost::math::complement(boost::math::normal_distribution<double>{}, effect.z));
      };
      tell(0, Direction::both, both[host], error_both, differ_both);
      tell(1, Direction::out, model_.send[host], error_one, differ_one);
      tell(2, Direction::in, model_.receive[host], error_one, differ_one);
    }
    const std::vector<double> adjusted = compare::holm(p);
    for (std::size_t i = 0; i < adjusted.size(); ++i) model_.effects[i].p = adjusted[i];
  }

  const Fleet& fleet_;
  const Samples& samples_;
  Sorted by_kind_, by_rail_, by_sender_, by_receiver_;
  std::vector<std::vector<Index>> models_;
  std::vector<double> left_, scratch_;
  double scale_ = 0;
  Model model_;
};

}  // namespace

Kinds::Kinds(const Fleet& fleet) : fleet_(fleet) {
  std::map<std::string, Index> models;
  for (const Host& host : fleet.hosts) {
    const auto [it, added] = models.emplace(host.model, models_);
    if (added) ++models_;
    model_.push_back(it->second);
  }
}
Index Kinds::of(Index from, Index to, Index rail) const {
  constexpr Index distances = 4;
  return (model_[from] * models_ + model_[to]) * distances + static_cast<Index>(distance(fleet_, from, to, rail));
}
Index Kinds::count() const { return models_ * models_ * 4; }

Samples samples_of(const Fleet& fleet, std::span<const Measurement> measurements) {
  const Kinds kinds(fleet);
  Samples samples;
  struct Keyed {
    std::tuple<Index, Index, Index, Index, Index> order;
    Sample sample;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(measurements.size());
  for (const Measurement& it : measurements) {
    if (it.from >= fleet.hosts.size() || it.to >= fleet.hosts.size() || it.rail >= fleet.rails || it.from == it.to)
      throw Error(Fault::usage,
                  fmt::format("a measurement is of hosts {} and {} on rail {}, but there are {} hosts with {} rails", it.from,
                              it.to, it.rail, fleet.hosts.size(), fleet.rails));
    if (!(it.gigabytes_per_second > 0) || !std::isfinite(it.gigabytes_per_second)) {
      ++samples.left_out;
      continue;
    }
    Sample sample;
    sample.from = it.from;
    sample.to = it.to;
    sample.rail = it.rail;
    sample.forward = it.from < it.to;
    sample.log = std::log(it.gigabytes_per_second);
    sample.kind = kinds.of(it.from, it.to, it.rail);
    keyed.push_back({{it.round, std::min(it.from, it.to), std::max(it.from, it.to), it.from, it.rail}, sample});
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) { return a.order < b.order; });
  const auto group = [](const Keyed& it) {
    return std::tuple(std::get<0>(it.order), std::get<1>(it.order), std::get<2>(it.order));
  };
  for (std::size_t i = 0; i < keyed.size(); ++i) {
    if (i > 0 && group(keyed[i]) != group(keyed[i - 1])) ++samples.groups;
    keyed[i].sample.group = samples.groups;
    samples.list.push_back(keyed[i].sample);
  }
  if (!keyed.empty()) ++samples.groups;
  samples.kinds = kinds.count();
  return samples;
}

Model fit(const Fleet& fleet, const Samples& samples) { return Fitting(fleet, samples).run(); }

double Spread::of_sum(std::size_t forward, std::size_t backward) const {
  const auto f = static_cast<double>(forward), b = static_cast<double>(backward);
  return (f + b) * own + (f * (f - 1) + b * (b - 1)) * direction + 2 * f * b * pair;
}
double Spread::of_mean(std::size_t forward, std::size_t backward) const {
  const auto count = static_cast<double>(forward + backward);
  return of_sum(forward, backward) / (count * count);
}

namespace {

// Calls take(median of the values, first, last) for each run of samples of one group and direction.
template <typename Take>
void each_direction(const Samples& samples, std::span<const double> values, Take take) {
  std::vector<double> some;
  const auto& list = samples.list;
  for (std::size_t first = 0; first < list.size();) {
    std::size_t last = first;
    some.clear();
    for (; last < list.size() && list[last].group == list[first].group && list[last].forward == list[first].forward; ++last)
      some.push_back(values[last]);
    take(median(some), first, last);
    first = last;
  }
}

}  // namespace

Scales scales_of(const Samples& samples, std::span<const double> values) {
  std::vector<double> medians, around;
  each_direction(samples, values, [&](double middle, std::size_t first, std::size_t last) {
    medians.push_back(middle);
    if (last - first > 2)
      for (std::size_t i = first; i < last; ++i) around.push_back(values[i] - middle);
  });
  Scales scales;
  scales.all = std::max(finest, deviation({values.begin(), values.end()}));
  scales.shared = std::max(finest, deviation(std::move(medians)));
  constexpr double least = 0.1;  // rails never agree wholly
  scales.own = around.empty() ? scales.all : std::max(least * scales.all, deviation(std::move(around)));
  return scales;
}

std::vector<double> cut(const Samples& samples, std::span<const double> values, const Scales& scales) {
  std::vector<double> all(values.size());
  each_direction(samples, values, [&](double middle, std::size_t first, std::size_t last) {
    const double level = std::clamp(middle, -clip * scales.shared, clip * scales.shared);
    for (std::size_t i = first; i < last; ++i)
      all[i] = level + std::clamp(values[i] - middle, -clip * scales.own, clip * scales.own);
  });
  return all;
}

Spread spread_of(const Samples& samples, std::span<const double> values) {
  const std::size_t count = samples.list.size();
  if (count == 0) return {};
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(count);
  Spread spread;
  double squares = 0, along = 0, along_pairs = 0, across = 0, across_pairs = 0;
  for (std::size_t i = 0; i < count;) {
    double sums[2] = {}, own[2] = {}, counts[2] = {};
    const Index group = samples.list[i].group;
    for (; i < count && samples.list[i].group == group; ++i) {
      const auto side = static_cast<std::size_t>(samples.list[i].forward);
      const double value = values[i] - mean;
      sums[side] += value;
      own[side] += value * value;
      counts[side] += 1;
    }
    for (std::size_t side = 0; side < 2; ++side) {
      squares += own[side];
      along += sums[side] * sums[side] - own[side];
      along_pairs += counts[side] * (counts[side] - 1);
    }
    across += sums[0] * sums[1];
    across_pairs += counts[0] * counts[1];
  }
  spread.own = squares / static_cast<double>(count);
  // Negative ones come by chance; to take them for none errs on the safe side.
  if (across_pairs > 0) spread.pair = std::clamp(across / across_pairs, 0.0, spread.own);
  // Of one rail nothing is known of several: at least what even opposite directions share.
  spread.direction = along_pairs > 0 ? std::clamp(along / along_pairs, 0.0, spread.own) : spread.pair;
  spread.pair = std::min(spread.pair, spread.direction);
  return spread;
}

}  // namespace railgauge::validate
