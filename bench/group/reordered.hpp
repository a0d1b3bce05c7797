// A group whose ranks have other numbers.
#pragma once

#include <memory>
#include <vector>

#include "transports/group.hpp"

namespace railgauge {

// Rank r of the answer is rank order[r] of `group`, which `order` has each of once. The answer owns the group.
[[nodiscard]] std::unique_ptr<Group> reordered(std::unique_ptr<Group> group, std::vector<int> order);

}  // namespace railgauge
