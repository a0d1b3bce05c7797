// Casts: orders to one host and its partners, on all rails.
#include "bench/validate/stages/capacities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "bench/validate/method/settle.hpp"
#include "bench/validate/method/unsteady.hpp"
#include "bench/validate/stages/facts.hpp"
#include "bench/validate/stages/findings.hpp"
#include "bench/validate/stages/levels.hpp"

namespace railgauge::validate {
namespace {

constexpr const char *incast = "incast", *outcast = "outcast";
// Of each message: large, since there is one to each partner at a time.
constexpr const char* cast_bytes = "1M";

class Settling {
 public:
  Settling(ValidationRun& run, const Matches& matches, std::vector<bool> absent)
      : run_(run),
        levels_(levels_of(run)),
        absent_(std::move(absent)),
        samples_(samples_of(run.fleet, medians_of(matches.bandwidth))) {
    for (Index host = 0; host < absent_.size(); ++host) {
      absent_[host] = absent_[host] || !run.lives(host);
      if (!absent_[host]) players_.push_back(host);
    }
  }

  SlowHosts run(validation::Stage& told) {
    settled_ =
        settle(run_.fleet, samples_, levels_, absent_,
               [this](const std::vector<Index>& hosts, std::span<const Index> preferred) { return cast(hosts, preferred); });
    if (settled_.many) note_figures();
    tell_slow(settled_.confirmed.slow);
    for (const Slow& slow : settled_.confirmed.open) tell_open(slow);
    note_level();
    note_power();
    if (rounds_ > 0) told.notes.push_back(fmt::format("{} rounds of one host with several at the same time", rounds_));
    return {settled_.confirmed.slow, settled_.many, unexplained()};
  }

 private:
  Order order_for(const CastSet& set, Index rail) const {
    MeasureTask task;
    for (const char* const what : {incast, outcast}) task.points.push_back({what, cast_bytes, {}, {}});
    task.seconds = run_.options.measured;
    task.watchdog = run_.options.watchdog;
    Order order = order_to(task);
    order.limit = run_.limit_of(static_cast<int>(2 * (set.partners.size() + 1)));
    order.members = {run_.rank_of(set.host, rail)};
    for (const Index partner : set.partners) order.members.push_back(run_.rank_of(partner, rail));
    return order;
  }

  std::vector<Cast> cast(const std::vector<Index>& hosts, std::span<const Index> preferred) {
    std::vector<Cast> casts;
    const std::uint64_t seed = run_.options.seed + 7919 * (std::uint64_t{rounds_} + 1);
    for (const std::vector<CastSet>& round : cast_rounds(players_, hosts, preferred, seed)) {
      if (run_.time_is_over()) break;
      std::vector<Order> orders;
      std::vector<std::pair<CastSet, Index>> asked;
      for (const CastSet& set : round)
        for (Index rail = 0; rail < run_.fleet.rails; ++rail) {
          const auto has_rail = [&](Index host) { return run_.lives(host) && rail < run_.ranks_of(host).size(); };
          CastSet its{set.host, {}};
          std::copy_if(set.partners.begin(), set.partners.end(), std::back_inserter(its.partners), has_rail);
          if (!has_rail(set.host) || its.partners.empty()) continue;
          orders.push_back(order_for(its, rail));
          asked.emplace_back(std::move(its), rail);
        }
      const auto answers = run_.carry_out(validation::pairs_stage, fmt::format("casts {}, seed {}", rounds_, run_.options.seed),
                                          std::move(orders));
      for (std::size_t i = 0; i < asked.size(); ++i) take(asked[i].first, asked[i].second, answers[i], casts);
      ++rounds_;
    }
    return casts;
  }
  void take(const CastSet& set, Index rail, const std::vector<Answer>& answers, std::vector<Cast>& into) const {
    if (std::any_of(answers.begin(), answers.end(), [](const Answer& it) { return it.ending != Answer::Ending::done; })) return;
    for (const MeasuredPoint& result : answers.front().figures.get<Measured>().results) {
      if (result.samples == 0 || !(result.busbw > 0)) continue;
      into.push_back(
          {set.host, rail, rounds_, result.what == incast ? Direction::in : Direction::out, set.partners, result.busbw});
    }
  }

  // Medians over partners of which most are slow say little of a host.
  void note_figures() {
    for (Index host = 0; host < run_.fleet.hosts.size(); ++host)
      for (Index rail = 0; rail < run_.fleet.rails; ++rail) {
        validation::RailFigures& its = run_.found.hosts[host].rails[rail];
        const double send = settled_.capacities[rail].send[host].log, receive = settled_.capacities[rail].receive[host].log;
        if (std::isfinite(send)) its.send = std::exp(send);
        if (std::isfinite(receive)) its.receive = std::exp(receive);
      }
    for (const Slow& slow : settled_.confirmed.slow) {
      validation::RailFigures& its = run_.found.hosts[slow.host].rails[slow.rail];
      if (slow.direction != Direction::in) its.send_off = its.send.value_or(0) / slow.reference - 1;
      if (slow.direction != Direction::out) its.receive_off = its.receive.value_or(0) / slow.reference - 1;
    }
  }

  // On most rails of a host it is the host.
  void tell_slow(const std::vector<Slow>& all) {
    std::map<Index, std::vector<Slow>> hosts;
    for (const Slow& slow : all) hosts[slow.host].push_back(slow);
    // Beyond that they are no longer asked one by one what they have counted.
    if (hosts.size() > most_single) {
      tell_as_one(all);
      return;
    }
    for (const auto& [host, its] : hosts) {
      std::set<Index> rails;
      for (const Slow& slow : its) rails.insert(slow.rail);
      if (run_.fleet.rails > 1 && 2 * rails.size() > run_.fleet.rails) {
        Slow whole = its.front();
        for (const Slow& slow : its)
          if (slow.direction != whole.direction) whole.direction = Direction::both;
        const Level& level = levels_[host][whole.rail];
        whole.rail = npos;
        tell(whole, level);
      } else {
        for (const Slow& slow : its) tell(slow, levels_[host][slow.rail]);
      }
    }
  }
  void tell(const Slow& slow, const Level& level) {
    const Evidence evidence = evidence_of(run_, validation::pairs_stage, slow.host, slow.rail);
    run_.tell(validation::pairs_stage, diagnosis_of(run_.fleet, slow, level, evidence), run_.fleet.hosts[slow.host].name);
  }

  void tell_as_one(const std::vector<Slow>& all) {
    const Slow& worst = *std::min_element(
        all.begin(), all.end(), [](const Slow& a, const Slow& b) { return a.carries / a.reference < b.carries / b.reference; });
    const Level& level = levels_[worst.host][worst.rail];
    std::set<Index> hosts;
    for (const Slow& slow : all) hosts.insert(slow.host);
    tell_together(run_, validation::pairs_stage, diagnosis_of(run_.fleet, worst, level, {}), hosts, players_.size(),
                  fmt::format("are slow; the slowest, {}, carries {:.4g} GB/s, and {:.4g} are expected by {}.",
                              end_of_host(run_.fleet, worst.host, worst.rail), worst.carries, worst.reference,
                              worst.by_level ? level.source : "the fastest of their kind"));
  }

  void tell_open(const Slow& slow) {
    Diagnosis it;
    it.from = end_of_host(run_.fleet, slow.host, slow.rail);
    it.to = far_end_of_host(run_.fleet, slow.host, slow.rail);
    it.direction = way_of_host(slow.direction);
    it.slower = std::max(0.0, 1 - slow.carries / slow.reference);
    it.sentence = fmt::format(
        "{}: {} carried no more than {:.4g} GB/s with any partner, and {:.4g} are expected; its partners are as slow, so that it "
        "is "
        "not known whether it is slow too.",
        validation::name(it.blame), it.from, slow.carries, slow.reference);
    it.next = "validate it together with hosts that are known to reach their level";
    run_.tell(validation::pairs_stage, it, run_.fleet.hosts[slow.host].name);
  }

  [[nodiscard]] std::vector<Unexplained> unexplained() const {
    constexpr double too_many = 0.1;
    std::vector<Unexplained> all;
    for (Index rail = 0; rail < run_.fleet.rails && players_.size() > 2; ++rail)
      if (const Capacities& its = settled_.capacities[rail]; its.unexplained >= too_many)
        all.push_back({rail, its.unexplained, its.unexplained_slower});
    return all;
  }

  void note_level() {
    validation::LevelCheck& check = run_.found.level;
    check = {};
    check.checked = true;
    check.relative = run_.options.relative;
    check.verified = settled_.standing.known && settled_.standing.all_reach;
    for (const std::vector<Level>& rails : levels_)
      for (const Level& level : rails) {
        if (level.least > 0 && check.source.empty()) check.source = level.source;
        if (level.least <= 0 && check.reason.empty()) check.reason = level.source;
      }
    if (!check.verified && check.reason.empty() && settled_.confirmed.slow.empty())
      check.reason = "what was measured is below the band of it, and a processor may be what limits TCP";
    const auto figure = std::find_if(run_.found.figures.begin(), run_.found.figures.end(), [](const validation::Figure& it) {
      return it.stage == validation::pairs_stage && it.unit == "GB/s" && it.what.starts_with("two hosts, ");
    });
    const Level* lowest = nullptr;
    for (const std::vector<Level>& rails : levels_)
      for (const Level& level : rails)
        if (level.least > 0 && (lowest == nullptr || level.least < lowest->least)) lowest = &level;
    if (figure == run_.found.figures.end() || lowest == nullptr) return;
    figure->ceiling = lowest->full;
    figure->basis = lowest->source;
    if (lowest->may_fall_short) return;
    figure->least = lowest->least;
    figure->below = figure->value < lowest->least || two_below(*lowest);
  }
  // Among slow hosts one that is not shows it with several at the same time; that all are slow only a level shows.
  void note_power() {
    const auto count = static_cast<unsigned>(players_.size());
    constexpr unsigned fewest = 3;
    if (count >= fewest && settled_.all_asked) run_.found.power.slow_hosts = settled_.standing.known ? count : count - 1;
  }

  // Of two hosts nobody can be found faulty, and still they do not carry what they must.
  [[nodiscard]] bool two_below(const Level& level) const {
    if (players_.size() > 2) return false;
    return std::any_of(samples_.list.begin(), samples_.list.end(),
                       [&](const Sample& it) { return it.log < std::log(level.least); }) &&
           !settled_.standing.all_reach;
  }

  ValidationRun& run_;
  Levels levels_;
  std::vector<bool> absent_;    // by host
  std::vector<Index> players_;  // the others
  Samples samples_;
  Settled settled_;
  Index rounds_ = 0;  // of casts
};

}  // namespace

void drop_slow(const Fleet& fleet, const SlowHosts& slow, std::vector<Measurement>& measurements) {
  const auto place = [&](Index host, Index rail) { return std::size_t{host} * fleet.rails + rail; };
  std::vector<bool> sends(fleet.hosts.size() * fleet.rails, false), receives = sends;
  for (const Slow& it : slow.all) {
    if (it.direction != Direction::in) sends[place(it.host, it.rail)] = true;
    if (it.direction != Direction::out) receives[place(it.host, it.rail)] = true;
  }
  std::erase_if(measurements,
                [&](const Measurement& it) { return sends[place(it.from, it.rail)] || receives[place(it.to, it.rail)]; });
}

SlowHosts settle_capacities(ValidationRun& run, const Matches& matches, const std::vector<bool>& without,
                            validation::Stage& told) {
  return Settling(run, matches, without).run(told);
}

}  // namespace railgauge::validate
