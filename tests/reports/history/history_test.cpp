// The store: what was added is there, once, and whole.
#include "reports/history/history.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>

#include "base/error.hpp"
#include "reports/history/database.hpp"
#include "tests/reports/history/runs.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::history;
using namespace railgauge::test;

namespace {

std::vector<std::string> lines_of(const History& history, const std::optional<std::string>& run = std::nullopt) {
  std::vector<std::string> lines;
  history.lines(run, [&](std::string_view line) { lines.emplace_back(line); });
  return lines;
}

std::string sentence_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("runs that were added are there again, byte for byte") {
  const Folder folder;
  compare::Draws draws(1);
  std::vector<Entry> all;
  {
    History history = History::open(folder.file("h.db"), making());
    for (const char* const name : {"b", "a", "c"}) {
      const auto run = make_run(name, 1e-6, draws);
      const Added added = history.add(run, {std::string("commit ") + name, 5}, *name == 'c' ? State::refused : State::counted);
      CHECK(added.runs == std::vector<std::string>{name});
      CHECK(added.results == 3);
      CHECK(added.fresh == (*name == 'b' ? 3 : 0));
      all.insert(all.end(), run.begin(), run.end());
    }
  }
  const History history = History::open(folder.file("h.db"), reading());
  std::vector<std::string> expected;
  for (const Entry& entry : all) expected.push_back(entry.line);
  CHECK(lines_of(history) == expected);
  CHECK(lines_of(history, "a") == std::vector<std::string>(expected.begin() + 3, expected.begin() + 6));
  CHECK(history.entries_of("c").at(2).line == expected[8]);
  const std::vector<RunRow> runs = history.runs();
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].run == "b");
  CHECK(runs[1].label.text == "commit a");
  CHECK(runs[1].label.at == 5);
  CHECK(runs[1].results == 3);
  CHECK(runs[1].measured == 3);
  CHECK(runs[2].state == State::refused);
  const std::vector<Series> series = history.series({});
  REQUIRE(series.size() == 3);
  CHECK(series[0].identity.key.point.bytes == 8);
  CHECK(series[0].identity.conditions.at("cpu") == "A processor");
  CHECK(series[0].identity.conditions.count("host") == 0);
  REQUIRE(series[0].points.size() == 3);
  CHECK(series[0].points[0].run == "b");
  CHECK(series[0].points[0].median.count() == 1e-6);  // exactly
  CHECK(series[0].points[2].state == State::refused);
  CHECK(series[0].accepted_from == 0);
  CHECK(baseline_of(series[0]) == std::vector<std::size_t>{0, 1});
  CHECK(history.heads().size() == 3);
  CHECK(history.heads().at(0).last_run == "c");
}

TEST_CASE("a run is kept once: again it is known, and with other results refused") {
  const Folder folder;
  compare::Draws draws(1);
  History history = History::open(folder.file("h.db"), making());
  const auto one = make_run("one", 1e-6, draws), two = make_run("two", 1e-6, draws);
  (void)history.add(one, {}, State::counted);
  std::vector<Entry> both = two;
  both.insert(both.end(), one.begin(), one.end());
  const Added added = history.add(both, {}, State::counted);
  CHECK(added.runs == std::vector<std::string>{"two"});
  CHECK(added.known == std::vector<std::string>{"one"});
  CHECK(lines_of(history).size() == 6);
  std::vector<Entry> other = make_run("three", 1e-6, draws);
  const auto changed = make_run("one", 2e-6, draws);
  other.insert(other.end(), changed.begin(), changed.end());
  CHECK_THAT(sentence_of([&] { (void)history.add(other, {}, State::counted); }),
             ContainsSubstring("run one is there already, with other results: nothing was changed"));
  CHECK_THAT(sentence_of([&] { (void)history.add(std::span(one).first(2), {}, State::counted); }), ContainsSubstring("run one"));
  CHECK(lines_of(history).size() == 6);  // of three nothing either
  CHECK(history.runs().size() == 2);
}

TEST_CASE("what is unlike is another series") {
  const Folder folder;
  compare::Draws draws(1);
  History history = History::open(folder.file("h.db"), making());
  Result plain = launch_result("plain", 8, 1e-6, draws);
  std::vector<Result> others(6, plain);
  others[0].versions = {{"railgauge", "0.2.0"}};
  others[1].topology = "4f2a";
  others[2].settings = {{"ucx.tls", "tcp"}};
  others[3].host.kernel = "Linux 6.2";
  others[4].point.transport = "ucx";
  others[5].host.name = "node2";  // alike
  std::vector<Entry> entries{entry_of(plain)};
  for (std::size_t i = 0; i < others.size(); ++i) {
    others[i].run = "other" + std::to_string(i);
    entries.push_back(entry_of(others[i]));
  }
  CHECK(history.add(entries, {}, State::counted).fresh == 6);
  CHECK(history.series(Filter({"versions.railgauge=0.2.0"})).size() == 1);
  CHECK(history.series(Filter({"topology=4f2a"})).size() == 1);
  CHECK(history.series(Filter({"transport=ucx"})).size() == 1);
  CHECK(history.series(Filter({"shm"})).size() == 5);
  const std::vector<Identity> wanted{entries[3].identity, {entries[3].identity.key, {}}};
  const std::vector<Series> found = history.series_of(wanted);
  REQUIRE(found.size() == 2);
  REQUIRE(found[0].points.size() == 1);
  CHECK(found[0].points[0].run == "other2");
  CHECK(found[1].points.empty());
  CHECK(found[1].identity == wanted[1]);
}

TEST_CASE("what was not measured is kept, and is no point") {
  const Folder folder;
  compare::Draws draws(1);
  History history = History::open(folder.file("h.db"), making());
  std::vector<Result> results(3, launch_result("run", 8, 1e-6, draws));
  results[0].status = Status::failed;
  results[0].reason = "the cable is gone";
  results[1].summary.samples = 0;
  results[1].samples.clear();
  results[1].status = Status::skipped;
  results[2].status = Status::not_converged;
  results[2].summary.ci_high = Seconds(std::nan(""));
  std::vector<Entry> entries;
  for (const Result& result : results) entries.push_back(entry_of(result));
  (void)history.add(entries, {}, State::counted);
  CHECK(history.runs().at(0).results == 3);
  CHECK(history.runs().at(0).measured == 1);
  const auto series = history.series({});
  REQUIRE(series.size() == 1);
  CHECK(series[0].points.at(0).status == Status::not_converged);
  CHECK(std::isnan(series[0].points.at(0).ci_high.count()));
  CHECK(lines_of(history).size() == 3);
}

TEST_CASE("several results of one case in a run are one point") {
  const Folder folder;
  compare::Draws draws(1);
  History history = History::open(folder.file("h.db"), making());
  std::vector<Entry> entries;
  for (const double time : {3e-6, 1e-6, 2e-6}) entries.push_back(entry_of(launch_result("run", 8, time, draws)));
  (void)history.add(entries, {}, State::counted);
  const auto series = history.series({});
  REQUIRE(series.size() == 1);
  REQUIRE(series[0].points.size() == 1);
  CHECK(series[0].points[0].median.count() == 2e-6);
  CHECK(series[0].points[0].effective_samples == 300);
  CHECK(lines_of(history).size() == 3);
}

TEST_CASE("a baseline grows to its size and stands, and only accept moves it") {
  const Folder folder;
  compare::Draws draws(1);
  History history = History::open(folder.file("h.db"), making());
  const auto refused = [](int run) { return run % 10 == 3; };
  const auto add = [&](int from, int to) {
    while (from < to) {  // those that are alike together: each transaction waits for the disk
      std::vector<Entry> entries;
      const State state = refused(from) ? State::refused : State::counted;
      for (const bool kind = refused(from); from < to && refused(from) == kind; ++from) {
        const auto run = make_run("run" + std::to_string(from), 1e-6, draws);
        entries.insert(entries.end(), run.begin(), run.end());
      }
      (void)history.add(entries, {}, state);
    }
  };
  add(0, 12);
  CHECK(baseline_of(history.series({}).at(0)) == std::vector<std::size_t>{0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11});
  add(12, 50);
  auto members = baseline_of(history.series({}).at(0));
  CHECK(members.size() == baseline_runs);
  CHECK(members.back() == 33 - 1);  // three of the first 33 were refused
  add(50, 60);
  CHECK(baseline_of(history.series({}).at(0)) == members);

  CHECK(history.accept(Filter({"size=4K"}), "run40", "a new cable", "ada") == 1);
  auto series = history.series({});
  CHECK(baseline_of(series[0]) == members);
  CHECK(series[1].accepted_from == 40);
  REQUIRE(series[1].accepts.size() == 1);
  CHECK(series[1].accepts[0].from_run == "run40");
  CHECK(series[1].accepts[0].reason == "a new cable");
  CHECK(series[1].accepts[0].who == "ada");
  CHECK(series[1].accepts[0].at == making().now);
  CHECK(baseline_of(series[1]).size() == 18);  // 40 to 59 without 43 and 53

  CHECK(history.accept({}, std::nullopt, "all of it", "ada") == 3);  // from the newest run on
  series = history.series({});
  CHECK(series[0].accepted_from == 59);
  CHECK(series[1].accepts.size() == 2);
  CHECK(baseline_of(series[1]) == std::vector<std::size_t>{59});
  CHECK_THAT(sentence_of([&] { (void)history.accept({}, "none", "?", "ada"); }), ContainsSubstring("has no run none"));
  CHECK_THAT(sentence_of([&] { (void)history.accept(Filter({"ucx"}), std::nullopt, "?", "ada"); }),
             ContainsSubstring("no case that fits"));
}

TEST_CASE("what is no history is refused in a sentence") {
  const Folder folder;
  CHECK_THAT(sentence_of([&] { (void)History::open(folder.file("none.db"), reading()); }),
             ContainsSubstring("there is no history"));
  CHECK(!std::filesystem::exists(folder.file("none.db")));
  CHECK_THAT(sentence_of([&] { (void)History::open(folder.file("."), making()); }), ContainsSubstring("is a folder"));
  CHECK_THAT(sentence_of([&] { (void)History::open(folder.file("no/folder/h.db"), making()); }),
             ContainsSubstring("there is no folder"));
  CHECK_THAT(sentence_of([&] { (void)History::open(folder.file("a\"b"), making()); }), ContainsSubstring("cannot be the name"));
  CHECK_THAT(sentence_of([&] { (void)History::open("", making()); }), ContainsSubstring("cannot be the name"));
  std::ofstream(folder.file("text")) << std::string(5000, 'x');
  CHECK_THAT(sentence_of([&] { (void)History::open(folder.file("text"), making()); }),
             ContainsSubstring("it is no SQLite database"));
  std::ofstream(folder.file("empty")) << "";
  CHECK_THAT(sentence_of([&] { (void)History::open(folder.file("empty"), reading()); }),
             ContainsSubstring("there is no history in"));
  CHECK(History::open(folder.file("empty"), making()).runs().empty());
  for (const char* const odd : {"with space  and two.db", "a=b.db", "50%.db", ":memory:", "it's.db", "-v", "ünï.db"}) {
    CAPTURE(odd);
    CHECK(History::open(folder.file(odd), making()).runs().empty());
    CHECK(std::filesystem::exists(folder.file(odd)));
  }
}

TEST_CASE("a damaged history is refused in a sentence, whatever was damaged") {
  const Folder folder;
  compare::Draws draws(1);
  {
    History history = History::open(folder.file("h.db"), making());
    std::vector<Entry> entries;
    for (int i = 0; i < 20; ++i) {
      const auto run = make_run("run" + std::to_string(i), 1e-6, draws);
      entries.insert(entries.end(), run.begin(), run.end());
    }
    (void)history.add(entries, {}, State::counted);
  }
  std::ifstream file(folder.file("h.db"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  int refused = 0;
  for (int round = 0; round < 60; ++round) {
    std::string text = whole;
    if (round % 4 == 0)
      text.resize(draws.below(text.size()));
    else
      for (std::size_t i = 0, begin = draws.below(text.size()); i < 1 + draws.below(2000); ++i)
        text[(begin + i) % text.size()] = static_cast<char>(draws.below(256));
    std::ofstream(folder.file("damaged.db"), std::ios::binary) << text;
    CAPTURE(round);
    try {
      History history = History::open(folder.file("damaged.db"), making());
      (void)history.series({});
      (void)history.runs();
      (void)lines_of(history);
      (void)history.add(make_run("more", 1e-6, draws), {}, State::counted);
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      ++refused;
    }
  }
  CHECK(refused > 15);
}

TEST_CASE("a full disk loses nothing that was there, and says so") {
  const Folder folder;
  compare::Draws draws(1);
  {
    History history = History::open(folder.file("h.db"), making());
    (void)history.add(make_run("first", 1e-6, draws), {}, State::counted);
  }
  const auto size = std::filesystem::file_size(folder.file("h.db"));
  std::vector<Entry> many;
  for (int i = 0; i < 300; ++i) {
    const auto run = make_run("second", 1e-6 * (i + 1), draws);
    many.insert(many.end(), run.begin(), run.end());
  }
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const pid_t child = fork();
  if (child == 0) {  // limits go with the process
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{size + 100'000, size + 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string said =
        sentence_of([&] { (void)History::open(folder.file("h.db"), making()).add(many, {}, State::counted); });
    (void)!write(pipe_ends[1], said.data(), said.size());
    _exit(0);
  }
  close(pipe_ends[1]);
  std::string said(1000, '\0');
  const ssize_t length = read(pipe_ends[0], said.data(), said.size());
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(0, length)));
  close(pipe_ends[0]);
  waitpid(child, nullptr, 0);
  CHECK_THAT(said, ContainsSubstring("full") && ContainsSubstring("nothing was changed"));
  History history = History::open(folder.file("h.db"), making());
  CHECK(history.runs().size() == 1);
  CHECK(lines_of(history).size() == 3);
  CHECK(history.add(many, {}, State::counted).results == many.size());
}

TEST_CASE("who writes waits for others only so long, and who reads not at all") {
  const Folder folder;
  compare::Draws draws(1);
  History history = History::open(folder.file("h.db"), making());
  Database other(folder.file("h.db"), making());
  Access hasty = making();
  hasty.wait = Seconds(0.02);
  other.write([&] {
    History late = History::open(folder.file("h.db"), hasty);
    CHECK(late.runs().empty());
    CHECK_THAT(sentence_of([&] { (void)late.add(make_run("run", 1e-6, draws), {}, State::counted); }),
               ContainsSubstring("others were writing for 0.02 s: nothing was changed"));
  });
  CHECK(history.add(make_run("run", 1e-6, draws), {}, State::counted).runs.size() == 1);
}
