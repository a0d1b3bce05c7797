// What the ranks of a run tell each other about themselves, as JSON: any two versions of railgauge can at least read it.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "transports/group.hpp"

namespace railgauge {

// Collective: what each rank gave as `mine`, in the order of the ranks. Bytes that are no UTF-8 are replaced. Throws what the
// group's allgather does, and Error(lost) that names the rank whose words are no JSON.
[[nodiscard]] std::vector<nlohmann::json> gather_json(Group& group, const nlohmann::json& mine);

}  // namespace railgauge
