// Joins the topology of a host with where its ranks run.
#include "bench/session/places.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <exception>
#include <set>

#include "bench/device/queues.hpp"
#include "bench/group/gather_json.hpp"
#include "topo/evidence/sysfs.hpp"
#include "topo/path.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"

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

// The ports near to each rank of this host, of `ranks`: what each said of itself. Not to know the topology is no reason to stop:
// the transport has a choice of its own.
Json ports_near(const std::vector<Json>& ranks) {
  Json near = Json::array();
  try {
    const topo::Graph graph = topo::build(topo::collect({}));
    const auto machine =
        std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const topo::Node& it) { return it.kind == topo::Kind::machine; });
    if (machine == graph.nodes.end()) return near;
    const std::vector<topo::ComputePort> ports = topo::compute_ports(graph, machine->key);
    const topo::Paths paths(graph);
    for (const Json& rank : ranks) {
      std::vector<std::string> names = ports_near_gpu(paths, rank.at("device").get<std::string>(), ports);
      if (names.empty()) names = ports_near_cores(ports, rank.at("nodes").get<std::vector<std::string>>());
      near.push_back(std::move(names));
    }
  } catch (const std::exception&) { return Json::array(); }
  return near;
}

}  // namespace

std::vector<std::string> ports_of_rank(Group& group, const std::string& device) {
  const std::vector<std::string>& hosts = group.nodes();
  const auto rank = static_cast<std::size_t>(group.rank());
  const std::vector<Json> all = gather_json(group, Json{{"device", device}, {"nodes", my_numa_nodes()}});
  std::vector<Json> here;
  std::size_t me = 0, first = all.size();
  for (std::size_t other = 0; other < all.size(); ++other) {
    if (hosts[other] != hosts[rank]) continue;
    first = std::min(first, other);
    if (other == rank) me = here.size();
    here.push_back(all[other]);
  }
  const std::vector<Json> near = gather_json(group, first == rank ? ports_near(here) : Json::array());
  return dealt(near[first].get<std::vector<std::vector<std::string>>>(), me);
}

Place make_place(Group& group, const Transport& transport, Device& device, std::size_t lanes, bool own_streams) {
  Place place;
  place.device_key = device.key();
  place.lanes.resize(lanes);
  auto* const queues = own_streams && transport.abilities().stream_ordered ? dynamic_cast<Queues*>(&device) : nullptr;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    place.lanes[lane].stream = queues != nullptr ? queues->stream_of(lane) : device.stream();
  if (!transport.abilities().ports) return place;
  const std::vector<std::string> ports = ports_of_rank(group, device.address());
  for (std::size_t lane = 0; lane < lanes && !ports.empty(); ++lane) place.lanes[lane].port = ports[lane % ports.size()];
  return place;
}

std::vector<std::string> ports_near_gpu(const topo::Paths& paths, const std::string& gpu,
                                        const std::vector<topo::ComputePort>& ports) {
  if (gpu.empty()) return {};
  topo::PathClass nearest = topo::PathClass::none;
  for (const topo::ComputePort& port : ports) nearest = std::min(nearest, paths.between(gpu, port.nic).path_class);
  std::vector<std::string> names;
  if (nearest == topo::PathClass::none) return names;
  for (const topo::ComputePort& port : ports)
    if (paths.between(gpu, port.nic).path_class == nearest) names.push_back(port.name);
  return names;
}

std::vector<std::string> ports_near_cores(const std::vector<topo::ComputePort>& ports, const std::vector<std::string>& nodes) {
  std::vector<std::string> names;
  for (const topo::ComputePort& port : ports)
    if (std::find(nodes.begin(), nodes.end(), port.numa) != nodes.end()) names.push_back(port.name);
  if (names.empty())
    for (const topo::ComputePort& port : ports) names.push_back(port.name);
  return names;
}

std::vector<std::string> dealt(const std::vector<std::vector<std::string>>& near, std::size_t me) {
  if (me >= near.size() || near[me].empty()) return {};
  std::vector<std::string> mine = near[me];
  const auto before = static_cast<std::size_t>(std::count(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(me), mine));
  std::rotate(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(before % mine.size()), mine.end());
  return mine;
}

}  // namespace railgauge
