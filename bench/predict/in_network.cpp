// Time = latency + bytes / rate, the rate being the ceiling of the links at the share of NVLink that NCCL reckons with.
#include "bench/predict/in_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bandwidth.hpp"
#include "base/error.hpp"
#include "base/units.hpp"
#include "topo/expect/expect.hpp"

namespace railgauge::predict {
namespace {

// NCCL 2.29: of each NVLink a kernel reaches 20.6 of 25 GB/s, or 40.1 of 50 (src/graph/topo.h), and of that NVLS the efficiency
// (src/graph/tuning.cc: nvlsEfficiency).
struct Generation {
  std::string_view name;
  double link, nominal, efficiency;
};
constexpr std::array<Generation, 2> generations{{{"Hopper", 20.6, 25, 0.85}, {"Blackwell", 40.1, 50, 0.74}}};

// NCCL 2.29, src/graph/tuning.cc: hwLat of NVLS, and of a step between machines.
constexpr double inside_seconds = 25e-6, tree_seconds = 20.9e-6, sharp_seconds = 18e-6;

double latency_of(std::string_view algorithm, unsigned domains) {
  if (algorithm == "nvls") return inside_seconds;
  if (algorithm == "sharp") return inside_seconds + sharp_seconds;
  return inside_seconds + 2 * std::floor(std::log2(domains)) * tree_seconds;
}

std::string spoken(std::string_view algorithm) { return algorithm == "nvls_tree" ? "nvls tree" : std::string(algorithm); }

// The ceiling of that algorithm; its refusal says why there is none.
topo::Ceiling ceiling_of(const topo::Team& team, std::string_view algorithm) {
  const std::vector<topo::Ceiling> all = topo::ceilings(Collective::all_reduce, team);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const topo::Ceiling& it) { return it.algorithm == spoken(algorithm); });
  if (found != all.end()) return *found;
  topo::Ceiling none;
  none.refusal = algorithm == "nvls" ? "the ranks are in several NVLink domains, and it adds in those of one (nvls_tree)"
                                     : "the ranks are in one NVLink domain, and it is for several (nvls)";
  return none;
}

}  // namespace

bool is_in_network(std::string_view algorithm) noexcept {
  return std::find(in_network_names.begin(), in_network_names.end(), algorithm) != in_network_names.end();
}

InNetwork cost_in_network(const topo::Graph& graph, const Question& question, const Costing& costing, std::string_view algorithm,
                          const std::vector<std::uint64_t>& elements) {
  InNetwork it;
  std::string& refusal = it.costed.refusal;
  const std::int32_t ranks = costing.shape().ranks;
  if (question.collective != Collective::all_reduce)
    refusal = "it is an algorithm of all_reduce";
  else if (question.machines || !question.groups.empty())
    refusal = "it is predicted for all GPUs together";
  else if (question.lanes > 1 || question.round > 0)
    refusal = "it has neither lanes nor rounds";
  else if (ranks < 2)
    refusal = "one rank alone adds nothing";
  if (!refusal.empty()) return it;
  topo::Team team = topo::team_of(graph, {static_cast<unsigned>(ranks), question.nics, 0});
  const auto row =
      std::find_if(generations.begin(), generations.end(), [&](const Generation& of) { return of.name == team.generation; });
  const bool known = row != generations.end();
  const double share = known ? row->link / row->nominal * row->efficiency : 1;
  team.inside *= share;
  const topo::Ceiling ceiling = ceiling_of(team, algorithm);
  refusal = ceiling.refusal;
  if (refusal.empty() && ceiling.bus <= 0) refusal = ceiling.unknown;
  if (refusal.empty() && !known) refusal = fmt::format("NCCL has no constants of it for {} GPUs", team.generation);
  if (!refusal.empty()) return it;
  const double latency = latency_of(algorithm, team.domains);
  it.assumed.push_back(fmt::format(
      "{}: {}, then busbw {} GB/s: {}, V at {} % of what NVLink has (NCCL 2.29, src/graph/topo.h and tuning.cc)", algorithm,
      format_seconds(Seconds(latency)), significant(ceiling.bus, 4), ceiling.formula, significant(share * 100, 3)));
  for (const std::uint64_t count : elements) {
    const std::uint64_t bytes = count * bytes_of(question.type);
    // Of one second at that bandwidth.
    const double moved = bandwidth(question.collective, ranks, bytes, Seconds(1)).busbw;
    Drawn drawn;
    drawn.seconds = {latency + moved / ceiling.bus};
    drawn.method = Method::formula;
    it.costed.drawn.push_back(std::move(drawn));
  }
  return it;
}

}  // namespace railgauge::predict
