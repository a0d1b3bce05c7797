// Names first, since they cost nothing, then GUIDs.
#include "bench/validate/stages/switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/validate/method/fabric.hpp"
#include "bench/validate/stages/facts.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* switches_stage = "switches";
constexpr std::size_t most_names = 2;

// Of those that answer; the others have none.
std::vector<HostDevices> devices_of(ValidationRun& run, const std::vector<Index>& hosts) {
  std::vector<HostDevices> devices(run.fleet.hosts.size());
  for (const auto& [host, facts] : read_facts_of(run, switches_stage, hosts, topo::preflight::Extent::all))
    for (const topo::preflight::Fact& fact : facts.facts)
      if ((fact.name == "node guid" || fact.name == "port guid") && fact.unread.empty())
        devices[host].push_back({fact.subject.substr(0, fact.subject.find('/')), topo::guid_key(fact.value)});
  return devices;
}

std::string first_names(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return text;
}

std::vector<std::string> names_of(const ValidationRun& run, const std::vector<Index>& hosts) {
  std::vector<std::string> names;
  for (const Index host : hosts) names.push_back(run.fleet.hosts[host].name);
  return names;
}

[[noreturn]] void refuse(const ValidationRun& run, const FabricFound& known, const std::string& origin) {
  if (known.machines.empty())
    throw Error(Fault::usage,
                fmt::format("{} has no switch with a host: give a topology of the fabric, as ibnetdiscover or topology.conf, "
                            "and not of a machine",
                            origin));
  throw Error(Fault::usage,
              fmt::format("{} knows none of these hosts: its own are called {}, and these {}; give the topology of this cluster, "
                          "or one with the names that the launcher gives",
                          origin, first_names(known.machines), first_names(names_of(run, known.strangers))));
}

void tell_names(ValidationRun& run) {
  for (Index host = 0; host < run.fleet.hosts.size(); ++host)
    for (Index rail = 0; rail < run.fleet.hosts[host].rails.size(); ++rail) {
      const Attachment& at = run.fleet.hosts[host].rails[rail];
      validation::RailFigures& told = run.found.hosts[host].rails[rail];
      told.port = at.port;
      if (at.leaf == npos) continue;
      told.leaf = run.fleet.switches[at.leaf].name;
      told.leaf_port = at.leaf_port;
    }
}

}  // namespace

void learn_switches(ValidationRun& run, const topo::Graph& graph, const std::string& origin) {
  const std::size_t hosts = run.fleet.hosts.size();
  FabricFound known = add_fabric(run.fleet, graph);
  // A port that ranks were told to send by may have another name in the fabric.
  std::vector<Index> ask = known.strangers;
  if (!run.options.ports.empty()) ask.insert(ask.end(), known.loose.begin(), known.loose.end());
  std::erase_if(ask, [&](Index host) { return !run.lives(host); });
  if (!ask.empty() && !known.machines.empty()) known = add_fabric(run.fleet, graph, devices_of(run, ask));
  if (known.machines.empty() || known.strangers.size() == hosts) refuse(run, known, origin);
  tell_names(run);
  if (!known.strangers.empty())
    run.found.unread.push_back(
        {"place in the fabric", fmt::format("{} does not know these hosts", origin), names_of(run, known.strangers)});
  if (!known.loose.empty())
    run.found.unread.push_back({"leaves of all rails",
                                fmt::format("{} does not tell which cable each rank sends by: name ports with --set, as "
                                            "ucx.devices=mlx5_0:1,mlx5_1:1",
                                            origin),
                                names_of(run, known.loose)});
  run.notes.push_back(fmt::format("{} of {} hosts stand in a fabric of {} switches and {} cables between them ({}){}",
                                  hosts - known.strangers.size(), hosts, run.fleet.switches.size(), run.fleet.cables.size(),
                                  known.shape, run.fleet.route ? "; routes are known" : ""));
}

}  // namespace railgauge::validate
