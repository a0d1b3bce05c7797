// Gauss and Seidel's iteration on the weighted normal equations; P. Huber, Robust estimation of a location parameter, Annals of
// Mathematical Statistics 35, 1964. Least squares and not medians: of a host most of whose partners are late, a median is late.
#include "bench/validate/method/delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/statistics/median.hpp"
#include "bench/validate/method/counts.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

struct Taken {
  Index a = 0, b = 0, kind = 0;
  double seconds = 0, weight = 1;
};

class Fitting {
 public:
  Fitting(const Fleet& fleet, std::span<const Latency> latencies, Index rail)
      : kinds_(fleet), of_host_(fleet.hosts.size()), of_kind_(kinds_.count()), host_(fleet.hosts.size()), kind_(kinds_.count()) {
    for (const Latency& it : latencies) {
      if (it.rail != rail || !(it.latency.count() > 0) || !std::isfinite(it.latency.count())) continue;
      const Index a = std::min(it.a, it.b), b = std::max(it.a, it.b), place = static_cast<Index>(taken_.size());
      taken_.push_back({a, b, kinds_.of(a, b, rail), it.latency.count(), 1});
      of_host_[a].push_back(place);
      of_host_[b].push_back(place);
      of_kind_[taken_.back().kind].push_back(place);
    }
  }

  Delays run() {
    constexpr int weighings = 8, sweeps = 60;
    for (int weighing = 0; weighing < weighings; ++weighing) {
      for (int sweep = 0; sweep < sweeps; ++sweep) improve();
      weigh();
    }
    lean_on_least();
    Delays delays;
    delays.scatter = Seconds(scatter_);
    for (std::size_t kind = 0; kind < kind_.size(); ++kind)
      delays.kinds.emplace_back(of_kind_[kind].empty() ? nothing : kind_[kind]);
    for (std::size_t host = 0; host < host_.size(); ++host) {
      const auto count = static_cast<double>(of_host_[host].size());
      // What partners add is known no better than what the host does.
      const double error = count > 1 ? scatter_ * std::sqrt(2 / (count - 1)) : std::numeric_limits<double>::infinity();
      double path = nothing;
      for (const Index place : of_host_[host]) path = std::fmin(path, kind_[taken_[place].kind]);
      delays.hosts.push_back(
          {Seconds(count > 0 ? host_[host] : nothing), Seconds(error), Seconds(path), static_cast<Index>(count)});
    }
    return delays;
  }

 private:
  [[nodiscard]] double rest(const Taken& it) const { return it.seconds - kind_[it.kind] - host_[it.a] - host_[it.b]; }

  void improve() {
    const auto mean_rest = [&](const std::vector<Index>& places) {
      double sum = 0, weights = 0;
      for (const Index place : places) {
        sum += taken_[place].weight * rest(taken_[place]);
        weights += taken_[place].weight;
      }
      return weights > 0 ? sum / weights : 0;
    };
    for (std::size_t kind = 0; kind < kind_.size(); ++kind) kind_[kind] += mean_rest(of_kind_[kind]);
    for (std::size_t host = 0; host < host_.size(); ++host) host_[host] += mean_rest(of_host_[host]);
  }

  void weigh() {
    std::vector<double> rests;
    for (const Taken& it : taken_) rests.push_back(rest(it));
    scatter_ = deviation(rests);
    if (scatter_ <= 0) return;
    constexpr double huber = 1.345;
    for (std::size_t i = 0; i < taken_.size(); ++i)
      taken_[i].weight = std::min(1.0, huber * scatter_ / std::max(std::fabs(rests[i]), std::numeric_limits<double>::min()));
  }

  // What all hosts of a model add is part of the path.
  void lean_on_least() {
    std::map<Index, double> least;
    for (Index host = 0; host < host_.size(); ++host) {
      if (of_host_[host].empty()) continue;
      const auto [it, added] = least.emplace(kinds_.model(host), host_[host]);
      if (!added) it->second = std::min(it->second, host_[host]);
    }
    for (std::size_t kind = 0; kind < kind_.size(); ++kind)
      if (!of_kind_[kind].empty()) {
        const Taken& any = taken_[of_kind_[kind].front()];
        kind_[kind] += least.at(kinds_.model(any.a)) + least.at(kinds_.model(any.b));
      }
    for (Index host = 0; host < host_.size(); ++host)
      if (!of_host_[host].empty()) host_[host] -= least.at(kinds_.model(host));
  }

  Kinds kinds_;
  std::vector<Taken> taken_;
  std::vector<std::vector<Index>> of_host_, of_kind_;
  std::vector<double> host_, kind_;
  double scatter_ = 0;
};

// Of one model and rail, in the order of what they add: those behind the first gap.
void split(const Delays& delays, const std::vector<Index>& hosts, Index rail, const LeastLonger& least, std::vector<Late>& late) {
  const auto of = [&](std::size_t i) -> const Delay& { return delays.hosts[hosts[i]]; };
  constexpr double least_errors = 6, least_scatters = 2;
  double usual = of(0).path.count();
  std::size_t reference = 1;
  for (; reference < hosts.size(); ++reference) {
    const Delay &before = of(reference - 1), &after = of(reference);
    const double error = std::hypot(before.error.count(), after.error.count());
    const double needed =
        std::max({least.share * usual, least.longer.count(), least_errors * error, least_scatters * delays.scatter.count()});
    if ((after.adds - before.adds).count() > needed) break;
    usual = std::min(usual, after.path.count());
  }
  std::vector<double> adds;
  for (std::size_t i = 0; i < reference; ++i) adds.push_back(of(i).adds.count());
  const Seconds base(median(adds));
  // Two of the reference would take less than nothing: these latencies are no sums of what hosts add, and tell nothing of them.
  constexpr double errors = 3;
  if (usual + 2 * base.count() < -errors * of(0).error.count()) return;
  for (std::size_t i = reference; i < hosts.size(); ++i)
    late.push_back({hosts[i], rail, of(i).adds - base, Seconds(usual) + 2 * base, reference, 0});
}

}  // namespace

Delays delays_of(const Fleet& fleet, std::span<const Latency> latencies, Index rail) {
  return Fitting(fleet, latencies, rail).run();
}

LateHosts late_hosts(const Fleet& fleet, std::span<const Delays> delays, const LeastLonger& least) {
  LateHosts found;
  std::set<Index> measured, named;
  for (Index rail = 0; rail < delays.size(); ++rail) {
    std::map<std::string, std::vector<Index>> models;
    for (Index host = 0; host < fleet.hosts.size(); ++host)
      if (delays[rail].hosts[host].measured >= least_rounds) {
        models[fleet.hosts[host].model].push_back(host);
        measured.insert(host);
      }
    for (auto& [model, hosts] : models) {
      std::sort(hosts.begin(), hosts.end(),
                [&](Index a, Index b) { return delays[rail].hosts[a].adds < delays[rail].hosts[b].adds; });
      split(delays[rail], hosts, rail, least, found.late);
    }
  }
  for (const Late& it : found.late) named.insert(it.host);
  found.many = static_cast<double>(named.size()) > many_hosts * static_cast<double>(measured.size());
  return found;
}

ConfirmedLate confirmed_late(const Fleet& fleet, std::span<const Late> asked, std::span<const Latency> again,
                             std::span<const Delays> delays) {
  const Kinds kinds(fleet);
  ConfirmedLate found;
  std::size_t borne_out = 0;
  for (Late late : asked) {
    const Delays& its = delays[late.rail];
    const double adds = late.adds.count(), base = (its.hosts[late.host].adds - late.adds).count();
    Index looks = 0;
    bool stands = true;
    for (const Latency& it : again) {
      if (it.rail != late.rail || (it.a != late.host && it.b != late.host) || !(it.latency.count() > 0)) continue;
      const Index partner = it.a == late.host ? it.b : it.a;
      const double kind = its.kinds[kinds.of(std::min(it.a, it.b), std::max(it.a, it.b), late.rail)].count();
      const double seen = it.latency.count() - kind - its.hosts[partner].adds.count() - base;
      if (std::isnan(seen)) continue;
      ++looks;
      stands = stands && seen > adds / 2;
      late.log_odds += odds_of_look(adds, seen, std::max(its.scatter.count(), std::numeric_limits<double>::min()));
    }
    if (!stands) continue;
    ++borne_out;
    (looks >= looks_at_late ? found.late : found.open).push_back(late);
  }
  if (2 * borne_out < asked.size()) return {};
  return found;
}

Diagnosis diagnosis_of(const Fleet& fleet, const Late& late, const Evidence& evidence) {
  Diagnosis it;
  const Index rail = fleet.rails == 1 ? 0 : late.rail;
  const Component component{rail == npos ? ComponentKind::host : ComponentKind::nic, Direction::both, late.host, rail};
  it.blame = blame_of_host(component, evidence);
  it.faulty = true;
  it.from = end_of_host(fleet, late.host, rail);
  it.to = far_end_of_host(fleet, late.host, rail);
  it.direction = way_of_host(Direction::both);
  it.measure = Symptom::latency;
  const double times = 1 + late.adds / late.usual;
  it.slower = 1 - 1 / times;
  it.odds = std::exp(std::min(700.0, late.log_odds));
  constexpr double microseconds = 1e6;
  it.sentence = fmt::format(
      "{}: {}{} adds {:.4g} us to the latency of each pair that it is in, {:.2f} times the {:.4g} us of {}.",
      validation::name(it.blame), it.from, it.to.empty() ? "" : " - " + it.to, microseconds * late.adds.count(), times,
      microseconds * late.usual.count(),
      late.group == 1 ? "the one host like it that adds none" : fmt::format("the {} hosts like it that add none", late.group));
  it.next = next_step(it.blame);
  it.hosts = {fleet.hosts[late.host].name};
  return it;
}

}  // namespace railgauge::validate
