// From the environment over the launcher's plugin to the control tree.
#include "bench/launch/launched.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/error.hpp"

namespace railgauge {

Launched join_launched(const Environment& environment, const std::vector<std::filesystem::path>& plugin_folders,
                       const std::string& arguments, const Deadlines& deadlines) {
  const Launch launch = detect_launch(environment);
  if (launch.kind != Launch::Kind::pmix) {
    refuse_singletons(launch);
    return {};
  }
  const Plugin plugin = load_plugin("pmix", "railgauge_launcher", plugin_folders);
  if (plugin.symbol == nullptr) {
    refuse_singletons(launch, "the plugin pmix is not available: " + plugin.reason);
    return {};
  }
  const LauncherTable& table = *reinterpret_cast<const LauncherTable* (*)()>(plugin.symbol)();
  if (table.abi != plugin_abi) throw Error(Fault::usage, fmt::format("{} belongs to another railgauge", plugin.path.string()));
  std::string reason;
  std::unique_ptr<LauncherSession> session = table.open(reason);
  if (!session) {
    refuse_singletons(launch, reason);
    return {};
  }
  Launched launched;
  launched.placement = session->placement();
  if (!launch.node.empty()) launched.placement.node = launch.node;
  const Placement& place = launched.placement;
  if (place.size == 1) {
    if (launch.ranks > 1) refuse_singletons(launch, "PMIx knows of one rank only");
    return launched;
  }
  std::optional<Rendezvous> own;
  if (place.rank == 0) own.emplace(Reach::network);
  const std::string address = session->publish(own ? own->address() : std::string(), deadlines.meeting);
  session.reset();
  launched.tree = join({place.rank, place.size, place.node, arguments}, address, deadlines, own ? &*own : nullptr);
  return launched;
}

}  // namespace railgauge
