// Expected bandwidths on a graph: of the path between two nodes, and for each collective a ceiling for every algorithm, with its
// formula and numbers. docs/verdicts.md explains the formulas.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "topo/expect/bands.hpp"
#include "topo/graph.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {

// The path from node a to node b. Its bandwidth is that of the bottleneck, in each direction; zeros are unknown.
struct ExpectedPath {
  NodePort a, b;
  // A word of topo/path.hpp with the number of links ("NV18", "PIX", "SYS"), or "NET" through the network.
  std::string path_class;
  Bandwidth bandwidth;
  std::vector<NodePort> route;     // from a to b, both included
  std::vector<std::size_t> links;  // places in Graph::links, in order; through NVSwitches all links of a, then all of b
  NodePort narrow_a, narrow_b;     // ends of the bottleneck; empty keys when no link's bandwidth is known
};

// The path inside one machine where one is known, else through the network from the nearest NICs or ports. `a` and `b` are keys.
// Throws Error(usage) when the graph lacks a key or knows no path.
[[nodiscard]] ExpectedPath expected_path(const Graph&, std::string_view a, std::string_view b);

// Many paths on one graph, which must outlive this object and stay unchanged.
class ExpectedPaths {
 public:
  explicit ExpectedPaths(const Graph& graph);
  explicit ExpectedPaths(Graph&&) = delete;
  ~ExpectedPaths();
  [[nodiscard]] ExpectedPath between(std::string_view a, std::string_view b);  // as expected_path()

 private:
  class Router;
  std::unique_ptr<Router> router_;
};

// Bandwidth measured from one host to another, by their names.
struct HostPair {
  std::string from, to;
  double bandwidth = 0;  // GB/s
};
// Measured over expected bandwidth of each link between hosts, by link_key() of topo/ratios.hpp. A link has the best ratio
// of all pairs with it on their path: one good pair proves a link, and a bad one may be the fault of another link. Skips pairs
// within a host. Throws Error(usage) when the graph lacks a host or a path between two hosts.
[[nodiscard]] std::map<std::string, double, std::less<>> measured_ratios(const Graph&, const std::vector<HostPair>& pairs);

// The key of the node that `said` names: by its key, "gpu3", "GPU 3", "mlx5_0", "mlx5_0/1", "node7/gpu3", or a switch's name.
// Throws Error(usage) when no node or several nodes have that name.
[[nodiscard]] std::string find_node(const Graph&, std::string_view said);

// The numbers in the formulas: ranks, one for each GPU, in equal domains that NVLink, xGMI or else PCIe joins.
struct Team {
  unsigned ranks = 0;                       // n
  unsigned domains = 1;                     // k, each of n/k ranks
  double inside = 0;                        // V: GB/s between a GPU and the rest of its domain, each direction; 0 is unknown
  double network = 0;                       // r: GB/s of NICs for each GPU, each direction; 0 is unknown
  bool multicast = false;                   // NVSwitches that reduce and multiply (NVLS)
  bool multicast_unknown = false;           // there may be such NVSwitches: the source does not show them
  bool aggregation = false;                 // a fabric that reduces (SHARP)
  bool inside_bounds = true;                // V is a term of the formulas; not of ranks on host memory, or one in each domain
  std::string generation;                   // of all GPUs (topo/gpu_models.hpp); empty where it is unknown
  std::string inside_words, network_words;  // "18 NVLinks of a GPU: 450 GB/s"
};

struct TeamOptions {
  unsigned ranks = 0;
  std::string nics = {};  // patterns of those that carry traffic between ranks (topo/roles.hpp); empty: by the guess
  unsigned domains = 0;   // NVLink domains of machines of a rack, where the graph cannot tell; 0: by the graph
};
// The first `ranks` GPUs of the graph, machine by machine. When a graph of one machine has fewer, further ranks are on equal
// machines. Throws Error(usage) when there are no GPUs, when the ranks do not fill the machines equally, and when it is unknown
// how many NVLink domains there are.
[[nodiscard]] Team team_of(const Graph&, const TeamOptions&);
[[nodiscard]] unsigned gpus_of(const Graph&);  // their number

// The NICs of one machine that carry traffic between ranks (topo/roles.hpp: compute).
struct HostNetwork {
  double bandwidth = 0;  // their sum, GB/s in each direction; 0 is unknown
  unsigned nics = 0;     // with a known bandwidth
};
// In the order of `hosts`: the key of a machine, or its name with or without domain. Throws Error(usage) when the graph has no
// such machine. Linear in the graph.
[[nodiscard]] std::vector<HostNetwork> networks_of(const Graph&, std::span<const std::string> hosts);

// Ranks in host memory, equally many on each host; Team::inside is unknown. Throws Error(usage) when the ranks do
// not divide equally.
[[nodiscard]] Team host_team(unsigned ranks, unsigned nodes, const HostNetwork& each);

// What published measurements of healthy hardware of the same generation reach of a ceiling (topo/expect/bands.csv).
struct Healthy {
  double least = 0, most = 0;  // GB/s of bus bandwidth
  std::string size;            // of messages, at least
  std::vector<std::string> sources;
};

// The highest bandwidth that an algorithm can reach.
struct Ceiling {
  std::string algorithm;   // "ring", "hierarchical", "nvls", "nvls tree", "sharp", "direct"
  double bus = 0;          // GB/s, bus bandwidth as nccl-tests define it; 0 when a number is unknown
  double algorithmic = 0;  // GB/s, algorithm bandwidth
  std::string formula;     // "min(V, g*r)"
  std::string numbers;     // "min(450, 8*50)"
  std::string refusal;     // why this hardware cannot run it; empty when it can
  std::string unknown;     // why `bus` is 0 though it can run; else empty
  Limit limit = Limit::inside;
  std::optional<Healthy> healthy;  // nothing where nobody has published a figure
};

[[nodiscard]] bool has_ceilings(Collective) noexcept;  // whether a formula is known

// One ceiling for each algorithm, the highest first, algorithms that cannot run last. Throws Error(usage) when no formula is
// known for the collective, or for fewer than two ranks.
[[nodiscard]] std::vector<Ceiling> ceilings(Collective, const Team&);

// to_text() is for people, to_json() for programs. Each ends with a newline.
[[nodiscard]] std::string to_text(const ExpectedPath&);
[[nodiscard]] std::string to_text(Collective, const Team&, const std::vector<Ceiling>&);
[[nodiscard]] std::string to_json(const ExpectedPath&);
[[nodiscard]] std::string to_json(Collective, const Team&, const std::vector<Ceiling>&);

}  // namespace railgauge::topo
