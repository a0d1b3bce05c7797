// Lines of results as a history keeps them, and what tells them apart.
#include "reports/history/entry.hpp"

#include <fmt/format.h>

#include <sstream>

#include "base/error.hpp"
#include "reports/record/record.hpp"
#include "tests/reports/history/runs.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::history;
using namespace railgauge::test;

TEST_CASE("an identity comes back from its text") {
  compare::Draws draws(7);
  for (int round = 0; round < 100; ++round) {
    Result result = launch_result("run", draws.next(), 1e-6, draws);
    Case& point = result.point;
    const auto word = [&] {
      const char* const words[] = {"", "ring", "a b", "\"quoted\"", "ünï", "tab\there", "{}", "x=y"};
      return std::string(words[draws.below(std::size(words))]);
    };
    for (std::string* const one :
         {&point.collective, &point.algorithm, &point.transport, &point.device, &point.type, &point.op, &point.mode, &point.path,
          &point.from_node, &point.to_node, &result.topology, &result.host.cpu})
      *one = word();
    point.from = static_cast<int>(draws.below(3)) - 1;
    point.to = point.from;
    point.root = static_cast<int>(draws.below(3)) - 1;
    point.window = draws.below(2);
    point.in_place = draws.below(2) == 1;
    if (draws.below(2) == 1) point.seed = draws.next();
    result.versions.emplace_back(word() + "x", word());
    result.settings.emplace_back(word() + "y", word());
    const Entry entry = entry_of(result);
    const std::string text = text_of(entry.identity);
    CAPTURE(round, text);
    CHECK(identity_of(text) == entry.identity);
    CHECK(text_of(identity_of(text)) == text);
    CHECK(text.find('\n') == std::string::npos);
  }
}

TEST_CASE("each word of a case, and each condition but the host's name, tells series apart") {
  compare::Draws draws(7);
  const Result plain = launch_result("run", 8, 1e-6, draws);
  const std::vector<std::function<void(Result&)>> changes{
      [](Result& r) { r.point.collective = "x"; },
      [](Result& r) { r.point.algorithm = "x"; },
      [](Result& r) { r.point.transport = "x"; },
      [](Result& r) { r.point.device = "x"; },
      [](Result& r) { r.point.type = "x"; },
      [](Result& r) { r.point.op = "x"; },
      [](Result& r) { r.point.mode = "x"; },
      [](Result& r) { r.point.path = "x"; },
      [](Result& r) { r.point.ranks = 3; },
      [](Result& r) { r.point.nodes = 3; },
      [](Result& r) { r.point.root = 3; },
      [](Result& r) { r.point.lanes = 3; },
      [](Result& r) { r.point.in_place = true; },
      [](Result& r) { r.point.bytes = 12; },
      [](Result& r) { r.point.window = 12; },
      [](Result& r) { r.point.seed = 0; },
      [](Result& r) { r.point.from = r.point.to = 0; },
      [](Result& r) { r.summary.cache = "cold"; },
      [](Result& r) { r.host.cpu = "x"; },
      [](Result& r) { r.host.kernel = "x"; },
      [](Result& r) { r.topology = "x"; },
      [](Result& r) { r.versions[0].second = "x"; },
      [](Result& r) { r.versions.emplace_back("ucx", "1"); },
      [](Result& r) { r.settings.emplace_back("ucx.tls", "tcp"); },
  };
  std::vector<std::string> texts{text_of(entry_of(plain).identity)};
  for (const auto& change : changes) {
    Result other = plain;
    change(other);
    const std::string text = text_of(entry_of(other).identity);
    CAPTURE(text);
    CHECK(std::find(texts.begin(), texts.end(), text) == texts.end());
    texts.push_back(text);
  }
  Result alike = plain;
  alike.host.name = "elsewhere";
  alike.expected = Expectation{3, "ring"};
  alike.run = "another";
  alike.point.count = 77;
  CHECK(text_of(entry_of(alike).identity) == texts.front());
}

TEST_CASE("lines that cannot be kept are refused in a sentence") {
  compare::Draws draws(7);
  const std::string line = entry_of(launch_result("run", 8, 1e-6, draws)).line;
  CHECK(read_entry(line, "f:1").line == line);
  const auto sentence = [](const std::string& text) {
    try {
      (void)read_entry(text, "f:1");
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK_THAT(sentence(line + std::string(1, '\0') + "more"),
             ContainsSubstring("f:1: expected a result line, and found a byte of zero"));
  CHECK_THAT(sentence(entry_of(launch_result(std::string(500, 'r'), 8, 1e-6, draws)).line), ContainsSubstring("no error"));
  std::string long_run = line;
  long_run.replace(long_run.find("\"run\""), 1, "\"");
  Result result = launch_result(std::string(501, 'r'), 8, 1e-6, draws);
  CHECK_THAT(sentence(result_line(result)), ContainsSubstring("expected a run of 1 to 500 bytes, and its name has 501"));
  for (std::size_t length = 0; length < line.size(); length += 7)
    CHECK_THAT(sentence(line.substr(0, length)), ContainsSubstring("f:1: expected"));
  for (int round = 0; round < 500; ++round) {  // whatever they hold, they are read or refused
    std::string text = line;
    for (std::size_t i = 0; i < 1 + draws.below(4); ++i) text[draws.below(text.size())] = static_cast<char>(draws.below(256));
    (void)sentence(text);
  }
}

TEST_CASE("a file of lines: empty ones are passed over, and errors name theirs") {
  compare::Draws draws(7);
  const std::string line = entry_of(launch_result("run", 8, 1e-6, draws)).line;
  std::istringstream file("\n" + line + "\r\n \n" + line);
  const auto entries = read_entries(file, "f");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].line == line + "\r");
  CHECK(entries[1].line == line);
  std::istringstream bad(line + "\n{}\n");
  CHECK_THROWS_WITH(read_entries(bad, "f"), ContainsSubstring("f:2: expected a result line"));
}
