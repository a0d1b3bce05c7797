// railgauge algorithm show: what algorithms of files and of the catalog cost, and a picture of their rounds.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/output/print.hpp"
#include "base/units.hpp"
#include "bench/commands/algorithm.hpp"
#include "bench/commands/algorithm_source.hpp"
#include "bench/commands/topo_sources.hpp"
#include "bench/options/values.hpp"
#include "bench/schedule/file/schedule_file.hpp"
#include "bench/schedule/picture/draw.hpp"
#include "bench/schedule/proof/report.hpp"
#include "bench/schedule/read/read.hpp"
#include "bench/schedule/shares.hpp"
#include "bench/select/stored_file.hpp"
#include "topo/evidence/files.hpp"

namespace railgauge {
namespace {

constexpr const char* show_examples =
    "Examples:\n"
    "  railgauge algorithm show allreduce.xml --picture rounds.html           a page: zoom, and point at an arrow\n"
    "  railgauge algorithm show trees.jsonl --bytes 1M                        of `synthesise`, with bytes per link\n"
    "  railgauge algorithm show all_reduce --algorithm ring --ranks 8 --picture ring.svg   of the catalog\n";

struct ShowOptions {
  std::vector<std::string> sources;  // files, or a collective with an algorithm
  CatalogRequest catalog;
  std::string bytes, format = "text", picture;
};

struct Shown {
  CountedFile counted;
  ScheduleFile schedules;  // without ranks: it is a program
  bool file = true;
};

Shown of_schedules(std::string name, ScheduleFile schedules, bool in_place) {
  Shown shown;
  Program& head = shown.counted.program;
  shown.counted.path = std::move(name);
  shown.counted.counts = count(schedules.collective, schedules.root, schedules.ranks);
  head.collective = schedules.collective;
  head.ranks.resize(schedules.ranks.size());
  for (const Schedule& schedule : schedules.ranks) head.blocks = std::max(head.blocks, schedule.blocks);
  head.in_place = in_place;
  head.out_of_place = true;
  shown.schedules = std::move(schedules);
  return shown;
}

// What has a block that does not exist can neither be counted nor drawn; other mistakes are shown.
void check_blocks(const ScheduleFile& file, const std::string& path) {
  Shape shape;
  shape.ranks = static_cast<std::int32_t>(file.ranks.size());
  shape.root = file.root;
  for (; shape.rank < shape.ranks; ++shape.rank) {
    const Schedule& schedule = file.ranks[static_cast<std::size_t>(shape.rank)];
    const Shares shares(file.collective, shape, schedule);
    try {
      for (const Round& round : schedule.rounds) {
        for (const Transfer& it : round.transfers) (void)shares.units(it.blocks);
        for (const Local& it : round.locals)
          for (const Blocks& blocks : {it.source, it.target}) (void)shares.units(blocks);
      }
    } catch (const std::out_of_range& missing) {
      throw Error(Fault::usage, fmt::format("{}: the schedules are no {}: rank {}: {}", path, name(file.collective), shape.rank,
                                            missing.what()));
    }
  }
}

Shown of_source(const std::string& source, const CatalogRequest& catalog) {
  if (!catalog.algorithm.empty()) {
    CatalogSchedules built = schedules_of_catalog(source, catalog);
    Shown shown = of_schedules(fmt::format("{} by {}", source, catalog.algorithm), std::move(built.schedules), built.in_place);
    shown.file = false;
    return shown;
  }
  if (find_collective(source))
    throw Error(Fault::usage, fmt::format("{} is a collective: which of its algorithms (--algorithm)?", source));
  if (catalog.asks()) throw Error(Fault::usage, "--ranks, --root and --ranks-per-node are for --algorithm: a file says its own");
  if (source.ends_with(".jsonl")) {
    ScheduleFile file = read_schedules(read_file(source), source);
    if (file.ranks.empty()) throw Error(Fault::usage, fmt::format("{}: it has no ranks", source));
    const bool in_place = row(file.collective).in_place && findings_of(file, true).empty();
    check_blocks(file, source);
    return of_schedules(source, std::move(file), in_place);
  }
  Shown shown;
  shown.counted.path = source;
  shown.counted.program = read_algorithm(source);
  shown.counted.counts = count(shown.counted.program);
  return shown;
}

std::string picture_of(const Shown& shown, bool page) {
  picture::Request request{shown.counted.path, shown.file, shown.counted.bytes, headline(shown.counted.program), {}};
  std::string line;
  for (const std::string& sentence : sentences(shown.counted)) line += (line.empty() ? "" : " ") + sentence;
  request.notes.push_back(std::move(line));
  const picture::Picture drawn =
      shown.schedules.ranks.empty()
          ? picture::picture_of(shown.counted.program, prove(shown.counted.program), request)
          : picture::picture_of(shown.schedules, shown.file ? findings_of(shown.schedules, false) : Findings(), request);
  return page ? picture::draw_page(drawn) : picture::draw_svg(drawn);
}

int run_show(const ShowOptions& options, std::FILE* to) {
  const bool json = wants_json(options.format);
  const bool page = options.picture.ends_with(".html");
  if (!options.picture.empty()) {
    if (!page && !options.picture.ends_with(".svg"))
      throw Error(Fault::usage, fmt::format("--picture {}: end the name in .svg or .html", options.picture));
    if (options.sources.size() != 1) throw Error(Fault::usage, "--picture is of one algorithm: name one file");
    if (std::error_code absent; std::filesystem::exists(options.picture, absent))
      throw Error(Fault::usage, options.picture + ": exists already and is not overwritten; name another file");
  }
  if (!options.catalog.algorithm.empty() && options.sources.size() != 1)
    throw Error(Fault::usage, "--algorithm is of one collective: name one");
  const std::uint64_t bytes = options.bytes.empty() ? 0 : parse_bytes(options.bytes);
  std::vector<CountedFile> files;
  for (const std::string& source : options.sources) {
    Shown shown = of_source(source, options.catalog);
    shown.counted.bytes = bytes;
    if (!options.picture.empty()) topo::write_new_file(options.picture, picture_of(shown, page));
    if (!json)
      print(to_text(shown.counted), to);
    else
      files.push_back(std::move(shown.counted));
  }
  if (json) print(to_json(files), to);
  return 0;
}

}  // namespace

void add_algorithm_show(CLI::App& algorithm, Action& action) {
  const auto options = std::make_shared<ShowOptions>();  // lives as long as the parser and the action
  CLI::App* command =
      algorithm.add_subcommand("show", "Count rounds, messages and bytes per link, beside lower bounds; draw the rounds");
  command
      ->add_option("SOURCE", options->sources,
                   "MSCCL XML, plans of MSCCL++, schedules (.jsonl); or a collective with --algorithm")
      ->required();
  add_catalog_options(*command, options->catalog);
  command->add_option("--bytes", options->bytes, "Say bytes per link, of a buffer of this size; K, M, G are binary");
  command->add_option("--picture", options->picture, "Draw ranks by time, an arrow for each message, into a new .svg or .html");
  command->add_option("--format", options->format, "text or json")
      ->check(options::one_of({"text", "json"}))
      ->capture_default_str();
  command->footer(show_examples);
  command->callback([options, &action] { action = [options] { return run_show(*options, stdout); }; });
}

}  // namespace railgauge
