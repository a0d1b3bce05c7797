// Forward selection: the component whose measurements lie furthest below the usual, counted in standard errors, is taken for
// slow, its effect is fitted and taken out, and so on until nothing is left that chance would not bring. Each measurement counts
// at most `clip` standard deviations, so that a few disturbed ones decide nothing. In the manner of orthogonal matching pursuit
// (Y. Pati, R. Rezaiifar, P. Krishnaprasad, Asilomar 1993), with a robust score.
#include "bench/validate/method/localise.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <optional>

#include "bench/validate/method/columns.hpp"
#include "bench/validate/method/two_hosts.hpp"

namespace railgauge::validate {
namespace {

// Components that are counted together when it is asked how many are outliers by chance.
enum Family : std::uint8_t { hosts, nics, between, families };
Family family_of(ComponentKind kind) { return kind == ComponentKind::host ? hosts : kind == ComponentKind::nic ? nics : between; }

// Samples of one pair in one round, by direction.
struct Group {
  double count[2] = {};
  double same[2] = {}, cross = 0;  // what of a direction's sum is shared by its own samples, and by the other's
  double shared[2] = {};           // the share of each sample in what the group has in common
};

// Of one column: how far its samples lie below the usual, by generalised least squares: what all rails of a pair share in a round
// is no evidence for any of them.
struct Score {
  double z = 0;
  double shift = 0;  // mean of cut samples
  Index groups = 0;
};

struct Chosen {
  std::size_t column = 0;
  double effect = 0;  // at least 0: how much its samples are lowered, as a logarithm
  Suspect suspect;
};

// Beyond which a share of `p` of a normal distribution lies.
double deviations_of(double p) {
  return boost::math::quantile(boost::math::complement(boost::math::normal_distribution<double>{}, p));
}

class Search {
 public:
  Search(const Fleet& fleet, const Samples& samples, const Model& model, const LocaliseOptions& options)
      : fleet_(fleet), samples_(samples), model_(model), options_(options), columns_(fleet, samples), left_(model.off_usual) {}

  Suspicion run() {
    Suspicion found;
    measure();
    std::size_t counts[families] = {};
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const Component it = columns_.component(column);
      const std::size_t family = family_of(it.kind);
      constexpr Index least_between = 2;
      if (groups(column) >= (family == between ? least_between : least_rounds)) {
        candidates_.push_back(column);
        ++counts[family];
      } else if ((it.kind == ComponentKind::uplink || it.kind == ComponentKind::spine_link) && it.direction != Direction::both &&
                 fleet_.route) {
        ++found.unseen;
      }
    }
    found.candidates = candidates_.size();
    if (candidates_.empty()) return found;
    const double expected[families] = {options_.false_hosts, options_.false_nics, options_.false_between};
    for (std::size_t family = 0; family < families; ++family) {
      const double p = std::min(0.1, expected[family] / std::max(1.0, static_cast<double>(counts[family])));
      thresholds_[family] = deviations_of(p);
    }
    differing_ = model_.hosts_differ *
                 deviations_of(std::min(0.1, options_.false_differing / std::max(1.0, static_cast<double>(counts[hosts]))));
    found.differing = -std::expm1(-differing_);
    excluded_.assign(columns_.size(), false);
    while (true) {
      const std::optional<Chosen> next = choose();
      if (!next) break;
      if (chosen_.size() == options_.most) {
        found.complete = false;
        break;
      }
      chosen_.push_back(*next);
      excluded_[next->column] = true;
      join_directions();
      refit();
      measure();
    }
    drop_needless();
    for (Chosen& it : chosen_) {
      it.suspect.slower = -std::expm1(-it.effect);
      found.suspects.push_back(std::move(it.suspect));
    }
    find_good(found);
    return found;
  }

 private:
  [[nodiscard]] double threshold_of(std::size_t column) const { return thresholds_[family_of(columns_.component(column).kind)]; }
  [[nodiscard]] Index groups(std::size_t column) const {
    Index count = 0, last = npos;
    for (const Index sample : columns_.of(column)) {
      if (samples_.list[sample].group != last) ++count;
      last = samples_.list[sample].group;
    }
    return count;
  }

  // Cut samples, and how they scatter: around what is chosen so far, or around the model where that is far less: in a small
  // fleet one bad host is in a good part of all pairs, and only the model, which has every host's own level, knows the scatter.
  void measure() {
    cut_ = cut(samples_, left_, model_.scales);
    double mean = 0;
    for (const double value : cut_) mean += value / static_cast<double>(cut_.size());
    spread_ = spread_of(samples_, cut_);
    constexpr double far_less = 0.6;
    if (model_.rounds > 2.5 && model_.spread.own < far_less * spread_.own) spread_ = model_.spread;
    spread_.own = std::max(spread_.own, finest * finest);
    // Disturbances lower the mean of all; in a small fleet so do faults.
    const double most_shift = 0.15 * model_.scales.all;
    mean = std::clamp(mean, -most_shift, most_shift);
    for (double& value : cut_) value -= mean;
    weigh_groups();
  }

  // The covariance of a group of n samples is D + U K U', with D = own - direction on the diagonal, U saying of which direction a
  // sample is, and K the covariances within and between directions. By Woodbury's identity its inverse is (1 - U M U') / D with
  // M = K (D + N K)^-1, N being the counts of both directions.
  void weigh_groups() {
    constexpr double least_own = 0.01;  // of the variance: rails never share everything
    const double along = std::min(spread_.direction, (1 - least_own) * spread_.own), across = std::min(spread_.pair, along);
    own_ = spread_.own - along;
    groups_.assign(samples_.groups, {});
    for (std::size_t i = 0; i < cut_.size(); ++i) {
      Group& group = groups_[samples_.list[i].group];
      const auto side = static_cast<std::size_t>(samples_.list[i].forward);
      group.count[side] += 1;
      group.shared[side] += cut_[i];
    }
    for (Group& group : groups_) {
      const double a = own_ + group.count[0] * along, b = group.count[0] * across, c = group.count[1] * across,
                   d = own_ + group.count[1] * along, determinant = a * d - b * c;
      // M is symmetric: K times the inverse of (a b; c d).
      group.same[0] = (along * d - across * c) / determinant;
      group.same[1] = (along * a - across * b) / determinant;
      group.cross = (across * a - along * b) / determinant;
      const double first = group.shared[0], second = group.shared[1];
      group.shared[0] = group.same[0] * first + group.cross * second;
      group.shared[1] = group.cross * first + group.same[1] * second;
    }
  }

  [[nodiscard]] Score score(std::size_t column) const {
    Score it;
    double sum = 0, weight = 0;
    const std::span<const Index> of = columns_.of(column);
    for (std::size_t i = 0; i < of.size();) {
      const Index number = samples_.list[of[i]].group;
      const Group& group = groups_[number];
      double count[2] = {}, total = 0;
      for (; i < of.size() && samples_.list[of[i]].group == number; ++i) {
        count[static_cast<std::size_t>(samples_.list[of[i]].forward)] += 1;
        total += cut_[of[i]];
      }
      sum += (total - count[0] * group.shared[0] - count[1] * group.shared[1]) / own_;
      weight += (count[0] + count[1] - count[0] * count[0] * group.same[0] - count[1] * count[1] * group.same[1] -
                 2 * count[0] * count[1] * group.cross) /
                own_;
      ++it.groups;
    }
    if (weight <= 0) return it;
    it.shift = sum / weight;
    it.z = -it.shift * std::sqrt(weight);
    return it;
  }

  // Hosts differ a little where all is well; an outlier must be one among them too, and further: measuring it again
  // clears nobody of what it is.
  [[nodiscard]] bool worth_it(std::size_t column, double effect) const {
    const ComponentKind kind = columns_.component(column).kind;
    const double differ = kind == ComponentKind::host || kind == ComponentKind::nic ? differing_ : 0;
    return effect >= differ && -std::expm1(-effect) >= options_.least.of(kind);
  }

  // Robust mean of a column's samples: the median, then Huber's weights.
  [[nodiscard]] double location(std::size_t column) const {
    std::vector<double> values;
    for (const Index sample : columns_.of(column)) values.push_back(left_[sample]);
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    double centre = *middle;
    const double reach = 1.345 * model_.scales.all;
    for (int turn = 0; turn < 10; ++turn) {
      double sum = 0, weights = 0;
      for (const double value : values) {
        const double far = std::fabs(value - centre), weight = far <= reach ? 1 : reach / far;
        sum += weight * value;
        weights += weight;
      }
      centre = sum / weights;
    }
    return centre;
  }

  // Nothing where no component is an outlier.
  static constexpr std::size_t most_rivals = 4;
  std::optional<Chosen> choose() {
    std::vector<std::pair<std::size_t, Score>> notable;
    for (const std::size_t column : candidates_) {
      const Score it = score(column);
      if (it.z > threshold_of(column)) notable.emplace_back(column, it);
    }
    std::stable_sort(notable.begin(), notable.end(), [](const auto& a, const auto& b) {
      constexpr double same = 1e-9;  // two components of which all measurements are the same: the smaller one
      if (std::fabs(a.second.z - b.second.z) > same) return a.second.z > b.second.z;
      return a.first > b.first;
    });
    for (const auto& [first, first_score] : notable) {
      if (excluded_[first]) continue;
      const std::size_t column = narrowed(first);
      if (excluded_[column]) continue;
      const Score its = column == first ? first_score : score(column);
      const double effect = -location(column);
      if (!worth_it(column, effect)) continue;
      Chosen it;
      it.column = column;
      it.effect = effect;
      it.suspect.component = columns_.component(column);
      it.suspect.rail = columns_.rail_of(column, samples_);
      it.suspect.z = its.z;
      it.suspect.rounds = its.groups;
      for (const auto& [other, others] : notable)
        if (it.suspect.rivals.size() < most_rivals && rivals(column, its, other, others))
          it.suspect.rivals.push_back({columns_.component(other), columns_.rail_of(other, samples_), others.z});
      return it;
    }
    return std::nullopt;
  }

  // One direction where the other is good: with the few measurements of a cut it is not always seen that both together explain
  // less.
  [[nodiscard]] std::size_t narrowed(std::size_t column) const {
    Component it = columns_.component(column);
    if (it.direction != Direction::both || it.kind == ComponentKind::leaf || it.kind == ComponentKind::spine ||
        it.kind == ComponentKind::spines)
      return column;
    it.direction = Direction::out;
    const std::size_t out = columns_.column(it);
    it.direction = Direction::in;
    const std::size_t in = columns_.column(it);
    if (columns_.of(out).empty() || columns_.of(in).empty()) return column;
    constexpr double little = 0.35;
    const double sent = -location(out), received = -location(in);
    if (received < little * sent && score(out).z > threshold_of(out)) return out;
    if (sent < little * received && score(in).z > threshold_of(in)) return in;
    return column;
  }

  // Components of which one has nearly all measurements of the other, and that are nearly as far below.
  [[nodiscard]] bool rivals(std::size_t column, const Score& its, std::size_t other, const Score& others) const {
    constexpr double nearly = 0.7;
    if (column == other || others.z < nearly * its.z) return false;
    const Component a = columns_.component(column), b = columns_.component(other);
    if (a.kind == b.kind && a.at == b.at && a.rail == b.rail) return false;
    return columns_.overlap(column, other) >= nearly;
  }

  // What is slow both out and in is one component that is slow.
  void join_directions() {
    Chosen& last = chosen_.back();
    Component wanted = last.suspect.component;
    if (wanted.direction == Direction::both) return;
    wanted.direction = wanted.direction == Direction::out ? Direction::in : Direction::out;
    for (std::size_t i = 0; i + 1 < chosen_.size(); ++i) {
      if (!(chosen_[i].suspect.component == wanted)) continue;
      wanted.direction = Direction::both;
      chosen_[i].column = columns_.column(wanted);
      chosen_[i].suspect.component = wanted;
      chosen_[i].suspect.rounds += last.suspect.rounds;
      take(last.column, last.effect);
      excluded_[chosen_[i].column] = true;
      chosen_.pop_back();
      rebuild();
      return;
    }
  }

  void take(std::size_t column, double effect) {
    for (const Index sample : columns_.of(column)) left_[sample] += effect;
  }
  void rebuild() {
    left_ = model_.off_usual;
    for (const Chosen& it : chosen_) take(it.column, it.effect);
  }
  void refit() {
    rebuild();
    constexpr int sweeps = 6;
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (Chosen& it : chosen_) {
        take(it.column, -it.effect);
        it.effect = std::max(0.0, -location(it.column));
        take(it.column, it.effect);
      }
  }

  // What was taken early may be explained by what came later.
  void drop_needless() {
    for (std::size_t i = chosen_.size(); i-- > 0;) {
      take(chosen_[i].column, -chosen_[i].effect);
      measure();
      const std::size_t column = chosen_[i].column;
      const bool needed = score(column).z > threshold_of(column) && worth_it(column, chosen_[i].effect);
      if (needed) {
        take(chosen_[i].column, chosen_[i].effect);
      } else {
        chosen_.erase(chosen_.begin() + static_cast<std::ptrdiff_t>(i));
        refit();
      }
    }
    measure();
  }

  void find_good(Suspicion& found) const {
    constexpr double doubtful = 3;
    std::vector<double> worst(fleet_.hosts.size(), 0);
    std::vector<bool> known(fleet_.hosts.size(), false);
    for (const std::size_t column : candidates_) {
      const Component it = columns_.component(column);
      if (it.kind != ComponentKind::host && it.kind != ComponentKind::nic) continue;
      const Score its = score(column);
      // Of many columns of a host some lie far off by chance; a host as a whole counts in full. What is certain but little is no
      // harm.
      const bool little = -its.shift < std::max(options_.least.of(it.kind) / 2, 2 * model_.hosts_differ);
      if (!little) worst[it.at] = std::max(worst[it.at], it.kind == ComponentKind::host ? its.z : its.z - 1);
      if (it.kind == ComponentKind::host && it.direction == Direction::both) known[it.at] = true;
    }
    for (const Suspect& suspect : found.suspects) {
      if (suspect.component.kind == ComponentKind::host || suspect.component.kind == ComponentKind::nic)
        known[suspect.component.at] = false;
      for (const Rival& rival : suspect.rivals)
        if (rival.component.kind == ComponentKind::host || rival.component.kind == ComponentKind::nic)
          known[rival.component.at] = false;
    }
    for (Index host = 0; host < worst.size(); ++host)
      if (known[host] && worst[host] < doubtful) found.good.push_back(host);
    std::stable_sort(found.good.begin(), found.good.end(), [&](Index a, Index b) { return worst[a] < worst[b]; });
  }

  const Fleet& fleet_;
  const Samples& samples_;
  const Model& model_;
  const LocaliseOptions& options_;
  Columns columns_;
  std::vector<double> left_;  // of samples: what usual levels and chosen components leave
  std::vector<double> cut_;
  Spread spread_;   // of cut samples
  double own_ = 1;  // variance of a cut sample that it shares with none
  std::vector<Group> groups_;
  double thresholds_[families] = {};  // of z
  double differing_ = 0;              // a logarithm: hosts that are less slow differ as hosts do anyway
  std::vector<std::size_t> candidates_;
  std::vector<bool> excluded_;
  std::vector<Chosen> chosen_;
};

}  // namespace

Suspicion localise(const Fleet& fleet, const Samples& samples, const Model& model, const LocaliseOptions& options) {
  if (fleet.hosts.size() == 2) return localise_two(fleet, samples, options);
  return Search(fleet, samples, model, options).run();
}

}  // namespace railgauge::validate
