// Lines of results as a history keeps them: reports/history/entry.hpp.
#include "reports/history/entry.hpp"

#include <fmt/format.h>

#include <cmath>
#include <istream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "reports/record/reader.hpp"
#include "reports/record/record.hpp"

namespace railgauge::history {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_run = 500;  // what a PostgreSQL index holds of it is less than 2,700 bytes

// Names of the case's words, which stand in databases: to change one takes a migration (schema.cpp).
struct Word {
  const char* name;
  std::string Case::* member;
};
constexpr Word words[] = {{"collective", &Case::collective},
                          {"algorithm", &Case::algorithm},
                          {"transport", &Case::transport},
                          {"device", &Case::device},
                          {"type", &Case::type},
                          {"op", &Case::op},
                          {"mode", &Case::mode},
                          {"from_node", &Case::from_node},
                          {"to_node", &Case::to_node}};
struct Number {
  const char* name;
  int Case::* member;
};
constexpr Number numbers[] = {
    {"ranks", &Case::ranks}, {"root", &Case::root}, {"lanes", &Case::lanes}, {"from", &Case::from}, {"to", &Case::to}};

bool measured(const Result& result) {
  return (result.status == Status::ok || result.status == Status::not_converged) && result.summary.samples != 0 &&
         std::isfinite(result.summary.median.count()) && result.summary.median.count() > 0;
}

Identity identity_of(const Result& result, bool with_conditions) {
  Identity identity{compare::key_of(result), {}};
  for (const Word& word : words) identity.key.point.*word.member = printable(identity.key.point.*word.member);
  if (!with_conditions) return identity;
  for (const auto& [name, value] : compare::conditions_of(result))
    if (name != "host" && name != "expected_from") identity.conditions[printable(name)] = printable(value);
  if (!result.topology.empty()) identity.conditions["topology"] = printable(result.topology);
  return identity;
}

Entry make_entry(const Result& result, std::string_view line, const std::string& where) {
  Entry entry;
  entry.line = line;
  entry.run = printable(result.run);
  if (entry.run.empty() || entry.run.size() > longest_run)
    throw Error(Fault::usage, fmt::format("{}: expected a run of 1 to {} bytes, and its name has {}: it cannot be kept", where,
                                          longest_run, entry.run.size()));
  entry.measured = measured(result);
  entry.identity = identity_of(result, entry.measured);
  entry.status = result.status;
  entry.reason = printable(result.reason);
  entry.median = result.summary.median;
  entry.ci_low = result.summary.ci_low;
  entry.ci_high = result.summary.ci_high;
  entry.effective_samples = result.summary.effective_samples;
  return entry;
}

}  // namespace

bool operator==(const Identity& a, const Identity& b) {
  return !(a.key < b.key) && !(b.key < a.key) && a.conditions == b.conditions;
}

std::string text_of(const Identity& identity) {
  const Case& point = identity.key.point;
  Json json;
  for (const Word& word : words) json[word.name] = point.*word.member;
  for (const Number& number : numbers) json[number.name] = point.*number.member;
  json["in_place"] = point.in_place;
  json["bytes"] = point.bytes;
  json["window"] = point.window;
  if (point.seed) json["seed"] = *point.seed;
  json["conditions"] = identity.conditions;
  return json.dump();
}

Identity identity_of(std::string_view text) {
  const Json json = Json::parse(text);
  Identity identity;
  Case& point = identity.key.point;
  for (const Word& word : words) point.*word.member = json.at(word.name).get<std::string>();
  for (const Number& number : numbers) point.*number.member = json.at(number.name).get<int>();
  point.path.clear();
  point.in_place = json.at("in_place").get<bool>();
  point.bytes = json.at("bytes").get<std::uint64_t>();
  point.window = json.at("window").get<std::uint64_t>();
  if (json.contains("seed")) point.seed = json.at("seed").get<std::uint64_t>();
  identity.conditions = json.at("conditions").get<Conditions>();
  return identity;
}

Entry read_entry(std::string_view line, const std::string& where) {
  // Databases of text cannot keep it, and readers of JSON end at it.
  if (line.find('\0') != std::string_view::npos)
    throw Error(Fault::usage, where + ": expected a result line, and found a byte of zero in it");
  return make_entry(read_result(line, where), line, where);
}

Entry entry_of(const Result& result) {
  std::string line = result_line(result);
  line.pop_back();  // its newline
  return make_entry(result, line, "a result that was just measured");
}

std::vector<Entry> read_entries(std::istream& file, const std::string& path) {
  std::vector<Entry> entries;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number)
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      entries.push_back(read_entry(line, fmt::format("{}:{}", path, number)));
  if (file.bad()) throw Error(Fault::usage, path + " cannot be read");
  return entries;
}

}  // namespace railgauge::history
