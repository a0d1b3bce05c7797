// What a user picks of a history: Filter of reports/history/history.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "base/units.hpp"
#include "reports/history/history.hpp"

namespace railgauge::history {
namespace {

// Those of words_of() (reports/compare/side.hpp), without blanks.
constexpr std::string_view names[] = {"collective", "size", "type",  "op",       "algorithm", "transport", "memory", "ranks",
                                      "mode",       "root", "lanes", "in_place", "window",    "seed",      "pair"};
constexpr std::string_view conditions[] = {"topology", "cpu", "kernel", "path", "cache", "nodes"};

constexpr std::string_view parted[] = {"versions.", "settings.", "environment."};  // and a name

bool is_condition(std::string_view name) {
  return std::find(std::begin(conditions), std::end(conditions), name) != std::end(conditions) ||
         std::any_of(std::begin(parted), std::end(parted),
                     [&](std::string_view start) { return name.size() > start.size() && name.substr(0, start.size()) == start; });
}

std::string joined() {
  std::string all;
  for (const std::string_view name : names) all += std::string(name) + ", ";
  for (const std::string_view name : conditions) all += std::string(name) + ", ";
  return all + "versions.NAME, settings.NAME and environment.NAME";
}

}  // namespace

Filter::Filter(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t equal = word.find('=');
    if (equal == std::string::npos) {
      terms_.emplace_back("", word);
      continue;
    }
    const std::string name = word.substr(0, equal), value = word.substr(equal + 1);
    if (std::find(std::begin(names), std::end(names), name) == std::end(names) && !is_condition(name))
      throw Error(Fault::usage,
                  fmt::format("{}: there is no '{}' to choose by; there are {}", printable(word), printable(name), joined()));
    terms_.emplace_back(name == "in_place" ? "in place" : name, name == "size" ? format_bytes(parse_bytes(value)) : value);
  }
}

bool Filter::fits(const Identity& identity) const {
  const compare::Words words = compare::words_of(identity.key);
  return std::all_of(terms_.begin(), terms_.end(), [&](const std::pair<std::string, std::string>& term) {
    if (is_condition(term.first)) {
      const auto found = identity.conditions.find(term.first);
      return found == identity.conditions.end() ? term.second.empty() : found->second == term.second;
    }
    return std::any_of(words.begin(), words.end(), [&](const auto& word) {
      return (term.first.empty() || word.first == term.first) && word.second == term.second;
    });
  });
}

}  // namespace railgauge::history
