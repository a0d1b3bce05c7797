// railgauge topo diff: what differs between two machines or fabrics, or between one then and now.
#include "bench/commands/topo_diff.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "base/output/print.hpp"
#include "bench/commands/topo_sources.hpp"
#include "bench/options/values.hpp"
#include "topo/diff/diff.hpp"

namespace railgauge {
namespace {

constexpr const char* topo_diff_examples =
    "Examples:\n"
    "  railgauge topo --save before                    keep this machine as it is now\n"
    "  railgauge topo diff before                      what has changed since\n"
    "  railgauge topo diff fabric.out --fabric         what ibnetdiscover wrote, against the live fabric\n";

}  // namespace

int run_topo_diff(const TopoDiffOptions& options, std::FILE* to) {
  const bool json = wants_json(options.format);
  const topo::Graph before = topo::graph_of_files({options.from});
  const topo::Graph after = topo::graph_of(options);
  topo::DiffOptions how;
  how.passing = options.all;
  const topo::Difference difference = topo::diff(before, after, how);
  print(json ? topo::to_json(difference) : topo::to_text(difference), to);
  return difference.count() == 0 ? 0 : 1;
}

void add_topo_diff(CLI::App& topo, const Invocation& invocation, Action& action) {
  const auto options = std::make_shared<TopoDiffOptions>();  // lives as long as the parser and the action
  CLI::App* command = topo.add_subcommand("diff", "Say what differs between two machines or fabrics; 1 when something does");
  command->add_option("A", options->from, "What `railgauge topo` reads: the one before")->required();
  command->add_option("B", options->sources, "The one after; without it what is live: this machine or, with --fabric, its fabric")
      ->expected(0, 1);
  add_source_options(*command, *options, invocation);
  command->add_flag("--all", options->all, "Also what changes by itself: counters, LIDs, links of idle GPUs");
  command->add_option("--format", options->format, "text or json")
      ->check(options::one_of({"text", "json"}))
      ->capture_default_str();
  command->footer(topo_diff_examples);
  command->callback([options, &action] { action = [options] { return run_topo_diff(*options, stdout); }; });
}

}  // namespace railgauge
