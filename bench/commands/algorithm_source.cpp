// From names to schedules.
#include "bench/commands/algorithm_source.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/error.hpp"
#include "bench/options/values.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/schedule/read/program.hpp"

namespace railgauge {

void add_catalog_options(CLI::App& command, CatalogRequest& request) {
  command.add_option("--algorithm", request.algorithm, "The collective's algorithm of this name (`railgauge list algorithms`)");
  command.add_option("--ranks", request.ranks, "Ranks of that algorithm")->check(options::whole(1, most_ranks));
  command.add_option("--root", request.root, "Its root")->check(options::whole(0, most_ranks - 1))->capture_default_str();
  command.add_option("--ranks-per-node", request.ranks_per_node, "For hierarchical algorithms")
      ->check(options::whole(1, most_ranks))
      ->capture_default_str();
}

CatalogSchedules schedules_of_catalog(const std::string& collective_name, const CatalogRequest& request) {
  const auto collective = find_collective(collective_name);
  if (!collective)
    throw Error(Fault::usage, fmt::format("there is no collective {} (railgauge list collectives)", collective_name));
  const Algorithm* const algorithm = find_algorithm(*collective, request.algorithm);
  if (algorithm == nullptr)
    throw Error(Fault::usage,
                fmt::format("{} has no algorithm {} (railgauge list algorithms)", collective_name, request.algorithm));
  if (request.ranks == 0) throw Error(Fault::usage, "--algorithm needs --ranks: for how many ranks?");
  if (request.root >= request.ranks)
    throw Error(Fault::usage, fmt::format("--root {} is no rank of {}", request.root, request.ranks));
  Shape shape{request.ranks, 0, request.root, request.ranks_per_node};
  if (const std::string why = algorithm->why_not(shape); !why.empty())
    throw Error(Fault::usage, fmt::format("{} {}", request.algorithm, why));
  CatalogSchedules result;
  result.schedules.collective = *collective;
  result.schedules.root = request.root;
  for (shape.rank = 0; shape.rank < shape.ranks; ++shape.rank) result.schedules.ranks.push_back(algorithm->schedule(shape));
  result.in_place = algorithm->in_place;
  return result;
}

}  // namespace railgauge
