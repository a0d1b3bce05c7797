// Joins what both directions of each port show.
#include "bench/validate/method/standing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/statistics/median.hpp"
#include "bench/validate/method/counts.hpp"

namespace railgauge::validate {
namespace {

// Partners that can take so many times more than what a host is said to carry would show it, if it could.
constexpr double clearly_more = 1.3;

struct Reference {
  double log = 0;
  std::size_t hosts = 0;
};

class Judging {
 public:
  Judging(const Fleet& fleet, std::span<const Capacities> capacities, const Levels& levels, const std::vector<bool>& absent)
      : fleet_(fleet), capacities_(capacities), levels_(levels), absent_(absent) {}

  Standing run() {
    std::set<Index> slow, grouped, measured;
    for (Index rail = 0; rail < capacities_.size(); ++rail) {
      learn_groups(rail);
      for (Index host = 0; host < fleet_.hosts.size(); ++host) {
        if (absent_[host] || std::isnan(capacities_[rail].send[host].log) || std::isnan(capacities_[rail].receive[host].log))
          continue;
        measured.insert(host);
        look_at(host, rail, slow, grouped);
      }
    }
    found_.many = static_cast<double>(grouped.size()) > many_hosts * static_cast<double>(measured.size());
    std::vector<std::pair<double, Index>> rest;
    for (const Index host : measured)
      if (!slow.contains(host)) rest.emplace_back(-capacities_[0].send[host].log, host);
    std::sort(rest.begin(), rest.end());
    for (const auto& [log, host] : rest) found_.reference.push_back(host);
    return std::move(found_);
  }

 private:
  // The fastest group of each model and direction, and who is in a slower one.
  void learn_groups(Index rail) {
    references_.clear();
    in_slow_group_.clear();
    for (const Group& group : groups_of(fleet_, capacities_[rail])) {
      const auto key = std::pair(group.model, group.direction);
      if (!references_.contains(key)) {
        references_[key] = {group.log, group.hosts.size()};
        continue;
      }
      for (const Index host : group.hosts) in_slow_group_.insert({host, group.direction});
    }
  }

  void look_at(Index host, Index rail, std::set<Index>& slow, std::set<Index>& grouped) {
    const Level& level = levels_[host][rail];
    if (level.least <= 0) found_.known = false;
    std::optional<Slow> out, in;
    bool open = false;
    for (const Direction direction : {Direction::out, Direction::in}) {
      const Capacity& its = (direction == Direction::out ? capacities_[rail].send : capacities_[rail].receive)[host];
      const double carries = std::exp(its.log);
      const bool below = level.least > 0 && carries < level.least;
      if (below || level.least <= 0) found_.all_reach = false;
      const bool in_group = in_slow_group_.contains({host, direction});
      if (!(below && !level.may_fall_short) && !in_group) continue;
      Slow it;
      it.host = host;
      it.rail = rail;
      it.direction = direction;
      it.carries = carries;
      const Reference& reference = references_.at({fleet_.hosts[host].model, direction});
      it.by_level = below && !level.may_fall_short;
      it.reference = it.by_level ? level.least : std::exp(reference.log);
      it.group = reference.hosts;
      if (its.least) {
        open = true;
        (direction == Direction::out ? out : in) = it;
        continue;
      }
      if (in_group) grouped.insert(host);
      slow.insert(host);
      (direction == Direction::out ? out : in) = it;
    }
    if (!out && !in) return;
    std::vector<Slow>& into = open && !slow.contains(host) ? found_.open : found_.slow;
    constexpr double alike = 0.25;  // of a logarithm
    if (out && in && std::fabs(std::log(out->carries / in->carries)) < alike) {
      Slow both = out->carries < in->carries ? *out : *in;
      both.direction = Direction::both;
      into.push_back(both);
      return;
    }
    for (const std::optional<Slow>& it : {out, in})
      if (it) into.push_back(*it);
  }

  const Fleet& fleet_;
  std::span<const Capacities> capacities_;
  const Levels& levels_;
  const std::vector<bool>& absent_;
  std::map<std::pair<std::string, Direction>, Reference> references_;
  std::set<std::pair<Index, Direction>> in_slow_group_;
  Standing found_;
};

}  // namespace

Standing standing_of(const Fleet& fleet, std::span<const Capacities> capacities, const Levels& levels,
                     const std::vector<bool>& absent) {
  return Judging(fleet, capacities, levels, absent).run();
}

namespace {

double of_partners(const Cast& cast, const Capacities& capacities) {
  double sum = 0;
  for (const Index partner : cast.partners) {
    const double log = (cast.direction == Direction::out ? capacities.receive : capacities.send)[partner].log;
    if (!std::isnan(log)) sum += std::exp(log);
  }
  return sum;
}

// What hosts of the reference of that model carried in casts of that direction, whose partners did not hold them back; 0 where
// there are none.
struct Controls {
  double carried = 0;
  std::size_t casts = 0;
};
Controls of_controls(const Fleet& fleet, Direction direction, const Slow& slow, std::span<const Cast> casts,
                     const Capacities& capacities, std::span<const Index> controls) {
  std::vector<double> carried;
  for (const Cast& cast : casts)
    if (cast.rail == slow.rail && cast.direction == direction && of_partners(cast, capacities) > slow.reference &&
        fleet.hosts[cast.host].model == fleet.hosts[slow.host].model &&
        std::find(controls.begin(), controls.end(), cast.host) != controls.end())
      carried.push_back(cast.gigabytes_per_second);
  return {median(carried), carried.size()};
}

// Standard deviation of one transfer as fast as that host's, as a logarithm.
double scatter_of(const Capacity& it) { return it.error * std::sqrt(static_cast<double>(std::max<Index>(1, it.measured))); }

// Nothing where there are too few casts that could tell. Each cast counts as a square of Confirmation does, and no more.
std::optional<bool> borne_out(const Fleet& fleet, Slow& slow, std::span<const Cast> casts, const Capacities& its,
                              std::span<const Index> controls) {
  const Index wanted = slow.by_level ? looks_by_level : looks_by_group;
  bool enough = true;
  for (const Direction direction : {Direction::out, Direction::in}) {
    if (slow.direction != Direction::both && slow.direction != direction) continue;
    const Controls control = of_controls(fleet, direction, slow, casts, its, controls);
    const double reference = control.casts > 0 ? std::min(control.carried, slow.reference) : slow.reference;
    const double scatter = scatter_of((direction == Direction::out ? its.send : its.receive)[slow.host]);
    const auto others = static_cast<double>(std::max<std::size_t>(1, control.casts));
    Index looks = 0;
    double sum = 0;
    for (const Cast& cast : casts) {
      if (cast.host != slow.host || cast.rail != slow.rail || cast.direction != direction || !(cast.gigabytes_per_second > 0))
        continue;
      const double could = std::min(of_partners(cast, its), reference);
      if (could < clearly_more * slow.carries && could < reference) continue;
      const double effect = std::log(could / slow.carries), slower = std::log(could / cast.gigabytes_per_second);
      if (slower < effect / 2) return false;
      ++looks;
      sum += slower;
      slow.log_odds += odds_of_look(effect, slower, scatter * std::sqrt(1 + 1 / others));
    }
    enough = enough && looks >= wanted;
    if (slow.by_level || looks == 0) continue;
    constexpr double least_deviations = 5;
    if (sum / looks < least_deviations * scatter * std::sqrt(1.0 / looks + 1 / others)) return false;
  }
  return enough ? std::optional(true) : std::nullopt;
}

}  // namespace

std::vector<Index> controls_of(const Fleet& fleet, const Standing& standing) {
  constexpr std::size_t few = 3;
  std::map<std::string, std::vector<Index>> models;
  for (const Index host : standing.reference) models[fleet.hosts[host].model].push_back(host);
  std::vector<Index> controls;
  for (const auto& [model, hosts] : models) {
    const std::size_t step = std::max<std::size_t>(1, hosts.size() / few);
    for (std::size_t i = 0; i < hosts.size() && i < few * step; i += step) controls.push_back(hosts[i]);
  }
  return controls;
}

Confirmed confirmed_of(const Fleet& fleet, std::span<const Slow> asked, std::span<const Cast> casts,
                       std::span<const Capacities> capacities, std::span<const Index> controls) {
  Confirmed it;
  std::size_t compared = 0, borne_of_groups = 0;
  for (Slow slow : asked) {
    const std::optional<bool> borne = borne_out(fleet, slow, casts, capacities[slow.rail], controls);
    if (!slow.by_level) {
      ++compared;
      borne_of_groups += borne.value_or(true) ? 1 : 0;
    }
    if (!borne)
      it.open.push_back(slow);
    else if (*borne)
      it.slow.push_back(slow);
  }
  if (2 * borne_of_groups < compared)
    for (std::vector<Slow>* const list : {&it.slow, &it.open})
      std::erase_if(*list, [](const Slow& slow) { return !slow.by_level; });
  return it;
}

Diagnosis diagnosis_of(const Fleet& fleet, const Slow& slow, const Level& level, const Evidence& evidence) {
  Diagnosis it;
  const Component component{ComponentKind::nic, slow.direction, slow.host, slow.rail};
  it.blame = blame_of_host(component, evidence);
  it.faulty = true;
  it.from = end_of_host(fleet, slow.host, slow.rail);
  it.to = far_end_of_host(fleet, slow.host, slow.rail);
  it.direction = way_of_host(slow.direction);
  it.slower = std::max(0.0, 1 - slow.carries / slow.reference);
  it.odds = std::exp(std::min(700.0, slow.log_odds));
  const std::string ends = it.to.empty() ? it.from : fmt::format("{} - {}", it.from, it.to);
  const std::string way = slow.direction == Direction::both ? " in both directions" : ", " + it.direction;
  const std::string beside =
      slow.by_level
          ? fmt::format("it must carry {:.4g} GB/s by {}", slow.reference, level.source)
          : fmt::format("{} {} {:.4g} GB/s", slow.group == 1 ? "one host like it" : fmt::format("{} hosts like it", slow.group),
                        slow.group == 1 ? "carries" : "carry", slow.reference);
  it.sentence = fmt::format("{}: {} carries {:.4g} GB/s{}, and {}; it carries no more with several partners at the same time.",
                            validation::name(it.blame), ends, slow.carries, way, beside);
  it.next = next_step(it.blame);
  it.hosts = {fleet.hosts[slow.host].name};
  return it;
}

}  // namespace railgauge::validate
