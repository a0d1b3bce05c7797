// railgauge compare: whether something became slower between two sets of launches.
#include "bench/commands/compare.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/output/print.hpp"
#include "base/program.hpp"
#include "base/subprocess.hpp"
#include "base/units.hpp"
#include "bench/commands/command.hpp"
#include "bench/commands/topo_sources.hpp"
#include "bench/interleave/interleave.hpp"
#include "bench/interleave/launches.hpp"
#include "bench/options/values.hpp"
#include "reports/compare/compare.hpp"
#include "reports/compare/report.hpp"
#include "reports/record/reader.hpp"

namespace railgauge {
namespace {

constexpr const char* compare_examples =
    "Examples:\n"
    "  railgauge compare --base base-*.jsonl --new new-*.jsonl        several launches a side, one file each\n"
    "  railgauge compare base-1.jsonl new-1.jsonl --launch-noise 2% --format markdown   one a side; for a merge request\n"
    "  railgauge compare --interleave 3 --base 'bench --algorithm ring' --new 'bench --algorithm auto'\n";

struct Format {
  std::string_view name;
  std::string (*text)(const compare::Comparison&);
};
constexpr std::array formats{Format{"text", compare::to_text}, Format{"json", compare::to_json}, Format{"csv", compare::to_csv},
                             Format{"markdown", compare::to_markdown}};

const Format& format_of(const std::string& wanted) {
  std::string names;
  for (const Format& format : formats) {
    if (format.name == wanted) return format;
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  throw Error(Fault::usage, fmt::format("--format {}: choose one of {}", wanted, names));
}

compare::Side read_side(const std::vector<std::string>& paths, const compare::Allowed& allowed) {
  compare::Side side(allowed);
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(Fault::usage, fmt::format("{}: {}", path, std::generic_category().message(errno)));
    bool any = false;
    each_result(file, path, [&](const Result& result) {
      side.add(path, result);
      any = true;
    });
    if (!any) throw Error(Fault::usage, path + " holds no results: railgauge bench -o FILE.jsonl writes them");
  }
  return side;
}

std::optional<double> share_of(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(parse_fraction(text));
}

// The two files that stand without a name are one of each side.
CompareOptions with_positions(CompareOptions options, const std::vector<std::string>& files) {
  if (!files.empty() && options.interleave != 0)
    throw Error(Fault::usage,
                "--interleave launches commands and reads no files: give --base and --new a command each, in quotes");
  if (!files.empty() && (files.size() != 2 || !options.base.empty() || !options.next.empty()))
    throw Error(Fault::usage,
                "give two files, BASE and NEW, or any number of each with --base and --new (railgauge compare --help)");
  if (!files.empty()) {
    options.base = {files[0]};
    options.next = {files[1]};
  }
  if (options.base.empty() || options.next.empty())
    throw Error(Fault::usage, fmt::format("there is nothing to compare: {} is missing (railgauge compare --help)",
                                          options.base.empty() ? "--base FILE" : "--new FILE"));
  return options;
}

// Launches differ by so much that more of them than this would not be a matter of turns any more.
constexpr int most_launches = 1000;

InterleaveOptions interleave_options(const CompareOptions& options, const compare::Options& how) {
  if (options.base.size() != 1 || options.next.size() != 1)
    throw Error(Fault::usage,
                "with --interleave, --base and --new are a command each, in quotes: --base 'bench all_reduce --ranks 2'");
  InterleaveOptions turns;
  turns.launches = options.interleave;
  turns.base = with_program(command_words(options.base.front()), options.program);
  turns.next = with_program(command_words(options.next.front()), options.program);
  turns.folder = options.output;
  turns.deadline = parse_seconds(options.deadline.empty() ? default_launch_deadline : options.deadline);
  if (!(turns.deadline.count() > 0)) throw Error(Fault::usage, "--deadline " + options.deadline + ": more than 0 is needed");
  turns.allow = options.allow;
  turns.how = how;
  turns.interactive = ::isatty(STDERR_FILENO) == 1;
  return turns;
}

int run_interleaved(const InterleaveOptions& turns, const Format& format, std::FILE* to) {
  const Interleaved result = interleave(turns);
  print(format.text(result.comparison), to);
  if (result.interrupted.empty()) return compare::exit_code(result.comparison);
  throw Error(Fault::lost, result.interrupted + "; what was finished is compared");
}

}  // namespace

int run_compare(const CompareOptions& options, std::FILE* to) {
  const Format& format = format_of(options.format);
  compare::Options how;
  how.band = share_of(options.band);
  how.launch_noise = share_of(options.launch_noise);
  how.confidence = parse_fraction(options.confidence);
  if (how.confidence < 0.5 || how.confidence > 0.9999)
    throw Error(Fault::usage, "--confidence " + options.confidence + ": choose between 50% and 99.99%");
  how.allowed = compare::Allowed(options.allow);
  how.seed = options.seed;
  if (options.interleave != 0) return run_interleaved(interleave_options(options, how), format, to);
  if (!options.output.empty() || !options.deadline.empty())
    throw Error(Fault::usage, fmt::format("{} is for launches that compare makes itself: give it with --interleave",
                                          options.output.empty() ? "--deadline" : "-o"));
  const compare::Side base = read_side(options.base, how.allowed);
  const compare::Side next = read_side(options.next, how.allowed);
  const compare::Comparison comparison = compare::compare(base, next, how);
  print(format.text(comparison), to);
  return compare::exit_code(comparison);
}

void add_compare(CLI::App& program, const Invocation& invocation, Action& action) {
  struct Given {
    CompareOptions options;
    std::vector<std::string> files;
  };
  const auto given = std::make_shared<Given>();  // lives as long as the parser and the action
  CompareOptions& options = given->options;
  options.program = program_file(environment_of(invocation));
  CLI::App* command = program.add_subcommand(
      "compare", "Say whether anything became slower; 0 same or better, 1 worse, 3 not comparable, 4 inconclusive");
  command->add_option("FILE", given->files, "BASE and NEW: results that `railgauge bench -o` wrote (.jsonl)")->expected(0, 2);
  command->add_option("--base", options.base, "Results of what it was before, one launch or more in each file");
  command->add_option("--new", options.next, "Results of what it is now");
  command
      ->add_option("--band", options.band, "What counts as the same: 3%; default: 1%, or twice --launch-noise where that is more")
      ->check(options::a_share());
  command
      ->add_option("--launch-noise", options.launch_noise,
                   "By how much launches of the same thing are known to differ (standard deviation), for sides with fewer than 3")
      ->check(options::a_share());
  command
      ->add_option("--allow", options.allow,
                   "Compare though this differs (docs/compare.md): host, cpu, kernel, versions, versions.NAME, settings, "
                   "environment, path, "
                   "algorithm, transport, ..., missing")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--confidence", options.confidence, "Of the intervals")->check(options::a_share())->capture_default_str();
  command
      ->add_option("--interleave", options.interleave,
                   "Make so many launches of each side here, interleaved (A B B A): --base and --new are then a command each, a "
                   "railgauge bench to which  -o FILE  is added")
      ->check(options::whole(1, most_launches));
  command->add_option("-o,--output", options.output, "With --interleave: keep the results of each launch in this new folder");
  command->add_option(
      "--deadline", options.deadline,
      std::string("With --interleave: of each launch, which is ended then (default ") + default_launch_deadline + ")");
  command->add_option("--format", options.format, "text, json, csv or markdown")
      ->check(options::one_of({"text", "json", "csv", "markdown"}))
      ->capture_default_str();
  command->add_option("--seed", options.seed, "Of the resampling")->capture_default_str();
  command->footer(compare_examples);
  command->callback(
      [given, &action] { action = [given] { return run_compare(with_positions(given->options, given->files), stdout); }; });
}

}  // namespace railgauge
