// The share of packets that a pair loses is taken for the sum of what its two hosts lose: least squares, none below zero. So
// hosts are told apart however many of them lose packets. Losses come in bursts; whether a host differs is therefore asked of
// rounds, and not of packets.
#include "bench/validate/method/losses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/statistics/median.hpp"
#include "base/statistics/rank_tests.hpp"

namespace railgauge::validate {
namespace {

constexpr double least_packets = 100;  // of a pair in a round; fewer say nothing

// Two hosts in one round.
struct PairSum {
  Index a = 0, b = 0, round = 0;
  std::array<double, 2> packets{}, resent{};  // from a to b, and from b to a

  [[nodiscard]] bool of(Index host) const { return a == host || b == host; }
  [[nodiscard]] Index partner(Index host) const { return a == host ? b : a; }
  [[nodiscard]] double all() const { return packets[0] + packets[1]; }
  [[nodiscard]] double lost() const { return resent[0] + resent[1]; }
  [[nodiscard]] double share() const { return lost() / all(); }
};

// Where hosts count all rails together, each rail tells the same; the one that tells most is taken.
std::vector<PairSum> pairs_of(std::span<const Sent> sent) {
  using Way = std::array<Index, 3>;  // round, from, to
  std::map<std::pair<Way, Index>, std::array<double, 2>> by_rail;
  for (const Sent& each : sent) {
    std::array<double, 2>& sum = by_rail[{{each.round, each.from, each.to}, each.rail}];
    sum[0] += static_cast<double>(each.packets);
    sum[1] += static_cast<double>(each.resent);
  }
  std::map<Way, PairSum> pairs;
  std::map<std::pair<Index, Index>, std::set<Index>> partners;  // by round and host
  for (const auto& [key, sum] : by_rail) {
    const auto& [round, from, to] = key.first;
    PairSum& pair = pairs[{round, std::min(from, to), std::max(from, to)}];
    pair.round = round;
    pair.a = std::min(from, to);
    pair.b = std::max(from, to);
    const std::size_t way = from < to ? 0 : 1;
    if (sum[0] > pair.packets[way]) {
      pair.packets[way] = sum[0];
      pair.resent[way] = std::min(sum[1], sum[0]);  // a packet may be lost twice
    }
    partners[{round, from}].insert(to);
    partners[{round, to}].insert(from);
  }
  std::vector<PairSum> clear;
  for (const auto& [way, pair] : pairs)
    if (pair.all() >= least_packets && partners[{pair.round, pair.a}].size() == 1 && partners[{pair.round, pair.b}].size() == 1)
      clear.push_back(pair);
  return clear;
}

// What each host adds to the share of its pairs.
std::map<Index, double> fit(std::span<const PairSum> pairs) {
  std::map<Index, std::vector<const PairSum*>> of_host;
  for (const PairSum& each : pairs)
    for (const Index host : {each.a, each.b}) of_host[host].push_back(&each);
  std::map<Index, double> added;
  for (const auto& [host, its] : of_host) added[host] = 0;
  // Half of the host's own mean to begin with, so that no host comes first.
  for (auto& [host, value] : added) {
    double lost = 0, all = 0;
    for (const PairSum* each : of_host[host]) lost += each->lost(), all += each->all();
    value = lost / all / 2;
  }
  constexpr int most_passes = 500;
  constexpr double settled = 1e-9;
  for (int pass = 0; pass < most_passes; ++pass) {
    double moved = 0;
    for (auto& [host, value] : added) {
      double over = 0, all = 0;
      for (const PairSum* each : of_host[host]) {
        over += each->all() * (each->share() - added[each->partner(host)]);
        all += each->all();
      }
      const double better = std::max(0.0, over / all);
      moved = std::max(moved, std::abs(better - std::exchange(value, better)));
    }
    if (moved < settled) break;
  }
  return added;
}

double share_of(std::span<const PairSum> pairs, const auto& wanted) {
  double lost = 0, all = 0;
  for (const PairSum& each : pairs)
    if (wanted(each)) lost += each.lost(), all += each.all();
  return all > 0 ? lost / all : 0;
}

// What a round shows beside what is explained of it; 0 where that is little beside what is asked for.
double beyond(const PairSum& pair, double explained, double asked) {
  const double more = pair.lost() > 0 ? pair.share() - explained : 0;
  return more > asked / 4 ? more : 0;
}

// Chance that rounds of a host like any other show so much. Two tests, the better of which counts, and costs half: how many
// rounds show something (binomial; a round with and one without a loss are added to those of the others), which few rounds can
// answer; and how much they show (ranks), which tells hosts apart where many lose packets.
double chance(const std::vector<double>& own, const std::vector<double>& others) {
  const auto positive = [](double each) { return each > 0; };
  const auto seen = static_cast<double>(std::count_if(own.begin(), own.end(), positive));
  if (seen == 0) return 1;
  const double usual =
      (1 + static_cast<double>(std::count_if(others.begin(), others.end(), positive))) / (2 + static_cast<double>(others.size()));
  double p = boost::math::ibeta(seen, static_cast<double>(own.size()) - seen + 1, usual);
  if (const auto ranks = compare::mann_whitney(own, others);
      ranks && 2 * ranks->u > static_cast<double>(own.size() * others.size()))
    p = std::min(p, ranks->p / 2);
  return std::min(1.0, 2 * p);
}

using Hosts = std::vector<Index>;
bool among(const Hosts& hosts, Index host) { return std::find(hosts.begin(), hosts.end(), host) != hosts.end(); }

// One host beside the others, in what each adds to the share of its pairs. `more` are hosts that may lose packets as well, and
// are no others.
Lossy judge(std::span<const PairSum> pairs, const std::map<Index, double>& added, Index host, const Hosts& more,
            const LossOptions& options) {
  Lossy lossy;
  lossy.host = host;
  const double asked = added.at(host);
  std::set<Index> met, lost_with;
  std::vector<double> own, others;
  for (const PairSum& each : pairs) {
    if (!each.of(host)) {
      const double a = added.at(each.a), b = added.at(each.b);
      const bool a_more = among(more, each.a), b_more = among(more, each.b);
      // Of two others the one that adds more is asked.
      if (!a_more || !b_more) others.push_back(beyond(each, a_more ? a : b_more ? b : std::min(a, b), asked));
      continue;
    }
    const Index partner = each.partner(host);
    own.push_back(beyond(each, added.at(partner), asked));
    met.insert(partner);
    if (own.back() > 0) lost_with.insert(partner);
  }
  const auto seen = [](auto begin, auto end) { return std::count_if(begin, end, [](double each) { return each > 0; }); };
  const auto often = [&](auto begin, auto end) { return 3 * seen(begin, end) >= end - begin; };
  const auto middle = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
  lossy.rounds = static_cast<Index>(own.size());
  lossy.seen = static_cast<Index>(seen(own.begin(), own.end()));
  lossy.partners = static_cast<Index>(lost_with.size());
  constexpr std::size_t least_partners = 3;
  const bool steady = lossy.seen >= least_partners && lost_with.size() >= least_partners && 2 * lost_with.size() >= met.size() &&
                      often(own.begin(), middle) && often(middle, own.end());
  const double p = steady ? chance(own, others) : 1;
  lossy.odds = p > 0 ? 1 / p : std::numeric_limits<double>::infinity();
  lossy.faulty = p <= options.error / static_cast<double>(added.size());
  return lossy;
}

// Judges these hosts beside all others; nothing where one of them does not lose so much more than the median of those.
std::vector<Lossy> judge_all(std::span<const PairSum> pairs, const std::map<Index, double>& added, const Hosts& hosts,
                             const LossOptions& options) {
  double least = std::numeric_limits<double>::infinity();
  for (const Index host : hosts) least = std::min(least, added.at(host));
  // Medians of medians: a burst in one round raises the means of both hosts that met in it.
  std::map<Index, std::vector<double>> of_others;
  for (const PairSum& each : pairs)
    for (const Index host : {each.a, each.b})
      if (!among(hosts, host)) of_others[host].push_back(std::max(0.0, each.share() - added.at(each.partner(host))));
  std::vector<double> low;
  for (auto& [host, values] : of_others) low.push_back(median(values));
  if (hosts.empty() || low.empty() || least < std::max(options.share, options.times * median(low))) return {};
  std::vector<Lossy> judged;
  for (const Index host : hosts) judged.push_back(judge(pairs, added, host, hosts, options));
  return judged;
}

// As many hosts as can be told from all others: however many they are, up to all but one.
std::vector<Lossy> apart_from_others(std::span<const PairSum> pairs, const std::map<Index, double>& added,
                                     const LossOptions& options) {
  std::vector<std::pair<double, Index>> order;
  for (const auto& [host, value] : added) order.emplace_back(value, host);
  std::sort(order.begin(), order.end());
  const auto all_faulty = [](const std::vector<Lossy>& judged) {
    return !judged.empty() && std::all_of(judged.begin(), judged.end(), [](const Lossy& each) { return each.faulty; });
  };
  for (std::size_t first = 1; first < order.size(); ++first) {
    Hosts hosts;
    for (std::size_t i = first; i < order.size(); ++i) hosts.push_back(order[i].second);
    std::vector<Lossy> judged = judge_all(pairs, added, hosts, options);
    if (all_faulty(judged)) return judged;
    // Those that one burst raised are among the others.
    hosts.clear();
    for (const Lossy& each : judged)
      if (each.faulty) hosts.push_back(each.host);
    judged = judge_all(pairs, added, hosts, options);
    if (all_faulty(judged)) return judged;
  }
  return {};
}

// Its figures, by what it exchanged with hosts that lose nothing, where there are any.
void measure(std::span<const PairSum> pairs, const Hosts& faulty, Lossy& lossy) {
  const auto with_good = [&](const PairSum& each) { return each.of(lossy.host) && !among(faulty, each.partner(lossy.host)); };
  const bool any = std::any_of(pairs.begin(), pairs.end(), with_good);
  std::array<double, 2> packets{}, resent{};  // sent by this host, and to it
  for (const PairSum& each : pairs) {
    if (!each.of(lossy.host)) continue;
    lossy.packets += static_cast<std::uint64_t>(each.all());
    if (any && !with_good(each)) continue;
    for (const std::size_t way : {0U, 1U}) {
      const std::size_t own = each.a == lossy.host ? way : 1 - way;
      packets[own] += each.packets[way];
      resent[own] += each.resent[way];
    }
  }
  lossy.share = (resent[0] + resent[1]) / (packets[0] + packets[1]);
  lossy.others = share_of(pairs, [&](const PairSum& each) { return !among(faulty, each.a) && !among(faulty, each.b); });
  constexpr double clearly = 10;  // packets, and times as many
  for (const auto& [one, direction] : {std::pair(0U, Direction::out), std::pair(1U, Direction::in)}) {
    const double other = packets[1 - one] > 0 ? resent[1 - one] / packets[1 - one] : 0;
    if (packets[one] > 0 && packets[1 - one] > 0 && resent[one] >= clearly && resent[one] / packets[one] >= clearly * other)
      lossy.direction = direction;
  }
}

// Where nobody is found and yet packets are lost all the time.
std::optional<Lossy> everywhere(std::span<const PairSum> pairs, const std::map<Index, double>& added,
                                const LossOptions& options) {
  Lossy all;
  all.share = share_of(pairs, [](const PairSum&) { return true; });
  all.rounds = static_cast<Index>(pairs.size());
  all.seen = static_cast<Index>(
      std::count_if(pairs.begin(), pairs.end(), [&](const PairSum& each) { return each.share() > options.everywhere / 4; }));
  if (all.share < options.everywhere || 2 * all.seen < all.rounds || all.seen < 3) return std::nullopt;
  for (const auto& [host, value] : added) all.others_losing.push_back(host);
  return all;
}

std::vector<Lossy> of_rail(std::span<const Sent> sent, const LossOptions& options) {
  const std::vector<PairSum> pairs = pairs_of(sent);
  if (pairs.empty()) return {};
  const std::map<Index, double> added = fit(pairs);
  std::vector<Lossy> found = apart_from_others(pairs, added, options);
  Hosts faulty;
  for (const Lossy& each : found) faulty.push_back(each.host);
  for (Lossy& each : found) measure(pairs, faulty, each);
  if (found.empty())
    if (std::optional<Lossy> all = everywhere(pairs, added, options)) found.push_back(std::move(*all));
  return found;
}

// Shares below the smallest are as good as none.
std::string percent(double share) {
  constexpr double smallest = 1e-5;
  return share > 0 && share < smallest ? "less than 0.001 %" : fmt::format("{:.2g} %", 100 * share);
}

}  // namespace

std::vector<Lossy> find_losses(const Fleet& fleet, std::span<const Sent> sent, const LossOptions& options) {
  std::map<Index, std::vector<Sent>> by_rail;
  for (const Sent& each : sent) by_rail[each.of_port || fleet.rails == 1 ? each.rail : npos].push_back(each);
  LossOptions of_one = options;
  of_one.error /= static_cast<double>(std::max<std::size_t>(1, by_rail.size()));
  std::vector<Lossy> all;
  for (const auto& [rail, its] : by_rail)
    for (Lossy& each : of_rail(its, of_one)) {
      each.rail = rail;
      all.push_back(std::move(each));
    }
  std::stable_sort(all.begin(), all.end(), [](const Lossy& a, const Lossy& b) { return a.share > b.share; });
  return all;
}

Diagnosis diagnosis_of(const Fleet& fleet, const Lossy& lossy) {
  Diagnosis diagnosis;
  diagnosis.measure = Symptom::loss;
  diagnosis.faulty = lossy.faulty;
  diagnosis.slower = lossy.share;
  diagnosis.odds = lossy.odds;
  const std::string lost = fmt::format("{} of the packets", percent(lossy.share));
  if (lossy.faulty) {
    diagnosis.blame = Blame::cable_port;
    diagnosis.from = end_of_host(fleet, lossy.host, lossy.rail);
    diagnosis.to = far_end_of_host(fleet, lossy.host, lossy.rail);
    diagnosis.hosts = {fleet.hosts[lossy.host].name};
    diagnosis.direction = way_of_host(lossy.direction);
    const std::string_view which = lossy.direction == Direction::out  ? "that it sent"
                                   : lossy.direction == Direction::in ? "that were sent to it"
                                                                      : "that were sent by it and to it";
    diagnosis.sentence = fmt::format(
        "{}: {}{}{} loses packets: {} {} had to be sent again, {} among the others (in {} of {} rounds, with {} partners).",
        name(diagnosis.blame), diagnosis.from, diagnosis.to.empty() ? "" : " - ", diagnosis.to, lost, which,
        percent(lossy.others), lossy.seen, lossy.rounds, lossy.partners);
    diagnosis.next =
        "read what both ends of its cable count: errors mean the cable or a transceiver, so swap it with its neighbour; packets "
        "dropped without errors mean a queue of the switch's port or of the host that is too short";
    return diagnosis;
  }
  const std::string rounds = fmt::format("{} had to be sent again, in {} of {} measurements", lost, lossy.seen, lossy.rounds);
  const std::size_t hosts = lossy.others_losing.size();
  if (hosts == 2) {
    diagnosis.from = end_of_host(fleet, lossy.others_losing[0], lossy.rail);
    diagnosis.to = end_of_host(fleet, lossy.others_losing[1], lossy.rail);
  } else {
    diagnosis.from = "all hosts";
  }
  diagnosis.sentence = fmt::format("{}: packets are lost between {}{}{}: {}; {}.", name(diagnosis.blame), diagnosis.from,
                                   diagnosis.to.empty() ? "" : " and ", diagnosis.to, rounds,
                                   hosts < 4 ? "too few hosts were measured to tell which of them loses them"
                                             : "no host loses so many more than others that it could be named");
  diagnosis.next =
      "read what the ports of hosts and switches count: errors mean cables, drops without errors queues or flow control";
  return diagnosis;
}

}  // namespace railgauge::validate
