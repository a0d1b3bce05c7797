// From the environment over the launcher's plugin to the control tree.
#include "bench/launch/launched.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {

Appointment make_appointment(const Environment& environment, const std::vector<std::filesystem::path>& plugin_folders,
                             Seconds deadline) {
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
  Appointment appointment;
  Placement& place = appointment.placement;
  place = session->placement();
  if (!launch.node.empty()) place.node = launch.node;
  if (place.size == 1) {
    if (launch.ranks > 1) refuse_singletons(launch, "PMIx knows of one rank only");
    return appointment;
  }
  appointment.launched = true;
  if (place.rank == 0) appointment.own.emplace(Reach::network);
  appointment.address = session->publish(appointment.own ? appointment.own->address() : std::string(), deadline);
  return appointment;
}

Launched join_launched(const Environment& environment, const std::vector<std::filesystem::path>& plugin_folders,
                       const std::string& arguments, const Deadlines& deadlines) {
  Appointment appointment = make_appointment(environment, plugin_folders, deadlines.meeting);
  Launched launched;
  launched.placement = appointment.placement;
  if (!appointment.launched) return launched;
  const Placement& place = launched.placement;
  launched.tree = join({place.rank, place.size, place.node, arguments}, appointment.address, deadlines,
                       appointment.own ? &*appointment.own : nullptr);
  return launched;
}

}  // namespace railgauge
