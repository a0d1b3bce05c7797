// `railgauge history` without its command line, so that others can call it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace railgauge {

// The history of this user: railgauge/history.db in XDG_DATA_HOME, or else in ~/.local/share. `make`: its folder where it is
// missing. Throws Error(usage) where there is neither.
[[nodiscard]] std::string default_history_path(const std::function<std::optional<std::string>(std::string_view)>& environment,
                                               bool make);

}  // namespace railgauge
