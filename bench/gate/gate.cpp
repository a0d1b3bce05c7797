// One run of the gate from the first launch to the last file.
#include "bench/gate/gate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/output/file.hpp"
#include "base/output/print.hpp"
#include "base/version.hpp"
#include "bench/gate/gate_control.hpp"
#include "bench/interleave/launches.hpp"
#include "bench/run/outputs.hpp"
#include "reports/gate/judge.hpp"
#include "reports/gate/report.hpp"
#include "reports/history/check.hpp"
#include "reports/history/history.hpp"
#include "reports/history/trends.hpp"
#include "reports/record/result_text.hpp"
#include "reports/web/gather.hpp"
#include "reports/web/page.hpp"

namespace railgauge {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 5> extensions{".xml", ".md", ".json", ".html", ".jsonl"};
constexpr std::size_t most_notes = 8;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

// What -o asks for. Files that appear whole are begun before anything is measured, so that what prevents them is known at once.
class Files {
 public:
  explicit Files(const std::vector<std::string>& paths) {
    refuse_twice(paths);
    for (const std::string& path : paths) {
      const std::string extension = fs::path(path).extension().string();
      if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end())
        throw Error(Fault::usage, fmt::format("the name {} does not say what to write: end it in one of {}", path,
                                              fmt::join(extensions, ", ")));
      std::error_code absent;
      if (fs::exists(path, absent)) throw Error(Fault::usage, path + " exists already, and nothing is ever overwritten");
      File& file = files_.emplace_back();
      file.path = path;
      file.extension = extension;
      file.aside = std::make_unique<AsideFile>(path);
    }
  }

  // `history` has the run by now.
  void write(const gate::Run& run, const gate::Judgement& judgement, const std::vector<LaunchEnd>& launches,
             const std::string& history) {
    for (File& file : files_) {
      if (file.extension == ".xml") file.aside->append(to_junit(run, judgement));
      if (file.extension == ".json") file.aside->append(to_json(run, judgement));
      if (file.extension == ".md") file.aside->append(to_markdown(run, judgement));
      if (file.extension == ".jsonl")
        for (const LaunchEnd& launch : launches) copy_into(*file.aside, launch.file);
      if (file.extension == ".html") file.aside->append(page(run, judgement, launches.front(), history));
      file.aside->publish();
    }
  }

 private:
  struct File {
    std::string path, extension;
    std::unique_ptr<AsideFile> aside;
  };

  static std::string page(const gate::Run& run, const gate::Judgement& judgement, const LaunchEnd& first,
                          const std::string& history) {
    web::Gathering gathering;
    std::vector<history::Entry> entries;
    for (const Result& result : first.results) {
      gathering.add(result, first.file);
      entries.push_back(history::entry_of(result));
    }
    web::PageOptions more{"railgauge " + std::string(version()), {}};
    more.trends = history::trends_of(history, entries);
    more.judged = lines_of(to_text(run, judgement));
    return web::page_of(gathering.finish(), more);
  }

  static void copy_into(AsideFile& file, const std::string& path) {
    std::ifstream from(path, std::ios::binary);
    file.append(std::string(std::istreambuf_iterator<char>(from), {}));
  }

  std::vector<File> files_;
};

// What is known of a case of the run.
gate::Watched watched_of(const Result& result, const history::Entry& entry, const history::Series* series) {
  gate::Watched watched;
  watched.key = entry.identity.key;
  watched.status = result.status;
  if (!entry.measured) watched.reason = result.reason;  // that it did not converge is told by the spread
  watched.now = entry.measured ? result.summary.median : Seconds(std::numeric_limits<double>::quiet_NaN());
  if (series == nullptr) return watched;
  const std::vector<std::size_t> baseline = history::baseline_of(*series);
  for (const std::size_t i : baseline) watched.baseline.push_back({series->points[i].run, series->points[i].median});
  for (std::size_t i = baseline.empty() ? series->points.size() : baseline.back() + 1; i < series->points.size(); ++i)
    if (series->points[i].state == history::State::counted)
      watched.since.push_back({series->points[i].run, series->points[i].median});
  return watched;
}

// The run beside the history as it is before the run is added.
struct Prepared {
  std::vector<gate::Watched> cases;
  std::vector<compare::Key> missing;
  std::vector<std::string> notes;
};

bool same(const compare::Key& a, const compare::Key& b) { return !(a < b) && !(b < a); }

// Cases whose series is new though the case is not: something changed that keeps them apart.
std::vector<std::string> notes_of(const std::vector<history::Young>& young) {
  std::vector<std::pair<std::string, std::size_t>> changes;
  for (const history::Young& one : young) {
    if (!one.before || one.runs > 0) continue;
    const auto told = [](const std::string& value) { return value.empty() ? std::string("not there") : "'" + value + "'"; };
    std::string change = fmt::format("{} was {} and is {}", one.field, told(one.was), told(one.is));
    const auto known = std::find_if(changes.begin(), changes.end(), [&](const auto& it) { return it.first == change; });
    if (known == changes.end())
      changes.emplace_back(std::move(change), 1);
    else
      ++known->second;
  }
  std::vector<std::string> notes;
  for (const auto& [change, count] : changes)
    if (notes.size() < most_notes)
      notes.push_back(fmt::format("{}: {} begin a baseline of their own", change, plural(count, "case")));
  return notes;
}

// Whether the history measured a case in a run that is part of the present baselines, or came after them. What was accepted
// without the case has it no more.
class Expected {
 public:
  Expected(const std::vector<history::Series>& series, std::vector<history::Head> heads) : heads_(std::move(heads)) {
    for (const history::Series& one : series)
      for (std::size_t i = one.accepted_from; i < one.points.size(); ++i)
        if (one.points[i].state == history::State::counted) runs_.insert(one.points[i].run);
  }
  [[nodiscard]] bool has(const compare::Key& key) const {
    return std::any_of(heads_.begin(), heads_.end(),
                       [&](const history::Head& head) { return runs_.contains(head.last_run) && same(head.identity.key, key); });
  }
  // Those that `cases` do not have, each once.
  [[nodiscard]] std::vector<compare::Key> missing(const std::vector<gate::Watched>& cases) const {
    std::set<compare::Key> keys;
    for (const history::Head& head : heads_)
      if (runs_.contains(head.last_run)) keys.insert(head.identity.key);
    for (const gate::Watched& one : cases) keys.erase(one.key);
    return {keys.begin(), keys.end()};
  }

 private:
  std::vector<history::Head> heads_;
  std::set<std::string> runs_;
};

Prepared prepare(const history::History& kept, const std::vector<Result>& results) {
  std::vector<history::Entry> entries;
  for (const Result& result : results) entries.push_back(history::entry_of(result));
  const std::vector<history::Series> series = kept.series_of(history::identities_of(entries));
  const std::vector<history::Head> heads = kept.heads();

  Prepared prepared;
  std::vector<history::Series> fresh;
  std::copy_if(series.begin(), series.end(), std::back_inserter(fresh),
               [](const history::Series& one) { return one.points.empty(); });
  prepared.notes = notes_of(history::check({results.front().run, entries, fresh, {}, heads}).young);

  const Expected expected(series, heads);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto own = std::find_if(series.begin(), series.end(),
                                  [&](const history::Series& one) { return one.identity == entries[i].identity; });
    gate::Watched watched = watched_of(results[i], entries[i], own == series.end() ? nullptr : &*own);
    watched.known = expected.has(watched.key);
    prepared.cases.push_back(std::move(watched));
  }
  prepared.missing = expected.missing(prepared.cases);
  return prepared;
}

void add_step_summary(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::app);
  file << text;
  file.close();
  if (!file) throw Error(Fault::usage, fmt::format("GITHUB_STEP_SUMMARY={} cannot be written", path));
}

// The launches of the suite, and what they say.
struct Judged {
  std::vector<LaunchEnd> launches;  // the first is the one that the history gets
  gate::Judgement judgement;
  Seconds took{};
};

using Lookup = std::function<Prepared(const std::vector<Result>&)>;  // what the history knows of a launch

void add_notes(gate::Judgement& judgement, std::initializer_list<const std::vector<std::string>*> all) {
  for (const auto* const notes : all) judgement.notes.insert(judgement.notes.end(), notes->begin(), notes->end());
}

// The suite for the first time.
Judged launch_first(const Launcher& launch) {
  Judged judged;
  judged.launches.push_back(launch(false, "run"));
  const LaunchEnd& first = judged.launches.front();
  if (!first.failure.empty())
    throw Error(first.code == static_cast<int>(Fault::lost) ? Fault::lost : Fault::usage,
                fmt::format("the suite {}; nothing was added to the history", first.failure));
  judged.took = first.took;
  return judged;
}

// The suite alone: the history is its ruler, and what looks slow beside it is launched again.
Judged judge_by_history(const Launcher& launch, const Lookup& lookup, std::FILE* to) {
  Judged judged = launch_first(launch);
  Prepared prepared = lookup(judged.launches.front().results);
  gate::Judge judge(std::move(prepared.cases), {});
  if (judge.suspects_something())
    print(
        fmt::format("gate: something looks slow after {:.0f} s: measuring {} times again\n", judged.took.count(), judge.reruns()),
        to);
  std::vector<std::string> failures;
  for (std::size_t i = 1; i <= judge.reruns(); ++i) {
    judged.launches.push_back(launch(false, fmt::format("rerun-{}", i)));
    const LaunchEnd& again = judged.launches.back();
    judged.took += again.took;
    if (again.failure.empty())
      judge.add_rerun(again.results);
    else
      failures.push_back(fmt::format("re-run {} {}", i, again.failure));
  }
  judged.judgement = judge.judge(prepared.missing);
  add_notes(judged.judgement, {&prepared.notes, &failures});
  return judged;
}

// The suite interleaved with the accepted build.
Judged judge_by_control(const std::string& name, const Launcher& launch, const Lookup& lookup, std::FILE* to) {
  TurnsEnd turns = launch_in_turn(launch, to);
  Judged judged{std::move(turns.launches), {}, turns.took};
  Prepared prepared = lookup(judged.launches.front().results);
  const gate::Judge judge(std::move(prepared.cases), {});
  judged.judgement = turns.verdict.judge(judge.judge(prepared.missing), name);
  add_notes(judged.judgement, {&prepared.notes, &turns.failures});
  return judged;
}

// The suite once: there is no accepted build yet.
Judged judge_without_control(const std::string& name, const std::string& keep, const Launcher& launch, const Lookup& lookup) {
  Judged judged = launch_first(launch);
  Prepared prepared = lookup(judged.launches.front().results);
  const gate::Judge judge(std::move(prepared.cases), {});
  judged.judgement = gate::without_control(judge.judge(prepared.missing), name, keep);
  add_notes(judged.judgement, {&prepared.notes});
  return judged;
}

}  // namespace

int run_gate(const GateOptions& options, std::FILE* to) {
  Files files(options.outputs);
  const history::Access access{.make = true, .now = options.now};
  (void)history::History::open(options.history, access);  // what is wrong with it is known before anything is measured
  const ControlCommand control = options.control.empty() ? ControlCommand() : control_command(options.control, options.command);
  const TemporaryFolder folder;
  HeldSignals signals;
  const Launcher launch = [&](bool of_control, const std::string& name) {
    LaunchEnd end = launch_bench(of_control ? control.words : options.command, folder.path(), name, options.deadline, signals);
    if (end.interrupted)
      throw Error(Fault::lost, fmt::format("interrupted by signal {} ({}); nothing was added to the history", signals.first(),
                                           ::strsignal(signals.first())));
    return end;
  };
  const Lookup lookup = [&](const std::vector<Result>& results) {
    return prepare(history::History::open(options.history, access), results);
  };
  const Judged judged = options.control.empty() ? judge_by_history(launch, lookup, to)
                        : control.words.empty() ? judge_without_control(options.control, control.keep, launch, lookup)
                                                : judge_by_control(options.control, launch, lookup, to);
  const gate::Judgement& judgement = judged.judgement;
  const LaunchEnd& first = judged.launches.front();
  const gate::Run run{first.results.front().run, options.label, first.results.front().host.name, judged.took};

  std::vector<history::Entry> entries;
  for (const Result& result : first.results) entries.push_back(history::entry_of(result));
  (void)history::History::open(options.history, access)
      .add(entries, {options.label, options.now}, gate::stops(judgement) ? history::State::refused : history::State::counted);

  files.write(run, judgement, judged.launches, options.history);
  std::string text = to_text(run, judgement);
  if (options.annotate) text += to_github(judgement);
  print(text, to);
  if (!options.step_summary.empty()) add_step_summary(options.step_summary, to_markdown(run, judgement));
  return more_severe(gate::exit_code(judgement, options.strict), first.code);
}

}  // namespace railgauge
