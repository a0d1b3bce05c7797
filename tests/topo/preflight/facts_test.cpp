// The text of facts between hosts, and their table.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "bench/validate/preflight/sheet.hpp"
#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/preflight/fleet.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::topo::preflight;

namespace {

std::string fault_of(const std::string& text) {
  return sentence([&] { (void)from_json(text, "n3"); });
}

}  // namespace

TEST_CASE("facts come back from JSON as they were") {
  HostFacts facts = host("n7");
  facts.remarks.push_back({"pcie-width", "mlx5_0", topo::Severity::fault, "x8", "x16", "why", "action", Area::pcie});
  facts.facts.push_back({"GPU 0000:13:00.0", "mig", "on, and off after a reset", {}, Condition::on});
  const std::string text = to_json(facts);
  CHECK(text.find('\n') == std::string::npos);
  CHECK(from_json(text, "n7") == facts);
  CHECK(from_json(to_json(HostFacts{}), "n7") == HostFacts{});
}

TEST_CASE("facts without conditions or areas are refused: rules would stay silent") {
  HostFacts facts = host("n7");
  facts.remarks.push_back({"pcie-width", "mlx5_0", topo::Severity::fault, "x8", "x16", "why", "action"});
  nlohmann::json json = nlohmann::json::parse(to_json(facts));
  json.erase("conditions");
  CHECK_THAT(fault_of(json.dump()), ContainsSubstring("there is no list \"conditions\""));
  json = nlohmann::json::parse(to_json(facts));
  json["remarks"][0].erase("area");
  CHECK_THAT(fault_of(json.dump()), ContainsSubstring("there is no \"area\""));
}

TEST_CASE("what is no text of facts is one sentence that names the host") {
  const std::string begin = "n3: what this host says of itself cannot be read: ";
  CHECK(fault_of("") == begin + "it is no JSON object");
  CHECK(fault_of("[1]") == begin + "it is no JSON object");
  CHECK(fault_of("{}") == begin + "there is no \"schema\"");
  CHECK(fault_of(R"({"schema":"x"})") == begin + "it is 'x', and this version of railgauge reads railgauge.preflight/2");
  const auto with = [](const std::string& key, const nlohmann::json& value) {
    nlohmann::json json = nlohmann::json::parse(to_json(host("n3")));
    json[key] = value;
    return json.dump();
  };
  using Json = nlohmann::json;
  CHECK(fault_of(with("host", 3)) == begin + "host is no text");
  CHECK(fault_of(with("host", "a\nb")) == begin + "host has control characters");
  CHECK(fault_of(with("host", std::string(5000, 'x'))) == begin + "host has 5000 bytes, and 4096 are the most");
  CHECK(fault_of(with("facts", "x")) == begin + "there is no list \"facts\"");
  CHECK(fault_of(with("facts", Json::array({"x"}))) == begin + "a fact is no list of three or four texts");
  CHECK(fault_of(with("facts", Json::array({Json::array({"", "", "x"})}))) == begin + "a fact has no name");
  CHECK(fault_of(with("facts", Json::array({Json::array({"", "mtu", ""})}))) ==
        begin + "'mtu' has a value and a reason, or neither");
  CHECK(fault_of(with("facts", Json::array({Json::array({"a", "mtu", "1"}), Json::array({"a", "mtu", "2"})}))) ==
        begin + "'mtu' of 'a' is said twice");
  CHECK(fault_of(with("conditions", Json::array({"x"}))) == begin + "a condition is no list of three texts");
  CHECK(fault_of(with("conditions", Json::array({Json::array({"", "none such", "on"})}))) ==
        begin + "there is a condition of no fact");
  CHECK(
      fault_of(with("conditions", Json::array({Json::array({"", "gpus", "x"})}))).starts_with(begin + "'x' is none of: plain, "));
  CHECK(fault_of(with("remarks", Json::array({7}))) == begin + "a remark is no object");
  CHECK(fault_of(with("fingerprint", "a\x1b[2J")) == begin + "fingerprint has control characters");
  CHECK(fault_of(std::string(100'000, '[')) == begin + "it is no JSON object");
}

TEST_CASE("garbage for facts is refused or read, and never anything else") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const std::string good = to_json(host("n1"));
  for (int turn = 0; turn < 2000; ++turn) {
    std::string text = good;
    for (unsigned change = 1 + random() % 4; change != 0; --change) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 40);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
      }
    }
    const std::string fault = fault_of(text);
    CHECK((fault == "no error" || fault.starts_with("n3: what this host says of itself cannot be read: ")));
  }
}

TEST_CASE("each fact has one row, with a reason and an action where it is compared, and stands on the page") {
  const std::string page = contents(RAILGAUGE_PREFLIGHT_PAGE);
  std::set<std::string_view> names;
  for (const FactRow& row : fact_rows()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(!row.spoken.empty());
    CHECK(!row.from.empty());
    if (row.use == Use::same) CHECK((!row.why.empty() && !row.action.empty()));
    CHECK(page.find(fmt::format("| {} |", row.spoken)) != std::string::npos);
  }
  CHECK(row_of("counter symbol_error") == row_of("counter"));
  CHECK(row_of("nothing") == nullptr);
}

TEST_CASE("bytes are written in the largest unit, and read back") {
  CHECK(bytes_text(0) == "0 bytes");
  CHECK(bytes_text(8U << 20U) == "8 MiB");
  CHECK(bytes_text(UINT64_MAX) == "16 EiB");
  for (const std::uint64_t bytes : {0ULL, 1ULL, 1023ULL, 1024ULL, 64ULL << 20U, 3ULL << 29U, 1ULL << 40U})
    CHECK(bytes_of(bytes_text(bytes)) == bytes);
  CHECK(bytes_of("unlimited") == std::nullopt);
  CHECK(bytes_of("7 apples") == std::nullopt);
  CHECK(bytes_of("-1 MiB") == std::nullopt);
}

TEST_CASE("facts for people stand below their subjects") {
  HostFacts facts;
  facts.host = "n1";
  facts.facts = {{"", "kernel", "6.1", ""}, {"eth0", "mtu", "9000", ""}, {"eth0", "speed", "", "no permission"}};
  CHECK(to_text(facts) ==
        "n1: of a model that it does not tell\n  kernel  6.1\neth0\n  MTU     9000\n  speed   unread: no permission\n");
}
