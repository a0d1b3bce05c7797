// Orders for pairs.
#include "bench/validate/stages/matches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "bench/validate/stages/facts.hpp"
#include "bench/validate/stages/losses.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* ping_pong = "ping_pong";

struct Match {
  Index a, b, rail;
};

Order order_for(const ValidationRun& run, const Match& match, Asked asked, Seconds measured) {
  MeasureTask task;
  if (asked != Asked::bandwidth) task.points.push_back({ping_pong, "8", {}, {}});
  if (asked != Asked::latency)
    for (const bool back : {false, true}) task.points.push_back({"stream", run.options.bytes, {}, messages_in_flight, back});
  task.seconds = measured;
  task.watchdog = run.options.watchdog;
  task.packets = true;
  Order order = order_to(task);
  order.limit = run.limit_of(static_cast<int>(task.points.size()));
  order.members = {run.rank_of(match.a, match.rail), run.rank_of(match.b, match.rail)};
  return order;
}

// The order's first member sends, and its second back.
void take(const Match& match, const MeasuredPoint& result, Seconds begun, std::span<validation::PairFigure> figures,
          Matches& matches) {
  if (result.samples == 0 || !(result.median > Seconds(0))) return;
  if (result.what == ping_pong) {
    matches.latency.push_back({match.a, match.b, match.rail, matches.rounds, result.median, result.p99});
    for (validation::PairFigure& each : figures) each.latency = result.median;
    return;
  }
  const auto [from, to] = result.back ? std::pair(match.b, match.a) : std::pair(match.a, match.b);
  Seconds at = begun + result.begun;
  for (const Seconds stretch : result.stretches) {
    matches.bandwidth.push_back({from, to, match.rail, matches.rounds, result.busbw * (result.median / stretch), at});
    at += stretch * (static_cast<double>(result.samples) / static_cast<double>(result.stretches.size()));
  }
  figures[result.back ? 1 : 0].gigabytes_per_second = result.busbw;
}

bool done(const Answer& answer) { return answer.ending == Answer::Ending::done; }
// By its own fault: it lacks a device, a library, memory.
bool unfit(const Answer& answer) { return answer.ending == Answer::Ending::failed && answer.fault == Fault::usage; }

// `passed`: data came through before, so that what is asked for can be done.
void expel_unfit(ValidationRun& run, const char* stage, const std::vector<std::vector<Answer>>& answers, bool passed) {
  std::set<Index> all, hosts;
  std::vector<const Answer*> these;
  for (const std::vector<Answer>& each : answers)
    for (const Answer& answer : each) {
      all.insert(run.host_of(answer.rank));
      if (!unfit(answer)) continue;
      these.push_back(&answer);
      hosts.insert(run.host_of(answer.rank));
    }
  if (these.empty()) return;
  // What none can do was asked for wrongly, unless they could before: then something happened to them.
  const bool of_most = 2 * hosts.size() >= all.size() && hosts.size() > 1;
  bool explained = false;
  for (const Answer* answer : these) {
    const Index host = run.host_of(answer->rank);
    if (!run.lives(host)) continue;
    // A library does not see a port without a link at all.
    if (const std::string port = port_without_link(run, stage, host); !port.empty()) {
      run.cut_off(host, stage, port, answer->sentence);
      explained = true;
    } else if (!of_most) {
      run.expel(host, stage, answer->sentence);
    }
  }
  if (of_most && !passed && !explained) throw Error(Fault::usage, these.front()->sentence);
}

}  // namespace

void play(ValidationRun& run, const Round& round, Asked asked, bool confirming, Matches& matches) {
  std::vector<Match> all;
  std::vector<Order> orders;
  for (const Pair& pair : round.pairs) {
    if (!run.lives(pair.a) || !run.lives(pair.b)) continue;
    const auto rails = static_cast<Index>(std::min(run.ranks_of(pair.a).size(), run.ranks_of(pair.b).size()));
    for (Index rail = 0; rail < rails; ++rail) {
      all.push_back({pair.a, pair.b, rail});
      orders.push_back(order_for(run, all.back(), asked, matches.measured.value_or(run.options.measured)));
    }
  }
  const auto answers =
      run.carry_out(matches.stage, fmt::format("round {}, seed {}", matches.rounds, run.options.seed), std::move(orders));
  const auto came_through = [](const PairAttempt& it) { return it.passed; };
  expel_unfit(run, matches.stage, answers,
              matches.passed || std::any_of(matches.attempts.begin(), matches.attempts.end(), came_through));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Match& match = all[i];
    std::array<validation::PairFigure, 2> figures{
        validation::PairFigure{match.a, match.b, match.rail, matches.rounds, 0, {}, confirming},
        validation::PairFigure{match.b, match.a, match.rail, matches.rounds, 0, {}, confirming}};
    const bool passed = std::all_of(answers[i].begin(), answers[i].end(), done);
    // That one of them is lost says nothing of the path.
    if (!passed && (!run.lives(match.a) || !run.lives(match.b))) continue;
    matches.attempts.push_back({match.a, match.b, run.fleet.rails == 1 ? npos : match.rail, matches.rounds, passed, true, true});
    if (passed) take_packets(run, match.a, match.b, match.rail, matches.rounds, answers[i], matches.sent);
    if (passed)
      for (const MeasuredPoint& result : answers[i].front().figures.get<Measured>().results)
        take(match, result, answers[i].front().begun, figures, matches);
    else
      matches.failures.push_back(std::find_if_not(answers[i].begin(), answers[i].end(), done)->sentence);
    // Of latencies alone there is no bandwidth to be shown.
    if (!matches.told || (asked == Asked::latency && passed)) continue;
    run.found.pairs.insert(run.found.pairs.end(), figures.begin(), figures.end());
  }
  ++matches.rounds;
}

Round filled(const ValidationRun& run, const Round& round, const std::vector<bool>& without) {
  const auto plays = [&](Index host) { return run.lives(host) && !without[host]; };
  Round kept;
  kept.aim = round.aim;
  std::vector<bool> busy(run.fleet.hosts.size(), false);
  for (const Pair& pair : round.pairs)
    if (plays(pair.a) && plays(pair.b)) {
      kept.pairs.push_back(pair);
      busy[pair.a] = busy[pair.b] = true;
    }
  std::optional<Index> waiting;
  for (Index host = 0; host < busy.size(); ++host) {
    if (busy[host] || !plays(host)) continue;
    if (waiting)
      kept.pairs.push_back({*std::exchange(waiting, std::nullopt), host});
    else
      waiting = host;
  }
  return kept;
}

void leave_out(ValidationRun& run, const Matches& matches, std::vector<bool>& without) {
  if (matches.failures.empty()) return;
  for (const Unreached& each : reach(run.fleet, matches.attempts)) {
    const bool of_host = each.cause == Unreached::Cause::host && each.faulty;
    // On one rail of several it still passes data on the others.
    if (!of_host || (each.rail != npos && run.fleet.rails > 1)) continue;
    without[each.host] = true;
  }
}

namespace {

// Whose last attempt failed, and who is not blamed for it yet: with somebody who is good and whom it has not failed with.
Round further_round(const ValidationRun& run, const Matches& matches, const std::vector<bool>& without) {
  const std::size_t hosts = run.fleet.hosts.size();
  std::vector<bool> failed(hosts, false), passed(hosts, false), busy = without;
  std::vector<std::vector<bool>> failed_with(hosts, std::vector<bool>(hosts, false));
  for (const PairAttempt& attempt : matches.attempts)
    for (const auto& [one, other] : {std::pair(attempt.a, attempt.b), std::pair(attempt.b, attempt.a)}) {
      failed[one] = !attempt.passed;
      if (attempt.passed) passed[one] = true;
      failed_with[one][other] = !attempt.passed;
    }
  Round round;
  for (Index host = 0; host < hosts; ++host) {
    if (!failed[host] || busy[host] || !run.lives(host)) continue;
    for (Index other = 0; other < hosts; ++other)
      if (other != host && !busy[other] && run.lives(other) && !failed[other] && passed[other] && !failed_with[host][other]) {
        round.pairs.push_back({host, other});
        busy[host] = busy[other] = true;
        break;
      }
  }
  return round;
}

}  // namespace

void settle_reach(ValidationRun& run, Matches& matches, std::vector<bool>& without) {
  constexpr int most_further = 4;
  for (int i = 0; i < most_further && !run.time_is_over(); ++i) {
    leave_out(run, matches, without);
    const Round round = further_round(run, matches, without);
    if (round.pairs.empty()) break;
    play(run, round, Asked::all, true, matches);
  }
  leave_out(run, matches, without);
  for (const Unreached& each : reach(run.fleet, matches.attempts)) {
    if (each.cause == Unreached::Cause::silent) continue;  // has its diagnosis
    run.tell(matches.stage, diagnosis_of(run.fleet, each), each.host == npos ? std::string() : run.fleet.hosts[each.host].name);
  }
}

}  // namespace railgauge::validate
