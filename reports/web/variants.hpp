// Joins the curves of a transport whose sizes were each run by one algorithm alone, as auto chooses it, to one curve.
#pragma once

#include <vector>

#include "reports/web/gather.hpp"

namespace railgauge::web {

// Joins the curves of one family, transport and run that have no size in common. Where two of them share a size somebody compares
// them, and they stay apart.
void join_variants(std::vector<Curve>& curves);

}  // namespace railgauge::web
