// railgauge history: the runs that a team keeps, and a run beside them.
#include "bench/commands/history.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/output/file.hpp"
#include "base/output/print.hpp"
#include "base/output/text.hpp"
#include "base/units.hpp"
#include "bench/commands/command.hpp"
#include "bench/commands/topo_sources.hpp"
#include "bench/options/values.hpp"
#include "reports/formats/writer.hpp"
#include "reports/history/check.hpp"
#include "reports/history/history.hpp"
#include "reports/history/text.hpp"
#include "reports/record/result_text.hpp"

namespace railgauge {
namespace {

using namespace history;

constexpr const char* history_examples =
    "Examples:\n"
    "  railgauge history add nightly.jsonl --label 4f2a91c     keep what bench -o nightly.jsonl wrote\n"
    "  railgauge history check                                 the newest run beside its baseline\n"
    "  railgauge history show all_reduce size=4K               one case over time\n";

struct Given {
  std::string where, wait = "60s";  // --history; empty: the default
  std::vector<std::string> files, words;
  std::string label, at, run, from, reason, who, format, output;
  bool refused = false;
  std::size_t last = 20;
};

std::optional<std::string> variable(const Invocation& invocation, std::string_view name) {
  const auto found = invocation.environment.find(name);
  return found == invocation.environment.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
}

std::string place(const Given& given, const Invocation& invocation, bool make) {
  if (!given.where.empty()) return given.where;
  return default_history_path([&](std::string_view name) { return variable(invocation, name); }, make);
}

History open_history(const Given& given, const Invocation& invocation, bool make = false) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like any other
  Access access;
  access.make = make;
  access.wait = parse_seconds(given.wait);
  access.now = std::time(nullptr);
  return History::open(place(given, invocation, make), access);
}

std::vector<Entry> read_files(const std::vector<std::string>& paths) {
  std::vector<Entry> all;
  std::map<std::string, std::string> files;  // of runs
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(Fault::usage, fmt::format("{}: {}", path, std::generic_category().message(errno)));
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
      throw Error(Fault::usage, path + " is a folder: name the results files in it");
    std::vector<Entry> entries = read_entries(file, path);
    if (entries.empty()) throw Error(Fault::usage, path + " holds no results: railgauge bench -o FILE.jsonl writes them");
    for (Entry& entry : entries) {
      const auto known = files.try_emplace(entry.run, path).first;
      if (known->second != path)
        throw Error(Fault::usage,
                    fmt::format("run {} is in {} and in {}: a run is added once, from one file", entry.run, known->second, path));
      all.push_back(std::move(entry));
    }
  }
  return all;
}

int add(const Given& given, const Invocation& invocation) {
  const std::vector<Entry> entries = read_files(given.files);
  const Label label{given.label, given.at.empty() ? static_cast<std::int64_t>(std::time(nullptr)) : parse_time(given.at)};
  History kept = open_history(given, invocation, true);
  const Added added = kept.add(entries, label, given.refused ? State::refused : State::counted);
  std::string text;
  for (const std::string& run : added.known) text += fmt::format("run {} was there already\n", run);
  if (!added.runs.empty())
    text += fmt::format("added {} with {}{}\n", plural(added.runs.size(), "run"), plural(added.results, "result"),
                        added.fresh == 0 ? "" : fmt::format("; {} not seen before", plural(added.fresh, "case")));
  print(text, stdout);
  return 0;
}

int list(const Given& given, const Invocation& invocation) {
  const bool json = wants_json(given.format);
  const std::vector<RunRow> runs = open_history(given, invocation).runs();
  print(json ? list_json(runs) : list_text(runs), stdout);
  return 0;
}

int show(const Given& given, const Invocation& invocation) {
  const bool json = wants_json(given.format);
  const std::vector<Series> series = open_history(given, invocation).series(Filter(given.words));
  print(json ? show_json(series) : show_text(series, given.last), stdout);
  return 0;
}

int check(const Given& given, const Invocation& invocation) {
  const bool json = wants_json(given.format);
  const Filter filter(given.words);
  const History kept = open_history(given, invocation);
  std::string run = given.run;
  if (run.empty()) {
    const std::vector<RunRow> runs = kept.runs();
    if (runs.empty()) throw Error(Fault::usage, "there is no run to check yet: railgauge history add FILE adds one");
    run = runs.back().run;
  }
  const Check checked = check_run(kept, run, filter);
  print(json ? check_json(checked) : check_text(checked), stdout);
  return checked.exit_code;
}

int accept(const Given& given, const Invocation& invocation) {
  if (given.reason.find_first_not_of(" \t") == std::string::npos)
    throw Error(Fault::usage, "--reason is empty: say why what is measured from here on is right");
  std::string who = given.who;
  for (const char* const name : {"GITHUB_ACTOR", "GITLAB_USER_LOGIN", "USER", "LOGNAME"})
    if (who.empty()) who = variable(invocation, name).value_or("");
  if (who.empty()) throw Error(Fault::usage, "your name is unknown: say it with --who NAME");
  History kept = open_history(given, invocation);
  const std::size_t moved =
      kept.accept(Filter(given.words), given.from.empty() ? std::nullopt : std::optional(given.from), given.reason, who);
  print(fmt::format("the baseline of {} begins again with {}, accepted by {}\n", plural(moved, "case"),
                    given.from.empty() ? "the newest run" : "run " + printable(given.from), printable(who)),
        stdout);
  return 0;
}

int export_history(const Given& given, const Invocation& invocation) {
  if (given.format != "jsonl" && given.format != "csv")
    throw Error(Fault::usage, fmt::format("--format {}: there is no such format; there are jsonl, csv", printable(given.format)));
  if (given.format == "csv" && !given.run.empty())
    throw Error(Fault::usage, "--run is of --format jsonl: CSV has a line for each run of each case");
  const Filter filter(given.words);
  const History kept = open_history(given, invocation);
  std::optional<AsideFile> file;
  if (!given.output.empty() && given.output != "-") file.emplace(given.output);
  const Sink to = file ? Sink([&](std::string_view text) { file->append(text); }) : descriptor_sink(1, "standard output");
  if (given.format == "csv") {
    to(show_csv(kept.series(filter)));
  } else {
    std::string text;
    const auto flush = [&](std::size_t least) {
      if (text.size() > least) {
        to(text);
        text.clear();
      }
    };
    kept.lines(given.run.empty() ? std::nullopt : std::optional(given.run), [&](std::string_view line) {
      if (!filter.empty() && !filter.fits(read_entry(line, "a result that is kept").identity)) return;
      text.append(line).push_back('\n');
      flush(1U << 20U);
    });
    flush(0);
  }
  if (file) file->publish();
  return 0;
}

}  // namespace

std::string default_history_path(const std::function<std::optional<std::string>(std::string_view)>& environment, bool make) {
  std::string path;
  if (const auto data = environment("XDG_DATA_HOME"); data && !data->empty())
    path = *data + "/railgauge/history.db";
  else if (const auto home = environment("HOME"); home && !home->empty())
    path = *home + "/.local/share/railgauge/history.db";
  else
    throw Error(Fault::usage, "neither XDG_DATA_HOME nor HOME is set: say where the history is with --history FILE");
  if (!make) return path;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(Fault::usage, fmt::format("{} cannot be made: {}", folder.string(), error.message()));
  return path;
}

void add_history(CLI::App& program, const Invocation& invocation, Action& action) {
  CLI::App* history = program.add_subcommand("history", "Keep runs, and say whether the newest one is as they were");
  history->require_subcommand(1);
  history->footer(history_examples);
  using Work = int (*)(const Given&, const Invocation&);
  const auto command = [&](const char* name, const char* summary, const char* its_examples, Work run) {
    const auto given = std::make_shared<Given>();  // lives as long as the parser and the action
    CLI::App* one = history->add_subcommand(name, summary);
    one->add_option("--history", given->where,
                    "The file that it is kept in, or postgresql://[USER@]HOST/DATABASE; default: railgauge/history.db in "
                    "XDG_DATA_HOME or ~/.local/share");
    one->add_option("--wait", given->wait, "For others who are writing, and for a server that is busy")
        ->check(options::a_time())
        ->capture_default_str();
    one->footer(its_examples);
    one->callback([given, run, &invocation, &action] { action = [given, run, &invocation] { return run(*given, invocation); }; });
    return std::pair(one, given.get());
  };
  const auto formats = [](CLI::App* one, Given* given) {
    given->format = "text";
    one->add_option("--format", given->format, "text or json")->check(options::one_of({"text", "json"}))->capture_default_str();
  };
  const auto words = [](CLI::App* one, Given* given) {
    one->add_option("WORD", given->words,
                    "Only cases that all fit: all_reduce, size=4K, transport=shm, versions.ucx=1.13.1, ... (docs/history.md)");
  };
  {
    const auto [one, given] = command("add", "Keep the runs of results files, all or nothing",
                                      "Examples:\n"
                                      "  railgauge history add run.jsonl\n"
                                      "  railgauge history add run.jsonl --label v2.1 --at 2026-11-23\n"
                                      "  railgauge history add run-*.jsonl --history postgresql://perf@db/perf\n",
                                      add);
    one->add_option("FILE", given->files, "Results that `railgauge bench -o` wrote (.jsonl)")->required();
    one->add_option("--label", given->label, "What was measured: a commit, a tag");
    one->add_option("--at", given->at, "When: 2026-11-23, 2026-11-23T12:00:05Z (UTC) or seconds since 1970; default: now");
    one->add_flag("--refused", given->refused, "Keep them, and never let them be part of a baseline");
  }
  {
    const auto [one, given] = command("list", "The runs that are kept, in the order in which they were added",
                                      "Examples:\n"
                                      "  railgauge history list\n"
                                      "  railgauge history list --format json\n"
                                      "  railgauge history list --history /srv/perf/history.db\n",
                                      list);
    formats(one, given);
  }
  {
    const auto [one, given] = command("show", "Cases over time, with their baselines and the steps in them",
                                      "Examples:\n"
                                      "  railgauge history show\n"
                                      "  railgauge history show all_reduce size=4K --last 50\n"
                                      "  railgauge history show transport=ucx --format json\n",
                                      show);
    words(one, given);
    formats(one, given);
    one->add_option("--last", given->last, "Runs of a case that are shown")
        ->check(options::whole(1, 1'000'000))
        ->capture_default_str();
  }
  {
    const auto [one, given] =
        command("check", "A run beside its baseline; 0 nothing suspected, 1 a case failed, 4 suspected or unknown",
                "Examples:\n"
                "  railgauge history check\n"
                "  railgauge history check all_reduce --format json\n"
                "  railgauge history check --run 20261123T120005Z-1a2b3c4d\n",
                check);
    words(one, given);
    formats(one, given);
    one->add_option("--run", given->run, "This run instead of the newest");
  }
  {
    const auto [one, given] =
        command("accept", "Begin baselines again, because what is measured now is right",
                "Examples:\n"
                "  railgauge history accept --reason 'the new switch is slower'\n"
                "  railgauge history accept transport=ucx --from 20261123T120005Z-1a2b3c4d --reason 'UCX 1.18'\n"
                "  railgauge history accept all_reduce size=4K --reason 'known, ticket 1234' --who ada\n",
                accept);
    words(one, given);
    one->add_option("--reason", given->reason, "Why, for those who come later")->required();
    one->add_option("--from", given->from, "The run that they begin with; default: the newest of each case");
    one->add_option("--who", given->who, "Who says so; default: GITHUB_ACTOR, GITLAB_USER_LOGIN, USER or LOGNAME");
  }
  {
    const auto [one, given] = command("export", "Write all results as they were added, or the medians as CSV",
                                      "Examples:\n"
                                      "  railgauge history export -o all.jsonl\n"
                                      "  railgauge history export all_reduce --format csv -o medians.csv\n"
                                      "  railgauge history export --run 20261123T120005Z-1a2b3c4d\n",
                                      export_history);
    words(one, given);
    given->format = "jsonl";
    one->add_option("--format", given->format, "jsonl (results) or csv (medians)")
        ->check(options::one_of({"jsonl", "csv"}))
        ->capture_default_str();
    one->add_option("--run", given->run, "Only this run");
    one->add_option("-o,--output", given->output, "A file that does not exist yet; default: standard output");
  }
}

}  // namespace railgauge
