// Joining by keys and by further names, linear in what is joined.
#include "topo/merge.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace railgauge::topo {
namespace {

constexpr std::string_view further_names[] = {"uuid", "node_guid"};

// Of every node: its key and its further names, to its place.
class Names {
 public:
  explicit Names(const Graph& graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) add(graph.nodes[i], i);
  }
  void add(const Node& node, std::size_t place) {
    places_.try_emplace(node.key, place);
    for (const std::string& name : others(node)) places_.try_emplace(name, place);
  }
  // nullptr when nobody has that name.
  [[nodiscard]] const std::size_t* find(const std::string& key) const {
    const auto found = places_.find(key);
    return found == places_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const std::size_t* find(const Node& node) const {
    if (const auto found = places_.find(node.key); found != places_.end()) return &found->second;
    for (const std::string& name : others(node))
      if (const auto found = places_.find(name); found != places_.end()) return &found->second;
    return nullptr;
  }

 private:
  static std::vector<std::string> others(const Node& node) {
    std::vector<std::string> names;
    for (const std::string_view name : further_names) {
      const std::string_view text = text_of(node.attributes, name);
      if (text.empty()) continue;
      std::string guid = name == "node_guid" ? guid_key(text) : std::string(text);
      if (!guid.empty()) names.push_back(std::move(guid));
    }
    return names;
  }
  std::unordered_map<std::string, std::size_t> places_;
};

void add_sources(Provenance& into, const Provenance& from) {
  for (const std::string& source : from)
    if (std::find(into.begin(), into.end(), source) == into.end()) into.push_back(source);
}

void join(Node& into, Node from) {
  if (into.kind == Kind::device) into.kind = from.kind;
  if (into.parent.empty() && into.kind != Kind::machine) into.parent = std::move(from.parent);
  into.attributes.merge(from.attributes);
  add_sources(into.provenance, from.provenance);
}

template <class Number>
void fill(Number& into, Number from) {
  if (into == Number{}) into = from;
}

void join(Rate& into, const Rate& from) {
  fill(into.width, from.width);
  fill(into.speed, from.speed);
}

// `from` has its ends in the order of `into`.
void join(Link& into, Link from) {
  into.count = std::max(into.count, from.count);
  // The three belong together: hwloc's nominal one is that of the moment, and must not stand beside another source's line rate.
  if (into.bandwidth.line == 0 && from.bandwidth.line != 0) std::swap(into.bandwidth, from.bandwidth);
  fill(into.bandwidth.line, from.bandwidth.line);
  fill(into.bandwidth.nominal, from.bandwidth.nominal);
  fill(into.bandwidth.usable, from.bandwidth.usable);
  join(into.capable, from.capable);
  join(into.active, from.active);
  join(into.active_at_b, from.active_at_b);
  fill(into.state, from.state);
  into.a_counters.merge(from.a_counters);
  into.b_counters.merge(from.b_counters);
  into.attributes.merge(from.attributes);
  add_sources(into.provenance, from.provenance);
}

void turn(Link& link) {
  std::swap(link.a, link.b);
  std::swap(link.a_port, link.b_port);
  std::swap(link.a_counters, link.b_counters);
  if (link.active_at_b.width != 0 || link.active_at_b.speed != 0) std::swap(link.active, link.active_at_b);
}

using Ends = std::tuple<std::string, unsigned, std::string, unsigned, LinkKind>;
struct EndsHash {
  std::size_t operator()(const Ends& ends) const noexcept {
    const std::hash<std::string> of;
    return of(std::get<0>(ends)) * 31 + of(std::get<2>(ends)) * 17 + std::size_t{std::get<1>(ends)} * 7 + std::get<3>(ends) +
           static_cast<std::size_t>(std::get<4>(ends));
  }
};

Ends ends_of(const Link& link) { return {link.a, link.a_port, link.b, link.b_port, link.kind}; }
Ends turned(const Link& link) { return {link.b, link.b_port, link.a, link.a_port, link.kind}; }

bool is_place(Kind kind) { return kind == Kind::machine || kind == Kind::package || kind == Kind::numa; }

// Of each device that ends a PCIe link: the link's place.
std::unordered_map<std::string, std::size_t> links_up(const Graph& graph) {
  std::unordered_map<std::string, std::size_t> links;
  for (std::size_t i = 0; i < graph.links.size(); ++i)
    if (graph.links[i].kind == LinkKind::pcie) links.try_emplace(graph.links[i].b, i);
  return links;
}

// GUIDs as guid_key() writes them, ports of devices that have one, and domains of NVLink.
bool means_the_same_everywhere(const std::string& key) {
  const std::string guid = key.substr(0, key.find('/'));
  return (guid.starts_with("0x") && guid_key(guid) == guid) || key.starts_with("domain:");
}

}  // namespace

void merge(Graph& into, Graph from) {
  Names names(into);
  std::unordered_map<std::string, std::string> renamed;  // keys of `from` to those in `into`
  for (Node& node : from.nodes) {
    const std::size_t* place = names.find(node);
    if (const auto parent = renamed.find(node.parent); parent != renamed.end()) node.parent = parent->second;
    if (place != nullptr) {
      renamed.emplace(node.key, into.nodes[*place].key);
      join(into.nodes[*place], std::move(node));
    } else {
      into.nodes.push_back(std::move(node));
      names.add(into.nodes.back(), into.nodes.size() - 1);
    }
  }
  std::unordered_map<Ends, std::size_t, EndsHash> places;
  for (std::size_t i = 0; i < into.links.size(); ++i) places.try_emplace(ends_of(into.links[i]), i);
  // A device has one PCIe link up. A source that knows no bridges lets it begin at the machine or at a NUMA node.
  const std::unordered_map<std::string, std::size_t> upward = links_up(into);
  const auto begins_anywhere = [&](const Link& link) {
    const std::size_t* place = names.find(link.a);
    return place != nullptr && is_place(into.nodes[*place].kind);
  };
  // What a thing stands in is told once: another source that knows no NUMA nodes hangs it on the machine.
  std::unordered_map<std::string, std::size_t> holders;
  for (std::size_t i = 0; i < into.links.size(); ++i)
    if (into.links[i].kind == LinkKind::internal) holders.try_emplace(into.links[i].b, i);
  for (Link& link : from.links) {
    for (std::string* end : {&link.a, &link.b})
      if (const auto other = renamed.find(*end); other != renamed.end()) *end = other->second;
    auto found = places.find(ends_of(link));
    if (found == places.end()) {
      found = places.find(turned(link));
      if (found != places.end()) turn(link);
    }
    if (const auto up = upward.find(link.b); found == places.end() && link.kind == LinkKind::pcie && up != upward.end()) {
      Link& other = into.links[up->second];
      if (begins_anywhere(other) || begins_anywhere(link)) {
        if (begins_anywhere(other)) other.a = std::move(link.a);
        join(other, std::move(link));
        continue;
      }
    }
    if (const auto holder = holders.find(link.b); link.kind == LinkKind::internal && holder != holders.end()) {
      join(into.links[holder->second], std::move(link));
      continue;
    }
    // Links of `from` itself are not in `places`: parallel ones without numbers of ports stay as many as they are.
    if (found != places.end())
      join(into.links[found->second], std::move(link));
    else
      into.links.push_back(std::move(link));
  }
  sort_depth_first(into);
}

void qualify(Graph& graph, const std::string& host) {
  std::unordered_map<std::string, std::string> names{{"", ""}};
  for (Node& node : graph.nodes) {
    std::string key = node.kind == Kind::machine ? host : means_the_same_everywhere(node.key) ? node.key : host + "/" + node.key;
    names.emplace(node.key, key);
    node.key = std::move(key);
  }
  const auto rename = [&](std::string& key) {
    if (const auto found = names.find(key); found != names.end()) key = found->second;
  };
  for (Node& node : graph.nodes) rename(node.parent);
  for (Link& link : graph.links) {
    rename(link.a);
    rename(link.b);
  }
}

void sort_depth_first(Graph& graph) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) places.emplace(graph.nodes[i].key, i);
  std::vector<std::vector<std::size_t>> children(graph.nodes.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto parent = places.find(graph.nodes[i].parent);
    if (graph.nodes[i].parent.empty() || parent == places.end())
      open.push_back(i);
    else
      children[parent->second].push_back(i);
  }
  std::reverse(open.begin(), open.end());
  std::vector<std::size_t> order;
  std::vector<bool> seen(graph.nodes.size());
  for (std::size_t next = 0; order.size() < graph.nodes.size();) {
    if (open.empty()) {  // what is left is its own ancestor
      while (seen[next]) ++next;
      graph.nodes[next].parent.clear();
      open.push_back(next);
    }
    const std::size_t place = open.back();
    open.pop_back();
    if (seen[place]) continue;
    seen[place] = true;
    order.push_back(place);
    open.insert(open.end(), children[place].rbegin(), children[place].rend());
  }
  for (Node& node : graph.nodes)
    if (!node.parent.empty() && !places.contains(node.parent)) node.parent.clear();
  std::vector<Node> sorted;
  sorted.reserve(graph.nodes.size());
  for (const std::size_t place : order) sorted.push_back(std::move(graph.nodes[place]));
  graph.nodes = std::move(sorted);
}

}  // namespace railgauge::topo
