// railgauge topo expect: what the path between two nodes, or a collective, can reach on this graph, and why.
#include "bench/commands/topo_expect.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "base/output/print.hpp"
#include "base/words.hpp"
#include "bench/commands/topo_sources.hpp"
#include "bench/options/values.hpp"
#include "topo/bound/bound.hpp"
#include "topo/expect/expect.hpp"
#include "topo/generate/generate.hpp"
#include "topo/network/network.hpp"

namespace railgauge {
namespace {

constexpr const char* topo_expect_examples =
    "Examples:\n"
    "  railgauge topo expect --collective all_reduce --ranks 16    two machines like this one, if it has 8 GPUs\n"
    "  railgauge topo expect gpu0 mlx5_0                           the path between two devices of this machine\n"
    "  railgauge topo expect node1 node2 fabric n1/gpu0 n2/gpu0    between two machines, with what was saved of them\n";

std::vector<Collective> asked(const std::string& said) {
  if (said.empty()) return {Collective::all_reduce, Collective::all_gather, Collective::all_to_all};
  if (const auto found = find_collective(said)) return {*found};
  throw Error(Fault::usage, fmt::format("there is no collective {} (railgauge list collectives)", said));
}

// What the links of the graph allow, or why that is unknown.
class BoundsOfGraph {
 public:
  BoundsOfGraph(const topo::Graph& graph, const topo::NetworkOptions& options) : graph_(graph) {
    try {
      network_ = topo::network_of(graph, options);
      bounds_.emplace(network_);
    } catch (const Error& error) { unknown_ = error.what(); }
  }

  std::string text(Collective collective) {
    if (!topo::has_bound(collective)) return {};
    const std::optional<topo::Bound> bound = of(collective);
    return bound ? topo::to_text(graph_, *bound) : fmt::format("{:<13} unknown: {}\n", "bound", unknown_);
  }

  // What was written of the ceilings, with "bound" or "bound_unknown".
  std::string into_json(const std::string& ceilings, Collective collective) {
    if (!topo::has_bound(collective)) return ceilings;
    auto json = nlohmann::ordered_json::parse(ceilings);
    if (const std::optional<topo::Bound> bound = of(collective))
      json["bound"] = nlohmann::ordered_json::parse(topo::to_json(graph_, *bound));
    else
      json["bound_unknown"] = unknown_;
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }

 private:
  std::optional<topo::Bound> of(Collective collective) {
    if (!bounds_) return std::nullopt;
    try {
      return bounds_->of(collective);
    } catch (const Error& error) {
      unknown_ = error.what();
      return std::nullopt;
    }
  }

  const topo::Graph& graph_;
  topo::Network network_;
  std::optional<topo::Bounds> bounds_;  // of network_
  std::string unknown_;
};

}  // namespace

int run_topo_expect(const TopoExpectOptions& options, std::FILE* to) {
  const bool json = wants_json(options.format);
  TopoExpectOptions from = options;
  std::vector<std::string> nodes;
  for (const std::string& word : options.words) {
    std::error_code error;
    const bool source = nodes.empty() && (std::filesystem::exists(word, error) || topo::is_generate_word(word));
    (source ? from.sources : nodes).push_back(word);
  }
  if (nodes.size() == 1)
    throw Error(Fault::usage, fmt::format("{}: there is no such file, and a path needs two nodes: FROM TO", nodes.front()));
  if (nodes.size() > 2) throw Error(Fault::usage, fmt::format("{}: there is no such file or folder", nodes.front()));
  if (!nodes.empty() && (!options.collective.empty() || options.ranks != 0 || !options.nics.empty() || options.domains != 0))
    throw Error(Fault::usage, "name either two nodes or --collective, --ranks, --nics and --domains");
  const topo::Graph graph = topo::graph_of(from);
  if (!nodes.empty()) {
    const topo::ExpectedPath path =
        topo::expected_path(graph, topo::find_node(graph, nodes[0]), topo::find_node(graph, nodes[1]));
    print(json ? topo::to_json(path) : topo::to_text(path), to);
    return 0;
  }
  const unsigned ranks = options.ranks != 0 ? options.ranks : std::max(1U, topo::gpus_of(graph));
  const topo::Team team = topo::team_of(graph, topo::TeamOptions{ranks, options.nics, options.domains});
  if (json && options.collective.empty()) throw Error(Fault::usage, "--format json needs --collective NAME");
  BoundsOfGraph bounds(graph, topo::NetworkOptions{ranks, options.nics});
  std::string text;
  for (const Collective collective : asked(options.collective)) {
    const std::vector<topo::Ceiling> ceilings = topo::ceilings(collective, team);
    text += json ? bounds.into_json(topo::to_json(collective, team, ceilings), collective)
                 : topo::to_text(collective, team, ceilings) + bounds.text(collective);
  }
  print(text, to);
  return 0;
}

void add_topo_expect(CLI::App& topo, const Invocation& invocation, Action& action) {
  const auto options = std::make_shared<TopoExpectOptions>();  // lives as long as the parser and the action
  CLI::App* command = topo.add_subcommand("expect", "Say what a path between two nodes, or a collective, can reach, and why");
  command->add_option(
      "SOURCE", options->words,
      "What `railgauge topo` reads; behind it FROM TO, two nodes (gpu0, mlx5_0, HOST/gpu0); without one this machine");
  command->add_option("--collective", options->collective, "A collective (railgauge list collectives)");
  command->add_option("--ranks", options->ranks, "So many GPUs; more than one machine has are on machines like it")
      ->check(options::whole(2, 10'000'000));
  command->add_option("--nics", options->nics,
                      "These NICs carry traffic between ranks, as 'mlx5_*' or 'mlx5_0,mlx5_3': names or PCI addresses");
  command
      ->add_option("--domains", options->domains,
                   "So many NVLink domains, where GPUs of a rack are in one that a single tray does not show: 1 for one NVL72")
      ->check(options::whole(1, 1'000'000));
  command->add_option("--format", options->format, "text or json")
      ->check(options::one_of({"text", "json"}))
      ->capture_default_str();
  add_source_options(*command, *options, invocation);
  command->footer(topo_expect_examples);
  command->callback([options, &action] { action = [options] { return run_topo_expect(*options, stdout); }; });
}

}  // namespace railgauge
