// Reads the settings of the cuda_ipc transport.
#include "transports/cuda_ipc/settings.hpp"

#include <fmt/format.h>

#include <charconv>
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

std::uint32_t read_blocks(const std::string& given) {
  constexpr std::uint32_t most = 65535;
  std::uint32_t blocks = 0;
  const auto [end, fault] = std::from_chars(given.data(), given.data() + given.size(), blocks);
  if (fault != std::errc() || end != given.data() + given.size() || blocks == 0 || blocks > most)
    throw Error(Fault::usage, fmt::format("cuda_ipc.blocks={}: expected a number from 1 to {}", given, most));
  return blocks;
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
    else if (name == "blocks")
      options.blocks = read_blocks(value);
    else
      throw Error(Fault::usage,
                  fmt::format("the cuda_ipc transport has no setting \"{}\": it has handles, progress and blocks", name));
  }
  if (options.blocks != 0 && options.progress == Progress::host)
    throw Error(Fault::usage,
                "cuda_ipc.blocks is of the kernel that runs mapped plans, and with cuda_ipc.progress=host there is none");
  return options;
}

}  // namespace railgauge::cuda_ipc
