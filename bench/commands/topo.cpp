// railgauge topo: shows what this machine, or a recorded one, is made of.
#include "bench/commands/topo.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/output/print.hpp"
#include "bench/commands/command.hpp"
#include "bench/commands/topo_sources.hpp"
#include "reports/record/reader.hpp"
#include "topo/edit/edit.hpp"
#include "topo/evidence/files.hpp"
#include "topo/expect/expect.hpp"
#include "topo/notes.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

namespace railgauge {
namespace {

constexpr const char* topo_examples =
    "Examples:\n"
    "  railgauge topo                                  this machine, as a tree\n"
    "  railgauge topo --save node7                     the same, and keep what it was made from: a bug report is a folder\n"
    "  railgauge topo node7 --as html -o node7.html    a recorded machine or fabric, as a page with pictures and search\n";

// The pairs of hosts in a file of results, each with the bandwidth that was measured.
std::vector<topo::HostPair> read_pairs(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Fault::usage, fmt::format("{}: {}", path, std::generic_category().message(errno)));
  std::vector<topo::HostPair> pairs;
  each_result(file, path, [&](const Result& result) {
    const bool measured = result.status == Status::ok || result.status == Status::not_converged;
    const bool between_ranks = result.point.from >= 0 && result.point.collective != "copy";
    if (between_ranks && measured) pairs.push_back({result.point.from_node, result.point.to_node, result.summary.busbw});
  });
  if (pairs.empty())
    throw Error(Fault::usage, fmt::format("{} has no pairs of ranks: measure them with railgauge bench pairs", path));
  return pairs;
}

// A picture without colours would pass for one of links that nobody has anything to say about, so that is said aloud.
std::string coloured(const topo::Format& format, const topo::Graph& graph, const std::string& path) {
  const auto ratios = topo::measured_ratios(graph, read_pairs(path));
  if (ratios.empty())
    fmt::print(stderr, "{}: nothing to colour: no pair of it is of two hosts that cables of known bandwidth join here\n", path);
  return format.colour(graph, ratios);
}

}  // namespace

int run_topo(const TopoOptions& options, std::FILE* to) {
  const topo::Format& format = topo::find_format(options.as);
  if (options.sources.size() > 1 && !options.save.empty())
    throw Error(Fault::usage, "--save stores one source, and several are given: write the graph of all with --as json -o FILE");
  if (!options.results.empty() && format.colour == nullptr)
    throw Error(Fault::usage, fmt::format("--results colours links of pictures: choose --as svg or html, not {}", format.name));
  std::vector<topo::Edit> edits;
  for (const std::string& text : options.edits) edits.push_back(topo::parse_edit(text));
  std::vector<topo::Silence> silent;
  const std::vector<topo::Evidence> evidence = topo::read_sources(options, &silent);
  topo::Graph graph = topo::build(evidence);
  for (const std::string& note : topo::notes_of(graph)) fmt::print(stderr, "note: {}\n", note);
  graph = topo::apply_edits(std::move(graph), edits);
  const std::string text = options.results.empty() ? format.write(graph) : coloured(format, graph, options.results);
  if (!options.save.empty()) {
    for (const auto& path : topo::save(evidence.front(), options.save)) fmt::print(stderr, "stored {}\n", path.string());
    for (const topo::Silence& it : silent) fmt::print(stderr, "nothing from {}: {}\n", it.source, it.reason);
  }
  if (options.output.empty() || options.output == "-")
    print(text, to);
  else
    topo::write_new_file(options.output, text);
  return 0;
}

void add_topo(CLI::App& program, const Invocation& invocation, Action& action) {
  const auto options =
      std::make_shared<TopoOptions>();  // lives as long as the parser that writes to it and the action that reads it
  CLI::App* command = program.add_subcommand("topo", "Show what this machine, or a recorded one, is made of");
  command->add_option(
      "SOURCE", options->sources,
      "A file of any source (docs/topology.md), or a folder that --save made; several make one graph of a cluster, and a word "
      "as rail:hosts=64 is generated; without it this machine is read");
  command->add_option("--as", options->as, "Format: " + topo::names_of_formats())->capture_default_str();
  command->add_option("-o,--output", options->output, "Write to this file; -: standard output");
  command->add_option("--results", options->results,
                      "Colour the links of a picture by measured/expected: what `railgauge bench pairs -o` wrote (.jsonl)");
  command
      ->add_option("--what-if", options->edits,
                   "Change the graph before it is written: \"remove LINK|NODE\", \"set LINK bandwidth=GB/s\", rails=N or "
                   "oversubscribe=RATIO (docs/generate.md); may be given several times")
      ->allow_extra_args(false);
  command->add_option("--save", options->save, "Store what was read of the machine in this folder");
  add_source_options(*command, *options, invocation);
  command->footer(topo_examples);
  command->require_subcommand(0, 1);
  add_topo_check(*command, invocation, action);
  add_topo_diff(*command, invocation, action);
  add_topo_expect(*command, invocation, action);
  add_topo_generate(*command, invocation, action);
  // Runs after the callbacks of subcommands, which have chosen their own action then.
  command->callback([command, options, &action] {
    if (command->get_subcommands().empty()) action = [options] { return run_topo(*options, stdout); };
  });
}

}  // namespace railgauge
