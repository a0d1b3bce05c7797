// Joining by keys and by further names, linear in what is joined.
#include "topo/merge.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "topo/identity.hpp"
#include "topo/merge_nvlinks.hpp"
#include "topo/notes.hpp"
#include "topo/pci.hpp"

namespace railgauge::topo {
namespace {

using Numbers = std::vector<std::optional<std::size_t>>;

std::vector<std::string> machine_keys(const Graph& graph) {
  std::unordered_map<std::string_view, std::size_t> places;
  std::vector<std::string> machines(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    places.emplace(node.key, i);
    const auto parent = places.find(node.parent);
    machines[i] = node.kind == Kind::machine ? node.key : parent == places.end() ? std::string() : machines[parent->second];
  }
  return machines;
}

// Of every node: its key and its further names, to its place.
class Names {
 public:
  // `numbers` are NVML's, where names within one machine count.
  Names(const Graph& graph, const Numbers* numbers) : machines_(machine_keys(graph)) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) add(graph.nodes[i], i, numbers == nullptr ? nullptr : &(*numbers)[i]);
  }
  void add(const Node& node, std::size_t place, const std::optional<std::size_t>* number) {
    places_.try_emplace(node.key, place);
    if (const std::string guid = guid_of(node); !guid.empty()) places_.try_emplace(guid, place);
    if (number == nullptr) return;
    if (!pci_key(node.key).empty()) addressed_.insert(place);
    for (const std::string& name : names_in_machine(node, *number)) add_once(within_, name, place);
  }
  // Not while a graph is being added: two nodes of it that have one UUID have none.
  void add_uuid(const Node& node, std::size_t place) {
    if (const std::string uuid = uuid_of(node); !uuid.empty()) add_once(uuids_, uuid, place);
  }
  // nullptr when nobody has that name.
  [[nodiscard]] const std::size_t* find(const std::string& key) const { return find(places_, key); }
  // The same device in this graph. `machine` is the key of the machine it is in, as this graph has it.
  [[nodiscard]] const std::size_t* find(const Node& node, const std::string& machine,
                                        const std::optional<std::size_t>* number) const {
    if (const std::size_t* place = find(places_, node.key)) return place;
    const std::string uuid = uuid_of(node);
    if (const std::size_t* place = uuid.empty() ? nullptr : find(uuids_, uuid); place != nullptr) {
      const std::string& other = *place < machines_.size() ? machines_[*place] : machine;
      if (other == machine || other.empty() || machine.empty()) return place;
    }
    if (const std::string guid = guid_of(node); !guid.empty())
      if (const std::size_t* place = find(places_, guid)) return place;
    if (number == nullptr) return nullptr;
    const bool addressed = !pci_key(node.key).empty();
    for (const std::string& name : names_in_machine(node, *number))
      if (const std::size_t* place = find(within_, name); place != nullptr && !(addressed && addressed_.contains(*place)))
        return place;
    return nullptr;
  }
  static std::string uuid_of(const Node& node) {
    const std::string_view uuid = text_of(node.attributes, "uuid");
    return names_a_device(uuid) ? std::string(uuid) : std::string();
  }

 private:
  using Places = std::unordered_map<std::string, std::size_t>;
  static constexpr std::size_t several = static_cast<std::size_t>(-1);

  static std::string guid_of(const Node& node) { return guid_key(text_of(node.attributes, "node_guid")); }
  static void add_once(Places& places, const std::string& name, std::size_t place) {
    if (const auto [at, fresh] = places.try_emplace(name, place); !fresh && at->second != place) at->second = several;
  }
  static const std::size_t* find(const Places& places, const std::string& name) {
    const auto found = places.find(name);
    return found == places.end() || found->second == several ? nullptr : &found->second;
  }

  Places places_, uuids_, within_;
  std::unordered_set<std::size_t> addressed_;  // what has a PCI address: another address is another device
  std::vector<std::string> machines_;
};

void add_sources(Provenance& into, const Provenance& from) {
  for (const std::string& source : from)
    if (std::find(into.begin(), into.end(), source) == into.end()) into.push_back(source);
}

void append_notes(Attributes& into, const Attributes& from) {
  const auto notes = list_of(from, notes_attribute);
  const auto own = into.find(notes_attribute);
  if (notes.empty() || own == into.end()) return;
  if (auto* list = std::get_if<std::vector<std::string>>(&own->second))
    for (const std::string& note : notes)
      if (std::find(list->begin(), list->end(), note) == list->end()) list->push_back(note);
}

void join(Node& into, Node from) {
  if (into.kind == Kind::device) into.kind = from.kind;
  if (into.parent.empty() && into.kind != Kind::machine) into.parent = std::move(from.parent);
  append_notes(into.attributes, from.attributes);
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

// Nodes of `from` as `into` has them, or added to it. Gives the keys of `from` with those that they have now.
class NodeMerge {
 public:
  NodeMerge(Graph& into, Graph& from, MergeScope scope)
      : into_(into), from_(from), known_(into.nodes.size()), one_host_(scope == MergeScope::one_host) {
    if (!one_host_) return;
    numbers_ = nvml_numbers(into);
    new_numbers_ = nvml_numbers(from);
    const Numbers told = numbers_;
    count_nvml_numbers(into, numbers_, new_numbers_);
    count_nvml_numbers(from, new_numbers_, told);
    nvlinks_.emplace(into);
  }

  std::unordered_map<std::string, std::string> run() {
    names_.emplace(into_, one_host_ ? &numbers_ : nullptr);
    for (std::size_t i = 0; i < into_.nodes.size(); ++i) names_->add_uuid(into_.nodes[i], i);
    drop_shared_uuids();
    for (std::size_t i = 0; i < from_.nodes.size(); ++i) add(i);
    settle_keys();
    return std::move(renamed_);
  }

  // The place of a key, as it is now.
  [[nodiscard]] const std::size_t* find(const std::string& key) const { return names_->find(key); }

 private:
  void drop_shared_uuids() {
    std::unordered_map<std::string, unsigned> times;
    for (const Node& node : from_.nodes)
      if (const std::string uuid = Names::uuid_of(node); !uuid.empty()) ++times[uuid];
    for (const Node& node : from_.nodes) {
      const auto found = times.find(Names::uuid_of(node));
      shared_.push_back(found != times.end() && found->second > 1);
    }
  }

  void add(std::size_t at) {
    Node& node = from_.nodes[at];
    const std::string key = node.key;
    if (const auto parent = renamed_.find(node.parent); parent != renamed_.end()) node.parent = parent->second;
    const auto holder = machines_.find(node.parent);
    std::string machine = node.kind == Kind::machine ? key : holder == machines_.end() ? std::string() : holder->second;
    const std::optional<std::size_t>* number = one_host_ ? &new_numbers_[at] : nullptr;
    const std::size_t* place = nullptr;
    if (const std::string other = nvlinks_ ? nvlinks_->stands_for(node) : std::string(); !other.empty()) {
      place = names_->find(other);
    } else if (shared_[at]) {
      Node nameless = node;
      nameless.attributes.erase("uuid");
      place = names_->find(nameless, machine, number);
    } else {
      place = names_->find(node, machine, number);
    }
    // Two devices of one graph are never the same one of another.
    if (place != nullptr && node.key != into_.nodes[*place].key && (*place >= known_ || taken_.contains(*place))) place = nullptr;
    if (place != nullptr) taken_.insert(*place);
    if (place == nullptr) {
      renamed_.emplace(key, key);
      machines_.emplace(key, std::move(machine));
      into_.nodes.push_back(std::move(node));
      names_->add(into_.nodes.back(), into_.nodes.size() - 1, number);
      return;
    }
    Node& known = into_.nodes[*place];
    if (one_host_ && known.key.starts_with("os:") && !node.key.starts_with("os:")) {
      settled_.emplace(known.key, node.key);  // a PCI address says more than a number
      known.key = node.key;
      known.parent = node.parent;
      names_->add(known, *place, nullptr);
    }
    renamed_.emplace(key, known.key);
    if (known.kind == Kind::machine) machine = known.key;
    machines_.emplace(known.key, std::move(machine));
    join(known, std::move(node));
  }

  void settle_keys() {
    if (settled_.empty()) return;
    const auto rename = [&](std::string& key) {
      if (const auto found = settled_.find(key); found != settled_.end()) key = found->second;
    };
    for (Node& node : into_.nodes) rename(node.parent);
    for (Link& link : into_.links) {
      rename(link.a);
      rename(link.b);
    }
  }

  Graph& into_;
  Graph& from_;
  std::size_t known_;  // nodes before
  bool one_host_;
  Numbers numbers_, new_numbers_;
  std::optional<NvlinksKnown> nvlinks_;  // by the keys before, of one host
  std::optional<Names> names_;
  std::vector<bool> shared_;
  std::set<std::size_t> taken_;
  std::unordered_map<std::string, std::string> renamed_, machines_, settled_;
};

}  // namespace

void merge(Graph& into, Graph from, MergeScope scope) {
  NodeMerge names(into, from, scope);
  const std::unordered_map<std::string, std::string> renamed = names.run();
  std::optional<NvlinksKnown> nvlinks;  // by the keys that they have now
  if (scope == MergeScope::one_host) nvlinks.emplace(into);
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
    if (nvlinks) {
      const std::size_t* a = names.find(link.a);
      const std::size_t* b = names.find(link.b);
      if (a != nullptr && b != nullptr && nvlinks->has(link, into.nodes[*a].kind, into.nodes[*b].kind)) continue;
    }
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
  if (scope == MergeScope::one_host)  // a stand-in whose links another source tells better
    std::erase_if(into.nodes, [&](const Node& node) {
      return NvlinksKnown::is_stand_in(node) && std::none_of(into.links.begin(), into.links.end(), [&](const Link& link) {
               return link.a == node.key || link.b == node.key;
             });
    });
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
