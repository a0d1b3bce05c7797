// Reports of several processes: whole, apart, and none spoilt by one that is killed while it speaks.
#include "bench/ranks/rank_report.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "tests/test.hpp"

using namespace railgauge;

namespace {

constexpr std::size_t more_than_a_pipe = 300'000;

pid_t in_a_process(const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process != 0) return process;
  try {
    work();
  } catch (const std::exception&) { ::_exit(1); }
  ::_exit(0);
}

bool ended_well(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

// All that these processes tell, until each of them has ended; whether all ended well.
bool take_all(RankReport& report, const std::vector<pid_t>& processes, const RankReport::Reader& reader) {
  bool well = true;
  for (const pid_t process : processes) {
    int status = -1;
    while (::waitpid(process, &status, WNOHANG) == 0) {
      pollfd entry{report.descriptor(), POLLIN, 0};
      if (::poll(&entry, 1, 20) > 0) report.take(reader);
    }
    well = well && ended_well(status);
  }
  for (pollfd entry{report.descriptor(), POLLIN, 0}; ::poll(&entry, 1, 0) > 0;) report.take(reader);
  return well;
}

Result long_result(std::size_t samples) {
  Result result;
  result.run = "a run";
  result.point.collective = "all_reduce";
  for (std::size_t i = 0; i < samples; ++i) result.samples.emplace_back(1e-6 * static_cast<double>(i + 1));
  return result;
}

}  // namespace

TEST_CASE("a report: results, texts and sentences arrive as they were told") {
  RankReport report;
  const Result told = long_result(40'000);
  const pid_t process = in_a_process([&] {
    report.tell("an introduction");
    report.tell(told);
    report.tell(3, "two lines\nbecome one");
  });
  std::vector<Result> results;
  std::vector<std::string> texts;
  CHECK(take_all(
      report, {process},
      {[&](const Result& result) { results.push_back(result); }, [&](const std::string& text) { texts.push_back(text); }}));
  REQUIRE(results.size() == 1);
  CHECK(results[0].run == told.run);
  CHECK(results[0].samples == told.samples);
  CHECK(texts == std::vector<std::string>{"an introduction"});
  CHECK(report.sentence_of(3) == "two lines become one");
  CHECK(report.sentence_of(0).empty());
}

TEST_CASE("a report: who is killed in the middle of a long line spoils no other's") {
  RankReport report;
  const pid_t killed = in_a_process([&] { report.tell(std::string(more_than_a_pipe, 'x')); });
  int waiting = 0;
  for (pollfd entry{report.descriptor(), POLLIN, 0}; ::poll(&entry, 1, 10'000) == 1 && waiting < 3; ++waiting)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  REQUIRE(waiting == 3);
  (void)::kill(killed, SIGKILL);
  int status = 0;
  CHECK((::waitpid(killed, &status, 0) == killed && WIFSIGNALED(status)));
  const pid_t survivor = in_a_process([&] { report.tell(1, "rank 0 ended"); });
  std::vector<std::string> texts;
  CHECK(take_all(report, {survivor},
                 {[](const Result&) { FAIL("an unexpected result"); }, [&](const std::string& text) { texts.push_back(text); }}));
  CHECK(texts.empty());
  CHECK(report.sentence_of(1) == "rank 0 ended");
}

TEST_CASE("a report: long lines of several processes at a time do not mix") {
  constexpr int processes = 4, lines = 20;
  RankReport report;
  std::vector<pid_t> all;
  for (int process = 0; process < processes; ++process)
    all.push_back(in_a_process([&] {
      for (int line = 0; line < lines; ++line)
        report.tell(std::string(static_cast<std::size_t>(10'000 + 4'000 * process + line), static_cast<char>('a' + process)));
    }));
  std::map<char, std::vector<std::size_t>> lengths;
  CHECK(take_all(report, all,
                 {[](const Result&) { FAIL("an unexpected result"); },
                  [&](const std::string& text) {
                    CHECK(text.find_first_not_of(text.front()) == std::string::npos);
                    lengths[text.front()].push_back(text.size());
                  }}));
  for (int process = 0; process < processes; ++process) {
    const std::vector<std::size_t>& its = lengths[static_cast<char>('a' + process)];
    REQUIRE(its.size() == lines);
    for (std::size_t line = 0; line < lines; ++line)
      CHECK(its[line] == 10'000 + 4'000 * static_cast<std::size_t>(process) + line);
  }
}
