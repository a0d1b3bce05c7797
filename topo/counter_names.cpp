// Parts of the names that kernels and drivers give to counters.
#include "topo/counter_names.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace railgauge::topo {
namespace {

// Each vendor has counters of its own for traffic, but names errors much alike.
constexpr auto errors = std::to_array<std::string_view>(
    {"err",    "crc",     "ecc",      "discard",   "drop", "retr",    "replay", "out_of_", "nak",     "timeout",
     "downed", "recover", "exceeded", "duplicate", "fail", "overrun", "lost",   "bad_",    "invalid", "corrupt"});
// Words that hold one of those by chance.
constexpr auto others = std::to_array<std::string_view>({"deferred", "transferred", "preferred", "interrupt", "retrieve"});

bool has_any(const std::string& name, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

}  // namespace

bool counts_errors(std::string_view name) {
  std::string small(name);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return has_any(small, errors) && !has_any(small, others);
}

}  // namespace railgauge::topo
