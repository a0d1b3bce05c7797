// Large JSON files read piece by piece: the elements of their long list, one at a time, and a few other members.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "bench/workload/read/trace_input.hpp"

namespace railgauge {

// Bounds on one element: what is beyond them is refused.
inline constexpr std::size_t most_values = 200'000, most_depth = 64;

struct ElementsRequest {
  std::string list;               // the member of the topmost object that is the list; empty: the topmost value is the list
  std::set<std::string> members;  // others that are wanted
  std::function<void(const nlohmann::json&, std::size_t number)> take;  // each element of the list, all objects, in order
  std::function<void(const std::string& key, const nlohmann::json&)> member;
};

// Throws Error(usage) "ORIGIN: ..." for what is no JSON, too deep or too large in one piece.
void read_elements(TraceInput& input, const ElementsRequest& request);

// JSON inside a string of a trace, under the same bounds; nothing where it is none.
[[nodiscard]] std::optional<nlohmann::json> parse_bounded(std::string_view text);

// A number that counts: a whole one that is not negative; nothing for anything else.
[[nodiscard]] std::optional<std::uint64_t> whole(const nlohmann::json& value);
// Any finite number.
[[nodiscard]] std::optional<double> finite(const nlohmann::json& value);
// The member of an object; null where there is none.
[[nodiscard]] const nlohmann::json* member_of(const nlohmann::json& object, const char* key);
// Its text; empty where it is no string.
[[nodiscard]] std::string text_of(const nlohmann::json* value);

}  // namespace railgauge
