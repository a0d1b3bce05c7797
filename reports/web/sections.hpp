// The parts of a page that need no script: headings, sentences and tables. Where a chart belongs, an empty element with
// data-chart waits for the script, and the table below it says the same.
#pragma once

#include <vector>

#include "reports/web/frame.hpp"
#include "reports/web/gather.hpp"
#include "reports/web/verdict.hpp"

namespace railgauge::web {

// Without charts tables are open, since they are all there is.
[[nodiscard]] std::vector<Section> sections_of(const Contents& contents, bool charts);
[[nodiscard]] Section verdict_section(const PageVerdict& verdict);

}  // namespace railgauge::web
