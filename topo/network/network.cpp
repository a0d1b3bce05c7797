// Joins the parts that nothing known parts, keeps the links between the others, and drops what no path between ranks can use.
#include "topo/network/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "topo/expect/inside.hpp"
#include "topo/groups.hpp"
#include "topo/network/between.hpp"
#include "topo/rates.hpp"
#include "topo/roles.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {
namespace {

constexpr double megabytes = 1000;  // in a gigabyte

// GB/s in each direction; 0 is unknown.
double capacity_of(const Link& link) {
  if (link.kind == LinkKind::pcie && link.state == LinkState::low)
    return std::max(payload(link.bandwidth), payload(pcie_bandwidth(link.capable)));
  return payload(link.bandwidth);
}

class Builder {
 public:
  Builder(const Graph& graph, const NetworkOptions& options)
      : view_(graph), parts_(graph.nodes.size()), options_(options), ranks_(graph.nodes.size(), -1) {}

  Network build() {
    choose();
    if (!hosts_ && places_.size() > 1)
      if (const std::string missing = missing_links(view_, places_); !missing.empty())
        throw Error(Fault::usage, fmt::format("which links join these GPUs is unknown: {}", missing));
    roles_ = nic_roles(view_, options_.nics);
    join_parts();
    gather();
    connected();
    keep();
    return std::move(network_);
  }

 private:
  struct Kept {
    std::size_t a, b;  // tops of parts
    std::size_t link;
    double capacity;  // GB/s; 0 is unknown
  };

  [[nodiscard]] const Graph& graph() const { return view_.graph(); }

  void choose() {
    std::map<std::size_t, std::vector<std::size_t>> gpus;  // of each machine
    std::vector<std::size_t> machines;
    for (std::size_t i = 0; i < graph().nodes.size(); ++i) {
      if (view_.node(i).kind == Kind::gpu && !options_.machines) gpus[view_.machine(i)].push_back(i);
      if (view_.node(i).kind == Kind::machine) machines.push_back(i);
    }
    std::vector<std::size_t> all;
    for (const auto& [machine, its] : gpus) all.insert(all.end(), its.begin(), its.end());
    hosts_ = all.empty();
    if (hosts_) all = machines;
    if (all.empty())
      throw Error(Fault::usage, "there is neither a GPU nor a machine in this graph, and ranks run on one of them");
    if (options_.ranks > all.size())
      throw Error(Fault::usage, fmt::format("{} ranks are asked for, and the graph has {} {}{}", options_.ranks, all.size(),
                                            hosts_ ? "machine" : "GPU", all.size() == 1 ? "" : "s"));
    if (options_.ranks != 0) all.resize(options_.ranks);
    for (std::size_t rank = 0; rank < all.size(); ++rank) ranks_[all[rank]] = static_cast<std::int32_t>(rank);
    places_ = std::move(all);
  }

  // Whether traffic between ranks can be in it.
  [[nodiscard]] bool carries(std::size_t node) const {
    switch (view_.node(node).kind) {
      case Kind::gpu:
        return ranks_[node] >= 0;
      case Kind::nic:
        return roles_[node] == NicRole::compute && serves(node);
      case Kind::port: {
        const std::size_t nic = view_.above(node, Kind::nic);
        return nic == View::none || carries(nic);
      }
      case Kind::storage:
      case Kind::display:
      case Kind::partition:
        return false;
      default:
        return serves(node);
    }
  }
  // A machine without a rank sends nothing on.
  [[nodiscard]] bool serves(std::size_t node) const {
    const std::size_t machine = view_.machine(node);
    return !hosts_ || machine == View::none || ranks_[machine] >= 0;
  }

  [[nodiscard]] bool is(std::size_t node, Kind kind) const { return view_.node(node).kind == kind; }

  // What no link with a bandwidth parts: the inside of processors and of chips.
  void join_parts() {
    std::vector<bool> apart(graph().nodes.size());  // machines that tell what is between their packages
    for (std::size_t i = 0; i < graph().links.size(); ++i)
      if (view_.link(i).kind == LinkKind::cpu && view_.a(i) != View::none && view_.machine(view_.a(i)) != View::none)
        apart[view_.machine(view_.a(i))] = true;
    for (std::size_t i = 0; i < graph().nodes.size(); ++i) {
      const std::size_t parent = view_.parent(i);
      if (parent == View::none) continue;
      const bool of_machine = is(parent, Kind::machine);
      if (is(i, Kind::package) || is(i, Kind::numa) || is(i, Kind::pci_root)) {
        if (hosts_ || !(of_machine && apart[parent])) parts_.join(parent, i);  // a rank may be on any processor of its host
      } else if ((is(i, Kind::nic) || is(i, Kind::port) || is(i, Kind::pci_bridge) || is(i, Kind::pci_switch)) &&
                 !linked(parent, i) && joinable(parent)) {
        parts_.join(parent, i);
      }
    }
    for (std::size_t i = 0; i < graph().links.size(); ++i) {
      const Link& link = view_.link(i);
      const std::size_t a = view_.a(i);
      const std::size_t b = view_.b(i);
      if (a == View::none || b == View::none || is_off(link)) continue;
      const bool inside = link.kind == LinkKind::memory || (link.kind == LinkKind::internal && capacity_of(link) <= 0) ||
                          (link.kind == LinkKind::pcie && capacity_of(link) <= 0 && of_one_chip(a, b));
      if (inside && carries(a) && carries(b)) parts_.join(a, b);
    }
  }
  [[nodiscard]] bool linked(std::size_t a, std::size_t b) const {
    const auto links = view_.links(b);
    return std::any_of(links.begin(), links.end(), [&](std::size_t link) { return view_.other_end(link, b) == a; });
  }
  [[nodiscard]] bool joinable(std::size_t parent) const {
    const Kind kind = view_.node(parent).kind;
    return kind == Kind::machine || kind == Kind::package || kind == Kind::numa || kind == Kind::pci_root ||
           kind == Kind::pci_bridge || kind == Kind::pci_switch || kind == Kind::nic;
  }
  // Between a root and its port, and between the two sides of a switch, no source tells a rate.
  [[nodiscard]] bool of_one_chip(std::size_t a, std::size_t b) const {
    if (is(b, Kind::pci_root) || is(b, Kind::pci_switch)) std::swap(a, b);
    return (is(a, Kind::pci_root) || is(a, Kind::pci_switch)) && is(b, Kind::pci_bridge) && view_.parent(b) == a;
  }

  [[nodiscard]] static bool carries_data(LinkKind kind) {
    return kind != LinkKind::memory && kind != LinkKind::distance && kind != LinkKind::tree && kind != LinkKind::path;
  }

  void gather() {
    for (std::size_t i = 0; i < graph().links.size(); ++i) {
      const Link& link = view_.link(i);
      if (is_off(link) || !carries_data(link.kind) || view_.a(i) == View::none || view_.b(i) == View::none) continue;
      if (!carries(view_.a(i)) || !carries(view_.b(i))) continue;
      const std::size_t a = parts_.top(view_.a(i));
      const std::size_t b = parts_.top(view_.b(i));
      if (a != b) links_.push_back({a, b, i, capacity_of(link)});
    }
  }

  void connected() {
    Groups reached = parts_;
    for (const Kept& it : links_) reached.join(it.a, it.b);
    for (const std::size_t place : places_)
      if (reached.top(place) != reached.top(places_.front()))
        throw Error(Fault::usage, fmt::format("no path from rank {} ({}) to rank {} ({}) is known: {}", 0,
                                              view_.spoken(places_.front()), ranks_[place], view_.spoken(place), why(place)));
  }

  [[nodiscard]] std::string why(std::size_t place) const {
    const auto has = [&](const auto& what) { return std::any_of(graph().links.begin(), graph().links.end(), what); };
    if (has([](const Link& link) { return link.kind == LinkKind::tree; }))
      return "the graph tells which switches they are below, and not the cables between; read the fabric (ibnetdiscover) too";
    if (view_.machine(place) != view_.machine(places_.front()))
      return "the graph has no cables between their machines that are up; read the fabric too";
    if (has([](const Link& link) { return link.kind == LinkKind::path; }))
      return "the graph tells the class of the path between devices, and not its links; `railgauge topo --save` on the machine "
             "shows them";
    return "the graph has no links between them that are up";
  }

  void keep() {
    std::vector<std::uint32_t> numbers(graph().nodes.size(), none);
    std::vector<std::size_t> tops;  // of each number
    const auto number = [&](std::size_t top) {
      if (numbers[top] == none) {
        numbers[top] = static_cast<std::uint32_t>(tops.size());
        tops.push_back(top);
      }
      return numbers[top];
    };
    std::vector<std::uint32_t> wanted;
    for (const std::size_t place : places_) wanted.push_back(number(parts_.top(place)));
    std::vector<UndirectedEdge> edges;
    for (const Kept& it : links_) edges.push_back({number(it.a), number(it.b)});
    const std::vector<bool> used = edges_between(static_cast<std::uint32_t>(tops.size()), edges, wanted);
    std::vector<bool> stays(graph().nodes.size());
    for (const std::size_t place : places_) stays[parts_.top(place)] = true;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!used[i]) continue;
      if (links_[i].capacity <= 0) throw Error(Fault::usage, unknown(links_[i].link));
      stays[links_[i].a] = stays[links_[i].b] = true;
    }
    for (std::size_t i = 0; i < stays.size(); ++i) {
      if (!stays[i]) continue;
      numbers[i] = static_cast<std::uint32_t>(network_.vertices.size());
      network_.vertices.push_back({i, -1});
    }
    for (const std::size_t place : places_) {
      const std::uint32_t at = numbers[parts_.top(place)];
      network_.vertices[at].rank = ranks_[place];
      network_.vertices[at].node = place;
      network_.ranks.push_back(at);
    }
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!used[i]) continue;
      const Kept& it = links_[i];
      const auto capacity = static_cast<std::uint64_t>(std::max(1.0, std::round(it.capacity * megabytes)));
      network_.arcs.push_back({numbers[it.a], numbers[it.b], capacity, it.link});
      network_.arcs.push_back({numbers[it.b], numbers[it.a], capacity, it.link});
    }
  }

  [[nodiscard]] std::string unknown(std::size_t at) const {
    const Link& link = view_.link(at);
    const std::string_view hint = link.kind == LinkKind::pcie ? "`railgauge topo --save` on the machine, or lspci -vvv, tells it"
                                  : joins_gpus(link.kind)
                                      ? "`railgauge topo --save` on the machine, or nvidia-smi nvlink -s, tells it"
                                      : "a source that tells the rate of this link is needed";
    return fmt::format("the bandwidth of the {} link from {} to {} is unknown, and traffic between ranks may cross it: {}",
                       row(link.kind).word, view_.spoken(view_.a(at), link.a_port), view_.spoken(view_.b(at), link.b_port), hint);
  }

  static constexpr auto none = static_cast<std::uint32_t>(-1);

  View view_;
  Groups parts_;
  const NetworkOptions& options_;
  std::vector<std::int32_t> ranks_;  // of each node
  std::vector<std::size_t> places_;  // of each rank
  std::vector<NicRole> roles_;
  std::vector<Kept> links_;
  bool hosts_ = false;
  Network network_;
};

}  // namespace

Network network_of(const Graph& graph, const NetworkOptions& options) { return Builder(graph, options).build(); }

}  // namespace railgauge::topo
