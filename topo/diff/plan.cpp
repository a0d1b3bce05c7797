// From hosts and switches down to ports.
#include "topo/diff/plan.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topo/hostlist.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

// "Node7.example.org" is node7; an address stays whole.
std::string plain(std::string_view name) {
  const std::size_t dot = name.find('.');
  const bool address = name.find_first_not_of("0123456789.") == std::string_view::npos;
  return lower(address ? name : name.substr(0, dot));
}

class PlanMatching {
 public:
  PlanMatching(const View& plan, const View& fabric, const std::function<void(std::size_t, std::size_t)>& pair)
      : plan_(plan), fabric_(fabric), pair_(pair) {}

  void run() {
    for (const Kind kind : {Kind::fabric_switch, Kind::machine}) {
      const Names ours_short = by_name(plan_, kind, plain);
      const Names theirs = by_name(fabric_, kind, lower);
      const Names theirs_short = by_name(fabric_, kind, plain);
      for (const auto& [name, node] : by_name(plan_, kind, lower)) {
        if (node == View::none) continue;
        const std::string small = plain(name);
        std::size_t other = find(theirs, name);
        if (other == View::none && find(ours_short, small) == node) other = find(theirs_short, small);
        if (other == View::none) continue;
        pair_(node, other);
        if (kind == Kind::machine) adapters(node, other);
      }
    }
  }

 private:
  using Names = std::unordered_map<std::string, std::size_t>;

  // A name that several nodes have leads to none.
  static Names by_name(const View& view, Kind kind, std::string (*written)(std::string_view)) {
    Names places;
    for (std::size_t i = 0; i < view.graph().nodes.size(); ++i)
      if (view.node(i).kind == kind)
        if (const auto [at, fresh] = places.try_emplace(written(view.label(i)), i); !fresh) at->second = View::none;
    return places;
  }

  static std::size_t find(const Names& names, const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? View::none : found->second;
  }

  static std::string device_of(const View& view, std::size_t nic) {
    const std::string_view device = text_of(view.node(nic).attributes, "device");
    return lower(device.empty() ? std::string_view(view.label(nic)) : device);
  }

  // All NICs below a machine, wherever they hang, in the order of their names.
  static std::vector<std::size_t> nics_below(const View& view, std::size_t machine) {
    std::vector<std::size_t> found;
    std::vector<std::size_t> open{machine};
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      if (view.node(node).kind == Kind::nic) found.push_back(node);
      open.insert(open.end(), view.children(node).begin(), view.children(node).end());
    }
    std::sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
      const std::string x = device_of(view, a);
      const std::string y = device_of(view, b);
      return x != y ? natural_less(x, y) : view.node(a).key < view.node(b).key;
    });
    return found;
  }

  static std::vector<std::size_t> ports_of(const View& view, std::size_t nic) {
    std::vector<std::size_t> found;
    for (const std::size_t child : view.children(nic))
      if (view.node(child).kind == Kind::port) found.push_back(child);
    std::sort(found.begin(), found.end(), [&](auto a, auto b) { return natural_less(view.node(a).key, view.node(b).key); });
    return found;
  }

  static std::string_view number_of_port(const View& view, std::size_t port) {
    const std::string_view key = view.node(port).key;
    return key.substr(key.rfind('/') + 1);
  }

  void adapters(std::size_t planned, std::size_t machine) {
    Names theirs;
    std::vector<std::pair<std::size_t, std::size_t>> in_order;  // NIC and port
    const std::vector<std::size_t> nics = nics_below(fabric_, machine);
    for (const std::size_t nic : nics) {
      theirs.try_emplace(device_of(fabric_, nic), nic);
      for (const std::size_t port : ports_of(fabric_, nic)) in_order.emplace_back(nic, port);
    }
    for (const std::size_t nic : nics_below(plan_, planned)) {
      const std::uint64_t position = number_of(plan_.node(nic).attributes, "position");
      if (position > 0 && position <= in_order.size()) {
        pair_(nic, in_order[position - 1].first);
        for (const std::size_t port : ports_of(plan_, nic)) pair_(port, in_order[position - 1].second);
      }
      const std::size_t other = position == 0 ? adapter(device_of(plan_, nic), theirs, nics) : View::none;
      if (other == View::none) continue;
      pair_(nic, other);
      for (const std::size_t port : ports_of(plan_, nic))
        for (const std::size_t there : ports_of(fabric_, other))
          if (number_of_port(plan_, port) == number_of_port(fabric_, there)) pair_(port, there);
    }
  }

  // The adapter of this name. HCA-2 is the second one where none is called so: what a host calls itself depends on its driver.
  static std::size_t adapter(const std::string& name, const Names& names, const std::vector<std::size_t>& in_order) {
    constexpr std::string_view counted = "hca-";
    const std::size_t named = find(names, name);
    if (named != View::none || !name.starts_with(counted)) return named;
    std::size_t number = 0;
    const char* end = name.data() + name.size();
    const bool whole = std::from_chars(name.data() + counted.size(), end, number).ptr == end;
    return whole && number >= 1 && number <= in_order.size() ? in_order[number - 1] : View::none;
  }

  const View& plan_;
  const View& fabric_;
  const std::function<void(std::size_t, std::size_t)>& pair_;
};

}  // namespace

bool is_plan(const Graph& graph) {
  return !graph.nodes.empty() && std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return node.provenance.size() == 1 && node.provenance.front() == cable_plan_source;
  });
}

void match_plan(const View& plan, const View& fabric, const std::function<void(std::size_t, std::size_t)>& pair) {
  PlanMatching(plan, fabric, pair).run();
}

}  // namespace railgauge::topo
