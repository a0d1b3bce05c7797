// From the environment over the launcher's plugin to the control tree.
#include "bench/launch/bootstrap.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "bench/launch/environment_launch.hpp"
#include "bench/launch/pmi.hpp"

namespace railgauge {

namespace {

// Where rank 0 waits at an address that all were told.
Bootstrap environment_bootstrap(const Launch& launch, const Environment& environment, const Network& network) {
  const std::optional<EnvironmentLaunch> told = launch.told(environment);
  const std::optional<wire::Token> token = token_of(environment);
  if (!told || !token) throw Error(Fault::usage, fmt::format("{} does not say all that ranks need to meet", launch.launcher));
  Bootstrap bootstrap;
  bootstrap.placement = told->placement;
  if (told->placement.size == 1) return bootstrap;
  bootstrap.launched = true;
  if (told->placement.rank == 0) bootstrap.own.emplace(told->root.port, *token, network);
  bootstrap.address = bootstrap.own ? bootstrap.own->address() : to_text(Address{*token, {told->root}, true});
  return bootstrap;
}

// Null where it started this process alone, or does not count it at all.
std::unique_ptr<LauncherSession> open_session(const Launch& launch, const Environment& environment,
                                              const std::vector<std::filesystem::path>& plugin_folders, Seconds deadline) {
  if (launch.kind == Launch::Kind::pmi) return open_pmi(environment, deadline);
  const Plugin plugin = load_plugin("pmix", "railgauge_launcher", plugin_folders);
  if (plugin.symbol == nullptr) {
    refuse_singletons(launch, "the plugin pmix is not available: " + plugin.reason);
    return nullptr;
  }
  const LauncherTable& table = *reinterpret_cast<const LauncherTable* (*)()>(plugin.symbol)();
  if (table.abi != plugin_abi) throw Error(Fault::usage, fmt::format("{} belongs to another railgauge", plugin.path.string()));
  std::string reason;
  std::unique_ptr<LauncherSession> session = table.open(reason);
  if (!session) refuse_singletons(launch, reason);
  return session;
}

}  // namespace

Bootstrap make_bootstrap(const Environment& environment, const std::vector<std::filesystem::path>& plugin_folders,
                         Seconds deadline, const Network& network) {
  const Launch launch = detect_launch(environment);
  if (!joins(launch)) {
    refuse_singletons(launch);
    return {};
  }
  if (launch.kind == Launch::Kind::told) return environment_bootstrap(launch, environment, network);
  const std::unique_ptr<LauncherSession> session = open_session(launch, environment, plugin_folders, deadline);
  if (!session) return {};
  Bootstrap bootstrap;
  Placement& place = bootstrap.placement;
  place = session->placement();
  if (!launch.node.empty()) place.node = launch.node;
  if (place.size == 1) {
    if (launch.ranks > 1) refuse_singletons(launch, "PMIx knows of one rank only");
    return bootstrap;
  }
  bootstrap.launched = true;
  if (place.rank == 0) {
    bootstrap.own.emplace(Reach::network, network);
    bootstrap.end_all = session->end_all();
  }
  bootstrap.address = session->publish(bootstrap.own ? bootstrap.own->address() : std::string(), deadline);
  return bootstrap;
}

Launched join_launched(const Environment& environment, const std::vector<std::filesystem::path>& plugin_folders,
                       const std::string& arguments, const Deadlines& deadlines) {
  Bootstrap bootstrap = make_bootstrap(environment, plugin_folders, deadlines.rendezvous);
  bootstrap.end_all = nullptr;  // over PMI the first rank leaves only now, and before any other may be lost
  Launched launched;
  launched.placement = bootstrap.placement;
  if (!bootstrap.launched) return launched;
  const Placement& place = launched.placement;
  launched.tree = join({place.rank, place.size, place.node, arguments}, bootstrap.address, deadlines,
                       bootstrap.own ? &*bootstrap.own : nullptr);
  return launched;
}

}  // namespace railgauge
