// JUnit and gauges against golden files, and what those programs say that read such files.
#include <cstdlib>
#include <fstream>
#include <pugixml.hpp>
#include <string>

#include "reports/validation/writers.hpp"
#include "tests/reports/results.hpp"
#include "tests/reports/validation/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::validation;
using railgauge::test::ContainsSubstring;
using railgauge::test::Folder;
using railgauge::test::matches_golden;

namespace {

const std::string trap = "</td><script>alert(1)</script> ]]> --> \"'&amp; {{x}} \\ \n# h\r\n<!-- \xff \xef\xbf\xbe";

std::vector<Validation> all() {
  return {test::healthy(),
          test::faulty_cable(),
          test::inconclusive(),
          test::named(test::faulty_cable(), trap),
          test::named(test::inconclusive(), std::string(100'000, 'x')),
          test::without_numbers(test::faulty_cable()),
          {}};
}

bool runs(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

void need(const std::string& program, const std::string& package) {
  if (!runs("command -v " + program)) test::skip(program + " is not installed (Debian: " + package + ")");
}

std::string file_of(const Folder& folder, const std::string& text) {
  static int number = 0;
  const std::string path = folder.file("a" + std::to_string(number++));
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

pugi::xml_node suite_of(const pugi::xml_document& document, const std::string& name) {
  return document.child("testsuites").find_child_by_attribute("testsuite", "name", ("railgauge validate: " + name).c_str());
}
pugi::xml_node case_of(const pugi::xml_document& document, const std::string& suite, const std::string& name) {
  return suite_of(document, suite).find_child_by_attribute("testcase", "name", name.c_str());
}

}  // namespace

TEST_CASE("JUnit and gauges are as the golden files") {
  CHECK(matches_golden("validation_healthy.xml", to_junit(test::healthy())));
  CHECK(matches_golden("validation_cable.xml", to_junit(test::faulty_cable())));
  CHECK(matches_golden("validation_inconclusive.xml", to_junit(test::inconclusive())));
  CHECK(matches_golden("validation_healthy.prom", to_openmetrics(test::healthy())));
  CHECK(matches_golden("validation_cable.prom", to_openmetrics(test::faulty_cable())));
  CHECK(matches_golden("validation_inconclusive.prom", to_openmetrics(test::inconclusive())));
}

TEST_CASE("JUnit is valid for xmllint by the schema, whatever is in it") {
  need("xmllint", "libxml2-utils");
  const Folder folder;
  for (const Validation& of : all())
    CHECK(runs("xmllint --noout --schema " + std::string(RAILGAUGE_SOURCE_DIR) + "/docs/junit.xsd " +
               file_of(folder, to_junit(of))));
}

TEST_CASE("each host is a case of each stage: failed where it is faulty, skipped where it was lost or the stage left out") {
  pugi::xml_document document;
  REQUIRE(document.load_string(to_junit(test::faulty_cable()).c_str()));
  CHECK_THAT(case_of(document, "pairs", "n3").child("failure").attribute("message").value(),
             ContainsSubstring("cable/port: n3 sends 5.1 % less"));
  CHECK(case_of(document, "groups", "n3").first_child().empty());
  CHECK(case_of(document, "pairs", "n4").first_child().empty());
  CHECK_FALSE(case_of(document, "soak", "n4").child("skipped").empty());
  CHECK_THAT(case_of(document, "preflight", "n5").child("system-out").text().get(), ContainsSubstring("firmware"));
  CHECK_FALSE(case_of(document, "fleet", "outcome").child("failure").empty());

  REQUIRE(document.load_string(to_junit(test::inconclusive()).c_str()));
  CHECK_FALSE(case_of(document, "pairs", "n17").child("failure").empty());
  CHECK_THAT(case_of(document, "congestion", "n17").child("skipped").attribute("message").value(),
             ContainsSubstring("the host was lost"));
  CHECK_FALSE(case_of(document, "pairs", "n64").child("skipped").empty());
  CHECK_FALSE(case_of(document, "preflight", "n3").child("failure").empty());
  CHECK_FALSE(case_of(document, "fleet", "outcome").child("error").empty());
  CHECK_FALSE(case_of(document, "fleet", "groups: all_reduce, 64 MiB, all").child("failure").empty());
}

TEST_CASE("a switch that is faulty has a case, though it is no host") {
  Validation of = test::faulty_cable();
  of.diagnoses.front().blame = Blame::leaf;
  of.diagnoses.front().from = "leaf1";
  of.diagnoses.front().to.clear();
  of.diagnoses.front().host.clear();
  of.diagnoses.front().hosts.clear();
  pugi::xml_document document;
  REQUIRE(document.load_string(to_junit(of).c_str()));
  CHECK_FALSE(case_of(document, "fleet", "leaf1").child("failure").empty());
  CHECK(case_of(document, "pairs", "n3").first_child().empty());
}

TEST_CASE("gauges are accepted by promtool, whatever is in them") {
  need("promtool", "prometheus");
  const Folder folder;
  for (const Validation& of : all()) CHECK(runs("promtool check metrics <" + file_of(folder, to_openmetrics(of))));
}

TEST_CASE("gauges have no line twice, and no number that is none") {
  Validation of = test::without_numbers(test::faulty_cable());
  of.diagnoses.push_back(of.diagnoses.front());
  const std::string text = to_openmetrics(of);
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.find("inf\n") == std::string::npos);
  const std::size_t first = text.find("railgauge_validation_accused{");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("railgauge_validation_accused{", first + 1) == std::string::npos);
}
