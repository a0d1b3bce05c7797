// Which variables of the environment change what is measured, and so belong to a result. All others stay out: an environment
// holds secrets.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace railgauge {

struct VariableRow {
  std::string_view pattern;  // with one * at most, at either end
  std::string_view reason;   // what it changes
  bool per_rank = false;     // ranks have values of their own where all is well
  bool presence = false;     // that it is set is told, and not to what
};

[[nodiscard]] std::span<const VariableRow> measured_variables() noexcept;  // static storage

// Whether the name of a variable gives away that it is nobody's business, whatever it begins with.
[[nodiscard]] bool looks_secret(std::string_view name);

// The row of a variable that may be told; null for all others, and for those whose name looks like that of a secret.
[[nodiscard]] const VariableRow* find_variable(std::string_view name);

using Variables = std::vector<std::pair<std::string, std::string>>;  // name, value

// What a result holds of an environment, by name. Values are of one line, and of 256 characters at most.
[[nodiscard]] Variables told_environment(const std::map<std::string, std::string, std::less<>>& environment);

}  // namespace railgauge
