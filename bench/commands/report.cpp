// railgauge report: results as one page that a browser opens, or in any other format that bench writes.
#include "bench/commands/report.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/output/file.hpp"
#include "base/version.hpp"
#include "bench/commands/command.hpp"
#include "bench/commands/topo_sources.hpp"
#include "reports/formats/writer.hpp"
#include "reports/history/trends.hpp"
#include "reports/record/reader.hpp"
#include "reports/validation/writers.hpp"
#include "reports/web/gather.hpp"
#include "reports/web/page.hpp"
#include "topo/expect/expect.hpp"
#include "topo/write/formats.hpp"

namespace railgauge {
namespace {

constexpr const char* report_examples =
    "Examples:\n"
    "  railgauge report sweep.jsonl -o sweep.html                         what bench -o sweep.jsonl wrote, as a page\n"
    "  railgauge report before.jsonl after.jsonl -o both.xml              two runs as JUnit XML; also .md, .csv, .prom\n"
    "  railgauge report pairs.jsonl --topology node7 -o pairs.html        with a picture of what topo --save node7 stored\n";

// Hands each result of the file on.
template <class Take>
void read_file(const std::string& path, const Take& take) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (!file) throw Error(Fault::usage, fmt::format("{}: {}", path, std::generic_category().message(errno)));
  if (std::filesystem::is_directory(path, error)) throw Error(Fault::usage, path + " is a folder: name the results files in it");
  std::size_t number = 0, results = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", path, number);
    const Result result = read_result(line, where);
    web::require_possible(result, where);
    take(result);
    ++results;
  }
  if (file.bad()) throw Error(Fault::usage, path + " cannot be read");
  if (results == 0) throw Error(Fault::usage, path + " holds no result: measure some with railgauge bench -o FILE.jsonl");
}

// Links are coloured by what was measured between hosts, where that was.
web::Drawing draw(const std::vector<std::string>& sources, const web::Contents& contents) {
  if (sources.empty()) return {};
  const topo::Graph graph = topo::graph_of_files(sources);
  std::vector<topo::HostPair> pairs;
  for (const web::HostBandwidth& it : contents.between_hosts) pairs.push_back({it.from, it.to, it.bandwidth});
  const topo::Ratios ratios = pairs.empty() ? topo::Ratios() : topo::measured_ratios(graph, pairs);
  return {topo::picture_svg(graph, ratios),
          ratios.empty()
              ? "Nothing was measured between two hosts of it, so its links have the colours of their kinds."
              : "Links between hosts have the colour of measured over expected, by the best pair whose path each lies on."};
}

bool is_page(const ReportOptions& options) {
  if (asks_for_page(options.format, options.output)) return true;
  if (!options.format.empty() || options.output == "-") return false;
  const std::string extension = std::filesystem::path(options.output).extension().string();
  std::string known = ".html";
  for (const FormatRow& row : result_formats()) {
    if (!row.extension.empty() && row.extension == extension) return false;
    if (!row.extension.empty()) known += fmt::format(", {}", row.extension);
  }
  throw Error(Fault::usage, fmt::format("the name {} does not say what to write: end it in one of {}, or give --format",
                                        options.output, known));
}

std::vector<history::Entry> entries_of(const std::vector<std::string>& files) {
  std::vector<history::Entry> entries;
  for (const std::string& path : files) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(Fault::usage, path + ": " + std::generic_category().message(errno));
    for (history::Entry& entry : history::read_entries(file, path)) entries.push_back(std::move(entry));
  }
  return entries;
}

void write_page(const ReportOptions& options) {
  AsideFile page(options.output);  // before anything is read: what exists is found out at once
  web::Gathering gathering;
  for (const std::string& path : options.files) read_file(path, [&](const Result& result) { gathering.add(result, path); });
  const web::Contents contents = gathering.finish();
  web::PageOptions more{"railgauge " + std::string(version()), draw(options.topology, contents)};
  if (!options.history.empty()) more.trends = history::trends_of(options.history, entries_of(options.files));
  page.append(web::page_of(contents, more));
  page.publish();
}

// Reads twice, so that nothing is written of files that cannot be read to their ends.
void write_results(const ReportOptions& options) {
  if (!options.topology.empty())
    throw Error(Fault::usage, "--topology is drawn in a page: end the name " + options.output + " in .html, or leave it out");
  if (!options.history.empty())
    throw Error(Fault::usage, "--history is shown in a page: end the name " + options.output + " in .html, or leave it out");
  expect_format_used(std::array{options.output}, options.format);
  for (const std::string& path : options.files) read_file(path, [](const Result&) {});
  const std::unique_ptr<Writer> writer = open_writer(options.output, options.format);
  bool begun = false;
  for (const std::string& path : options.files)
    read_file(path, [&](const Result& result) {
      if (!std::exchange(begun, true)) writer->begin({.id = result.run, .points = 0, .notes = {}});
      writer->add(result);
    });
  writer->finish();
}

bool holds_validation(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 256> beginning{};
  file.read(beginning.data(), beginning.size());
  return validation::is_validation({beginning.data(), static_cast<std::size_t>(file.gcount())});
}

// What railgauge validate found, in another format.
void write_validation(const ReportOptions& options, const std::string& path) {
  if (options.files.size() != 1)
    throw Error(Fault::usage, path + " is of railgauge validate, and stands in a page of its own: name it alone");
  if (!options.topology.empty() || !options.history.empty())
    throw Error(Fault::usage, "--topology and --history belong to results of railgauge bench, and " + path +
                                  " is of railgauge validate: leave them out");
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw Error(Fault::usage, path + " cannot be read");
  validation::write_file(validation::from_json(text, path), options.output, options.format);
}

}  // namespace

bool asks_for_page(const std::string& format, const std::string& output) {
  if (std::filesystem::path(output).extension() == ".html") {
    if (format.empty() || format == "html") return true;
    throw Error(Fault::usage, fmt::format("--format says {}, and the name {} says html: leave one of them out", format, output));
  }
  if (format != "html") return false;
  if (output.empty() || output == "-") throw Error(Fault::usage, "a page needs a name: give it as -o report.html");
  return true;
}

int run_report(const ReportOptions& options) {
  std::set<std::filesystem::path> seen;
  for (const std::string& path : options.files) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
    if (!error && !seen.insert(real).second) throw Error(Fault::usage, path + " is given twice");
  }
  if (const auto found = std::find_if(options.files.begin(), options.files.end(), holds_validation);
      found != options.files.end()) {
    write_validation(options, *found);
    return 0;
  }
  if (is_page(options))
    write_page(options);
  else
    write_results(options);
  return 0;
}

void add_report(CLI::App& program, const Invocation&, Action& action) {
  const auto options = std::make_shared<ReportOptions>();  // lives as long as the parser and the action
  CLI::App* command =
      program.add_subcommand("report", "Show results as a page that a browser opens, or write them in another format");
  command
      ->add_option("FILE", options->files,
                   "Results of railgauge bench -o (.jsonl), of which several are shown beside each other; or what railgauge "
                   "validate found (.json)")
      ->required();
  command->add_option("-o,--output", options->output, "A page (.html), or .md, .xml, .prom, .csv, .jsonl; -: standard output")
      ->required();
  command->add_option("--format", options->format,
                      "Of standard output, and of a name that does not say it (railgauge list formats; html)");
  command
      ->add_option(
          "--topology", options->topology,
          "Draw what railgauge topo reads (a folder of --save, or a file), its links coloured by the pairs of the results; may "
          "be repeated")
      ->allow_extra_args(false);
  command->add_option("--history", options->history,
                      "Show how these cases went on in this history (railgauge history): a file, or postgresql://...");
  command->footer(report_examples);
  command->callback([options, &action] { action = [options] { return run_report(*options); }; });
}

}  // namespace railgauge
