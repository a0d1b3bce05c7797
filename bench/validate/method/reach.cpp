// Rail by rail, then what is said of all rails of a host is said once.
#include "bench/validate/method/reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace railgauge::validate {
namespace {

using Cause = Unreached::Cause;

class Tally {
 public:
  Tally(const Fleet& fleet, std::vector<PairAttempt> attempts, Index rail, const ReachOptions& options)
      : hosts_(static_cast<Index>(fleet.hosts.size())), rail_(rail), options_(options) {
    std::stable_sort(attempts.begin(), attempts.end(),
                     [](const PairAttempt& a, const PairAttempt& b) { return a.round < b.round; });
    for (const PairAttempt& it : attempts) (it.passed ? passed_ : failed_).push_back(it);
    known_.resize(hosts_);
    for (const PairAttempt& it : passed_)
      for (const Index host : {it.a, it.b}) known_[host].take(partner_of(it, host), it.round);
    failed_of_.resize(hosts_);
    for (std::size_t i = 0; i < failed_.size(); ++i)
      for (const Index host : {failed_[i].a, failed_[i].b}) failed_of_[host].push_back(i);
    gone_.assign(failed_.size(), false);
  }

  std::vector<Unreached> run() {
    const bool none_passed = passed_.empty() && hosts_ > 2;
    take_silent();
    std::vector<PairAttempt> left = those_left();
    if (none_passed && left.size() > 1) {
      Unreached all = of(Cause::all, left);
      found_.push_back(all);
      return std::move(found_);
    }
    while (take_host()) {}
    std::map<std::pair<Index, Index>, std::vector<PairAttempt>> pairs;
    left = those_left();
    for (const PairAttempt& one : left) pairs[std::minmax(one.a, one.b)].push_back(one);
    for (const PairAttempt& one : left)  // in the order of their first failures
      if (const auto its = pairs.extract(std::minmax(one.a, one.b))) take_pair(its.mapped());
    return std::move(found_);
  }

 private:
  // With whom a host passed data.
  struct Known {
    Index partner = npos, last = 0;  // the first of them, and the last round
    bool several = false;
    void take(Index other, Index round) {
      several = several || (partner != npos && partner != other);
      if (partner == npos) partner = other;
      last = std::max(last, round);
    }
  };

  [[nodiscard]] Unreached of(Cause cause, const std::vector<PairAttempt>& failures) const {
    Unreached it;
    it.cause = cause;
    it.a = failures.back().a;
    it.b = failures.back().b;
    it.rail = rail_;
    it.since = failures.front().round;
    it.failures = static_cast<Index>(failures.size());
    return it;
  }
  [[nodiscard]] std::vector<PairAttempt> failures_of(Index host) const {
    std::vector<PairAttempt> its;
    for (const std::size_t i : failed_of_[host])
      if (!gone_[i]) its.push_back(failed_[i]);
    return its;
  }
  [[nodiscard]] bool passes_since(Index host, Index round) const {
    return known_[host].partner != npos && known_[host].last >= round;
  }
  [[nodiscard]] bool passes_without(Index host, Index other) const {
    return known_[host].several || (known_[host].partner != npos && known_[host].partner != other);
  }
  static Index partner_of(const PairAttempt& one, Index host) { return one.a == host ? one.b : one.a; }

  void name_faulty(Cause cause, Index host, const std::vector<PairAttempt>& failures, Index partners) {
    Unreached it = of(cause, failures);
    it.host = it.a = host;
    it.b = partner_of(failures.back(), host);
    it.partners = partners;
    it.again = passes_since(host, it.since);
    it.faulty = !it.again;
    found_.push_back(it);
    for (const std::size_t i : failed_of_[host]) gone_[i] = true;
  }

  // One that does not answer explains what failed with it.
  void take_silent() {
    for (Index host = 0; host < hosts_; ++host) {
      const std::vector<PairAttempt> failures = failures_of(host);
      const auto silent = [host](const PairAttempt& one) { return one.a == host ? !one.a_answered : !one.b_answered; };
      if (std::none_of(failures.begin(), failures.end(), silent)) continue;
      name_faulty(Cause::silent, host, failures, partners_of(host, failures));
    }
  }

  // Different ones that pass data with others.
  [[nodiscard]] Index partners_of(Index host, const std::vector<PairAttempt>& failures) const {
    std::set<Index> partners;
    for (const PairAttempt& one : failures)
      if (passes_without(partner_of(one, host), host)) partners.insert(partner_of(one, host));
    return static_cast<Index>(partners.size());
  }

  // The one with the most such partners; first those that never passed data since.
  bool take_host() {
    Index best = npos;
    std::pair<bool, Index> most{false, 0};
    for (Index host = 0; host < hosts_; ++host) {
      const std::vector<PairAttempt> failures = failures_of(host);
      if (failures.empty()) continue;
      const std::pair<bool, Index> its{!passes_since(host, failures.front().round), partners_of(host, failures)};
      if (its.second < options_.least_partners || (best != npos && its <= most)) continue;
      best = host;
      most = its;
    }
    if (best == npos) return false;
    name_faulty(Cause::host, best, failures_of(best), most.second);
    return true;
  }

  void take_pair(const std::vector<PairAttempt>& its) {
    const PairAttempt& first = its.front();
    const auto same = [&](const PairAttempt& one) { return std::minmax(one.a, one.b) == std::minmax(first.a, first.b); };
    Unreached it = of(Cause::either, its);
    const auto between = [&](const PairAttempt& one) { return same(one) && one.round >= it.since; };
    it.again = std::any_of(passed_.begin(), passed_.end(), between);
    if (passes_since(first.a, it.since) && passes_since(first.b, it.since)) {
      it.cause = Cause::path;
      // Seen once it may have been chance.
      it.faulty = !it.again && its.size() > 1;
    }
    found_.push_back(it);
  }

  [[nodiscard]] std::vector<PairAttempt> those_left() const {
    std::vector<PairAttempt> left;
    for (std::size_t i = 0; i < failed_.size(); ++i)
      if (!gone_[i]) left.push_back(failed_[i]);
    return left;
  }

  Index hosts_, rail_;
  ReachOptions options_;
  std::vector<PairAttempt> passed_, failed_;
  std::vector<bool> gone_;                           // failures that are explained
  std::vector<Known> known_;                         // by host
  std::vector<std::vector<std::size_t>> failed_of_;  // places of failures, by host
  std::vector<Unreached> found_;
};

}  // namespace

std::vector<Unreached> reach(const Fleet& fleet, std::span<const PairAttempt> attempts, const ReachOptions& options) {
  std::map<Index, std::vector<PairAttempt>> by_rail;
  for (const PairAttempt& it : attempts) {
    if (it.a >= fleet.hosts.size() || it.b >= fleet.hosts.size() || it.a == it.b)
      throw Error(Fault::usage,
                  fmt::format("an attempt is of hosts {} and {}, but there are {} hosts", it.a, it.b, fleet.hosts.size()));
    by_rail[it.rail].push_back(it);
  }
  using Same = std::tuple<Cause, bool, Index, Index, Index>;
  std::map<Same, std::vector<Unreached>> groups;
  for (const auto& [rail, its] : by_rail)
    for (const Unreached& one : Tally(fleet, its, rail, options).run()) {
      const bool of_host = one.host != npos;
      groups[{one.cause, one.faulty, one.host, of_host ? 0 : one.a, of_host ? 0 : one.b}].push_back(one);
    }
  std::vector<Unreached> all;
  for (const auto& [same, its] : groups) {
    if (by_rail.size() == 1 || its.size() < by_rail.size()) {
      all.insert(all.end(), its.begin(), its.end());
      continue;
    }
    Unreached one = its.back();
    for (const Unreached& other : its) {
      one.since = std::min(one.since, other.since);
      one.failures = std::max(one.failures, other.failures);
    }
    one.rail = npos;
    all.push_back(one);
  }
  std::stable_sort(all.begin(), all.end(), [](const Unreached& a, const Unreached& b) {
    if (a.cause != b.cause) return a.cause < b.cause;
    return a.failures > b.failures;
  });
  return all;
}

}  // namespace railgauge::validate
