// JSON: golden files, the schema, round trips, and files of strangers.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
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

using Json = nlohmann::json;

const std::string schema_path = std::string(RAILGAUGE_SOURCE_DIR) + "/docs/validation.schema.json";

// Whether all of them validate, or with `--refused` none.
bool validate(const std::string& option, const std::vector<Json>& files) {
  const Folder folder;
  {
    std::ofstream lines(folder.file("a.jsonl"));
    for (const Json& file : files) lines << file.dump() << "\n";
  }
  return std::system(("python3 " + std::string(RAILGAUGE_SOURCE_DIR) + "/tests/reports/validate.py " + option + " " +
                      schema_path + " " + folder.file("a.jsonl"))
                         .c_str()) == 0;
}

void need_validator() {
  if (std::system("python3 -c 'import jsonschema' >/dev/null 2>&1") != 0)
    test::skip("python3 with the module jsonschema is not installed (Debian: python3-jsonschema)");
}

std::string refusal(const std::string& text) {
  try {
    (void)from_json(text, "verdict.json");
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  return "nothing was thrown";
}

// Every key of `json`, with its place, is one that the schema has there.
void check_known(const Json& json, const Json& schema, const Json& whole, const std::string& place) {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"].get<std::string>();
    check_known(json, whole.at(Json::json_pointer(name.substr(1))), whole, place);
    return;
  }
  if (json.is_array())
    for (const Json& item : json) check_known(item, schema.at("items"), whole, place + "[]");
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    INFO(place << "." << key);
    REQUIRE(schema.at("properties").contains(key));
    CHECK(schema["properties"][key].contains("description"));
    check_known(value, schema["properties"][key], whole, place + "." + key);
  }
  for (const auto& key : schema.at("required")) {
    INFO(place << " " << key);
    CHECK(json.contains(key.get<std::string>()));
  }
  CHECK(schema["required"].size() == schema["properties"].size());
  CHECK(schema.at("additionalProperties") == Json(false));
}

}  // namespace

TEST_CASE("JSON is as the golden files, and reads back as it was") {
  for (const auto& [name, of] :
       {std::pair("validation_healthy.json", test::healthy()), std::pair("validation_cable.json", test::faulty_cable()),
        std::pair("validation_inconclusive.json", test::inconclusive())}) {
    INFO(name);
    const std::string text = to_json(of);
    CHECK(matches_golden(name, text));
    CHECK(to_json(from_json(text, name)) == text);
    CHECK(is_validation(text));
  }
  CHECK(to_json(from_json(to_json({}), "empty")) == to_json({}));
}

TEST_CASE("what was read is what was written, field by field") {
  const Validation before = test::faulty_cable(), after = from_json(to_json(before), "a.json");
  CHECK(after.outcome == before.outcome);
  CHECK(after.took == before.took);
  CHECK(after.budget == before.budget);
  REQUIRE(after.diagnoses.size() == 1);
  CHECK(after.diagnoses[0].slower == before.diagnoses[0].slower);
  CHECK(after.diagnoses[0].evidence == before.diagnoses[0].evidence);
  CHECK(after.hosts[3].state == HostState::faulty);
  CHECK(after.hosts[3].rails[1].leaf_port == 4);
  CHECK(after.hosts[3].rails[1].latency == before.hosts[3].rails[1].latency);
  REQUIRE(after.pairs.size() == before.pairs.size());
  CHECK(after.pairs.back().confirming);
  CHECK(after.pairs.back().gigabytes_per_second == 22.94);
  CHECK(after.map.links.size() == before.map.links.size());
  CHECK(exit_code(after) == 1);
}

TEST_CASE("JSON of version 1, without level and power, is read") {
  Json file = Json::parse(to_json(test::faulty_cable()));
  file["version"] = 1;
  for (const char* const later : {"level", "power"}) file.erase(later);
  for (Json& figure : file["figures"]) figure.erase("most");
  const Validation back = from_json(file.dump(), "old.json");
  CHECK_FALSE(back.level.checked);
  CHECK(back.hosts.size() == test::faulty_cable().hosts.size());
}

TEST_CASE("the schema knows each key, and files validate by it", "[long]") {
  std::ifstream file(schema_path);
  const Json schema = Json::parse(file);
  for (const Validation& of :
       {test::healthy(), test::faulty_cable(), test::inconclusive(), test::without_numbers(test::faulty_cable())})
    check_known(Json::parse(to_json(of)), schema, schema, "");
  need_validator();
  std::vector<Json> good, changed;
  for (const Validation& of :
       {test::healthy(), test::faulty_cable(), test::inconclusive(), test::without_numbers(test::faulty_cable())})
    good.push_back(Json::parse(to_json(of)));
  CHECK(validate("", good));
  // The schema bites.
  const auto refused = [&](const char* pointer, const Json& value) {
    changed.push_back(good[1]);
    changed.back()[Json::json_pointer(pointer)] = value;
  };
  refused("/version", 3);
  refused("/outcome", "good");
  refused("/hosts/0/state", "fine");
  refused("/hosts/0/note", "x");
  refused("/verdicts/0/blame", "fan");
  refused("/verdicts/0/measure", "colour");
  refused("/took_seconds", -1);
  refused("/verdicts/0/confidence_share", 2);
  refused("/pairs/from/0", -1);
  refused("/map/links/0/a", "leaf0");
  CHECK(validate("--refused", changed));
}

TEST_CASE("no number is null, never Infinity or NaN") {
  const std::string text = to_json(test::without_numbers(test::faulty_cable()));
  for (const char* word : {"nan", "NaN", "inf", "Infinity"}) CHECK(text.find(word) == std::string::npos);
  const Json file = Json::parse(text);
  CHECK(file["took_seconds"].is_null());
  CHECK(file["figures"][0]["value"].is_null());
  CHECK(file["pairs"]["gigabytes_per_second"][0].is_null());
  CHECK(to_json(from_json(text, "a.json")) == text);
}

TEST_CASE("files of strangers are refused with one sentence", "[long]") {
  const std::string good = to_json(test::faulty_cable());
  CHECK_THAT(refusal(""), ContainsSubstring("verdict.json: it ends in the middle"));
  CHECK_THAT(refusal(good.substr(0, good.size() / 2)), ContainsSubstring("it ends in the middle"));
  CHECK_THAT(refusal("\x7f"
                     "ELF"),
             ContainsSubstring("it is no JSON from byte 1 on"));
  CHECK_THAT(refusal("[]"), ContainsSubstring("it is no file of railgauge validate"));
  CHECK_THAT(refusal("{\"format\": \"other\"}"), ContainsSubstring("it is no file of railgauge validate"));
  CHECK_THAT(refusal(std::string(1'000'000, '[')), ContainsSubstring("nested deeper"));
  CHECK_THAT(refusal("{\"format\": \"railgauge-validation\", \"version\": 1}"), ContainsSubstring("it has no run"));
  const auto with = [&](const char* pointer, const Json& value) {
    Json file = Json::parse(good);
    file[Json::json_pointer(pointer)] = value;
    return refusal(file.dump());
  };
  CHECK_THAT(with("/version", 3),
             ContainsSubstring("it is of version 3 of that format, and this railgauge reads versions up to 2"));
  CHECK_THAT(with("/outcome", "good"), ContainsSubstring("outcome is good, which is none of its words"));
  CHECK_THAT(with("/outcome", 1), ContainsSubstring("outcome is no text"));
  CHECK_THAT(with("/verdicts/0/blame", "fan"), ContainsSubstring("verdicts[0].blame is fan, which is none of its words"));
  CHECK_THAT(with("/verdicts/0/measure", ""), ContainsSubstring("which is none of its words"));
  CHECK_THAT(with("/differences/0/severity", "dire"), ContainsSubstring("severity is dire, which is none of its words"));
  CHECK_THAT(with("/took_seconds", -1), ContainsSubstring("took_seconds is a negative time"));
  CHECK_THAT(with("/number_of_ranks", -1), ContainsSubstring("number_of_ranks is no whole number"));
  CHECK_THAT(with("/number_of_ranks", 1e300), ContainsSubstring("number_of_ranks is no whole number"));
  CHECK_THAT(with("/hosts/2/rails/1/leaf_port", -1), ContainsSubstring("hosts[2].rails[1].leaf_port is no whole number"));
  CHECK_THAT(with("/hosts", "x"), ContainsSubstring("hosts is no list"));
  CHECK_THAT(with("/hosts/1", 7), ContainsSubstring("hosts[1] is no object"));
  CHECK_THAT(with("/pairs/from/0", 8), ContainsSubstring("pairs names a host that is not in the list of hosts"));
  CHECK_THAT(with("/pairs/rail/0", 2), ContainsSubstring("pairs names a rail that there is not"));
  CHECK_THAT(with("/pairs/gigabytes_per_second/0", -3), ContainsSubstring("pairs has a negative bandwidth"));
  CHECK_THAT(with("/pairs/to", Json::array({1})), ContainsSubstring("pairs has columns of different lengths"));
  CHECK_THAT(with("/pairs/confirming", "x"), ContainsSubstring("pairs"));
  CHECK_THAT(with("/map/links/0/a", 4'000'000'000U), ContainsSubstring("map.links names a switch that is not in the list"));
  CHECK_THAT(with("/number_of_rails", 1), ContainsSubstring("rail"));
  std::string large = good;
  large.replace(large.find("161.2"), 5, "1e999");
  CHECK_THAT(refusal(large), ContainsSubstring("verdict.json: it holds what no validation does"));
  CHECK(with("/outcome", std::string(10'000'000, 'x')).size() < 400);
  CHECK(with("/outcome", "\n\x1b[31m").find_first_of("\n\x1b") == std::string::npos);
  CHECK(with("/unknown", 1) == "nothing was thrown");  // a later version of this one may say more
}

TEST_CASE("every cut and every changed byte is refused or read, and nothing else", "[long]") {
  const std::string good = to_json(test::fleet({.hosts = 2, .rounds = 1}));
  std::uint64_t state = 20261123;
  for (int i = 0; i < 3000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    std::string text = good;
    text[(state >> 33U) % text.size()] = static_cast<char>(state >> 24U);
    if (i % 3 == 0) text.resize((state >> 20U) % text.size());
    try {
      const Validation read = from_json(text, "a.json");
      (void)to_json(read);
      (void)to_html(read);
    } catch (const Error&) { continue; }
  }
}

TEST_CASE("a file of results is none of a validation") {
  CHECK_FALSE(is_validation("{\"schema\":\"railgauge.result/1\"}"));
  CHECK_FALSE(is_validation(""));
}
