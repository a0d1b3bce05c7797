// Joins the topology of a host with where its ranks run.
#include "bench/places.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <exception>
#include <set>

#include "bench/gather_json.hpp"
#include "topo/build.hpp"
#include "topo/evidence/evidence.hpp"
#include "topo/evidence/sysfs.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

// The NUMA nodes of the cores that this rank may run on.
std::set<std::string> my_numa_nodes() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return {};
  std::set<std::string> nodes;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &cores)) continue;
    for (const std::string& name : topo::sysfs_names(fmt::format("/sys/devices/system/cpu/cpu{}", core)))
      if (name.starts_with("node") && name.find_first_not_of("0123456789", 4) == std::string::npos)
        nodes.insert("numa" + name.substr(4));
  }
  return nodes;
}

// Not to know the topology is no reason to stop: the transport has a choice of its own.
Json my_ports() {
  Json ports = Json::array();
  try {
    const topo::Graph graph = topo::build(topo::collect({}));
    const auto machine =
        std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const topo::Node& it) { return it.kind == topo::Kind::machine; });
    if (machine == graph.nodes.end()) return ports;
    for (const topo::ComputePort& port : topo::compute_ports(graph, machine->key)) ports.push_back({port.name, port.numa});
  } catch (const std::exception&) { return Json::array(); }
  return ports;
}

}  // namespace

std::vector<std::string> ports_of_rank(Group& group) {
  const std::vector<std::string>& hosts = group.nodes();
  const auto rank = static_cast<std::size_t>(group.rank());
  const bool first = std::find(hosts.begin(), hosts.end(), hosts[rank]) == hosts.begin() + group.rank();
  const Json mine{{"ports", first ? my_ports() : Json::array()}, {"nodes", my_numa_nodes()}};
  std::vector<topo::ComputePort> ports;
  std::vector<std::vector<std::string>> nodes;
  std::size_t me = 0;
  const std::vector<Json> all = gather_json(group, mine);
  for (std::size_t other = 0; other < all.size(); ++other) {
    if (hosts[other] != hosts[rank]) continue;
    if (other == rank) me = nodes.size();
    nodes.push_back(all[other].at("nodes").get<std::vector<std::string>>());
    for (const Json& port : all[other].at("ports"))
      ports.push_back({port.at(0).get<std::string>(), port.at(1).get<std::string>()});
  }
  return nearest_ports(ports, nodes, me);
}

Place make_place(Group& group, const Transport& transport, std::size_t lanes) {
  Place place;
  place.lanes.resize(lanes);
  if (!transport.abilities().ports) return place;
  const std::vector<std::string> ports = ports_of_rank(group);
  for (std::size_t lane = 0; lane < lanes && !ports.empty(); ++lane) place.lanes[lane].port = ports[lane % ports.size()];
  return place;
}

std::vector<std::string> nearest_ports(const std::vector<topo::ComputePort>& ports,
                                       const std::vector<std::vector<std::string>>& nodes, std::size_t me) {
  const auto near = [&](std::size_t rank) {
    std::vector<std::string> names;
    for (const topo::ComputePort& port : ports)
      if (std::find(nodes[rank].begin(), nodes[rank].end(), port.numa) != nodes[rank].end()) names.push_back(port.name);
    if (names.empty())
      for (const topo::ComputePort& port : ports) names.push_back(port.name);
    return names;
  };
  std::vector<std::string> mine = near(me);
  std::size_t before = 0;
  for (std::size_t rank = 0; rank < me; ++rank) before += near(rank) == mine ? 1 : 0;
  if (!mine.empty()) std::rotate(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(before % mine.size()), mine.end());
  return mine;
}

}  // namespace railgauge
