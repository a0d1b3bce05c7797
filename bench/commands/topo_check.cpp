// railgauge topo check: what is wrong, why, and what to do.
#include "bench/commands/topo_check.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "base/output/print.hpp"
#include "bench/commands/topo_sources.hpp"
#include "bench/options/values.hpp"
#include "topo/check/check.hpp"

namespace railgauge {
namespace {

constexpr const char* topo_check_examples =
    "Examples:\n"
    "  railgauge topo check                            this machine\n"
    "  railgauge topo check --nics 'mlx5_*'            the same, and these are the NICs that carry traffic between GPUs\n"
    "  railgauge topo check --fabric                   the live InfiniBand fabric, every switch and cable of it\n";

}  // namespace

int run_topo_check(const TopoCheckOptions& options, std::FILE* to) {
  const bool json = wants_json(options.format);
  const topo::Graph graph = topo::graph_of(options);
  topo::CheckOptions rules;
  rules.nics = options.nics;
  std::optional<topo::Graph> design;
  if (!options.design.empty()) rules.design = &design.emplace(topo::graph_of_files({options.design}));
  const topo::Diagnosis diagnosis = topo::diagnose(graph, rules);
  print(json ? topo::to_json(diagnosis) : topo::to_text(diagnosis), to);
  const bool wrong = std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(),
                                 [](const topo::Finding& finding) { return finding.severity != topo::Severity::note; });
  return wrong ? 1 : 0;
}

void add_topo_check(CLI::App& topo, const Invocation& invocation, Action& action) {
  const auto options = std::make_shared<TopoCheckOptions>();  // lives as long as the parser and the action
  CLI::App* command = topo.add_subcommand("check", "Say what is degraded, missing or in the wrong place; 1 when something is");
  command->add_option("SOURCE", options->sources, "What `railgauge topo` reads, several of a cluster; without it this machine");
  command->add_option("--design", options->design, "The cables as they should be, in any format that `railgauge topo` reads");
  command->add_option("--nics", options->nics,
                      "The NICs that carry traffic between GPUs: names with * and ?, separated by commas (mlx5_*)");
  command->add_option("--format", options->format, "text or json")
      ->check(options::one_of({"text", "json"}))
      ->capture_default_str();
  add_source_options(*command, *options, invocation);
  command->footer(topo_check_examples);
  command->callback([options, &action] { action = [options] { return run_topo_check(*options, stdout); }; });
}

}  // namespace railgauge
