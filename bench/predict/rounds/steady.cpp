// Why the shortcuts of bench/predict/rounds/steady.hpp are right:
//
// Transfers that nothing slows take the same time d whenever they begin, so a rank's round ends at the maximum over its transfers
// of (the later begin of both ranks) + d. In a stretch of k equal rounds no rank is later than k times the longest d, and the two
// ranks of the longest are exactly then done. So where one rank has the longest transfer of every stretch, the whole takes the
// sum of k times d; else the maxima are followed rank by rank. A sender of eager messages is done d after its own begin, so that
// there it must be the sender of each stretch's longest.
#include "bench/predict/rounds/steady.hpp"

#include <algorithm>
#include <queue>

#include "bench/predict/flows/fluid.hpp"

namespace railgauge::predict {
namespace {

constexpr double equal = 1e-12;                              // share by which rounding parts what is equal
constexpr std::uint64_t followed = std::uint64_t{1} << 27U;  // ranks times rounds that are followed one by one

}  // namespace

std::uint64_t Steady::flows(const Regular& regular, std::int32_t ranks) {
  std::uint64_t sends = 0;
  for (const Sends& pattern : regular.patterns) sends += pattern.size();
  return sends * static_cast<std::uint64_t>(ranks);
}

std::string_view name(Method method) {
  constexpr std::string_view names[] = {"events", "paths", "continued", "in_step", "formula"};
  return names[static_cast<std::size_t>(method)];
}

Steady::Steady(const Regular& regular, std::int32_t ranks, Routes& routes, const Costs& costs,
               const std::vector<double>& capacities)
    : regular_(regular),
      ranks_(ranks),
      routes_(routes),
      costs_(costs),
      capacities_(capacities),
      now_(capacities.size()),
      most_(capacities.size()),
      wanted_(capacities.size()) {
  for (const Sends& pattern : regular.patterns)
    flows_.emplace_back(pattern.size() * static_cast<std::size_t>(ranks), Flow{Fluid::never, 0, Medium::network});
  std::vector<bool> free(capacities.size(), false);
  for (const Direction direction : {Direction::out, Direction::in}) {
    std::fill(wanted_.begin(), wanted_.end(), 0.0);
    for (std::int32_t rank = 0; rank < ranks; ++rank) look_at(rank, direction);
    for (std::size_t arc = 0; arc < capacities.size(); ++arc)
      if (wanted_[arc] <= capacities[arc] * (1 + 1e-9)) free[arc] = true;
    independent_ = std::find(free.begin(), free.end(), false) == free.end();
    if (direction == Direction::out) independent_sends_ = independent_;
    if (independent_) break;
  }
}

bool Steady::any_eager(std::span<const RoundBytes> bytes) const {
  if (*std::max_element(costs_.eager.begin(), costs_.eager.end()) < 0) return false;
  for (std::size_t i = 0; i < regular_.stretches.size(); ++i) {
    const std::size_t pattern = regular_.stretches[i].pattern;
    for (std::size_t place = 0; place < bytes[i].sends.size(); ++place)
      for (std::int32_t rank = 0; rank < ranks_; ++rank)
        if (costs_.is_eager(flow(pattern, place, rank).medium, bytes[i].sends[place])) return true;
  }
  return false;
}

// A rank is in one round at a time, so what it sends, or what is sent to it, never wants more of an arc than in the worst of its
// rounds.
void Steady::look_at(std::int32_t rank, Direction direction) {
  for (std::size_t pattern = 0; pattern < flows_.size(); ++pattern) {
    const Sends& sends = regular_.patterns[pattern];
    for (std::size_t place = 0; place < sends.size(); ++place) {
      const bool out = direction == Direction::out;
      const std::int32_t from = out ? rank : sends[place].inverse().of(rank);
      const Route route = routes_.between(from, out ? sends[place].of(rank) : rank);
      Flow& it = flows_[pattern][place * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(from)];
      if (out) {
        it.latency = costs_.latency(route);
        it.medium = route.medium;
        visit(route.path, [&](std::uint32_t arc, double share) { it.alone = std::min(it.alone, capacities_[arc] / share); });
      }
      visit(route.path, [&](std::uint32_t arc, double share) {
        if (now_[arc] == 0) touched_now_.push_back(arc);
        now_[arc] += it.alone * share;
      });
    }
    for (const std::uint32_t arc : touched_now_) {
      if (most_[arc] == 0) touched_.push_back(arc);
      most_[arc] = std::max(most_[arc], now_[arc]);
      now_[arc] = 0;
    }
    touched_now_.clear();
  }
  for (const std::uint32_t arc : touched_) {
    wanted_[arc] += most_[arc];
    most_[arc] = 0;
  }
  touched_.clear();
  routes_.forget_some();
}

Steady::Longest Steady::longest(std::size_t pattern, const RoundBytes& bytes) const {
  Longest it;
  const Sends& sends = regular_.patterns[pattern];
  for (std::size_t place = 0; place < sends.size(); ++place)
    for (std::int32_t rank = 0; rank < ranks_; ++rank)
      it.seconds = std::max(it.seconds, time_of(flow(pattern, place, rank), place, bytes));
  it.ranks.resize(static_cast<std::size_t>(ranks_), sends.empty());
  for (std::size_t place = 0; place < sends.size(); ++place)
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      if (time_of(flow(pattern, place, rank), place, bytes) < it.seconds * (1 - equal)) continue;
      it.ranks[static_cast<std::size_t>(rank)] = true;
      if (!costs_.is_eager(flow(pattern, place, rank).medium, bytes.sends[place]))
        it.ranks[static_cast<std::size_t>(sends[place].of(rank))] = true;
    }
  return it;
}

// Round by round: when each rank is done.
double Steady::chained(std::span<const RoundBytes> bytes) const {
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<double> begins(ranks, 0);
  std::vector<double> ends(ranks, 0);
  for (std::size_t i = 0; i < regular_.stretches.size(); ++i) {
    const Stretch& stretch = regular_.stretches[i];
    const Sends& sends = regular_.patterns[stretch.pattern];
    const double local = costs_.local(bytes[i].moved);
    for (std::size_t round = 0; round < stretch.count; ++round) {
      ends = begins;
      for (std::size_t place = 0; place < sends.size(); ++place)
        for (std::int32_t rank = 0; rank < ranks_; ++rank) {
          const Flow& it = flow(stretch.pattern, place, rank);
          const auto from = static_cast<std::size_t>(rank);
          const auto to = static_cast<std::size_t>(sends[place].of(rank));
          const double posted = begins[from] + static_cast<double>(place) * costs_.gap;
          const bool eager = costs_.is_eager(it.medium, bytes[i].sends[place]);
          const double end = (eager ? posted : std::max(posted, begins[to])) + latency_of(it, bytes[i].sends[place]) +
                             bytes[i].sends[place] / it.alone;
          ends[from] = std::max(ends[from], end);
          ends[to] = std::max(ends[to], end);
        }
      for (double& end : ends) end += local;
      begins.swap(ends);
    }
  }
  return *std::max_element(begins.begin(), begins.end());
}

// All begin together.
double Steady::in_step(std::size_t pattern, const RoundBytes& bytes) {
  struct Begin {
    double time;
    std::size_t place;
    std::int32_t rank;
  };
  std::vector<Begin> begins;
  const Sends& sends = regular_.patterns[pattern];
  for (std::size_t place = 0; place < sends.size(); ++place)
    for (std::int32_t rank = 0; rank < ranks_; ++rank)
      begins.push_back(
          {static_cast<double>(place) * costs_.gap + latency_of(flow(pattern, place, rank), bytes.sends[place]), place, rank});
  std::stable_sort(begins.begin(), begins.end(), [](const Begin& a, const Begin& b) { return a.time < b.time; });
  Fluid fluid(capacities_);
  std::vector<std::uint32_t> ended;
  for (std::size_t next = 0; next < begins.size() || fluid.in_flight() > 0;) {
    ended.clear();
    fluid.advance(std::min(next < begins.size() ? begins[next].time : Fluid::never, fluid.next()), ended);
    for (; next < begins.size() && begins[next].time <= fluid.now() * (1 + equal); ++next) {
      const Begin& it = begins[next];
      fluid.start(routes_.between(it.rank, sends[it.place].of(it.rank)).path, bytes.sends[it.place]);
    }
  }
  routes_.forget_some();
  return fluid.now();
}

Estimate Steady::estimate(std::span<const RoundBytes> bytes) {
  const bool alone = independent(bytes);
  double sum = 0;
  std::uint64_t rounds = 0;
  std::vector<bool> always(static_cast<std::size_t>(ranks_), true);
  std::vector<double> found;  // of stretches before this one
  for (std::size_t i = 0; i < regular_.stretches.size(); ++i) {
    const Stretch& stretch = regular_.stretches[i];
    rounds += stretch.count;
    double seconds = -1;
    for (std::size_t before = 0; before < i && !alone; ++before)
      if (regular_.stretches[before].pattern == stretch.pattern && bytes[before].sends == bytes[i].sends) seconds = found[before];
    if (alone) {
      const Longest it = longest(stretch.pattern, bytes[i]);
      seconds = it.seconds;
      for (std::size_t rank = 0; rank < always.size(); ++rank) always[rank] = always[rank] && it.ranks[rank];
    } else if (seconds < 0) {
      seconds = in_step(stretch.pattern, bytes[i]);
    }
    found.push_back(seconds);
    sum += static_cast<double>(stretch.count) * (seconds + costs_.local(bytes[i].moved));
  }
  if (!alone) return {sum, Method::in_step};
  if (std::find(always.begin(), always.end(), true) != always.end()) return {sum, Method::paths};
  if (rounds * static_cast<std::uint64_t>(ranks_) <= followed) return {chained(bytes), Method::paths};
  return {sum, Method::in_step};
}

std::vector<double> Steady::carried(std::span<const RoundBytes> bytes) {
  std::vector<double> result(capacities_.size(), 0);
  std::vector<std::vector<double>> through(regular_.patterns.size());  // bytes of each send of a pattern, all rounds together
  for (std::size_t i = 0; i < regular_.stretches.size(); ++i) {
    const Stretch& stretch = regular_.stretches[i];
    std::vector<double>& sums = through[stretch.pattern];
    sums.resize(regular_.patterns[stretch.pattern].size(), 0);
    for (std::size_t place = 0; place < sums.size(); ++place)
      sums[place] += static_cast<double>(stretch.count) * bytes[i].sends[place];
  }
  for (std::size_t pattern = 0; pattern < through.size(); ++pattern)
    for (std::size_t place = 0; place < through[pattern].size(); ++place)
      for (std::int32_t rank = 0; rank < ranks_; ++rank) {
        const Route route = routes_.between(rank, regular_.patterns[pattern][place].of(rank));
        visit(route.path, [&](std::uint32_t arc, double share) { result[arc] += share * through[pattern][place]; });
        routes_.forget_some();
      }
  return result;
}

}  // namespace railgauge::predict
