// Markdown, JUnit XML, annotations and gauges against golden files, and what those programs say that read such files.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "reports/formats/writer.hpp"
#include "tests/reports/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::Folder;
using railgauge::test::matches_golden;
using railgauge::test::read_file;

namespace {

// Results whose every text tries to be more than text.
std::vector<Result> hostile_results() {
  std::vector<Result> results = test::sample_results();
  const std::string trap =
      "</td><script>alert(1)</script> `x` | **b** [a](javascript:b) ]]> --> \"'&amp; ::error::x %0A {{x}} \\ \n# h\r\n<!--";
  for (Result& result : results) {
    result.point.algorithm += trap;
    result.point.transport = trap;
    result.point.from_node = trap;
    result.reason = trap;
    result.host.name = trap;
  }
  return results;
}

std::string written(const std::string& path, const std::vector<Result>& results, std::string_view format = {}) {
  const auto writer = open_writer(path, format);
  writer->begin({.id = "20260102T030405-1234", .points = results.size(), .notes = {"2 ranks on node1 <b>"}});
  for (const Result& result : results) writer->add(result);
  writer->finish();
  return read_file(path);
}

std::vector<Result> all_results() {
  std::vector<Result> results = test::sample_results();
  const std::vector<Result> copies = test::copy_results();
  results.insert(results.end(), copies.begin(), copies.end());
  return results;
}

bool runs(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

void need(const std::string& program, const std::string& package) {
  if (!runs("command -v " + program)) test::skip(program + " is not installed (Debian: " + package + ")");
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

}  // namespace

TEST_CASE("Markdown, JUnit, annotations and gauges are as the golden files") {
  const Folder folder;
  CHECK(matches_golden("markdown.txt", written(folder.file("a.md"), all_results())));
  CHECK(matches_golden("junit.txt", written(folder.file("a.xml"), all_results())));
  CHECK(matches_golden("github.txt", written(folder.file("a.github"), all_results(), "github")));
  CHECK(matches_golden("openmetrics.txt", written(folder.file("a.prom"), all_results())));
}

TEST_CASE("JUnit XML is valid for xmllint by the schema") {
  need("xmllint", "libxml2-utils");
  const Folder folder;
  const std::string validate = "xmllint --noout --schema " + std::string(RAILGAUGE_SOURCE_DIR) + "/docs/junit.xsd ";
  (void)written(folder.file("a.xml"), all_results());
  CHECK(runs(validate + folder.file("a.xml")));
  (void)written(folder.file("b.xml"), hostile_results());
  CHECK(runs(validate + folder.file("b.xml")));
  // The schema bites.
  std::string text = read_file(folder.file("a.xml"));
  text.replace(text.find("<testcase"), 9, "<testcasf");
  std::ofstream(folder.file("c.xml")) << text;
  CHECK_FALSE(runs(validate + folder.file("c.xml")));
}

TEST_CASE("gauges are accepted by promtool") {
  need("promtool", "prometheus");
  const Folder folder;
  (void)written(folder.file("a.prom"), all_results());
  CHECK(runs("promtool check metrics <" + folder.file("a.prom")));
  (void)written(folder.file("b.prom"), hostile_results());
  CHECK(runs("promtool check metrics <" + folder.file("b.prom")));
  std::vector<Result> twice = test::sample_results();
  twice.insert(twice.end(), twice.begin(), twice.end());
  (void)written(folder.file("c.prom"), twice);
  CHECK(runs("promtool check metrics <" + folder.file("c.prom")));
  std::ofstream(folder.file("d.prom")) << read_file(folder.file("a.prom")) << "railgauge_median_seconds{ 1\n";
  CHECK_FALSE(runs("promtool check metrics <" + folder.file("d.prom")));
}

TEST_CASE("Markdown is tables and text to cmark-gfm, whatever is in it") {
  need("cmark-gfm", "cmark-gfm");
  const Folder folder;
  const auto rendered = [&](const std::string& name, const std::vector<Result>& results) {
    (void)written(folder.file(name + ".md"), results);
    REQUIRE(runs("sh -c 'cmark-gfm --unsafe -e table " + folder.file(name + ".md") + " >" + folder.file(name + ".html") + "'"));
    return read_file(folder.file(name + ".html"));
  };
  const std::vector<Result> plain = test::sample_results();
  const std::string page = rendered("plain", plain);
  CHECK(count(page, "<tr>") == plain.size() + count(page, "<table>"));
  const std::string hostile = rendered("hostile", hostile_results());
  CHECK(count(hostile, "<script") == 0);
  CHECK(count(hostile, "<a ") == 0);
  CHECK(count(hostile, "<!--") == 0);
  CHECK(count(hostile, "<code>x") == 0);
  CHECK(count(hostile, "<tr>") == plain.size() + count(hostile, "<table>"));
}

TEST_CASE("annotations stay one command a line, whatever is in them") {
  const Folder folder;
  std::istringstream lines(written(folder.file("a.github"), hostile_results(), "github"));
  std::size_t commands = 0;
  for (std::string line; std::getline(lines, line); ++commands) {
    INFO(line);
    const std::size_t title = line.find(" title=");
    CHECK((line.starts_with("::error title=") || line.starts_with("::warning title=") || line.starts_with("::notice title=")));
    REQUIRE(title != std::string::npos);
    CHECK(line.find("::", title) != std::string::npos);
    CHECK(line.find('\r') == std::string::npos);
    for (std::size_t at = 0; (at = line.find('%', at)) != std::string::npos; ++at) {
      const std::string code = line.substr(at, 3);
      CHECK((code == "%25" || code == "%3A" || code == "%2C"));
    }
  }
  CHECK(commands == 5);  // wrong, failed, not converged, and how many there were
}
