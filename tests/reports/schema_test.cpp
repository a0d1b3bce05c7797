// Every line that is written validates against docs/result.schema.json, and the schema knows every word of base/words.hpp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/words.hpp"
#include "reports/formats/writer.hpp"
#include "tests/reports/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::Folder;
using railgauge::test::read_file;

namespace {

const std::string schema_path = std::string(RAILGAUGE_SOURCE_DIR) + "/docs/result.schema.json";
const std::string validator = "python3 " + std::string(RAILGAUGE_SOURCE_DIR) + "/tests/reports/validate.py ";

bool validates(const std::string& file) { return std::system((validator + schema_path + " " + file).c_str()) == 0; }
bool all_refused(const std::string& file) {
  return std::system((validator + "--refused " + schema_path + " " + file).c_str()) == 0;
}

void need_validator() {
  if (std::system("python3 -c 'import jsonschema' >/dev/null 2>&1") != 0)
    test::skip("python3 with the module jsonschema is not installed (Debian: python3-jsonschema)");
}

template <class Rows>
void check_words(const nlohmann::json& known, const Rows& rows) {
  for (const auto& row : rows) {
    INFO(row.name);
    CHECK(std::find(known.begin(), known.end(), std::string(row.name)) != known.end());
  }
}

}  // namespace

TEST_CASE("every line validates", "[long]") {
  need_validator();
  const Folder folder;
  const auto writer = open_writer(folder.file("a.jsonl"));
  for (const Result& result : test::sample_results()) writer->add(result);
  for (const Result& result : test::copy_results()) writer->add(result);
  CHECK(validates(folder.file("a.jsonl")));
}

TEST_CASE("the validator bites", "[long]") {
  need_validator();
  const Folder folder;
  {
    const auto writer = open_writer(folder.file("good.jsonl"));
    writer->add(test::sample_results().front());
  }
  const auto good = nlohmann::json::parse(read_file(folder.file("good.jsonl")));
  int lines = 0;
  const auto refused = [&](const char* name, const nlohmann::json& line) {
    std::printf("line %d: %s\n", ++lines, name);
    std::ofstream(folder.file("refused.jsonl"), std::ios::app) << line.dump() << "\n";
  };
  const auto with = [&](const char* key, const nlohmann::json& value) {
    auto line = good;
    line[key] = value;
    return line;
  };
  auto without = good;
  without.erase("median");
  refused("missing_key", without);
  refused("unknown_key", with("note", "x"));
  refused("unknown_collective", with("collective", "all_redcue"));
  refused("negative_time", with("min", -1));
  refused("ok_but_wrong", with("wrong", 1));
  refused("no_samples_but_times", with("samples", 0));
  refused("no_reason", with("status", "failed"));
  refused("other_schema", with("schema", "railgauge.result/2"));
  CHECK(all_refused(folder.file("refused.jsonl")));
}

TEST_CASE("the schema knows every collective, type and op") {
  const auto properties = nlohmann::json::parse(read_file(schema_path))["properties"];
  check_words(properties["collective"]["enum"], collectives());
  check_words(properties["type"]["enum"], types());
  check_words(properties["op"]["enum"], ops());
}
