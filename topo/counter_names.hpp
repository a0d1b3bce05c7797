// The meaning of counters of ports and links, by their names.
#pragma once

#include <string_view>

namespace railgauge::topo {

// Whether a counter with this name counts errors rather than traffic or time.
[[nodiscard]] bool counts_errors(std::string_view name);

}  // namespace railgauge::topo
