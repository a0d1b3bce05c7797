// Puts the remarks of a result together.
#include "reports/record/remark.hpp"

#include <cstddef>
#include <vector>

#include "base/output/text.hpp"
#include "reports/power/power.hpp"
#include "reports/power/wire.hpp"

namespace railgauge {
namespace {

std::string differences_of(const std::vector<std::string>& variables) {
  constexpr std::size_t named = 3;
  std::string text;
  for (std::size_t i = 0; i < variables.size() && i < named; ++i) text += (i == 0 ? "" : ", ") + printable(variables[i]);
  if (variables.size() > named) text += " and " + std::to_string(variables.size() - named) + " more";
  return text.empty() ? text : text + ": not all ranks have the value that rank 0 has in its environment";
}

}  // namespace

std::string remark_of(const Result& result) {
  std::string text;
  for (const std::string& remark :
       {result.wire ? remark_of(*result.wire) : std::string(), result.power ? remark_of(*result.power) : std::string(),
        differences_of(result.environment_differs)})
    if (!remark.empty()) text += (text.empty() ? "" : "; ") + remark;
  return text;
}

}  // namespace railgauge
