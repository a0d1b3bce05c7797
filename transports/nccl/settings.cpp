// Reads the settings of the NCCL transport.
#include "transports/nccl/settings.hpp"

#include <fmt/format.h>
#include <nccl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "transports/nccl/profiler.hpp"

namespace railgauge::nccl {
namespace {

struct Switch {
  std::string_view name;
  bool Options::* value;
};
constexpr std::array switches{Switch{"shared_gpu", &Options::shared_gpu}, Switch{"register", &Options::registers}};

// From here on NCCL has a way of its own for ranks that share a GPU.
constexpr int knows_shared_gpus = NCCL_VERSION(2, 30, 0);

}  // namespace

Options read_options(const Settings& settings) {
  Options options;
  for (const auto& [name, value] : settings) {
    if (name.size() > 5 && name.starts_with("NCCL_")) {
      options.environment.emplace_back(name, value);
      continue;
    }
    bool known = false;
    for (const Switch& row : switches) {
      if (row.name != name) continue;
      if (value != "on" && value != "off")
        throw Error(Fault::usage, fmt::format("nccl.{} is off or on, not \"{}\"", name, value));
      options.*row.value = value == "on";
      known = true;
    }
    if (!known)
      throw Error(Fault::usage, fmt::format("the nccl transport has no setting \"{}\": it has shared_gpu, register, and every "
                                            "variable of NCCL by its name (NCCL_ALGO, NCCL_PROTO, ...)",
                                            name));
  }
  return options;
}

void apply(const Options& options, const Group& group) {
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  if (const char* const blocking = std::getenv("NCCL_COMM_BLOCKING"); blocking != nullptr && blocking != std::string_view("1"))
    throw Error(Fault::usage, fmt::format("NCCL_COMM_BLOCKING={}: railgauge waits for its calls, so leave it out", blocking));
  offer_profiler();
  setenv("NCCL_DEBUG_FILE", "/dev/stderr", 0);  // standard output has tables or results
  if (!options.shared_gpu) return;
  int version = 0;
  if (ncclGetVersion(&version) == ncclSuccess && version >= knows_shared_gpus) {
    setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 0);
    return;
  }
  setenv("NCCL_HOSTID", fmt::format("railgauge-rank-{}", group.rank()).c_str(), 0);
  const std::vector<std::string>& nodes = group.nodes();
  if (std::any_of(nodes.begin(), nodes.end(), [&](const std::string& node) { return node != nodes.front(); })) return;
  setenv("NCCL_NET", "Socket", 0);
  setenv("NCCL_SOCKET_IFNAME", "lo", 0);
}

}  // namespace railgauge::nccl
