// Each round of a pair says once what share of it was low. How many such shares a component would have by chance, given the rest
// of the fleet, is binomial; the component that this explains worst is taken, its measurements are left out, and so on.
#include "bench/validate/method/unsteady.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "base/statistics/median.hpp"
#include "bench/validate/method/columns.hpp"
#include "bench/validate/method/counts.hpp"

namespace railgauge::validate {
namespace {

struct Candidate {
  std::size_t column = 0;
  Component component;
  double share = 0, usual = 0;  // of low ones: of the component, and of all else
  double p = 1, z = 0;
  double looks = 1;  // that a round of it is worth
  Index rounds = 0;
};

class Search {
 public:
  Search(const Fleet& fleet, std::span<const Measurement> measurements, const Model& model, const UnsteadyOptions& options)
      : fleet_(fleet),
        options_(options),
        samples_(samples_of(fleet, measurements)),
        columns_(fleet, samples_),
        sets_known_(!fleet.route && std::any_of(fleet.switches.begin(), fleet.switches.end(),
                                                [](const Switch& it) { return it.above != npos; })) {
    single_.reserve(samples_.list.size());
    for (const Sample& it : samples_.list) {
      const double off = it.log - model.kinds[it.kind] - model.rails[it.rail];
      single_.push_back(std::isfinite(off) ? off : 0);
    }
    OverRails over = over_rails(fleet, samples_, single_);
    hosts_ = std::move(over.values);
    repeats_ = over.repeats;
    gone_.assign(samples_.list.size(), false);
    if (samples_.list.empty()) return;
    constexpr double far = 4;  // deviations that chance alone brings to few
    const double noise = far * deviation(single_);
    for (const double depth : {deepest, deep, options.least_slower}) {
      const double low = -std::max(-std::log1p(-depth), noise);
      if (depths_.empty() || low > depths_.back()) depths_.push_back(low);
    }
    look_at(depths_.size() - 1);
  }

  void run(Suspicion& suspicion) {
    if (samples_.list.empty()) return;
    count_families();
    std::vector<bool> settled;
    for (Suspect& suspect : suspicion.suspects) settled.push_back(settle(suspect));
    // What is slowest at its times stands out most: chance brings many measurements a little below the usual, and few far below.
    std::vector<Suspect> more;
    for (std::size_t depth = 0; depth < depths_.size(); ++depth) {
      look_at(depth);
      while (const std::optional<Candidate> next = choose()) {
        more.push_back(suspect_of(*next));
        leave_out(next->column);
      }
    }
    std::vector<Suspect> all;
    for (std::size_t i = 0; i < settled.size(); ++i)
      if (settled[i] || still_slow(suspicion.suspects[i])) all.push_back(std::move(suspicion.suspects[i]));
    std::move(more.begin(), more.end(), std::back_inserter(all));
    suspicion.suspects = std::move(all);
    for (std::size_t depth = 0; depth < depths_.size(); ++depth) {
      look_at(depth);
      suspicion.steadiness = {low_, rate(count_all(single_)), rate(count_all(hosts_))};
      for (Suspect& suspect : suspicion.suspects)
        if (suspect.often < 1 && suspect.usual.low == low_) suspect.usual = suspicion.steadiness;
    }
    for (const Suspect& suspect : suspicion.suspects)
      if (at_host(suspect.component)) std::erase(suspicion.good, suspect.component.at);
  }

  [[nodiscard]] Watched watched(std::span<const Index> hosts) {
    Watched it;
    if (samples_.list.empty() || hosts.empty()) return it;
    it.looks = npos;
    for (const Index host : hosts)
      it.looks = std::min(it.looks, count_of(columns_.column({ComponentKind::host, Direction::both, host, npos})).rounds);
    // What is usual is that of those who are not suspected, and one host is compared with all others.
    Suspicion suspicion;
    run(suspicion);
    look_at(0);
    Count all = count_all(hosts_);
    if (suspicion.suspects.empty()) all.rounds -= std::min(all.rounds, it.looks);
    it.usual = std::max(least_usual, rate(all));
    it.most_p = most_p_[0];
    return it;
  }

 private:
  [[nodiscard]] const std::vector<double>& values_of(const Component& component) const {
    return component.kind == ComponentKind::host ? hosts_ : single_;
  }

  template <typename Place>
  [[nodiscard]] Count count(const std::vector<double>& values, std::size_t size, Place place) const {
    Count it;
    for (std::size_t i = 0; i < size;) {
      const Index group = samples_.list[place(i)].group;
      double low = 0, all = 0;
      for (; i < size && samples_.list[place(i)].group == group; ++i) {
        if (gone_[place(i)]) continue;
        all += 1;
        if (values[place(i)] < low_) low += 1;
      }
      if (all == 0) continue;
      it.low_samples += low;
      it.samples += all;
      it.low += low / all;
      it.squares += low / all * (low / all);
      ++it.rounds;
    }
    return it;
  }
  [[nodiscard]] Count count_all(const std::vector<double>& values) const {
    return count(values, samples_.list.size(), [](std::size_t i) { return i; });
  }
  [[nodiscard]] Count count_of(std::size_t column) const {
    const std::span<const Index> of = columns_.of(column);
    return count(values_of(columns_.component(column)), of.size(), [&](std::size_t i) { return of[i]; });
  }

  static double rate(const Count& of) { return (of.low + 0.5) / (of.rounds + 1); }
  void look_at(std::size_t depth) { low_ = depths_[depth]; }

  static constexpr double deepest = 0.4, deep = 0.15;  // shares: see run()
  static constexpr double least_usual = 0.002;         // share of low measurements: so few are never ruled out
  static constexpr double mostly = 0.85;               // of the measurements: that is no more at times
  static constexpr std::size_t families = 2;
  static std::size_t family_of(const Component& it) { return at_host(it) ? 0 : 1; }
  // Hosts and NICs as a whole; sets, and cables where routes are known, also in each direction.
  [[nodiscard]] bool looked_at(const Component& it) const {
    return at_host(it) ? it.direction == Direction::both : in_set(it) || (fleet_.route && at_cable(it));
  }
  void count_families() {
    double counts[families] = {};
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const Component it = columns_.component(column);
      if (!looked_at(it) || count_of(column).rounds < options_.least_rounds) continue;
      candidates_.push_back(column);
      counts[family_of(it)] += 1;
    }
    const double expected[families] = {options_.false_hosts, options_.false_between};
    for (std::size_t i = 0; i < families; ++i) most_p_[i] = std::min(0.05, expected[i] / std::max(1.0, counts[i]));
    for (double& most : most_p_) most /= static_cast<double>(depths_.size());
  }

  [[nodiscard]] Candidate candidate_of(std::size_t column, const Count& all) const {
    Candidate it;
    it.column = column;
    it.component = columns_.component(column);
    const Count its = count_of(column);
    it.rounds = its.rounds;
    if (its.rounds < options_.least_rounds) return it;
    it.share = its.low / its.rounds;
    // A component has few of the samples of most rounds.
    const double samples = all.samples - its.samples, rest = all.rounds * samples / all.samples;
    const double others = samples > 0 ? rest * (all.low_samples - its.low_samples) / samples : 0;
    const double size = its.effective(repeats_), of_round = size / its.rounds;
    it.looks = of_round;
    it.usual = std::clamp((others * of_round + 0.5) / (rest * of_round + 1), in_set(it.component) ? 0.005 : least_usual, 0.9);
    if (its.low <= 0 || it.share <= it.usual) return it;
    const double low = it.share * size;
    it.p = boost::math::ibeta(low, size - low + 1, it.usual);  // so many, or more, of a binomial
    it.z = (it.share - it.usual) * std::sqrt(size / (it.usual * (1 - it.usual)));
    return it;
  }

  // Often enough to be worth a word, and in between as fast as others: else it is slow at all times.
  [[nodiscard]] bool at_times(const Candidate& it) const {
    const double least = at_host(it.component) ? options_.least_often_host : options_.least_often_between;
    if (it.p > most_p_[family_of(it.component)] || it.share < it.usual + least || it.share > mostly) return false;
    std::vector<double> rest;
    const std::vector<double>& values = values_of(it.component);
    for (const Index sample : columns_.of(it.column))
      if (!gone_[sample] && values[sample] >= low_) rest.push_back(values[sample]);
    constexpr double little = 0.5;
    return !rest.empty() && median(rest) > little * depths_.back() && (!at_host(it.component) || seen_with_several(it));
  }

  // Once is chance, and with one partner it is either of them.
  [[nodiscard]] bool seen_with_several(const Candidate& it) const {
    const std::vector<double>& values = values_of(it.component);
    Index partner = npos, group = npos;
    bool partners = false, rounds = false;
    for (const Index place : columns_.of(it.column)) {
      if (gone_[place] || values[place] >= low_) continue;
      const Sample& sample = samples_.list[place];
      const Index other = sample.from == it.component.at ? sample.to : sample.from;
      partners = partners || (partner != npos && partner != other);
      rounds = rounds || (group != npos && group != sample.group);
      partner = other;
      group = sample.group;
    }
    return partners && rounds;
  }

  // One direction, where the other one is hardly ever low.
  [[nodiscard]] Direction narrowed(const Candidate& it, const Count& all) const {
    constexpr double hardly = 0.25;
    Component one = it.component;
    for (const auto& [direction, opposite] :
         {std::pair(Direction::out, Direction::in), std::pair(Direction::in, Direction::out)}) {
      one.direction = direction;
      const Candidate its = candidate_of(columns_.column(one), all);
      one.direction = opposite;
      if (at_times(its) && candidate_of(columns_.column(one), all).share < hardly * its.share) return direction;
    }
    return Direction::both;
  }

  [[nodiscard]] static bool clearer(const Candidate& a, const Candidate& b) {
    constexpr double certain = 1e-12;  // beyond that, how far it is off says more
    const double p = std::max(certain, a.p), other = std::max(certain, b.p);
    return p != other ? p < other : a.z > b.z;
  }

  // Both directions, where the other one is slow at times by itself.
  [[nodiscard]] Candidate joined(const Candidate& one, const Count& all) const {
    Component it = one.component;
    it.direction = it.direction == Direction::out ? Direction::in : Direction::out;
    if (!at_times(candidate_of(columns_.column(it), all))) return one;
    it.direction = Direction::both;
    return candidate_of(columns_.column(it), all);
  }

  // The set of switches that it is joined to, where what passes that without passing it is low too.
  [[nodiscard]] Candidate wider(const Candidate& one, const Count& all) {
    if (one.component.kind == ComponentKind::spines) return one;
    const Switch& below = fleet_.switches[one.component.at];
    const Index sets[] = {below.tier == Tier::leaf ? npos : one.component.at, below.above};
    for (const Index set : sets) {
      if (set == npos) continue;
      const std::size_t column = columns_.column({ComponentKind::spines, Direction::both, set, npos});
      const Candidate whole = candidate_of(column, all);
      if (!at_times(whole)) continue;
      const std::vector<bool> before = gone_;
      Component both = one.component;
      both.direction = Direction::both;
      leave_out(columns_.column(both));
      const Count rest = count_of(column);
      gone_ = before;
      if (rest.rounds == 0) continue;
      const double low = rest.low, other = rest.rounds - low + 1;
      constexpr double seldom = 0.01;
      if (low > whole.usual * rest.rounds && boost::math::ibeta(low, other, whole.usual) < seldom) return whole;
    }
    return one;
  }

  [[nodiscard]] std::optional<Candidate> choose() {
    const Count singles = count_all(single_), hosts = count_all(hosts_);
    std::optional<Candidate> best;
    for (const std::size_t column : candidates_) {
      const Candidate it = candidate_of(column, columns_.component(column).kind == ComponentKind::host ? hosts : singles);
      if ((!best || clearer(it, *best)) && at_times(it)) best = it;
    }
    if (best && !at_host(best->component)) {
      const Candidate whole = best->component.direction == Direction::both ? *best : joined(*best, singles);
      return in_set(whole.component) ? wider(whole, singles) : whole;
    }
    if (best && best->component.kind == ComponentKind::nic) {
      // What all rails of a host do is the host's doing.
      const Candidate host =
          candidate_of(columns_.column({ComponentKind::host, Direction::both, best->component.at, npos}), hosts);
      constexpr double nearly = 0.7;
      if (at_times(host) && host.share > nearly * best->share) best = host;
    }
    if (best) best->component.direction = narrowed(*best, best->component.kind == ComponentKind::host ? hosts : singles);
    return best;
  }

  // Other sets that have many flows of the smaller one, and that may be slow at times too.
  [[nodiscard]] std::vector<Rival> rivals_of(const Candidate& one) const {
    std::vector<Rival> rivals;
    if (!in_set(one.component)) return rivals;
    constexpr double many = 0.4;
    constexpr double doubtful = 0.01;  // of chance alone: what is suspected had to be the clearest, and need not be the right one
    constexpr std::size_t most_rivals = 8;
    const Count singles = count_all(single_);
    std::vector<Candidate> others;
    for (const std::size_t column : candidates_) {
      const Component it = columns_.component(column);
      if (!in_set(it) || (it.kind == one.component.kind && it.at == one.component.at)) continue;
      if (columns_.overlap(column, one.column) < many) continue;
      const Candidate other = candidate_of(column, singles);
      if (other.p < doubtful) others.push_back(other);
    }
    std::stable_sort(others.begin(), others.end(), clearer);
    for (const Candidate& other : others) {
      const bool known = std::any_of(rivals.begin(), rivals.end(), [&](const Rival& it) {
        return it.component.kind == other.component.kind && it.component.at == other.component.at;
      });
      if (!known && rivals.size() < most_rivals)
        rivals.push_back({other.component, columns_.rail_of(other.column, samples_), other.z, other.share});
    }
    return rivals;
  }

  [[nodiscard]] Suspect suspect_of(const Candidate& it) const {
    Suspect suspect;
    suspect.component = it.component;
    const std::vector<double>& values = values_of(it.component);
    std::vector<double> low;
    for (const Index sample : columns_.of(it.column))
      if (!gone_[sample] && values[sample] < low_) low.push_back(values[sample]);
    suspect.rail = columns_.rail_of(it.column, samples_);
    suspect.rivals = rivals_of(it);
    suspect.slower = low.empty() ? 0 : -std::expm1(median(low));
    suspect.often = it.share;
    suspect.looks = it.looks;
    suspect.usual.low = low_;
    suspect.z = it.z;
    suspect.rounds = it.rounds;
    return suspect;
  }

  void leave_out(std::size_t column) {
    for (const Index sample : columns_.of(column)) gone_[sample] = true;
  }

  // What is suspected explains what passes it: where it is slow at all times, or at times beyond doubt. Else what is found
  // now may explain it.
  bool settle(Suspect& suspect) {
    Component whole = suspect.component;
    if (at_host(whole)) whole.direction = Direction::both;
    Candidate it;
    bool found = false;
    for (std::size_t depth = at_host(whole) ? 0 : depths_.size() - 1; depth < depths_.size() && !found; ++depth) {
      look_at(depth);
      it = candidate_of(columns_.column(suspect.component), count_all(values_of(suspect.component)));
      found = looked_at(whole) && at_times(it);
    }
    if (found && (whole.kind == ComponentKind::host || !sets_known_)) {
      std::vector<Rival> rivals = std::move(suspect.rivals);
      suspect = suspect_of(it);
      suspect.component = whole;
      suspect.rivals = std::move(rivals);
    } else if (sets_known_ && suspect.component.kind != ComponentKind::host && it.share < mostly) {
      return false;
    }
    leave_out(columns_.column(whole));
    return true;
  }

  // Without what passes others that were found.
  [[nodiscard]] bool still_slow(const Suspect& suspect) const {
    std::vector<double> rest;
    const std::vector<double>& values = values_of(suspect.component);
    for (const Index sample : columns_.of(columns_.column(suspect.component)))
      if (!gone_[sample]) rest.push_back(values[sample]);
    constexpr double half = 0.5;
    return rest.size() >= options_.least_rounds && median(rest) < half * std::log1p(-suspect.slower);
  }

  const Fleet& fleet_;
  UnsteadyOptions options_;
  Samples samples_;
  Columns columns_;
  std::vector<double> single_, hosts_;  // of samples: off the usual, each alone and as the median over rails
  std::vector<bool> gone_;
  bool sets_known_ = false;
  std::vector<double> depths_;    // what is low, the deepest first
  double low_ = 0, repeats_ = 1;  // what is low now; how many figures a round has of one pair, direction and rail
  std::vector<std::size_t> candidates_;
  double most_p_[families] = {};
};

}  // namespace

void suspect_unsteady(const Fleet& fleet, std::span<const Measurement> measurements, const Model& model, Suspicion& suspicion,
                      const UnsteadyOptions& options) {
  if (fleet.hosts.size() < 3) return;
  Search(fleet, measurements, model, options).run(suspicion);
}

Watched watched(const Fleet& fleet, std::span<const Measurement> measurements, const Model& model, std::span<const Index> hosts,
                const UnsteadyOptions& options) {
  return Search(fleet, measurements, model, options).watched(hosts);
}

}  // namespace railgauge::validate
