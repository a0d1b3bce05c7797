// railgauge algorithm convert: algorithms of the catalog and of files in the formats that MSCCL, MSCCL++ and railgauge run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/output/file.hpp"
#include "base/output/print.hpp"
#include "bench/commands/algorithm.hpp"
#include "bench/commands/algorithm_source.hpp"
#include "bench/options/values.hpp"
#include "bench/schedule/file/schedule_file.hpp"
#include "bench/schedule/map/map.hpp"
#include "bench/schedule/proof/proof.hpp"
#include "bench/schedule/read/read.hpp"
#include "bench/schedule/write/from_schedules.hpp"
#include "bench/schedule/write/msccl_xml.hpp"
#include "bench/schedule/write/mscclpp.hpp"
#include "bench/select/stored_file.hpp"

namespace railgauge {
namespace {

constexpr const char* convert_examples =
    "Examples:\n"
    "  railgauge algorithm convert all_reduce --algorithm ring --ranks 8 -o ring.xml   MSCCL and RCCL\n"
    "  railgauge algorithm convert all_reduce --algorithm ring --ranks 8 -o ring.json  MSCCL++\n"
    "  railgauge algorithm convert trees.jsonl -o trees.xml                            of `synthesise`\n";

struct ConvertOptions {
  std::string source;      // a file, or a collective with an algorithm
  CatalogRequest catalog;  // without an algorithm: the source is a file
  std::uint32_t lanes = 1;
  std::string protocol = "Simple";
  std::string output;
};

// What is converted: schedules, or a program where `ranks` of them is empty.
struct Converted {
  ScheduleFile schedules;
  bool in_place = false;
  std::string name;
  Program program;
};

Converted of_catalog(const ConvertOptions& options) {
  CatalogSchedules built = schedules_of_catalog(options.source, options.catalog);
  Converted result;
  result.schedules = std::move(built.schedules);
  result.in_place = built.in_place;
  result.name = options.catalog.algorithm;
  return result;
}

Converted of_file(const ConvertOptions& options) {
  if (find_collective(options.source))
    throw Error(Fault::usage, fmt::format("{} is a collective: which of its algorithms (--algorithm)?", options.source));
  if (options.catalog.asks())
    throw Error(Fault::usage, "--ranks, --root and --ranks-per-node are for --algorithm: a file says its own");
  Converted result;
  result.name = options.source;
  if (!options.source.ends_with(".jsonl")) {
    if (options.lanes != 1 || options.protocol != "Simple")
      throw Error(Fault::usage, fmt::format("--lanes and --protocol are for schedules: {} has its thread blocks and its protocol",
                                            options.source));
    result.program = read_algorithm(options.source);
    return result;
  }
  StoredFile stored = read_stored(options.source);
  result.schedules = {stored.collective, stored.schedules.root, std::move(stored.schedules.ranks)};
  result.in_place = stored.in_place;
  return result;
}

Program program_to_write(const ConvertOptions& options, Converted& from, bool xml) {
  Program program = std::move(from.program);
  if (xml && program.format == AlgorithmFormat::mscclpp) {
    // Ranks that access each other's memory do not exist there: as messages.
    const MappedProgram mapped = map_program(program, options.source);
    program = program_of({from.name, mapped.collective, mapped.in_place, options.protocol, options.lanes, mapped.out_of_place},
                         mapped.ranks);
  }
  if (!from.schedules.ranks.empty())
    program =
        program_of({from.name, from.schedules.collective, from.in_place, options.protocol, options.lanes}, from.schedules.ranks);
  const Proof proof = prove(program);
  if (!proof.right())
    throw Error(Fault::usage, fmt::format("{}: it is wrong, and not converted: {}", from.name, proof.findings.front().sentence));
  return program;
}

int run_convert(const ConvertOptions& options, std::FILE* to) {
  const std::string_view output = options.output;
  const bool ours = output.ends_with(".jsonl"), xml = output.ends_with(".xml");
  if (!ours && !xml && !output.ends_with(".json"))
    throw Error(Fault::usage, fmt::format("--output {}: .xml is MSCCL, .json is MSCCL++, and .jsonl is railgauge's own", output));
  Converted from = options.catalog.algorithm.empty() ? of_file(options) : of_catalog(options);
  std::string text, said;
  if (ours) {
    if (from.schedules.ranks.empty()) {
      MappedProgram mapped = map_program(from.program, options.source);
      from.schedules = {mapped.collective, mapped.root, std::move(mapped.ranks)};
      if (!mapped.out_of_place || mapped.equal_blocks)
        throw Error(Fault::usage, fmt::format("{}: it {}, which schedules in JSON lines cannot say", options.source,
                                              mapped.out_of_place ? "needs equal blocks" : "is right in place alone"));
    }
    text = to_text(from.schedules);
    said = fmt::format("{} of {} ranks", name(from.schedules.collective), from.schedules.ranks.size());
  } else {
    const Program program = program_to_write(options, from, xml);
    text = xml ? to_msccl_xml(program) : to_mscclpp(program);
    const Program written = read_algorithm_text(text, options.output);
    const Proof proof = prove(written);
    if (!proof.right())
      throw Error(Fault::wrong_data, fmt::format("what would be written is wrong, which is a mistake of railgauge: {}",
                                                 proof.findings.front().sentence));
    said = fmt::format("{} of {} ranks, proved", name(program.collective), program.ranks.size());
    for (const std::string& note : proof.notes) said += "\n  note: " + note;
  }
  write_aside(options.output, text);
  print(fmt::format("{}: {}\n", options.output, said), to);
  return 0;
}

}  // namespace

void add_algorithm_convert(CLI::App& algorithm, Action& action) {
  const auto options = std::make_shared<ConvertOptions>();  // lives as long as the parser and the action
  CLI::App* command =
      algorithm.add_subcommand("convert", "Write an algorithm of a file or the catalog as MSCCL, MSCCL++ or JSON lines");
  command->add_option("SOURCE", options->source, "MSCCL XML, a plan of MSCCL++, schedules (.jsonl); or a collective")->required();
  add_catalog_options(*command, options->catalog);
  command->add_option("--lanes", options->lanes, "Run a schedule on so many shares of each block, each on its own channel")
      ->check(options::whole(1, 64))
      ->capture_default_str();
  command->add_option("--protocol", options->protocol, "Of MSCCL XML that is made of a schedule: Simple, LL or LL128")
      ->check(options::one_of({"Simple", "LL", "LL128"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "A new file: .xml for MSCCL, .json for MSCCL++, .jsonl for railgauge")
      ->required();
  command->footer(convert_examples);
  command->callback([options, &action] { action = [options] { return run_convert(*options, stdout); }; });
}

}  // namespace railgauge
