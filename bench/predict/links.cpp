// Capacities, and what was measured of them; bench/predict/links.hpp.
#include "bench/predict/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/error.hpp"
#include "topo/path.hpp"

namespace railgauge::predict {
namespace {

// What messages reach of a link inside a machine, as topo/rates.cpp knows it. Of cables it is for measurements to tell.
double usable_share(const topo::Link& link) {
  if (!topo::joins_gpus(link.kind) && link.kind != topo::LinkKind::pcie) return 1;
  const double payload = topo::payload(link.bandwidth);
  return payload > 0 ? std::min(1.0, topo::best_known(link.bandwidth) / payload) : 1;
}

void tell_usable(const topo::Graph& graph, const MeasuredCosts& measured, Links& links) {
  struct Share {
    Medium medium;
    const char *what, *source;
  };
  for (const Share& it :
       {Share{Medium::gpu_links, "NVLink or xGMI", "as pairs of GPUs have measured, or NCCL, src/graph/topo.h, reckons"},
        Share{Medium::pcie, "PCIe", "packets of 256 bytes with headers and credits"}}) {
    const std::optional<MediumFit>& fit = measured.media[static_cast<std::size_t>(it.medium)];
    double least = 1, most = 0;
    for (std::uint32_t arc = 0; arc < links.capacities.size(); ++arc) {
      const topo::Link& link = graph.links[links.network.arcs[arc].link];
      if (links.incidence.of(arc) != class_of(it.medium) || (it.medium == Medium::pcie && link.kind != topo::LinkKind::pcie))
        continue;
      least = std::min(least, usable_share(link));
      most = std::max(most, usable_share(link));
    }
    if (least == 1 || (fit && fit->fit.has_share)) continue;
    const std::string range = most - least > 1e-3 ? fmt::format("{} to ", significant(least * 100, 3)) : std::string();
    links.constants.assumed.push_back(fmt::format("messages over {} reach {}{} % of its bandwidth ({})", it.what, range,
                                                  significant(most * 100, 3), it.source));
  }
}

MeasuredCosts use_measured(const topo::Graph& graph, const Question& question, Links& links) {
  MeasuredCosts measured =
      measured_costs(question.measured, links.view, links.incidence, links.constants.costs, links.capacities);
  links.constants = constants_of(graph, links.network, question.given, measured);
  for (const Medium medium : {Medium::gpu_links, Medium::pcie, Medium::network}) {
    const std::optional<MediumFit>& it = measured.media[static_cast<std::size_t>(medium)];
    if (!it || !it->fit.has_share) continue;
    for (std::uint32_t arc = 0; arc < links.capacities.size(); ++arc)
      if (links.incidence.of(arc) == class_of(medium)) links.capacities[arc] *= it->fit.share;
  }
  return measured;
}

}  // namespace

std::vector<double> capacities_of(const topo::Graph& graph, const topo::Network& network) {
  std::vector<double> capacities;
  for (const topo::Arc& arc : network.arcs) {
    const double whole = static_cast<double>(arc.capacity) * 1e6;
    const topo::Link& link = graph.links[arc.link];
    const double exact = topo::payload(link.bandwidth) * 1e9;
    capacities.push_back((std::abs(exact - whole) < 1e6 && exact > 0 ? exact : whole) * usable_share(link));
  }
  return capacities;
}

std::string text_of_routing(const Links& links, const Question& question) {
  if (links.routing == RoutingKind::tables) return "messages take the paths of the switches' forwarding tables";
  if (links.routing == RoutingKind::ecmp)
    return fmt::format(
        "each pair of ranks keeps to one of the shortest paths of the fabric, drawn {} times from seed {} (ECMP): the median",
        question.draws, question.seed);
  const std::string unused = !question.routing && links.forwarding.tables() > 0
                                 ? fmt::format("; {} of {} switches have a forwarding table, so none is used",
                                               links.forwarding.tables(), links.forwarding.switches())
                                 : std::string();
  return "a message takes all shortest paths of the fabric at once (adaptive routing)" + unused;
}

Links::Links(const topo::Graph& graph, const Question& question)
    : view(graph),
      network(topo::network_of(graph, {question.ranks, question.nics, question.machines})),
      incidence(graph, network),
      constants(constants_of(graph, network, question.given, {})),
      forwarding(graph, incidence),
      routing(question.routing.value_or(forwarding.complete() ? RoutingKind::tables : RoutingKind::adaptive)),
      capacities(capacities_of(graph, network)) {
  if (routing == RoutingKind::tables && !forwarding.complete())
    throw Error(Fault::usage, forwarding.switches() == 0
                                  ? std::string("--routing tables: no switch joins these ranks")
                                  : fmt::format("--routing tables: switch {} has no forwarding table; `railgauge topo --fabric "
                                                "--routes` reads those of a live fabric",
                                                forwarding.without()));
  tell_usable(graph, question.measured.empty() ? MeasuredCosts() : use_measured(graph, question, *this), *this);
}

}  // namespace railgauge::predict
