// What a graph should carry: the way between two nodes, and for each collective a ceiling for every algorithm, with the formula
// and the numbers that gave it. Facts behind the formulas: docs/topology.md.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "topo/graph.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {

// From one node to another. Bandwidths are GB/s in each direction, of the narrowest part; zeros are unknown.
struct Way {
  End a, b;
  std::string
      path_class;  // a word of topo/path.hpp with the number of links ("NV18", "PIX", "SYS"), or "NET" through the network
  Bandwidth bandwidth;
  std::vector<End> route;          // from a to b, both included
  std::vector<std::size_t> links;  // of graph.links, in order; through NVSwitches all of one end, then all of the other
  End narrow_a, narrow_b;          // ends of the narrowest link; empty keys when no link's bandwidth is known
};

// Through one machine where there is a way, else through the network: from the NICs or ports that are nearest. Throws
// Error(usage) when a key names nothing or when no way is known.
[[nodiscard]] Way way_between(const Graph&, std::string_view a, std::string_view b);

// Many ways on one graph, which must outlive it and stay as it is.
class Ways {
 public:
  explicit Ways(const Graph& graph);
  explicit Ways(Graph&&) = delete;
  ~Ways();
  [[nodiscard]] Way between(std::string_view a, std::string_view b);  // as way_between()

 private:
  class Router;
  std::unique_ptr<Router> router_;
};

// What was measured from one host to another, by their names: GB/s.
struct HostPair {
  std::string from, to;
  double bandwidth = 0;
};
// Measured over expected of each link between hosts, by link_key() of topo/layout/layout.hpp: that of the best pair whose way it
// lies on, since one good pair proves a link, and a bad one may be another link's fault. Pairs within a host are passed over.
// Throws Error(usage) when the graph lacks a host or a way between two.
[[nodiscard]] std::map<std::string, double, std::less<>> measured_ratios(const Graph&, const std::vector<HostPair>& pairs);

// The key of a node as people name it: its key, "gpu3", "GPU 3", "mlx5_0", "mlx5_0/1", "node7/gpu3", a switch's name. Throws
// Error(usage) when there is none, or several.
[[nodiscard]] std::string find_node(const Graph&, std::string_view said);

// The numbers of the formulas: ranks, one a GPU, in equal groups that NVLink, xGMI or else PCIe joins.
struct Team {
  unsigned ranks = 0;                       // n
  unsigned domains = 1;                     // k, each of n/k ranks
  double inside = 0;                        // V: GB/s of each GPU to the others of its domain, each direction; 0 is unknown
  double network = 0;                       // r: GB/s of NICs for each GPU; 0 is unknown
  bool multicast = false;                   // NVSwitches that reduce and multiply (NVLS)
  bool aggregation = false;                 // a fabric that reduces (SHARP)
  std::string inside_words, network_words;  // "18 NVLinks of a GPU: 450 GB/s"
};

// The first `ranks` GPUs of the graph, machine by machine. More than the graph of a single machine has are on machines like it.
// Throws Error(usage) when there are no GPUs or when the ranks do not fill machines equally.
[[nodiscard]] Team team_of(const Graph&, unsigned ranks);
[[nodiscard]] unsigned gpus_of(const Graph&);  // how many

// The NICs of one machine that carry what ranks send each other (topo/roles.hpp: compute).
struct HostNetwork {
  double bandwidth = 0;  // GB/s in each direction, together; 0 is unknown
  unsigned nics = 0;     // that tell theirs
};
// Of the machine with that name, with or without domain, or key. Throws Error(usage) when the graph has none.
[[nodiscard]] HostNetwork network_of(const Graph&, std::string_view host);

// Ranks on host memory, equally many on each host; `inside` is unknown. Throws Error(usage) when they cannot be.
[[nodiscard]] Team host_team(unsigned ranks, unsigned nodes, const HostNetwork& each);

struct Ceiling {
  std::string algorithm;  // "ring", "hierarchical", "nvls", "nvls tree", "sharp", "direct"
  double bus = 0;         // GB/s, bus bandwidth as nccl-tests define it; 0 when a number is unknown
  double algorithmic = 0;
  std::string formula;  // "min(V, g*r)"
  std::string numbers;  // "min(450, 8*50)"
  std::string refusal;  // why this hardware cannot run it; empty when it can
};

[[nodiscard]] bool has_ceilings(Collective) noexcept;  // whether a formula is known

// The highest first, those that cannot run last. Throws Error(usage) when the collective moves no data that a formula is known
// for, or when there are fewer than two ranks.
[[nodiscard]] std::vector<Ceiling> ceilings(Collective, const Team&);

// For people; each ends with a newline.
[[nodiscard]] std::string to_text(const Way&);
[[nodiscard]] std::string to_text(Collective, const Team&, const std::vector<Ceiling>&);
[[nodiscard]] std::string to_json(const Way&);
[[nodiscard]] std::string to_json(Collective, const Team&, const std::vector<Ceiling>&);

}  // namespace railgauge::topo
