#include "tests/validate/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace railgauge::test {

using namespace validate;

namespace {

struct Seat {
  Index pod, leaf, number;
};
Seat seat(const FatTree& shape, Index host) {
  return {host / (shape.leaves * shape.hosts), host / shape.hosts % shape.leaves, host % shape.hosts};
}

}  // namespace

Index FatTree::uplink(Index rail, Index pod, Index number, Index spine) const { return leaf(rail, pod, number) * spines + spine; }
Index FatTree::spine_link(Index rail, Index pod, Index spine, Index core) const {
  return rails * pods * leaves * spines + ((rail * pods + pod) * spines + spine) * cores + core;
}

void FatTree::path(Index from, Index to, Index rail, Index spine, Index core, std::vector<Hop>& hops) const {
  const Seat a = seat(*this, from), b = seat(*this, to);
  if (a.pod == b.pod && a.leaf == b.leaf) return;
  hops.push_back({uplink(rail, a.pod, a.leaf, spine), false});
  if (a.pod != b.pod) {
    hops.push_back({spine_link(rail, a.pod, spine, core), false});
    hops.push_back({spine_link(rail, b.pod, spine, core), true});
  }
  hops.push_back({uplink(rail, b.pod, b.leaf, spine), true});
}

Route FatTree::route() const {
  return [shape = *this](Index from, Index to, Index rail, std::vector<Hop>& hops) {
    shape.path(from, to, rail, seat(shape, to).number % shape.spines, (to / shape.hosts) % shape.cores, hops);
  };
}

Fleet fleet_of(const FatTree& shape) {
  Fleet fleet;
  fleet.rails = shape.rails;
  for (Index i = 0; i < shape.all_hosts(); ++i) {
    const Seat at = seat(shape, i);
    Host host;
    host.name = "n" + std::to_string(i);
    host.model = shape.of_second_class(i) ? "A100" : "H100";
    if (shape.leaves_known) {
      host.pod = at.pod;
      for (Index rail = 0; rail < shape.rails; ++rail)
        host.rails.push_back({"mlx5_" + std::to_string(rail) + "/1", shape.leaf(rail, at.pod, at.leaf), at.number + 1, 0, {}});
    }
    fleet.hosts.push_back(std::move(host));
  }
  if (!shape.leaves_known) return fleet;
  const auto add = [&](Tier tier, const std::string& name) { fleet.switches.push_back({name, name, tier}); };
  const auto text = [](const char* word, std::initializer_list<Index> numbers) {
    std::string it = word;
    for (const Index number : numbers) it += "-" + std::to_string(number);
    return it;
  };
  for (Index rail = 0; rail < shape.rails; ++rail)
    for (Index pod = 0; pod < shape.pods; ++pod)
      for (Index leaf = 0; leaf < shape.leaves; ++leaf) add(Tier::leaf, text("leaf", {rail, pod, leaf}));
  const auto spines_from = static_cast<Index>(fleet.switches.size());
  for (Index rail = 0; rail < shape.rails; ++rail)
    for (Index pod = 0; pod < shape.pods; ++pod)
      for (Index spine = 0; spine < shape.spines; ++spine) add(Tier::spine, text("spine", {rail, pod, spine}));
  const auto cores_from = static_cast<Index>(fleet.switches.size());
  for (Index rail = 0; rail < shape.rails; ++rail)
    for (Index spine = 0; spine < shape.spines; ++spine)
      for (Index core = 0; core < shape.cores; ++core) add(Tier::core, text("core", {rail, spine, core}));
  const auto join = [&](Index a, unsigned a_port, Index b, unsigned b_port) {
    fleet.cables.push_back({fleet.switches[a].key + " - " + fleet.switches[b].key, a, b, a_port, b_port});
  };
  for (Index rail = 0; rail < shape.rails; ++rail)
    for (Index pod = 0; pod < shape.pods; ++pod)
      for (Index leaf = 0; leaf < shape.leaves; ++leaf)
        for (Index spine = 0; spine < shape.spines; ++spine)
          join(shape.leaf(rail, pod, leaf), shape.hosts + spine + 1,
               spines_from + (rail * shape.pods + pod) * shape.spines + spine, leaf + 1);
  for (Index rail = 0; rail < shape.rails; ++rail)
    for (Index pod = 0; pod < shape.pods; ++pod)
      for (Index spine = 0; spine < shape.spines; ++spine)
        for (Index core = 0; core < shape.cores; ++core)
          join(spines_from + (rail * shape.pods + pod) * shape.spines + spine, shape.leaves + core + 1,
               cores_from + (rail * shape.spines + spine) * shape.cores + core, pod + 1);
  if (shape.routes_known && !shape.paths_anew)
    fleet.route = shape.route();
  else
    join_sets(fleet);
  return fleet;
}

Simulator::Simulator(const FatTree& shape, std::vector<Fault> faults, const Noise& noise, std::uint64_t seed)
    : shape_(shape),
      fleet_(fleet_of(shape)),
      route_(shape.route()),
      faults_(std::move(faults)),
      noise_(noise),
      draws_(seed),
      cast_draws_(~seed) {
  for (Index i = 0; i < shape.all_hosts(); ++i) levels_.push_back(noise.hosts_differ * draws_.normal());
}

std::vector<bool> Simulator::draw_felt() {
  std::vector<bool> felt;
  for (const Fault& fault : faults_) felt.push_back(fault.often >= 1 || draws_.uniform() < fault.often);
  return felt;
}

double Simulator::share(Index from, Index to, Index rail, const std::vector<bool>& felt) {
  hops_.clear();
  if (!fleet_.switches.empty()) {
    if (shape_.paths_anew)
      shape_.path(from, to, rail, static_cast<Index>(draws_.below(shape_.spines)), static_cast<Index>(draws_.below(shape_.cores)),
                  hops_);
    else
      route_(from, to, rail, hops_);
  }
  double left = std::min(carries(from), carries(to));
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (!felt[i] || !crosses(fleet_, faults_[i].component, from, to, rail, hops_)) continue;
    // A host is slower than hosts of its model.
    const Component& at = faults_[i].component;
    left = std::min(left, (at_host(at) ? carries(at.at) : 1) * (1 - faults_[i].slower));
  }
  return left;
}

std::vector<Cast> Simulator::cast(const CastSet& set, Index number) {
  const auto left = [&](Index host, Direction direction, Index rail) {
    double its = carries(host);
    for (const Fault& fault : faults_) {
      const Component& at = fault.component;
      const bool same = at_host(at) && at.at == host && (at.direction == Direction::both || at.direction == direction) &&
                        (at.kind == ComponentKind::host || at.rail == rail);
      if (same && cast_draws_.uniform() < fault.often) its = std::min(its, carries(host) * (1 - fault.slower));
    }
    return its;
  };
  std::vector<Cast> casts;
  for (const Direction direction : {Direction::in, Direction::out})
    for (Index rail = 0; rail < fleet_.rails; ++rail) {
      double others = 0;
      for (const Index partner : set.partners)
        others += left(partner, direction == Direction::in ? Direction::out : Direction::in, rail);
      double off = noise_.deviation * cast_draws_.normal() + levels_[set.host];
      if (cast_draws_.uniform() < noise_.disturbed)
        off += std::log1p(-(noise_.least_drop + (noise_.most_drop - noise_.least_drop) * cast_draws_.uniform()));
      constexpr double efficiency = 0.96;  // of several flows at a time
      casts.push_back({set.host, rail, number, direction, set.partners,
                       efficiency * usual * std::min(left(set.host, direction, rail), others) * std::exp(off)});
    }
  return casts;
}

double Simulator::figure(Index from, Index to, Index rail, Index number) {
  return measure(Round{Distance::unknown, {{from, to}}}, number)[rail].gigabytes_per_second;
}

double Simulator::group_figure(std::span<const Index> hosts) {
  double off = noise_.deviation * draws_.normal(), left = 1;
  if (draws_.uniform() < noise_.disturbed)
    off += std::log1p(-(noise_.least_drop + (noise_.most_drop - noise_.least_drop) * draws_.uniform()));
  for (std::size_t i = 0; i < hosts.size(); ++i)
    left = std::min(left, share(hosts[i], hosts[(i + 1) % hosts.size()], 0, draw_felt()));
  return usual * left * std::exp(off);
}

std::vector<Measurement> Simulator::measure(const Round& round, Index number) {
  std::vector<Measurement> all;
  all.reserve(round.pairs.size() * 2 * fleet_.rails);
  const double in_common = noise_.deviation * std::sqrt(noise_.shared), own = noise_.deviation * std::sqrt(1 - noise_.shared);
  const auto disturbance = [&] {
    if (draws_.uniform() >= noise_.disturbed) return 0.0;
    return std::log1p(-(noise_.least_drop + (noise_.most_drop - noise_.least_drop) * draws_.uniform()));
  };
  for (const Pair& pair : round.pairs) {
    double together = in_common > 0 ? in_common * draws_.normal() : 0;
    if (noise_.disturbed_together) together += disturbance();
    for (Index repeat = 0; repeat < noise_.repeats; ++repeat) {
      const std::vector<bool> felt = draw_felt();
      for (const bool back : {false, true}) {
        const Index from = back ? pair.b : pair.a, to = back ? pair.a : pair.b;
        for (Index rail = 0; rail < fleet_.rails; ++rail) {
          double off = together + levels_[from] + levels_[to];
          if (own > 0) off += own * draws_.normal();
          if (!noise_.disturbed_together) off += disturbance();
          all.push_back({from, to, rail, number, usual * share(from, to, rail, felt) * std::exp(off)});
        }
      }
    }
  }
  return all;
}

}  // namespace railgauge::test
