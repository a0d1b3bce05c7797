// Looks facts up, and takes them to JSON and back.
#include "bench/validate/preflight/facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/error.hpp"

namespace railgauge::topo::preflight {
namespace {

using Json = nlohmann::ordered_json;

// Words for the values of enumerations, in the order of the values.
constexpr auto conditions = std::to_array<std::string_view>(
    {"plain", "off", "on", "throttled by power", "throttled by heat", "gpu error", "gpu broken", "redirects"});
constexpr auto areas = std::to_array<std::string_view>({"setting", "gpu", "link", "pcie"});

constexpr std::string_view schema = "railgauge.preflight/2";
// A host with 16 GPUs and 32 ports has some 3,000 facts.
constexpr std::size_t most_facts = 100'000, most_remarks = 10'000, longest_text = 4096, longest_print = 1U << 20U;

class Reader {
 public:
  explicit Reader(const std::string& origin) : origin_(origin) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}: what this host says of itself cannot be read: {}", origin_, what));
  }

  // A text without what would begin a line or steer a terminal.
  [[nodiscard]] std::string text(const Json& json, const char* what, std::size_t most = longest_text, bool lines = false) const {
    if (!json.is_string()) fail(fmt::format("{} is no text", what));
    const auto& text = json.get_ref<const std::string&>();
    if (text.size() > most) fail(fmt::format("{} has {} bytes, and {} are the most", what, text.size(), most));
    if (std::any_of(text.begin(), text.end(),
                    [&](char c) { return (static_cast<unsigned char>(c) < ' ' && !(lines && c == '\n')) || c == '\x7f'; }))
      fail(fmt::format("{} has control characters", what));
    return text;
  }
  [[nodiscard]] std::string member(const Json& json, const char* key, std::size_t most = longest_text, bool lines = false) const {
    const auto at = json.find(key);
    if (at == json.end()) fail(fmt::format("there is no \"{}\"", key));
    return text(*at, key, most, lines);
  }
  [[nodiscard]] const Json& list(const Json& json, const char* key, std::size_t most) const {
    const auto at = json.find(key);
    if (at == json.end() || !at->is_array()) fail(fmt::format("there is no list \"{}\"", key));
    if (at->size() > most) fail(fmt::format("\"{}\" has {} entries, and {} are the most", key, at->size(), most));
    return *at;
  }

  // ["eth0", "mtu", "9000"], or with the reason in a fourth place and nothing in the third.
  [[nodiscard]] Fact fact(const Json& json) const {
    if (!json.is_array() || json.size() < 3 || json.size() > 4) fail("a fact is no list of three or four texts");
    Fact fact{text(json[0], "a subject"), text(json[1], "a name"), text(json[2], "a value"), {}};
    if (json.size() == 4) fact.unread = text(json[3], "a reason");
    if (fact.name.empty()) fail("a fact has no name");
    if (fact.value.empty() == fact.unread.empty()) fail(fmt::format("'{}' has a value and a reason, or neither", fact.name));
    return fact;
  }
  template <std::size_t count>
  [[nodiscard]] std::size_t place(const std::string& word, const std::array<std::string_view, count>& words) const {
    const auto* const at = std::find(words.begin(), words.end(), word);
    if (at == words.end()) fail(fmt::format("'{}' is none of: {}", word, fmt::join(words, ", ")));
    return static_cast<std::size_t>(at - words.begin());
  }
  [[nodiscard]] Condition condition(const Json& json) const {
    return static_cast<Condition>(place(text(json, "a condition"), conditions));
  }
  [[nodiscard]] Remark remark(const Json& json) const {
    if (!json.is_object()) fail("a remark is no object");
    Remark remark;
    remark.rule = member(json, "rule");
    remark.subject = member(json, "subject");
    const std::string severity = member(json, "severity");
    bool known = false;
    for (const Severity each : {Severity::fault, Severity::warning, Severity::note})
      if (severity == word(each)) {
        remark.severity = each;
        known = true;
      }
    if (!known) fail(fmt::format("'{}' is no severity", severity));
    remark.found = member(json, "found");
    remark.expected = member(json, "expected");
    remark.why = member(json, "why");
    remark.action = member(json, "action");
    remark.area = static_cast<Area>(place(member(json, "area"), areas));
    return remark;
  }

 private:
  const std::string& origin_;
};

}  // namespace

const std::string* value_of(const HostFacts& facts, std::string_view subject, std::string_view name) {
  for (const Fact& fact : facts.facts)
    if (fact.name == name && fact.subject == subject && fact.unread.empty()) return &fact.value;
  return nullptr;
}

std::string to_json(const HostFacts& facts) {
  Json list = Json::array(), phrases = Json::array();
  for (const Fact& fact : facts.facts) {
    list.push_back({fact.subject, fact.name, fact.value});
    if (!fact.unread.empty()) list.back().push_back(fact.unread);
    if (fact.condition != Condition::plain)
      phrases.push_back({fact.subject, fact.name, conditions[static_cast<std::size_t>(fact.condition)]});
  }
  Json remarks = Json::array();
  for (const Remark& it : facts.remarks)
    remarks.push_back({{"rule", it.rule},
                       {"subject", it.subject},
                       {"severity", word(it.severity)},
                       {"found", it.found},
                       {"expected", it.expected},
                       {"why", it.why},
                       {"action", it.action},
                       {"area", areas[static_cast<std::size_t>(it.area)]}});
  const Json json = {{"schema", schema},
                     {"host", facts.host},
                     {"model", facts.model},
                     {"facts", std::move(list)},
                     {"conditions", std::move(phrases)},
                     {"remarks", std::move(remarks)},
                     {"fingerprint", facts.fingerprint}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HostFacts from_json(std::string_view text, const std::string& origin) {
  const Reader reader(origin);
  // Without exceptions, so that the sentence is ours; nesting of any depth is no danger to this parser.
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) reader.fail("it is no JSON object");
  if (const std::string found = reader.member(json, "schema"); found != schema)
    reader.fail(fmt::format("it is '{}', and this version of railgauge reads {}", found, schema));
  HostFacts facts;
  facts.host = reader.member(json, "host");
  facts.model = reader.member(json, "model");
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const Json& each : reader.list(json, "facts", most_facts)) {
    facts.facts.push_back(reader.fact(each));
    const Fact& fact = facts.facts.back();
    if (!places.try_emplace({fact.subject, fact.name}, facts.facts.size() - 1).second)
      reader.fail(fmt::format("'{}' of '{}' is said twice", fact.name, fact.subject));
  }
  for (const Json& each : reader.list(json, "conditions", most_facts)) {
    if (!each.is_array() || each.size() != 3) reader.fail("a condition is no list of three texts");
    const auto at = places.find({reader.text(each[0], "a subject"), reader.text(each[1], "a name")});
    if (at == places.end()) reader.fail("there is a condition of no fact");
    facts.facts[at->second].condition = reader.condition(each[2]);
  }
  for (const Json& each : reader.list(json, "remarks", most_remarks)) facts.remarks.push_back(reader.remark(each));
  facts.fingerprint = reader.member(json, "fingerprint", longest_print, true);
  return facts;
}

std::string to_text(const HostFacts& facts) {
  std::string text = fmt::format("{}: {}\n", facts.host, facts.model.empty() ? "of a model that it does not tell" : facts.model);
  std::size_t widest = 0;
  for (const Fact& fact : facts.facts) widest = std::max(widest, spoken(fact.name).size());
  std::vector<std::string> subjects;
  for (const Fact& fact : facts.facts)
    if (std::find(subjects.begin(), subjects.end(), fact.subject) == subjects.end()) subjects.push_back(fact.subject);
  for (const std::string& subject : subjects) {
    if (!subject.empty()) text += fmt::format("{}\n", subject);
    for (const Fact& fact : facts.facts)
      if (fact.subject == subject)
        text += fmt::format("  {:{}}  {}\n", spoken(fact.name), widest,
                            fact.unread.empty() ? fact.value : fmt::format("unread: {}", fact.unread));
  }
  for (const Remark& it : facts.remarks) {
    text += fmt::format("{} {}: {}: {}", word(it.severity), it.rule, it.subject, it.found);
    if (!it.expected.empty()) text += fmt::format("; expected {}", it.expected);
    text += ".\n";
  }
  return text;
}

}  // namespace railgauge::topo::preflight
