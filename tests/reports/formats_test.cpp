// JSON Lines and CSV against golden files, and what they never contain.
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "reports/formats/writer.hpp"
#include "tests/reports/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::Folder;
using railgauge::test::matches_golden;
using railgauge::test::read_file;

namespace {
void write_all(Writer& writer, const std::vector<Result>& results) {
  writer.begin({.id = "run", .points = results.size(), .notes = {}});
  for (const Result& result : results) writer.add(result);
}
}  // namespace

TEST_CASE("JSON Lines are as the golden file") {
  const Folder folder;
  const auto writer = open_writer(folder.file("a.jsonl"));
  write_all(*writer, test::sample_results());
  writer->finish();
  CHECK(matches_golden("json_lines.txt", read_file(folder.file("a.jsonl"))));
}

TEST_CASE("CSV is as the golden file, and appears when the run is over") {
  const Folder folder;
  const auto writer = open_writer(folder.file("a.csv"));
  write_all(*writer, test::sample_results());
  CHECK(folder.names() != std::vector<std::string>{"a.csv"});
  writer->finish();
  CHECK(matches_golden("csv.txt", read_file(folder.file("a.csv"))));
  CHECK(folder.names() == std::vector<std::string>{"a.csv"});
}

TEST_CASE("a run that is cut short keeps what was added") {
  const Folder folder;
  for (const char* name : {"a.jsonl", "a.csv", "a.md", "a.xml", "a.prom"}) {
    {
      const auto writer = open_writer(folder.file(name));
      write_all(*writer, {test::sample_results().front()});
    }
    CHECK_THAT(read_file(folder.file(name)), ContainsSubstring("all_reduce"));
  }
  for (const char* name : {"b.jsonl", "b.csv", "b.md", "b.xml", "b.prom"}) {
    const auto writer = open_writer(folder.file(name));
    writer->begin({});
  }
  CHECK(folder.names() == std::vector<std::string>{"a.csv", "a.jsonl", "a.md", "a.prom", "a.xml"});
}

TEST_CASE("a time or bandwidth that is no number is null") {
  const Folder folder;
  const auto writer = open_writer(folder.file("a.jsonl"));
  write_all(*writer, {test::sample_results().back()});
  const auto line = nlohmann::json::parse(read_file(folder.file("a.jsonl")));
  CHECK(line["p99"].is_null());
  CHECK(line["algbw"].is_null());
  CHECK(line["times"][1].is_null());
  CHECK(line["median"] == 0x1p-10);
}

TEST_CASE("many samples are thinned evenly and the line says so") {
  const Folder folder;
  Result result = test::sample_results().front();
  result.samples.clear();
  for (int i = 0; i < 250'000; ++i) result.samples.emplace_back(i);
  const auto writer = open_writer(folder.file("a.jsonl"));
  write_all(*writer, {result});
  const auto line = nlohmann::json::parse(read_file(folder.file("a.jsonl")));
  CHECK(line["times_step"] == 3);
  CHECK(line["times"].size() == 83'334);
  CHECK(line["times"][2] == 6.0);
}

TEST_CASE("the format comes from the name, or from the option") {
  const Folder folder;
  CHECK_NOTHROW(open_writer(folder.file("any.name"), "csv"));
  const auto sentence = [](const std::string& path, const char* format) -> std::string {
    try {
      const auto writer = open_writer(path, format);
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      return error.what();
    }
    return "nothing was thrown";
  };
  CHECK_THAT(sentence(folder.file("results.txt"), ""), ContainsSubstring("results.txt does not say which format"));
  CHECK_THAT(sentence(folder.file("results"), "yaml"), ContainsSubstring("no format yaml: choose one of jsonl, csv"));
  CHECK(folder.names().empty());
}

TEST_CASE("a format that nothing would be written in is refused") {
  const auto sentence = [](std::vector<std::string> paths, const char* format) -> std::string {
    try {
      expect_format_used(paths, format);
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      return error.what();
    }
    return "accepted";
  };
  CHECK(sentence({"a.csv", "-"}, "github") == "accepted");
  CHECK(sentence({"a.csv"}, "csv") == "accepted");
  CHECK(sentence({"a.csv"}, "") == "accepted");
  CHECK(sentence({"a.results"}, "csv") == "accepted");
  CHECK_THAT(sentence({"a.csv"}, "jsonl"), ContainsSubstring("--format says jsonl, and the name a.csv says csv"));
  CHECK_THAT(sentence({}, "csv"), ContainsSubstring("give -o FILE"));
  CHECK_THAT(sentence({"a.csv"}, "yaml"), ContainsSubstring("no format yaml"));
}
