// A judgement for programs is what docs/gate.schema.json says, and stays what it was.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reports/gate/control.hpp"
#include "reports/gate/report.hpp"
#include "tests/reports/gate/made.hpp"
#include "tests/reports/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::gate;
using railgauge::test::Folder;
using railgauge::test::matches_golden;
using railgauge::test::Suite;

namespace {

const Run run{"run-31", "v1.2", "node1", Seconds(12)};

// Numbers by hand, so that the golden file depends on no arithmetic.
Judgement by_hand() {
  Suite suite(2, 0);
  Judgement judgement;
  judgement.control = Control{"./accepted/railgauge", {}, 4, 3};
  judgement.learnt = 2;
  judgement.needed = 8;
  for (const auto& watched : suite.watched(1)) {
    Line& line = judgement.lines.emplace_back();
    line.key = watched.key;
    line.runs = 3;
    line.expected = 0.001;
    line.now = 0.00125;
    line.spread = 0.03125;
    line.change = 0.25;
    line.chance = 0.001953125;
    line.ratios = {1.25, 1.1875, 1.3125};
    line.finding = Finding::regressed;
  }
  judgement.lines[1].finding = Finding::failed;
  judgement.lines[1].now = judgement.lines[1].spread = judgement.lines[1].change = judgement.lines[1].chance = std::nullopt;
  judgement.lines[1].ratios.clear();
  judgement.lines[1].reason = "it fell\n\x1b[31m";
  judgement.whole = Line{{}, Finding::regressed, 3, {}, 0.03125, {}, 0.25, {}, {1.25, 1.1875, 1.3125}, 0.001953125};
  judgement.notes.emplace_back("versions.railgauge is '0.1.0' in the control and '0.2.0' here");
  conclude(judgement);
  return judgement;
}

}  // namespace

TEST_CASE("a judgement as JSON is as it was") { CHECK(matches_golden("gate.json", to_json(run, by_hand()))); }

TEST_CASE("a judgement as JSON validates", "[long]") {
  if (std::system("python3 -c 'import jsonschema' >/dev/null 2>&1") != 0)
    test::skip("python3 with the module jsonschema is not installed (Debian: python3-jsonschema)");
  const Folder folder;
  const std::string source(RAILGAUGE_SOURCE_DIR);
  // A file with a line for each.
  const auto validate = [&](const std::string& option, const std::vector<std::string>& texts) {
    {
      std::ofstream lines(folder.file("gate.jsonl"));
      for (const std::string& text : texts) lines << nlohmann::json::parse(text).dump() << "\n";
    }
    return std::system(("python3 " + source + "/tests/reports/validate.py " + option + " " + source + "/docs/gate.schema.json " +
                        folder.file("gate.jsonl"))
                           .c_str()) == 0;
  };
  Suite suite(6, 30);
  CHECK(validate("", {to_json(run, by_hand()), to_json(run, Judge(suite.watched(1), {}).judge({})),
                      to_json(run, without_control(Judge(suite.watched(1), {}).judge({}), "c", "install -D a c")),
                      to_json({}, Judge({}, {}).judge({}))}));
  // And the schema bites.
  std::vector<std::string> changed;
  auto record = nlohmann::json::parse(to_json(run, by_hand()));
  const auto refused = [&](const char* key, const nlohmann::json& value) {
    auto other = record;
    other[key] = value;
    changed.push_back(other.dump());
  };
  refused("verdict", "fine");
  refused("schema", "railgauge.gate/2");
  refused("control", nlohmann::json::object());
  refused("more", 1);
  record["cases"][0].erase("ratios");
  changed.push_back(record.dump());
  CHECK(validate("--refused", changed));
}
