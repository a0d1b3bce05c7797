// What a user picks of a history: Filter of reports/history/history.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/units.hpp"
#include "reports/history/history.hpp"
#include "reports/text.hpp"

namespace railgauge::history {
namespace {

// Those of words_of() (reports/compare/side.hpp), without blanks.
constexpr std::string_view names[] = {"collective", "size", "type",  "op",       "algorithm", "transport", "memory", "ranks",
                                      "mode",       "root", "lanes", "in_place", "window",    "seed",      "pair"};
constexpr std::string_view conditions[] = {"topology", "cpu", "kernel", "path", "cache", "nodes"};

bool is_condition(std::string_view name) {
  return std::find(std::begin(conditions), std::end(conditions), name) != std::end(conditions) ||
         name.substr(0, 9) == "versions." || name.substr(0, 9) == "settings.";
}

std::string joined() {
  std::string all;
  for (const std::string_view name : names) all += std::string(name) + ", ";
  for (const std::string_view name : conditions) all += std::string(name) + ", ";
  return all + "versions.NAME and settings.NAME";
}

}  // namespace

Filter::Filter(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t equal = word.find('=');
    std::string name = equal == std::string::npos ? std::string() : word.substr(0, equal);
    std::string value = equal == std::string::npos ? word : word.substr(equal + 1);
    if (equal != std::string::npos && std::find(std::begin(names), std::end(names), name) == std::end(names) &&
        !is_condition(name))
      throw Error(Fault::usage,
                  fmt::format("{}: there is no '{}' to choose by; there are {}", printable(word), printable(name), joined()));
    if (name == "size") value = format_bytes(parse_bytes(value));
    std::replace(name.begin(), name.end(), '_', ' ');  // in_place; conditions have names of their own, below
    terms_.emplace_back(is_condition(word.substr(0, equal)) ? word.substr(0, equal) : std::move(name), std::move(value));
  }
}

bool Filter::fits(const Identity& identity) const {
  const compare::Words words = compare::words_of(identity.key);
  return std::all_of(terms_.begin(), terms_.end(), [&](const auto& term) {
    const auto& [name, value] = term;
    if (is_condition(name)) {
      const auto found = identity.conditions.find(name);
      return found == identity.conditions.end() ? value.empty() : found->second == value;
    }
    return std::any_of(words.begin(), words.end(),
                       [&](const auto& word) { return (name.empty() || word.first == name) && word.second == value; });
  });
}

}  // namespace railgauge::history
