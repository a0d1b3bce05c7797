// railgauge topo generate: a machine or fabric that is not there, as a graph that all commands read.
#include "bench/commands/topo_generate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/output/print.hpp"
#include "bench/commands/topo_sources.hpp"
#include "bench/options/values.hpp"
#include "topo/evidence/files.hpp"
#include "topo/write/formats.hpp"

namespace railgauge {
namespace {

constexpr const char* topo_generate_examples =
    "Examples:\n"
    "  railgauge topo generate rail --hosts 128 -o plan.json        128 DGX H100 on eight rails, for other commands\n"
    "  railgauge topo generate fat-tree --hosts 24 --host dgx-a100 --oversubscribe 2 --as svg -o tree.svg\n"
    "  railgauge topo check rail:hosts=128,radix=64                 the same parameters as a word, in place of a file\n";

struct ExampleRow {
  const char* kind;
  const char* text;
};
constexpr auto example_rows = std::to_array<ExampleRow>({
    {"fat-tree",
     "  railgauge topo generate fat-tree --hosts 64 -o tree.json     64 DGX H100, 8 of them on a leaf\n"
     "  railgauge topo generate fat-tree --hosts 512 --host plain --radix 16 --as html -o tree.html\n"
     "  railgauge topo check fat-tree:hosts=32,oversubscribe=3       where it is oversubscribed\n"},
    {"rail",
     "  railgauge topo generate rail --hosts 128 -o rails.json       1024 GPUs: 4 units of 32 hosts\n"
     "  railgauge topo generate rail --hosts 36 --host nvl72 -o racks.json    two NVL72, joined over four rails\n"
     "  railgauge topo expect rail:hosts=64 --collective all_reduce   what its GPUs can reach\n"},
    {"dragonfly",
     "  railgauge topo generate dragonfly --as svg -o groups.svg     9 groups of 4 routers\n"
     "  railgauge topo generate dragonfly --hosts 4 --groups 12 -o groups.json\n"
     "  railgauge topo check dragonfly:hosts=1,host=dgx-h100,groups=5    a group of 16 routers for 128 GPUs\n"},
    {"torus",
     "  railgauge topo generate torus --as svg -o grid.svg           4 x 4 switches\n"
     "  railgauge topo generate torus --x 8 --y 8 --z 4 -o grid.json\n"
     "  railgauge topo check torus:x=4,y=2                           the same parameters as a word\n"},
    {"nvl72",
     "  railgauge topo generate nvl72 -o rack.json                   one rack of 72 GPUs\n"
     "  railgauge topo generate nvl72 --as html -o rack.html         as a page\n"
     "  railgauge topo expect nvl72 --collective all_reduce          what its GPUs can reach\n"},
    {"gb300-nvl72",
     "  railgauge topo generate gb300-nvl72 -o rack.json             one rack of 72 GPUs\n"
     "  railgauge topo generate gb300-nvl72 --as html -o rack.html   as a page\n"
     "  railgauge predict all_reduce --topology gb300-nvl72 --ranks 16 --algorithm ring,nvls\n"},
    {"dgx-a100",
     "  railgauge topo generate dgx-a100 --as tree                   what it is made of\n"
     "  railgauge topo generate dgx-a100 --as nccl -o topo.xml       for NCCL_TOPO_FILE\n"
     "  railgauge topo expect dgx-a100 gpu0 gpu5                     a path and its bottleneck\n"},
    {"dgx-h100",
     "  railgauge topo generate dgx-h100 --as tree                   what it is made of\n"
     "  railgauge topo generate dgx-h100 --as svg -o host.svg        a picture\n"
     "  railgauge topo expect dgx-h100 gpu0 mlx5_5                   a path and its bottleneck\n"},
    {"dgx-h200",
     "  railgauge topo generate dgx-h200 --as tree                   what it is made of\n"
     "  railgauge topo generate dgx-h200 --as svg -o host.svg        a picture\n"
     "  railgauge topo expect dgx-h200 --collective all_gather       what its GPUs can reach\n"},
    {"dgx-b200",
     "  railgauge topo generate dgx-b200 --as tree                   what it is made of\n"
     "  railgauge topo expect dgx-b200 --collective all_reduce       what its GPUs can reach\n"
     "  railgauge predict all_reduce --topology dgx-b200 --bytes 1G --algorithm ring,nvls\n"},
    {"mi300x",
     "  railgauge topo generate mi300x --as tree                     what it is made of\n"
     "  railgauge topo expect mi300x gpu0 gpu5                       a path and its bottleneck\n"
     "  railgauge synthesise all_gather --topology mi300x            trees over all its links\n"},
});

void add_kind(CLI::App& generate, const topo::GenerateKind& kind, Action& action) {
  const auto options = std::make_shared<TopoGenerateOptions>();  // lives as long as the parser and the action
  options->kind = kind.name;
  const auto given = std::make_shared<std::map<std::string, std::pair<CLI::Option*, std::string>>>();  // as long as those
  std::string summary(kind.summary);
  summary.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(summary.front())));
  CLI::App* command = generate.add_subcommand(std::string(kind.name), summary);
  for (const topo::GenerateParameter& it : kind.parameters) {
    const std::string name(it.name);
    std::string what(it.summary);
    if (it.computed) what += fmt::format("; default: {}", it.usual);
    CLI::Option* option = command->add_option("--" + name, (*given)[name].second, what);
    (*given)[name].first = option;
    if (!it.computed) option->default_str(std::string(it.usual));
    if (it.most != 0) option->check(options::whole(it.least, it.most));
  }
  command->add_option("--as", options->as, "Format: " + topo::names_of_formats())->capture_default_str();
  command->add_option("-o,--output", options->output, "Write to this file; -: standard output");
  const auto* const row =
      std::find_if(example_rows.begin(), example_rows.end(), [&](const ExampleRow& it) { return it.kind == kind.name; });
  command->footer(std::string("Examples:\n") + (row == example_rows.end() ? "" : row->text));
  command->callback([options, given, &action] {
    action = [options, given] {
      for (const auto& [name, value] : *given)
        if (value.first->count() != 0) options->values[name] = value.second;
      return run_topo_generate(*options, stdout);
    };
  });
}

}  // namespace

int run_topo_generate(const TopoGenerateOptions& options, std::FILE* to) {
  const topo::Format& format = topo::find_format(options.as);
  const std::string text = format.write(topo::generate(options.kind, options.values));
  if (options.output.empty() || options.output == "-")
    print(text, to);
  else
    topo::write_new_file(options.output, text);
  if (format.name == "json" && text.size() > topo::largest_file)
    fmt::print(stderr, "note: no command reads a file of more than {} MiB: give the word {} in its place\n",
               topo::largest_file >> 20U, topo::generate_word(options.kind, options.values));
  return 0;
}

void add_topo_generate(CLI::App& topo, const Invocation&, Action& action) {
  CLI::App* command = topo.add_subcommand("generate", "Make the graph of a machine or fabric that is not there");
  command->require_subcommand(1);
  for (const topo::GenerateKind& kind : topo::generate_kinds()) add_kind(*command, kind, action);
  command->footer(topo_generate_examples);
}

}  // namespace railgauge
