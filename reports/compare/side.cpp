// The sorting behind reports/compare/side.hpp.
#include "reports/compare/side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "base/units.hpp"
#include "reports/power/power.hpp"

namespace railgauge::compare {
namespace {

// Conditions that are words of the case: a file may hold several of each, so they are conditions only where they may differ.
struct CaseWord {
  std::string_view name;
  std::string Case::* member;
};
constexpr std::array case_words{CaseWord{"algorithm", &Case::algorithm}, CaseWord{"transport", &Case::transport},
                                CaseWord{"device", &Case::device}};
constexpr std::array<std::string_view, 11> conditions{"path",     "cache",         "nodes",    "host",     "cpu",        "kernel",
                                                      "topology", "expected_from", "versions", "settings", "environment"};
constexpr std::array<std::string_view, 3> in_parts{"versions", "settings", "environment"};  // as "versions.ucx"
// Not always known: that one is not known once is no difference.
constexpr std::array<std::string_view, 2> not_always_known{"topology", "expected_from"};

bool is_among(std::string_view word, const auto& words) { return std::find(words.begin(), words.end(), word) != words.end(); }

std::string known_names() {
  std::string names;
  for (const CaseWord& word : case_words) names += std::string(word.name) + ", ";
  for (const std::string_view condition : conditions) names += std::string(condition) + ", ";
  return names + "versions.NAME, settings.NAME or environment.NAME for one of them, or missing";
}

auto order(const Key& key) {
  const Case& c = key.point;
  return std::tie(c.collective, c.transport, c.device, c.type, c.op, c.mode, c.ranks, c.root, c.lanes, c.in_place, c.window,
                  c.seed, c.algorithm, c.bytes, c.from, c.to, c.from_node, c.to_node);
}

int gravity(Status status) {
  constexpr std::array ascending{Status::skipped,       Status::predicted, Status::ok,
                                 Status::not_converged, Status::failed,    Status::wrong};
  return static_cast<int>(std::find(ascending.begin(), ascending.end(), status) - ascending.begin());
}

}  // namespace

Key key_of(const Result& result) {
  Key key{result.point};
  key.point.path.clear();
  key.point.nodes = 0;
  key.point.count = 0;  // follows from bytes and type
  return key;
}

void blank(Key& key, const Allowed& allowed) {
  for (const CaseWord& word : case_words)
    if (allowed.contains(word.name)) (key.point.*word.member).clear();
}

Key key_of(const Result& result, const Allowed& allowed) {
  Key key = key_of(result);
  blank(key, allowed);
  return key;
}

std::map<std::string, std::string> conditions_of(const Result& result) {
  std::map<std::string, std::string> found{
      {"path", result.point.path}, {"cache", result.summary.cache}, {"nodes", std::to_string(result.point.nodes)},
      {"host", result.host.name},  {"cpu", result.host.cpu},        {"kernel", result.host.kernel}};
  if (result.expected) found["expected_from"] = result.expected->basis;
  if (!result.topology.empty()) found["topology"] = result.topology;
  for (const auto& [variable, value] : result.environment) found["environment." + variable] = value;
  for (const auto& [library, version] : result.versions) found["versions." + library] = version;
  for (const auto& [setting, value] : result.settings) found["settings." + setting] = value;
  return found;
}

Allowed::Allowed(const std::vector<std::string>& names) : names_(names.begin(), names.end()) {
  for (const std::string& name : names) {
    const std::string_view whole = std::string_view(name).substr(0, name.find('.'));
    const bool word =
        std::any_of(case_words.begin(), case_words.end(), [&](const CaseWord& known) { return known.name == name; });
    const bool part = whole.size() < name.size();
    if (name != "missing" && !word && (!is_among(whole, conditions) || (part && !is_among(whole, in_parts))))
      throw Error(Fault::usage, fmt::format("--allow {}: choose of {}", printable(name), known_names()));
  }
}

bool Allowed::contains(std::string_view condition) const {
  return names_.contains(condition) || names_.contains(condition.substr(0, condition.find('.')));
}

bool Key::operator<(const Key& other) const { return order(*this) < order(other); }

Words words_of(const Key& key) {
  const Case& point = key.point;
  Words words;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.emplace_back(name, value);
  };
  add("collective", point.collective);
  add("size", format_bytes(point.bytes));
  add("type", point.type == "none" ? "" : point.type);
  add("op", point.op == "none" ? "" : point.op);
  add("algorithm", point.algorithm);
  add("transport", point.transport);
  add("memory", point.device);
  add("ranks", std::to_string(point.ranks));
  add("mode", point.mode);
  add("root", point.root >= 0 ? std::to_string(point.root) : "");
  add("lanes", point.lanes > 1 ? std::to_string(point.lanes) : "");
  add("in place", point.in_place ? "yes" : "");
  add("window", point.window > 0 ? std::to_string(point.window) : "");
  add("seed", point.seed ? std::to_string(*point.seed) : "");
  if (point.from >= 0) add("pair", fmt::format("{} {} -> {} {}", point.from, point.from_node, point.to, point.to_node));
  return words;
}

std::string line_of(const Key& key) {
  std::string line;
  for (const auto& [name, value] : words_of(key)) {
    const bool bare = name == "ranks" || name == "lanes" || name == "window" || name == "seed" || name == "root";
    line += (line.empty() ? "" : ", ") + (bare ? name + " " : std::string()) + printable(value);
  }
  return line;
}

void Side::add(const std::string& file, const Result& result) {
  const auto run = runs_.try_emplace(result.run, file).first;
  if (run->second != file)
    throw Error(Fault::usage, fmt::format("run {} is in {} and in {}: counted twice, one launch would look like two",
                                          printable(result.run), run->second, file));
  const Key key = key_of(result, allowed_);
  // What was not measured has no conditions yet: a skipped point does not know its cache or path.
  const bool measured = result.summary.samples != 0;
  std::map<std::string, std::string> its = measured ? conditions_of(result) : std::map<std::string, std::string>{};
  for (const CaseWord& word : case_words)
    if (measured && allowed_.contains(word.name)) its[std::string(word.name)] = result.point.*word.member;

  std::vector<Found>& launches = cases_[key];
  auto known = std::find_if(launches.begin(), launches.end(), [&](const Found& one) { return one.run == result.run; });
  if (known == launches.end()) {
    known = launches.emplace(launches.end());
    known->run = result.run;
    known->file = file;
  }
  Found& launch = *known;
  for (const auto& [field, value] : its) {
    const auto [other, first] = launch.conditions.try_emplace(field, value);
    if (!first && other->second != value)
      throw Error(Fault::usage,
                  fmt::format("{}: one run has {} with {} '{}' and '{}': results of a launch that differ in nothing "
                              "else cannot stand for one case",
                              file, printable(result.point.collective), field, printable(other->second), printable(value)));
  }
  if (gravity(result.status) >= gravity(launch.status)) {
    launch.status = result.status;
    launch.reason = result.reason;
  }
  for (const Seconds time : result.samples) launch.seconds.push_back(time.count());
  if (std::isfinite(result.summary.effective_samples)) launch.effective += result.summary.effective_samples;
  if (result.power) launch.throttled = launch.throttled || throttled(*result.power).value_or(false);
}

std::optional<Launch> launch_of(const Found& found) {
  return found.measured() ? make_launch(found.seconds, found.effective) : std::nullopt;
}

std::vector<Difference> differences(const Side& base, const Side& next) {
  std::map<std::string, Difference> found;
  const auto look = [&](const Found& first, const Found& other) {
    if (!first.measured() || !other.measured()) return;
    std::set<std::string> fields;
    for (const auto* const launch : {&first, &other})
      for (const auto& [field, value] : launch->conditions) fields.insert(field);
    for (const std::string& field : fields) {
      const auto a = first.conditions.find(field), b = other.conditions.find(field);
      const std::string before = a == first.conditions.end() ? "" : a->second;
      const std::string after = b == other.conditions.end() ? "" : b->second;
      if (before != after && !(is_among(field, not_always_known) && (before.empty() || after.empty())))
        found.try_emplace(field, Difference{field, before, after});
    }
  };
  for (const auto& [key, launches] : base.cases()) {
    const auto others = next.cases().find(key);
    if (others == next.cases().end()) continue;
    const auto first = std::find_if(launches.begin(), launches.end(), [](const Found& one) { return one.measured(); });
    if (first == launches.end()) continue;
    // Between the sides first: that is what a reader wants to be told of a field.
    for (const Found& other : others->second) look(*first, other);
    for (const Found& other : launches) look(*first, other);
  }
  std::vector<Difference> all;
  all.reserve(found.size());
  for (auto& [field, difference] : found) all.push_back(std::move(difference));
  return all;
}

}  // namespace railgauge::compare
