// A judgement as text, Markdown, JUnit XML and annotations; what came from outside stays text.
#include "reports/gate/report.hpp"

#include <pugixml.hpp>
#include <string>

#include "tests/reports/gate/made.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::gate;
using railgauge::test::ContainsSubstring;
using railgauge::test::Suite;

namespace {

constexpr const char* odd = "<script>]]>&|`\n::error::\x1b[31m\xff";

Judgement of(double factor) {
  Suite suite(6, 30);
  Judge judge(suite.watched(factor), {});
  for (std::size_t i = 0; i < judge.reruns(); ++i) judge.add_rerun(suite.run(factor));
  return judge.judge({});
}

const Run run{"run-31", "v1.2", "node1", Seconds(12)};

}  // namespace

TEST_CASE("a judgement says the verdict last, and each finding in a line") {
  const std::string passed = to_text(run, of(1));
  CHECK(passed == "gate: 6 cases: run run-31 of v1.2 on node1, 12 s\npassed: as before\n");
  const std::string slow = to_text(run, of(1.2));
  CHECK_THAT(slow, ContainsSubstring("\n  regressed   all cases together: +"));
  CHECK_THAT(slow, ContainsSubstring("(median of 7 re-runs)"));
  CHECK_THAT(slow, ContainsSubstring("\nstopped: all cases together take "));
}

TEST_CASE("JUnit XML of a judgement has a test a case, and failures where it stops") {
  for (const double factor : {1.0, 1.2}) {
    const Judgement judgement = of(factor);
    pugi::xml_document document;
    REQUIRE(document.load_string(to_junit(run, judgement).c_str()));
    const pugi::xml_node all = document.child("testsuites");
    CHECK(all.attribute("tests").as_int() == 7);  // six cases, and all of them
    CHECK((all.attribute("failures").as_int() > 0) == stops(judgement));
    int tests = 0;
    for (const pugi::xml_node test : all.child("testsuite").children("testcase")) {
      ++tests;
      CHECK_FALSE(std::string(test.attribute("name").value()).empty());
    }
    CHECK(tests == 7);
  }
}

TEST_CASE("annotations are errors where the pipeline stops") {
  const std::string passed = to_github(of(1)), slow = to_github(of(1.2));
  CHECK(passed == "::notice title=railgauge gate::passed: as before\n");
  CHECK_THAT(slow, ContainsSubstring("::error title=regressed::all cases together: +"));
  CHECK_THAT(slow, ContainsSubstring(" %25"));  // a percent sign as they want it
}

TEST_CASE("names from outside are text in every format") {
  Judgement judgement = of(1.2);
  judgement.lines[0].reason = odd;
  judgement.lines[0].finding = Finding::failed;
  judgement.lines[0].key.point.collective = odd;
  judgement.notes.emplace_back(odd);
  const Run from{odd, odd, odd, Seconds(1)};
  for (const std::string& text : {to_text(from, judgement), to_markdown(from, judgement), to_github(judgement)}) {
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("\n::error::") == std::string::npos);
  }
  CHECK(to_markdown(from, judgement).find("<script>") == std::string::npos);
  CHECK(to_markdown(from, judgement).find("]]>&|") == std::string::npos);
  pugi::xml_document document;
  REQUIRE(document.load_string(to_junit(from, judgement).c_str()));
  CHECK_THAT(document.child("testsuites").child("testsuite").attribute("hostname").value(), ContainsSubstring("<script>"));
}
