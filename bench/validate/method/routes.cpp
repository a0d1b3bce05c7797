// A switch looks up the address of the receiver, and its table says by which port it goes on.
#include "bench/validate/method/routes.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "topo/infiniband.hpp"

namespace railgauge::validate {
namespace {

constexpr unsigned most_hops = 16;

struct Table {
  std::vector<std::uint8_t> ports;  // by address; topo::no_port: none
  struct Neighbour {
    Index cable = npos, to = npos;
    bool down = false;
  };
  std::vector<Neighbour> neighbours;  // by port
};

struct Tables {
  std::vector<Table> switches;
  std::vector<std::vector<Index>> leaves;             // by host and rail
  std::vector<std::vector<std::uint32_t>> addresses;  // the same

  void follow(Index from, Index to, Index rail, std::vector<Hop>& hops) const {
    if (rail >= leaves[from].size() || rail >= leaves[to].size()) return;
    const std::size_t before = hops.size();
    const Index goal = leaves[to][rail];
    Index at = leaves[from][rail];
    if (at == npos || goal == npos) return;
    const std::uint32_t address = addresses[to][rail];
    while (at != goal) {
      const Table& table = switches[at];
      const unsigned port = address < table.ports.size() ? table.ports[address] : topo::no_port;
      if (port >= table.neighbours.size() || table.neighbours[port].cable == npos || hops.size() - before >= most_hops) {
        hops.resize(before);
        return;
      }
      hops.push_back({table.neighbours[port].cable, table.neighbours[port].down});
      at = table.neighbours[port].to;
    }
  }
};

void add_neighbour(Table& table, unsigned port, Table::Neighbour neighbour) {
  if (port == 0 || port >= topo::no_port) return;  // no table can name it
  if (table.neighbours.size() <= port) table.neighbours.resize(port + 1);
  table.neighbours[port] = neighbour;
}

}  // namespace

Route routes_of(const Fleet& fleet, const topo::Graph& graph) {
  std::unordered_map<std::string_view, std::string_view> told;
  for (const topo::Node& node : graph.nodes)
    if (const std::string_view routes = topo::text_of(node.attributes, topo::forwarding_attribute); !routes.empty())
      told.emplace(node.key, routes);
  if (told.empty() || fleet.switches.empty()) return {};
  const auto tables = std::make_shared<Tables>();
  for (const Switch& it : fleet.switches) {
    const auto found = told.find(it.key);
    std::optional<std::vector<std::uint8_t>> ports;
    if (found != told.end()) ports = topo::forwarding_table(found->second);
    if (!ports) return {};
    tables->switches.push_back({std::move(*ports), {}});
  }
  for (Index at = 0; at < fleet.cables.size(); ++at) {
    const Cable& it = fleet.cables[at];
    add_neighbour(tables->switches[it.a], it.a_port, {at, it.b, false});
    add_neighbour(tables->switches[it.b], it.b_port, {at, it.a, true});
  }
  bool any = false;
  for (const Host& host : fleet.hosts) {
    std::vector<Index>& leaves = tables->leaves.emplace_back();
    std::vector<std::uint32_t>& addresses = tables->addresses.emplace_back();
    for (const Attachment& it : host.rails) {
      leaves.push_back(it.leaf);
      addresses.push_back(it.address);
      any = any || it.address != 0;
    }
  }
  if (!any) return {};
  return [tables](Index from, Index to, Index rail, std::vector<Hop>& hops) { tables->follow(from, to, rail, hops); };
}

}  // namespace railgauge::validate
