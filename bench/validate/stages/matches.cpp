// Orders for pairs.
#include "bench/validate/stages/matches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace railgauge::validate {
namespace {

using nlohmann::json;

struct Match {
  Index a, b, rail;
};

// From place 0 of the order's members to place 1, or back.
void take(Course& course, const Match& match, const json& result, bool confirming, validation::PairFigure (&figures)[2], Matches& matches) {
  const auto what = result.at("what").get<std::string>();
  const double seconds = result.at("seconds").get<double>();
  if (result.at("samples").get<std::uint64_t>() == 0 || !(seconds > 0)) return;
  if (what == "ping_pong") {
    for (const auto& [from, to] : {std::pair(match.a, match.b), std::pair(match.b, match.a)})
      matches.latency.push_back({from, to, match.rail, matches.rounds, 1e-6 / seconds});
    for (validation::PairFigure& each : figures) each.latency = Seconds(seconds);
    return;
  }
  const bool back = result.at("from").get<int>() == 1;
  const double bandwidth = result.at("busbw").get<double>();
  const auto [from, to] = back ? std::pair(match.b, match.a) : std::pair(match.a, match.b);
  matches.bandwidth.push_back({from, to, match.rail, matches.rounds, bandwidth});
  figures[back ? 1 : 0].gigabytes_per_second = bandwidth;
  (void)course;
  (void)confirming;
}

}  // namespace

void play(Course& course, const Round& round, bool confirming, Matches& matches) {
  std::vector<Match> all;
  std::vector<Order> orders;
  for (const Pair& pair : round.pairs) {
    if (!course.lives(pair.a) || !course.lives(pair.b)) continue;
    const std::size_t rails = std::min(course.ranks_of(pair.a).size(), course.ranks_of(pair.b).size());
    for (Index rail = 0; rail < rails; ++rail) {
      Order order;
      order.task = "measure";
      order.words = {{"parts", {{{"what", "ping_pong"}, {"bytes", "8"}}, {{"what", "pairs"}, {"bytes", course.options.bytes}}}},
                     {"seconds", course.options.measured.count()},
                     {"watchdog", course.options.watchdog.count()}};
      order.members = {course.rank_of(pair.a, rail), course.rank_of(pair.b, rail)};
      order.limit = course.limit_of(3);
      orders.push_back(std::move(order));
      all.push_back({pair.a, pair.b, rail});
    }
  }
  const auto answers = course.carry_out("pairs", fmt::format("round {}", matches.rounds), std::move(orders));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Match& match = all[i];
    validation::PairFigure figures[2];
    figures[0] = {match.a, match.b, match.rail, matches.rounds, 0, {}, confirming};
    figures[1] = {match.b, match.a, match.rail, matches.rounds, 0, {}, confirming};
    const Answer& first = answers[i].front();
    const bool done = std::all_of(answers[i].begin(), answers[i].end(),
                                  [](const Answer& answer) { return answer.ending == Answer::Ending::done; });
    if (done) {
      for (const json& result : first.figures.at("results")) take(course, match, result, confirming, figures, matches);
    } else if (course.lives(match.a) && course.lives(match.b)) {
      const Answer& why = first.ending == Answer::Ending::done ? answers[i].back() : first;
      matches.failures.push_back({match.a, match.b, match.rail, matches.rounds, why.sentence});
    } else {
      continue;  // one of them is lost, which says nothing of the way
    }
    course.found.pairs.insert(course.found.pairs.end(), std::begin(figures), std::end(figures));
  }
  ++matches.rounds;
}

Round filled(const Course& course, const Round& round, const std::vector<bool>& without) {
  const auto plays = [&](Index host) { return course.lives(host) && !without[host]; };
  Round kept;
  kept.aim = round.aim;
  std::vector<bool> busy(course.fleet.hosts.size(), false);
  for (const Pair& pair : round.pairs)
    if (plays(pair.a) && plays(pair.b)) {
      kept.pairs.push_back(pair);
      busy[pair.a] = busy[pair.b] = true;
    }
  Index waiting = nowhere;
  for (Index host = 0; host < busy.size(); ++host) {
    if (busy[host] || !plays(host)) continue;
    if (waiting == nowhere) {
      waiting = host;
    } else {
      kept.pairs.push_back({waiting, host});
      waiting = nowhere;
    }
  }
  return kept;
}

}  // namespace railgauge::validate
