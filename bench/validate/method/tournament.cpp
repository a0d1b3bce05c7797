// Rounds are perfect matchings without the pairs of earlier rounds. While fewer than half of the pairs are used up, a matching
// that is drawn at random can always be completed: if two hosts that are left may not meet, some pair can be opened so that each
// of them meets one of it (G. Dirac's theorem, by its proof). After that the circle method gives the pairing.
#include "bench/validate/method/tournament.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/statistics/draws.hpp"

namespace railgauge::validate {
namespace {

using compare::Draws;

// With an odd number of hosts there is one seat more, and who is paired with it rests.
class Seats {
 public:
  Seats(const Fleet& fleet, std::uint64_t seed)
      : fleet_(fleet), hosts_(static_cast<Index>(fleet.hosts.size())), count_(hosts_ + hosts_ % 2), draws_(seed) {
    for (Index host = 0; host < hosts_; ++host) {
      const Index leaf = leaf_of(fleet, host, 0), pod = fleet.hosts[host].pod;
      if (leaf != npos) by_leaf_[leaf].push_back(host);
      if (leaf != npos && pod != npos) by_pod_[pod].push_back(host);
    }
    // Far ones more often: most cables lie between pods.
    for (const Distance aim : {Distance::pods, Distance::leaf, Distance::pods, Distance::pod})
      if (possible(aim)) aims_.push_back(aim);
    passed_.resize(2 * fleet.cables.size());
    if (aims_.empty()) aims_.push_back(Distance::unknown);
  }

  [[nodiscard]] Index count() const { return count_; }

  // Pairs of all rounds so far are met again in none.
  Round draw(Index number) {
    const Distance aim = aims_[number % aims_.size()];
    partner_.assign(count_, npos);
    order_.resize(count_);
    std::iota(order_.begin(), order_.end(), 0);
    compare::shuffle(std::span(order_), draws_);
    if (count_ != hosts_) seat(hosts_, any_for(hosts_));
    near_ = aim == Distance::leaf || aim == Distance::pod;
    for (const Index host : order_)
      if (partner_[host] == npos) seat(host, preferred_for(host, aim));
    for (const Index host : order_)
      if (partner_[host] == npos) seat(host, any_for(host));
    complete();
    return taken(aim);
  }

  // The circle method: seat 0 stays, the others move on by one; all meet once in count - 1 rounds.
  std::vector<Round> circle() {
    order_.resize(count_);
    std::iota(order_.begin(), order_.end(), 0);
    compare::shuffle(std::span(order_), draws_);
    std::vector<Round> rounds;
    const Index moving = count_ - 1;
    for (Index turn = 0; turn < moving; ++turn) {
      partner_.assign(count_, npos);
      seat(order_[0], order_[1 + turn]);
      for (Index i = 1; i < count_ / 2; ++i) seat(order_[1 + (turn + i) % moving], order_[1 + (turn + moving - i) % moving]);
      rounds.push_back(taken(Distance::unknown));
    }
    return rounds;
  }

 private:
  [[nodiscard]] bool possible(Distance aim) const {
    const auto several = [](const auto& groups) {
      return std::any_of(groups.begin(), groups.end(), [](const auto& group) { return group.second.size() > 1; });
    };
    if (aim == Distance::leaf) return several(by_leaf_);
    if (aim == Distance::pods) return by_pod_.size() > 1;
    return std::any_of(by_pod_.begin(), by_pod_.end(), [&](const auto& group) {
      return std::any_of(group.second.begin(), group.second.end(),
                         [&](Index host) { return distance(fleet_, host, group.second.front(), 0) == Distance::pod; });
    });
  }

  static std::uint64_t key(Index a, Index b) { return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b); }
  [[nodiscard]] bool free(Index a, Index b) const { return a != b && !met_.contains(key(a, b)); }
  [[nodiscard]] bool open(Index a, Index b) const { return partner_[b] == npos && free(a, b); }
  void seat(Index a, Index b) {
    if (b == npos) return;
    partner_[a] = b;
    partner_[b] = a;
  }

  // Somebody from the list, looked at from a random place on.
  template <typename Fits>
  Index search(const std::vector<Index>& among, Fits fits) {
    return search(among, fits, 1, [](Index) { return 0.0; });
  }
  // The one of the first `several` that is worth most.
  template <typename Fits, typename Worth>
  Index search(const std::vector<Index>& among, Fits fits, int several, Worth worth) {
    Index best = npos;
    double most = -1;
    const std::size_t start = among.empty() ? 0 : draws_.below(among.size());
    for (std::size_t i = 0; i < among.size() && several > 0; ++i) {
      const Index other = among[(start + i) % among.size()];
      if (!fits(other)) continue;
      --several;
      const double its = worth(other);
      if (its <= most) continue;
      most = its;
      best = other;
    }
    return best;
  }
  // How much cables gain that few pairs have passed so far. Rails are planes that are alike.
  double worth(Index a, Index b) {
    double sum = 0;
    each_cable(a, b, [&](Index& passed) { sum += std::pow(0.25, passed); });
    return sum;
  }
  template <typename Take>
  void each_cable(Index a, Index b, Take take) {
    hops_.clear();
    fleet_.route(a, b, 0, hops_);
    fleet_.route(b, a, 0, hops_);
    for (const Hop& hop : hops_) take(passed_[2 * hop.cable + (hop.down ? 1 : 0)]);
  }

  Index preferred_for(Index host, Distance aim) {
    if (host >= hosts_) return npos;
    const auto fits = [&](Index other) { return other < hosts_ && open(host, other) && distance(fleet_, host, other, 0) == aim; };
    constexpr int several = 12;
    if (!near_ && fleet_.route) return search(order_, fits, several, [&](Index other) { return worth(host, other); });
    if (!near_) return search(order_, fits);
    const auto& groups = aim == Distance::leaf ? by_leaf_ : by_pod_;
    const auto group = groups.find(aim == Distance::leaf ? leaf_of(fleet_, host, 0) : fleet_.hosts[host].pod);
    if (group == groups.end()) return npos;
    if (aim == Distance::pod && fleet_.route)
      return search(group->second, fits, several, [&](Index other) { return worth(host, other); });
    return search(group->second, fits);
  }
  Index any_for(Index host) {
    return search(order_, [&](Index other) { return open(host, other); });
  }

  void complete() {
    std::vector<Index> left;
    for (const Index host : order_)
      if (partner_[host] == npos) left.push_back(host);
    for (std::size_t i = 0; i + 1 < left.size(); i += 2) {
      const Index u = left[i], v = left[i + 1];
      const Index x =
          search(order_, [&](Index other) { return partner_[other] != npos && free(u, other) && free(v, partner_[other]); });
      const Index y = partner_[x];
      seat(u, x);
      seat(v, y);
    }
  }

  Round taken(Distance aim) {
    Round round;
    round.aim = aim;
    for (Index host = 0; host < count_; ++host) {
      const Index other = partner_[host];
      if (other < host) continue;
      met_.insert(key(host, other));
      if (other >= hosts_) continue;
      round.pairs.push_back({host, other});
      if (fleet_.route) each_cable(host, other, [](Index& passed) { ++passed; });
    }
    return round;
  }

  const Fleet& fleet_;
  Index hosts_, count_;
  Draws draws_;
  std::unordered_map<Index, std::vector<Index>> by_leaf_, by_pod_;
  std::vector<Distance> aims_;
  std::unordered_set<std::uint64_t> met_;
  std::vector<Index> partner_, order_;
  bool near_ = false;
  std::vector<Index> passed_;  // by how many pairs: of each cable up, then down
  std::vector<Hop> hops_;
};

}  // namespace

std::vector<Round> tournament(const Fleet& fleet, const TournamentOptions& options) {
  if (fleet.hosts.size() < 2) throw Error(Fault::usage, "one host has nobody to be measured with: give 2 hosts or more");
  Seats seats(fleet, options.seed);
  std::vector<Round> rounds;
  if (options.rounds <= seats.count() / 2) {
    for (Index number = 0; number < options.rounds; ++number) rounds.push_back(seats.draw(number));
    return rounds;
  }
  while (rounds.size() < options.rounds)
    for (Round& round : seats.circle())
      if (rounds.size() < options.rounds) rounds.push_back(std::move(round));
  return rounds;
}

}  // namespace railgauge::validate
