// Tries which words keep cases apart, then looks which conditions are constant on each side.
#include "reports/compare/purpose.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "reports/compare/side.hpp"

namespace railgauge::compare {
namespace {

using Launches = std::span<const LaunchResults>;

struct Word {
  std::string_view name;
  std::string Case::* member;
};
constexpr std::array words{Word{"transport", &Case::transport}, Word{"device", &Case::device},
                           Word{"algorithm", &Case::algorithm}};
constexpr std::array<std::string_view, 4> places{"host", "cpu", "kernel", "nodes"};

std::set<std::string> values_of(Launches launches, std::string Case::* word) {
  std::set<std::string> values;
  for (const LaunchResults& launch : launches)
    for (const Result& result : launch.results)
      if (result.summary.samples != 0) values.insert(result.point.*word);
  return values;
}

Side side_of(Launches launches, const std::vector<std::string>& allowed) {
  Side side{Allowed(allowed)};
  for (const LaunchResults& launch : launches)
    for (const Result& result : launch.results) side.add(launch.file, result);
  return side;
}

// Whether cases stay apart when this may differ too.
bool bearable(Launches launches, const std::vector<std::string>& allowed) {
  try {
    (void)side_of(launches, allowed);
    return true;
  } catch (const Error&) { return false; }
}

std::set<std::string> fields_of(const Side& base, const Side& next) {
  std::set<std::string> fields;
  for (const Difference& difference : differences(base, next)) fields.insert(difference.field);
  return fields;
}

}  // namespace

std::vector<std::string> differing_on_purpose(Launches base, Launches next) {
  std::vector<std::string> names;
  for (const Word& word : words) {
    if (values_of(base, word.member) == values_of(next, word.member)) continue;
    std::vector<std::string> wider = names;
    wider.emplace_back(word.name);
    if (bearable(base, wider) && bearable(next, wider)) names = std::move(wider);
  }
  const Side first = side_of(base, names), second = side_of(next, names);
  const std::set<std::string> within_first = fields_of(first, first), within_second = fields_of(second, second);
  for (const std::string& field : fields_of(first, second)) {
    const bool place = std::find(places.begin(), places.end(), field) != places.end();
    const bool known = std::find(names.begin(), names.end(), field) != names.end();
    if (!place && !known && !within_first.contains(field) && !within_second.contains(field)) names.push_back(field);
  }
  return names;
}

}  // namespace railgauge::compare
