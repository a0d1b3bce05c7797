// Expected paths between nodes: topo/path.hpp inside a machine, the fewest cables between machines.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <ranges>
#include <span>

#include "base/error.hpp"
#include "topo/expect/expect.hpp"
#include "topo/nearness.hpp"
#include "topo/path.hpp"
#include "topo/roles.hpp"
#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

std::string word_of(const Path& path) {
  const std::string word(row(path.path_class).word);
  return path.path_class == PathClass::nv ? fmt::format("{}{}", word, path.count) : word;
}

}  // namespace

class ExpectedPaths::Router {
 public:
  explicit Router(const Graph& graph) : view_(graph), paths_(graph) {}

  ExpectedPath between(std::string_view a, std::string_view b) {
    path_ = {};
    const std::size_t from = place_of(a);
    const std::size_t to = place_of(b);
    path_.a = view_.node_port(from);
    path_.b = view_.node_port(to);
    path_.route.push_back(path_.a);
    const Path inside = paths_.between(a, b);
    const bool both_ports = view_.node(from).kind == Kind::port && view_.node(to).kind == Kind::port;
    const bool apart = view_.machine(from) != view_.machine(to) || inside.path_class == PathClass::none;
    if (!both_ports && (!apart || inside.path_class == PathClass::nv)) {
      follow(inside, from);
      path_.path_class = word_of(inside);
      return std::move(path_);
    }
    through_network(from, to);
    return std::move(path_);
  }

 private:
  std::size_t place_of(std::string_view key) const {
    const std::size_t place = view_.place(key);
    if (place == View::none) throw Error(Fault::usage, fmt::format("there is no node {} in this graph", key));
    return place;
  }

  void narrow(const Link& link, const Bandwidth& bandwidth) {
    const double value = payload(bandwidth);
    const double known = payload(path_.bandwidth);
    if (value <= 0 || (known > 0 && known <= value)) return;
    path_.bandwidth = bandwidth;
    path_.narrow_a = view_.node_port(view_.place(link.a), link.a_port);
    path_.narrow_b = view_.node_port(view_.place(link.b), link.b_port);
  }

  // Nodes of a path one after the other; parallel NVLinks through switches come as bundles, of which one is told.
  void follow(const Path& path, std::size_t from) {
    std::size_t at = from;
    for (const Link* link : path.route) {
      path_.links.push_back(static_cast<std::size_t>(link - view_.graph().links.data()));
      const std::size_t a = view_.place(link->a);
      const std::size_t b = view_.place(link->b);
      if (a != at && b != at) continue;
      at = a == at ? b : a;
      path_.route.push_back(view_.node_port(at));
    }
    if (path.bottleneck != nullptr) narrow(*path.bottleneck, path.bandwidth);
  }

  [[nodiscard]] std::span<const std::size_t> compute_nics(std::size_t machine) {
    if (nics_.empty()) {
      const std::vector<NicRole> roles = nic_roles(view_, "");
      nics_.resize(roles.size());
      for (std::size_t i = 0; i < roles.size(); ++i)
        if (roles[i] == NicRole::compute && view_.machine(i) != View::none) nics_[view_.machine(i)].push_back(i);
    }
    if (machine == View::none) return {};
    return nics_[machine];
  }

  // Where cables begin: the node itself, its ports, or those of the NIC nearest to it.
  std::vector<std::size_t> doors(std::size_t node) {
    const auto has_cable = [&](std::size_t it) {
      return std::any_of(view_.links(it).begin(), view_.links(it).end(),
                         [&](std::size_t link) { return is_cable(view_.link(link).kind); });
    };
    if (has_cable(node)) return {node};
    std::vector<std::size_t> found;
    for (const std::size_t child : view_.children(node))
      if (has_cable(child)) found.push_back(child);
    if (!found.empty() || view_.node(node).kind == Kind::nic || view_.node(node).kind == Kind::port) return found;
    Nearness best;
    for (const std::size_t i : compute_nics(view_.machine(node))) {
      const std::vector<std::size_t> its = doors(i);
      const Nearness near = nearness(view_, node, i);
      if (its.empty() || (!found.empty() && !(near < best))) continue;
      best = near;
      found = its;
    }
    return found;
  }

  void through_network(std::size_t from, std::size_t to) {
    const std::vector<std::size_t> starts = doors(from);
    const std::vector<std::size_t> ends = doors(to);
    std::vector<std::size_t> came(view_.graph().nodes.size(), View::none);  // the link that led here
    std::vector<bool> seen(came.size());
    std::deque<std::size_t> open(starts.begin(), starts.end());
    for (const std::size_t start : starts) seen[start] = true;
    std::size_t reached = View::none;
    for (; !open.empty() && reached == View::none; open.pop_front()) {
      const std::size_t node = open.front();
      if (std::find(ends.begin(), ends.end(), node) != ends.end()) {
        reached = node;
        break;
      }
      for (const std::size_t link : view_.links(node)) {
        const std::size_t next = view_.other_end(link, node);
        const LinkState state = view_.link(link).state;
        if (!is_cable(view_.link(link).kind) || next == View::none || seen[next] || state == LinkState::down) continue;
        seen[next] = true;
        came[next] = link;
        open.push_back(next);
      }
    }
    if (reached == View::none)
      throw Error(Fault::usage,
                  fmt::format("no path from {} to {} is known: the graph has no cables between them. Read the fabric too: "
                              "railgauge topo expect NODE.. FABRIC",
                              path_.a.name, path_.b.name));
    std::vector<std::size_t> cables;
    std::size_t start = reached;
    for (; came[start] != View::none; start = view_.other_end(came[start], start)) cables.push_back(came[start]);
    inside(from, start);
    std::size_t at = start;
    for (const std::size_t link : cables | std::views::reverse) {
      narrow(view_.link(link), view_.link(link).bandwidth);
      path_.links.push_back(link);
      at = view_.other_end(link, at);
      path_.route.push_back(view_.node_port(at));
    }
    inside(reached, to);
    path_.path_class = "NET";
  }

  void inside(std::size_t from, std::size_t to) {
    if (from == to) return;
    follow(paths_.between(view_.node(from).key, view_.node(to).key), from);
    if (path_.route.back().key != view_.node(to).key) path_.route.push_back(view_.node_port(to));
  }

  View view_;
  Paths paths_;
  std::vector<std::vector<std::size_t>> nics_;  // that carry traffic between ranks, of each machine
  ExpectedPath path_;
};

namespace {

// As names are compared: without blanks, whatever the case of letters.
std::string bare(std::string_view text) {
  std::string all = lower(text);
  std::erase(all, ' ');
  return all;
}

}  // namespace

ExpectedPaths::ExpectedPaths(const Graph& graph) : router_(std::make_unique<Router>(graph)) {}
ExpectedPaths::~ExpectedPaths() = default;
ExpectedPath ExpectedPaths::between(std::string_view a, std::string_view b) { return router_->between(a, b); }

ExpectedPath expected_path(const Graph& graph, std::string_view a, std::string_view b) {
  return ExpectedPaths(graph).between(a, b);
}

std::string find_node(const Graph& graph, std::string_view said) {
  const View view(graph);
  if (view.place(said) != View::none) return std::string(said);
  const std::string wanted = bare(said);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    std::vector<std::string> names{bare(node.name), bare(view.label(i)), bare(node.key)};
    if (node.kind == Kind::gpu) names.push_back(fmt::format("gpu{}", view.gpu_number(i)));
    for (const char* list : {"interfaces", "os_devices"})
      for (const std::string& name : list_of(node.attributes, list)) names.push_back(bare(name));
    if (const std::string_view uuid = text_of(node.attributes, "uuid"); !uuid.empty()) names.push_back(bare(uuid));
    const std::size_t machine = view.machine(i);
    const std::string host = machine == View::none || machine == i ? std::string() : bare(view.spoken(machine)) + "/";
    if (std::any_of(names.begin(), names.end(), [&](const std::string& name) {
          return wanted == name || (!host.empty() && wanted.starts_with(host) && wanted.substr(host.size()) == name);
        }))
      found.push_back(i);
  }
  if (found.empty())
    throw Error(Fault::usage,
                fmt::format("there is no {} in this graph: name a key of `--as json`, gpu0, mlx5_0, or HOST/gpu0", said));
  if (found.size() > 1)
    throw Error(Fault::usage,
                fmt::format("{} can be {} or {}{}: write the key, or HOST/{}", said, view.spoken(found[0]), view.spoken(found[1]),
                            found.size() > 2 ? fmt::format(" or {} more", found.size() - 2) : "", said));
  return graph.nodes[found.front()].key;
}

}  // namespace railgauge::topo
