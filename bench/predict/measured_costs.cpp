// Puts measured messages on the paths of a topology: bench/predict/measured_costs.hpp.
#include "bench/predict/measured_costs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/predict/routes/routes.hpp"

namespace railgauge::predict {
namespace {

constexpr double most_share = 1.1;  // of the topology's bandwidth: beyond, what was measured are other links

using Pair = std::pair<std::int32_t, std::int32_t>;

struct Where {
  Medium medium = Medium::network;
  double capacity = 0;  // bytes a second, of those links of the path that the medium is made of
  double further = 0;   // switches beyond the first
};

class Places {
 public:
  Places(const topo::View& view, const Incidence& incidence, std::span<const double> capacities)
      : incidence_(incidence), capacities_(capacities), routes_(incidence, {}) {
    const topo::Network& network = incidence.network();
    for (std::size_t rank = 0; rank < network.ranks.size(); ++rank) {
      const std::size_t node = network.vertices[network.ranks[rank]].node;
      const std::size_t machine = view.machine(node);
      machines_.push_back(machine == topo::View::none ? node : machine);
      const topo::Node& it = view.node(machines_.back());
      for (const std::string& name : {it.key, it.name}) ranks_.try_emplace(name, static_cast<std::int32_t>(rank));
    }
  }

  // The ranks that such a message went between.
  [[nodiscard]] std::optional<Pair> pair_of(const Sample& sample, bool between) const {
    const auto from = ranks_.find(sample.from), to = ranks_.find(sample.to);
    if (between && from != ranks_.end() && to != ranks_.end() && from->second != to->second)
      return Pair(from->second, to->second);
    for (std::size_t rank = 1; rank < machines_.size(); ++rank)
      if ((machines_[rank] != machines_.front()) == between) return Pair(0, static_cast<std::int32_t>(rank));
    return std::nullopt;
  }

  const Where& between(const Pair& pair) {
    const auto [at, fresh] = found_.try_emplace(pair);
    Where& it = at->second;
    if (!fresh) return it;
    const Route route = routes_.between(pair.first, pair.second);
    it.medium = route.medium;
    it.further = route.switches > 1 ? route.switches - 1.0 : 0.0;
    visit(route.path, [&](std::uint32_t arc, double share) {
      if (incidence_.of(arc) != class_of(route.medium)) return;
      const double capacity = capacities_[arc] / share;
      it.capacity = it.capacity == 0 ? capacity : std::min(it.capacity, capacity);
    });
    return it;
  }

 private:
  const Incidence& incidence_;
  std::span<const double> capacities_;
  Routes routes_;
  std::vector<std::size_t> machines_;  // of each rank
  std::map<std::string, std::int32_t, std::less<>> ranks_;
  std::map<Pair, Where> found_;
};

std::string source_of(const Measured& measured) {
  return fmt::format("measured: {}, {}", measured.transport, fmt::join(measured.sources, ", "));
}

double latency_of(const Costs& costs, Medium medium) {
  if (medium == Medium::network) return costs.network;
  return medium == Medium::gpu_links ? costs.gpu_links : costs.pcie;
}

void expect_links(const MessageFit& fit, const Where& where, const std::string& source) {
  if (fit.share <= most_share) return;
  throw Error(Fault::usage,
              fmt::format("messages carried {} GB/s, and the topology's links {} GB/s: these are other links ({})",
                          significant(fit.share * where.capacity / 1e9, 3), significant(where.capacity / 1e9, 3), source));
}

}  // namespace

ArcClass class_of(Medium medium) noexcept {
  if (medium == Medium::gpu_links) return ArcClass::gpu;
  return medium == Medium::pcie ? ArcClass::inside : ArcClass::cable;
}

MeasuredCosts measured_costs(std::span<const Measured> measured, const topo::View& view, const Incidence& incidence,
                             const Costs& costs, std::span<const double> capacities) {
  MeasuredCosts result;
  Places places(view, incidence, capacities);
  for (const Measured& it : measured) {
    const std::string source = source_of(it);
    std::map<Medium, std::pair<std::vector<MessageTime>, Where>> times;
    for (const Sample& sample : it.samples) {
      const std::optional<Pair> pair = places.pair_of(sample, it.between_machines);
      if (!pair)
        throw Error(Fault::usage, fmt::format("messages {} machines were measured, and the topology has no two ranks on {} ({})",
                                              it.between_machines ? "between" : "inside",
                                              it.between_machines ? "different ones" : "one", source));
      const Where& where = places.between(*pair);
      const double further = where.medium == Medium::network ? costs.hop * where.further : 0;
      if (where.capacity <= 0 || sample.seconds <= further) continue;
      auto& [list, first] = times[where.medium];
      if (list.empty()) first = where;
      list.push_back({sample.bytes, sample.seconds - further, sample.bytes / where.capacity});
    }
    for (const auto& [medium, found] : times) {
      const MessageFit fit = fit_messages(found.first, latency_of(costs, medium));
      expect_links(fit, found.second, source);
      result.media[static_cast<std::size_t>(medium)] = MediumFit{fit, source};
    }
    if (it.gap > 0 && (!result.gap || it.between_machines)) {
      result.gap = it.gap;
      result.gap_source = source;
    }
  }
  return result;
}

}  // namespace railgauge::predict
