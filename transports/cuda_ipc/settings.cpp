// Reads the settings of the cuda_ipc transport.
#include "transports/cuda_ipc/settings.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace railgauge::cuda_ipc {
namespace {

template <class Value>
Value choose(const std::string& name, const std::string& given, const std::vector<std::pair<std::string_view, Value>>& known) {
  std::string names;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i].first == given) return known[i].second;
    names += fmt::format("{}{}", i == 0 ? "" : i + 1 == known.size() ? " or " : ", ", known[i].first);
  }
  throw Error(Fault::usage, fmt::format("cuda_ipc.{}={}: expected {}", name, given, names));
}

}  // namespace

Options read_options(const Settings& settings) {
  Options options;
  for (const auto& [name, value] : settings) {
    if (name == "handles")
      options.handles = choose<HandleKind>(
          name, value, {{"legacy", HandleKind::legacy}, {"fd", HandleKind::fd}, {"fabric", HandleKind::fabric}});
    else if (name == "progress")
      options.progress = choose<Progress>(name, value, {{"stream", Progress::stream}, {"host", Progress::host}});
    else
      throw Error(Fault::usage, fmt::format("the cuda_ipc transport has no setting \"{}\": it has handles and progress", name));
  }
  return options;
}

}  // namespace railgauge::cuda_ipc
