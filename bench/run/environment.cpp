// Ranks tell each other digits first, and names only where those differ: thousands of ranks mostly have one environment.
#include "bench/run/environment.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "bench/group/gather_json.hpp"
#include "topo/fingerprint.hpp"

namespace railgauge {

std::vector<std::string> differing_variables(Group& group, const Variables& mine) {
  using Json = nlohmann::json;
  Json shared = Json::object();
  for (const auto& [name, value] : mine)
    if (const VariableRow* const row = find_variable(name); row == nullptr || !row->per_rank)
      shared[name] = topo::digits_of(value);
  const std::vector<Json> digits = gather_json(group, topo::digits_of(shared.dump()));
  if (std::adjacent_find(digits.begin(), digits.end(), std::not_equal_to<>()) == digits.end()) return {};
  const std::vector<Json> all = gather_json(group, shared);
  std::set<std::string> names, differing;
  for (const Json& its : all)
    for (const auto& [name, value] : its.items()) names.insert(name);
  for (const std::string& name : names)
    for (const Json& its : all)
      if (its.value(name, std::string()) != all.front().value(name, std::string())) differing.insert(name);
  return {differing.begin(), differing.end()};
}

}  // namespace railgauge
