// A graph while it is generated: nodes and links in order, switches with their next free port, and GUIDs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

class Assembly {
 public:
  // Nodes come in depth-first order.
  Node& add(std::string key, Kind kind, std::string name, std::string parent);
  // Of both nodes the keys. The state is active.
  Link& join(std::string a, std::string b, LinkKind kind);

  // Locally administered, so that they are nobody's: no vendor gives them out.
  [[nodiscard]] std::string next_adapter();  // "0x0200000000000001"

  // A switch of a fabric, by its place among switches.
  [[nodiscard]] std::size_t add_switch(const std::string& name);
  // A cable from a NIC's port, or from a switch below, to the next free ports of the switches.
  void cable(const std::string& port, std::size_t to, const Rate& rate);
  void cable(std::size_t from, std::size_t to, const Rate& rate);

  void add_aggregation() { aggregation_ = true; }  // each switch reduces (SHARP)
  void reserve(std::size_t nodes, std::size_t links);
  [[nodiscard]] Graph take();

 private:
  struct Switch {
    std::string key, name;
    unsigned ports = 0;  // in use
  };
  Link& cable_between(std::string a, std::string b, const Rate& rate);

  Graph graph_;
  std::vector<Switch> switches_;  // nodes at the end, when it is known how many ports are in use
  std::uint64_t adapters_ = 0;
  bool aggregation_ = false;
};

}  // namespace railgauge::topo
