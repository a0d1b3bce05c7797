// Where each size was run one way alone, as auto chooses it, a transport has one curve and not a piece of one for each algorithm.
#pragma once

#include <vector>

#include "reports/web/gather.hpp"

namespace railgauge::web {

// Joins the curves of one family, transport and run whose sizes differ. Where two of them have a size in common somebody compares
// them, and they stay apart.
void join_ways(std::vector<Curve>& curves);

}  // namespace railgauge::web
