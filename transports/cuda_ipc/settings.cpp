// Reads the settings of the cuda_ipc transport.
#include "transports/cuda_ipc/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace railgauge::cuda_ipc {

Options read_options(const Settings& settings) {
  static constexpr std::array kinds{std::pair<std::string_view, HandleKind>{"legacy", HandleKind::legacy},
                                    std::pair<std::string_view, HandleKind>{"fd", HandleKind::fd},
                                    std::pair<std::string_view, HandleKind>{"fabric", HandleKind::fabric}};
  Options options;
  for (const auto& [name, value] : settings) {
    if (name != "handles")
      throw Error(Fault::usage, fmt::format("the cuda_ipc transport has no setting \"{}\": it has handles", name));
    const auto* const kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& row) { return row.first == value; });
    if (kind == kinds.end()) throw Error(Fault::usage, fmt::format("cuda_ipc.handles={}: expected legacy, fd or fabric", value));
    options.handles = kind->second;
  }
  return options;
}

}  // namespace railgauge::cuda_ipc
