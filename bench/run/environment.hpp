// Whether the ranks of a run have the same environment, as far as it changes what is measured (reports/environment.hpp).
#pragma once

#include <string>
#include <vector>

#include "reports/environment.hpp"
#include "transports/group.hpp"

namespace railgauge {

// Collective: the names of variables that not all ranks have alike, sorted; without those of which each rank has its own. `mine`
// is told_environment() of this rank.
[[nodiscard]] std::vector<std::string> differing_variables(Group& group, const Variables& mine);

}  // namespace railgauge
