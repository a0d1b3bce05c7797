// NVLinks that a second source of one machine tells differently: by the switch that it does not see, by pairs of GPUs, one by
// one.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "topo/graph.hpp"

namespace railgauge::topo {

class NvlinksKnown {
 public:
  explicit NvlinksKnown(const Graph& graph);

  // Whether the graph has this link already, told otherwise. Keys are those of the graph. A link between GPUs whose NVLinks lead
  // to switches becomes a path: nvidia-smi's NV18 counts the links of either.
  [[nodiscard]] bool has(Link& link, Kind a, Kind b) const;

  // The key of the only NVSwitch where `node` stands for those that its source does not see; else empty.
  [[nodiscard]] std::string stands_for(const Node& node) const;
  [[nodiscard]] static bool is_stand_in(const Node& node);

 private:
  std::map<std::pair<std::string, std::string>, bool> pairs_;  // and whether their links have numbers
  std::set<std::string> ends_, switched_, switches_;           // what has NVLinks, what has them to switches, and these
};

}  // namespace railgauge::topo
