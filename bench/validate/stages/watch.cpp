// Who is slow at times: pairs for longer, until a host that is slow in a twentieth of the time would have been seen, or the time
// is over; and how often who was seen is slow when it is measured again.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics/draws.hpp"
#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/model.hpp"
#include "bench/validate/method/power.hpp"
#include "bench/validate/method/spells.hpp"
#include "bench/validate/method/tournament.hpp"
#include "bench/validate/method/unsteady.hpp"
#include "bench/validate/stages/findings.hpp"
#include "bench/validate/stages/matches.hpp"
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* watch_stage = "watch";
constexpr double sought = 0.05;                 // share of the time that a fault is there
constexpr std::chrono::seconds most_quick{20};  // of --quick, before suspects are measured again
constexpr Index most_rounds = 1000;
constexpr Seconds longest{0.15};               // of one direction
constexpr double to_confirm = 0.45;            // of the time of the stage
constexpr std::uint64_t seed_of_watch = 7000;  // so that others meet than in the stage pairs

// Hosts that are known to be slow or out of reach make their partners look slow at times.
std::vector<bool> left_out(const ValidationRun& run) {
  std::vector<bool> without = run.seen.without;
  for (Index host = 0; host < without.size(); ++host)
    if (!run.lives(host) || run.found.hosts[host].state == validation::HostState::faulty) without[host] = true;
  return without;
}

class Watch {
 public:
  Watch(ValidationRun& run, std::vector<bool> without) : run_(run), without_(std::move(without)), draws_(run.options.seed) {
    matches_.stage = watch_stage;
    matches_.told = false;
    matches_.passed = true;
    matches_.rounds = run.seen.rounds;
  }

  void leave_out_faulty() {
    for (Index host = 0; host < without_.size(); ++host)
      if (run_.found.hosts[host].state == validation::HostState::faulty) without_[host] = true;
  }

  // Of the hosts that are watched.
  [[nodiscard]] std::vector<Index> hosts() const {
    std::vector<Index> all;
    for (Index host = 0; host < without_.size(); ++host)
      if (!without_[host] && run_.lives(host)) all.push_back(host);
    return all;
  }

  // Plays rounds until `enough` says so; returns how many.
  Index observe(const std::function<bool()>& enough) {
    const Index first = matches_.rounds;
    constexpr Index together = 16;
    for (std::uint64_t part = 0; matches_.rounds - first < most_rounds && !enough(); ++part)
      for (const Round& round : tournament(run_.fleet, {together, run_.options.seed + seed_of_watch + part})) {
        if (enough()) break;
        // Rounds of one length would meet what comes back in equal intervals at the same moments of it.
        matches_.measured = length_ * (0.6 + 0.8 * draws_.uniform());
        play(run_, filled(run_, round, without_), Asked::bandwidth, false, matches_);
        leave_out(run_, matches_, without_);
      }
    matches_.measured = length_;
    settle_reach(run_, matches_, without_);
    return matches_.rounds - first;
  }
  // From the first measurement to the last.
  [[nodiscard]] Seconds took() const {
    if (matches_.bandwidth.empty()) return Seconds(0);
    return matches_.bandwidth.back().at - matches_.bandwidth.front().at;
  }
  [[nodiscard]] Index rounds() const { return matches_.rounds; }

  [[nodiscard]] std::vector<Measurement> bandwidths(Index since = 0) const {
    std::vector<Measurement> all;
    for (const std::vector<Measurement>& list : {std::cref(run_.seen.bandwidth), std::cref(matches_.bandwidth)})
      std::copy_if(list.begin(), list.end(), std::back_inserter(all),
                   [&](const Measurement& each) { return each.round >= since && counts(each); });
    return all;
  }
  [[nodiscard]] std::vector<Measurement> tails(Index since = 0) const {
    std::vector<Latency> all;
    for (const std::vector<Latency>& list : {std::cref(run_.seen.latency), std::cref(matches_.latency)})
      std::copy_if(list.begin(), list.end(), std::back_inserter(all),
                   [&](const Latency& each) { return each.round >= since && !without_[each.a] && !without_[each.b]; });
    return tail_speeds_of(std::move(all));
  }

  [[nodiscard]] std::vector<Finding> findings(const Model& model, Suspicion& suspicion, Asked asked, const LeastSlower& least,
                                              const MeasuredSince& measured) {
    validate::leave_out(run_, without_, suspicion);
    ConfirmOptions options;
    options.least = least;
    options.seed = run_.options.seed + seed_of_watch;
    options.least_squares_at_times = 24;  // some 20 s
    return confirm(run_, matches_, asked, model, suspicion, options, measured);
  }

 private:
  // Passes nothing that is known to be slow.
  [[nodiscard]] bool counts(const Measurement& each) const {
    if (without_[each.from] || without_[each.to]) return false;
    if (run_.faulty.empty()) return true;
    std::vector<Hop> hops;
    if (run_.fleet.route) run_.fleet.route(each.from, each.to, each.rail, hops);
    return std::none_of(run_.faulty.begin(), run_.faulty.end(), [&](const Component& component) {
      return crosses(run_.fleet, component, each.from, each.to, each.rail, hops);
    });
  }

  ValidationRun& run_;
  std::vector<bool> without_;
  compare::Draws draws_;
  Matches matches_;
  // More rounds see more of what is slow at times than longer ones do.
  Seconds length_ = std::min(run_.options.measured, longest);
};

struct Known {
  std::vector<Measurement> all;
  Model model;
};
Known known_of(const ValidationRun& run, std::vector<Measurement> all) {
  Known known{std::move(all), {}};
  known.model = fit(run.fleet, samples_of(run.fleet, medians_of(known.all)));
  return known;
}

Watched watched_of(const ValidationRun& run, const Watch& watch) {
  const Known known = known_of(run, watch.bandwidths());
  return watched(run.fleet, known.all, known.model, watch.hosts());
}

void judge_bandwidth(ValidationRun& run, Watch& watch) {
  const Known known = known_of(run, watch.bandwidths());
  Suspicion suspicion;
  suspicion.good = watch.hosts();
  suspect_unsteady(run.fleet, known.all, known.model, suspicion);
  for (Finding& finding :
       watch.findings(known.model, suspicion, Asked::bandwidth, {}, [&](Index since) { return watch.bandwidths(since); })) {
    describe(run.fleet, finding, known.model, watch.bandwidths());
    tell_finding(run, watch_stage, finding, Measure::bandwidth);
  }
}

// Tails are as long as the scheduler makes them where hosts share cores.
void judge_tails(ValidationRun& run, Watch& watch) {
  const std::vector<Measurement> all = watch.tails();
  if (run.crowding > 1 || all.empty()) return;
  constexpr double times = 3;  // of its peers: tails scatter more than medians
  constexpr double most = 1 - 1 / times;
  const Samples samples = samples_of(run.fleet, all);
  const Model model = fit(run.fleet, samples);
  LocaliseOptions options;
  options.least = {.host = most, .nic = most, .between = most};
  Suspicion suspicion = localise(run.fleet, samples, model, options);
  for (const Finding& finding :
       watch.findings(model, suspicion, Asked::latency, options.least, [&](Index since) { return watch.tails(since); }))
    tell_finding(run, watch_stage, finding, Measure::tail);
}

}  // namespace

void tell_unwatched(ValidationRun& run) {
  for (const Finding& finding : std::exchange(run.seen.open, {})) tell_finding(run, watch_stage, finding, Measure::bandwidth);
}

void run_watch(ValidationRun& run, validation::Stage& told) {
  run.watches = false;  // pairs of a soak decide themselves
  Watch watch(run, run.seen.bandwidth.empty() ? std::vector<bool>(run.fleet.hosts.size(), false) : left_out(run));
  const std::size_t hosts = watch.hosts().size();
  constexpr std::size_t fewest = 3;  // of two, either may be slow
  if (run.seen.bandwidth.empty() || hosts < fewest) {
    told.state = validation::StageState::skipped;
    told.reason = run.seen.bandwidth.empty()
                      ? "no pairs were measured before"
                      : fmt::format("{} hosts are left that are not faulty, and {} are needed", hosts, fewest);
    return;
  }
  const Index first = watch.rounds();
  // Whom the pairs suspected is decided first, and no longer makes others look slow at times.
  if (!run.seen.open.empty()) {
    run.seen.open.clear();
    judge_bandwidth(run, watch);
    watch.leave_out_faulty();
  }
  const auto begin = run.now();
  const Seconds taken = watch.took();
  // Who is suspected then must be measured again.
  std::optional<std::chrono::steady_clock::time_point> until;
  if (run.until)
    until = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>((*run.until - begin) * (1 - to_confirm));
  const auto over = [&] {
    const auto now = run.now();
    if (until && now >= *until) return true;
    // By what was measured, so that a journal ends where it ended; by the clock where no data passes.
    return run.options.quick && (now - begin >= 2 * most_quick || watch.took() - taken >= most_quick);
  };
  // The share that is low where all is well is known once all is measured: then it is reckoned again how many rounds that takes.
  Index rounds = 0;
  for (int turn = 0; turn < 3 && !over(); ++turn) {
    const Watched now = watched_of(run, watch);
    const Index needed = looks_for(sought, now.usual, now.most_p, most_rounds);
    if (now.looks >= needed) break;
    const Index last = watch.rounds() + (needed - now.looks);
    rounds += watch.observe([&] { return over() || watch.rounds() >= last; });
  }
  const Watched seen = watched_of(run, watch);
  run.found.power.share_of_time = power_of(seen.looks, seen.usual, seen.most_p).share;
  judge_bandwidth(run, watch);
  judge_tails(run, watch);
  run.tell_unexplained(watch_stage, run.seen.unexplained);
  told.notes.push_back(fmt::format("{} rounds, and {} more to confirm; each host was looked at {} times or more", rounds,
                                   watch.rounds() - first - rounds, seen.looks));
}

}  // namespace railgauge::validate
