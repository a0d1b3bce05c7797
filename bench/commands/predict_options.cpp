// Adds and reads them; bench/commands/predict_options.hpp.
#include "bench/commands/predict_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/options/values.hpp"
#include "bench/predict/measured/samples.hpp"
#include "topo/edit/edit.hpp"
#include "topo/infiniband.hpp"
#include "topo/read/request.hpp"

namespace railgauge {
namespace {

std::optional<double> given_seconds(const std::string& said) {
  if (said.empty()) return std::nullopt;
  return parse_seconds(said).count();
}

std::optional<double> given_eager(const std::string& said) {
  if (said.empty()) return std::nullopt;
  if (said == "inf") return std::numeric_limits<double>::infinity();
  try {
    return static_cast<double>(parse_bytes(said));
  } catch (const Error& error) { throw Error(Fault::usage, fmt::format("--eager: {}, or inf for all messages", error.what())); }
}

}  // namespace

std::vector<CLI::Option*> add_topologies(CLI::App& command, PredictOptions& options) {
  CLI::Option* const topology =
      command.add_option("--topology", options.topology, "What `railgauge topo` reads: files or folders; several make one graph");
  CLI::Option* const what_if =
      command
          .add_option("--what-if", options.what_if,
                      "Also predict after a change: 'remove LINK', 'remove NODE', 'set LINK bandwidth=GB/s', 'rails=N', "
                      "'oversubscribe=RATIO'; several are made one after the other")
          ->expected(1)
          ->take_all();
  return {topology, what_if};
}

std::vector<CLI::Option*> add_routing(CLI::App& command, PredictOptions& options) {
  return {
      command.add_option("--nics", options.nics, "These NICs carry traffic between ranks, as 'mlx5_*' or 'mlx5_0,mlx5_3'"),
      command
          .add_option("--routing", options.routing,
                      "adaptive: a message takes all shortest paths at once; ecmp: each pair of ranks keeps to one, drawn at "
                      "random; tables: the forwarding tables of the switches; default: tables where all have one, else adaptive")
          ->check(options::one_of({"adaptive", "ecmp", "tables"})),
      command.add_option("--draws", options.draws, "With --routing ecmp: how often paths are drawn")
          ->check(options::whole(1, 100'000))
          ->capture_default_str(),
      command.add_option("--seed", options.seed, "With --routing ecmp: of the first draw")->capture_default_str(),
      command
          .add_option("--ranks-per-node", options.ranks_per_node, "For hierarchical algorithms; default: as the ranks are placed")
          ->check(options::whole(1, 4096))};
}

std::vector<CLI::Option*> add_constants(CLI::App& command, PredictOptions& options) {
  return {
      command
          .add_option(
              "--measured", options.measured,
              "Take latencies, bandwidths and gaps from these results of bench ping_pong, pairs and stream, or of validate")
          ->delimiter(','),
      command.add_option("--latency", options.latency, "Of a message, in place of the table's; as 2us")->check(options::a_time()),
      command.add_option("--hop-latency", options.hop, "Of each further switch; as 130ns")->check(options::a_time()),
      command.add_option("--gap", options.gap, "From one send of a rank to its next; as 75ns")->check(options::a_time()),
      command.add_option(
          "--eager", options.eager,
          "Messages of at most so many bytes, or all (inf), begin when they are sent, though their receiver is not "
          "ready; without it as --measured tells, else none"),
      command
          .add_option("--memory-rate", options.memory_rate,
                      "GB/s that a rank's device reads and writes when it reduces or copies")
          ->check(CLI::PositiveNumber)};
}

void fill(predict::Question& question, const PredictOptions& options, const std::string& transport) {
  question.nics = options.nics;
  question.routing = predict::find_routing(options.routing);
  question.draws = options.draws;
  question.seed = options.seed;
  question.given = {given_seconds(options.latency), given_seconds(options.hop), given_seconds(options.gap), std::nullopt,
                    given_eager(options.eager)};
  question.ranks_per_node = options.ranks_per_node;
  if (!transport.empty() && options.measured.empty())
    throw Error(Fault::usage, "--transport chooses among what --measured names: name files with it, or leave it out");
  question.measured = predict::read_measured(options.measured, transport);
  if (options.memory_rate > 0) question.given.memory = options.memory_rate * 1e9;
}

Topologies topologies_of(const PredictOptions& options) {
  Topologies it;
  it.graph = topo::graph_of_files(options.topology);
  std::vector<topo::Edit> edits;
  for (const std::string& said : options.what_if) {
    edits.push_back(topo::parse_edit(said));
    it.changes.push_back(topo::to_text(edits.back()));
  }
  if (std::any_of(edits.begin(), edits.end(),
                  [](const topo::Edit& edit) { return edit.kind != topo::EditKind::set_bandwidth; })) {
    if (options.routing == predict::name(predict::RoutingKind::tables))
      throw Error(Fault::usage,
                  "--routing tables: forwarding tables are of the cables that are there, and --what-if takes some away; name "
                  "adaptive or ecmp");
    for (topo::Node& node : it.graph.nodes) node.attributes.erase(std::string(topo::forwarding_attribute));
  }
  if (!edits.empty()) it.changed = topo::apply_edits(it.graph, edits);
  return it;
}

}  // namespace railgauge
