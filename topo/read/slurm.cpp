// Slurm's groups as a graph; topology.conf.
#include "topo/read/slurm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "base/error.hpp"
#include "topo/hostlist.hpp"
#include "topo/notes.hpp"
#include "topo/read/ending.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

[[noreturn]] void refuse(const Reading& from, std::size_t line, const std::string& what) {
  throw Error(Fault::usage, fmt::format("{}:{}: {}", from.origin, line, what));
}

std::string_view word_of(SlurmKind kind) {
  return kind == SlurmKind::block ? "block" : kind == SlurmKind::ring ? "ring" : "switch";
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto low = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return low(x) == low(y);
  });
}

// A switch that is above itself would never end. Takes away what has nothing left below it, until nothing changes.
void check_circles(const SlurmTopology& topology, const std::unordered_map<std::string_view, std::size_t>& places,
                   const Reading& from) {
  std::vector<std::vector<std::size_t>> parents(topology.groups.size());
  std::vector<std::size_t> below(topology.groups.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < topology.groups.size(); ++i) {
    for (const std::string& child : topology.groups[i].children) parents[places.at(child)].push_back(i);
    below[i] = topology.groups[i].children.size();
    if (below[i] == 0) open.push_back(i);
  }
  std::size_t done = 0;
  for (; !open.empty(); ++done) {
    const std::size_t at = open.back();
    open.pop_back();
    for (const std::size_t parent : parents[at])
      if (--below[parent] == 0) open.push_back(parent);
  }
  if (done == below.size()) return;
  // Something is left below each one that is left: going down comes to a circle.
  std::vector<bool> seen(below.size());
  std::size_t at = 0;
  while (below[at] == 0) ++at;
  const auto next = [&](std::size_t from_here) {
    for (const std::string& child : topology.groups[from_here].children)
      if (below[places.at(child)] != 0) return places.at(child);
    return from_here;
  };
  for (; !seen[at]; at = next(at)) seen[at] = true;
  const SlurmGroup& group = topology.groups[at];
  refuse(from, group.line, fmt::format("the switch {} is above itself, through {}", group.name, topology.groups[next(at)].name));
}

class Reader {
 public:
  explicit Reader(const Reading& from) : from_(from) {
    std::string whole;  // a line that a backslash continues on the next
    std::size_t first = 0;
    for (Lines lines(from.text); lines.next();) {
      if (whole.empty()) first = lines.number();
      std::string_view line = lines.line().substr(0, lines.line().find('#'));
      const bool goes_on = line.ends_with('\\') && lines.line().size() == line.size();
      if (goes_on) line.remove_suffix(1);
      whole += line;
      if (goes_on) continue;
      read(whole, first);
      whole.clear();
    }
    if (from.text.ends_with('\\') || from.text.ends_with("\\\n"))
      refuse(from, last_line_of(from.text), "the file ends where this line goes on with the next: it was cut");
    read(whole, first);
    if (!is_unterminated(from.text)) return;
    const bool lacking = !topology_.groups.empty() && topology_.groups.back().line == first &&
                         topology_.groups.back().nodes.empty() && topology_.groups.back().children.empty();
    if (lacking || whole.ends_with(',') || whole.ends_with('=')) refuse_cut(from, "names");
  }
  SlurmTopology take() { return std::move(topology_); }

 private:
  void read(std::string_view line, std::size_t number) {
    SlurmGroup group;
    group.line = number;
    const std::string where = fmt::format("{}:{}", from_.origin, number);
    bool sizes = false;
    for (Scan scan(line); !scan.blanks().done();) {
      const std::size_t equals = scan.rest().find('=');
      const std::string_view key = scan.rest().substr(0, equals);
      if (equals == std::string_view::npos || key.find_first_of(" \t") != std::string_view::npos)
        refuse(from_, number, fmt::format("expected NAME=VALUE, found '{}'", scan.rest().substr(0, 60)));
      (void)scan.take(key);
      (void)scan.take("=");
      const auto quoted = scan.between('"', '"');
      const std::string_view value = quoted ? *quoted : scan.word();
      if (same_word(key, "SwitchName") || same_word(key, "BlockName") || same_word(key, "RingName")) {
        group.kind = same_word(key, "BlockName")  ? SlurmKind::block
                     : same_word(key, "RingName") ? SlurmKind::ring
                                                  : SlurmKind::tree_switch;
        group.name = value;
      } else if (same_word(key, "Nodes")) {
        group.nodes = expand_hostlist(value, where, room_);
      } else if (same_word(key, "Switches")) {
        group.children = expand_hostlist(value, where, room_);
      } else if (same_word(key, "LinkSpeed")) {
        group.link_speed = value;
      } else if (same_word(key, "BlockSizes")) {
        sizes = true;
        for (Scan numbers(value); !numbers.done(); (void)numbers.take(","))
          if (const auto size = numbers.number())
            topology_.block_sizes.push_back(*size);
          else
            refuse(from_, number, fmt::format("expected numbers after BlockSizes=, found '{}'", value.substr(0, 60)));
      } else {
        refuse(from_, number,
               fmt::format("expected SwitchName, BlockName, RingName, Nodes, Switches, LinkSpeed or BlockSizes, found '{}'",
                           key.substr(0, 60)));
      }
    }
    if (!group.name.empty())
      topology_.groups.push_back(std::move(group));
    else if (!group.nodes.empty() || !group.children.empty() || (!sizes && !Scan(line).blanks().done()))
      refuse(from_, number, "this line names no switch, block or ring");
  }

  const Reading& from_;
  SlurmTopology topology_;
  std::size_t room_ = most_names;
};

// What no node tells: the order of the topologies, which is the cluster's default, and those without groups.
void put_topologies(Node& first, const std::vector<SlurmTopology>& topologies) {
  std::vector<std::string> lines;
  for (const SlurmTopology& it : topologies) {
    if (it.name.empty()) continue;
    const char* kind = it.flat || it.groups.empty()                 ? "flat"
                       : it.groups.front().kind == SlurmKind::block ? "block"
                       : it.groups.front().kind == SlurmKind::ring  ? "ring"
                                                                    : "tree";
    lines.push_back(fmt::format("{} {} {}", kind, it.is_default ? "default" : "other", it.name));
  }
  if (!lines.empty()) first.attributes["slurm_topologies"] = std::move(lines);
}

void write_group(const SlurmGroup& group, std::string& text) {
  auto out = std::back_inserter(text);
  if (!group.remark.empty()) fmt::format_to(out, "# {}: {}\n", group.name, group.remark);
  const char* key = group.kind == SlurmKind::block ? "BlockName" : group.kind == SlurmKind::ring ? "RingName" : "SwitchName";
  fmt::format_to(out, "{}={}", key, group.name);
  if (!group.children.empty()) fmt::format_to(out, " Switches={}", compress_hostlist(group.children));
  if (!group.nodes.empty()) fmt::format_to(out, " Nodes={}", compress_hostlist(group.nodes));
  if (!group.link_speed.empty()) fmt::format_to(out, " LinkSpeed={}", group.link_speed);
  text += '\n';
}

}  // namespace

bool is_slurm_conf(std::string_view text) {
  for (Lines lines(text.substr(0, 64U << 10U)); lines.next();) {
    Scan scan(lines.line());
    if (scan.blanks().done() || scan.rest()[0] == '#') continue;
    const std::string_view key = scan.rest().substr(0, scan.rest().find('='));
    for (const std::string_view known : {"SwitchName", "BlockName", "RingName", "BlockSizes"})
      if (same_word(key, known)) return true;
    return false;
  }
  return false;
}

Graph read_slurm_conf(const Reading& reading) {
  Graph graph = to_graph({Reader(reading).take()}, reading);
  note_open_line(graph, reading);
  return graph;
}

Graph to_graph(const std::vector<SlurmTopology>& topologies, const Reading& from) {
  Graph graph;
  std::unordered_set<std::string> keys;
  const auto add = [&](const std::string& key, Kind kind, const std::string& name) -> Node* {
    if (!keys.insert(key).second) return nullptr;
    Node& node = graph.nodes.emplace_back();
    node.key = key;
    node.kind = kind;
    node.name = name;
    node.provenance = {from.source};
    return &node;
  };
  const auto link = [&](const std::string& a, const std::string& b) {
    Link& made = graph.links.emplace_back();
    made.kind = LinkKind::tree;
    made.a = a;
    made.b = b;
    made.provenance = {from.source};
  };
  std::vector<std::pair<const SlurmGroup*, std::string>> all;
  // Names of switches may be the same in two topologies; where there is only one, keys need no name of it.
  const bool several =
      std::count_if(topologies.begin(), topologies.end(), [](const SlurmTopology& it) { return !it.groups.empty(); }) > 1;
  for (const SlurmTopology& topology : topologies) {
    std::unordered_map<std::string_view, std::size_t> places;
    const auto key_of = [&](SlurmKind kind, std::string_view name) {
      const bool prefixed = several && !topology.name.empty();
      return fmt::format("{}:{}{}{}", word_of(kind), prefixed ? topology.name : "", prefixed ? "/" : "", name);
    };
    for (std::size_t i = 0; i < topology.groups.size(); ++i) {
      const SlurmGroup& group = topology.groups[i];
      Node* node = add(key_of(group.kind, group.name), Kind::fabric_switch, group.name);
      if (node == nullptr) refuse(from, group.line, fmt::format("the {} {} is described twice", word_of(group.kind), group.name));
      node->attributes["slurm"] = std::string(word_of(group.kind));
      if (!topology.name.empty()) node->attributes["topology"] = topology.name;
      if (!group.link_speed.empty()) node->attributes["link_speed"] = group.link_speed;
      if (group.kind == SlurmKind::block && !topology.block_sizes.empty()) {
        std::vector<std::string> sizes;
        for (const std::uint64_t size : topology.block_sizes) sizes.push_back(std::to_string(size));
        node->attributes["block_sizes"] = std::move(sizes);
      }
      if (group.kind == SlurmKind::tree_switch) places.emplace(group.name, i);
      all.emplace_back(&group, node->key);
    }
    for (const SlurmGroup& group : topology.groups)
      for (const std::string& child : group.children) {
        if (!places.contains(child))
          refuse(from, group.line,
                 fmt::format("the switch {} has a switch {} below it, which is not described", group.name, child));
        link(key_of(SlurmKind::tree_switch, child), key_of(group.kind, group.name));
      }
    check_circles(topology, places, from);
  }
  if (all.empty()) throw Error(Fault::usage, fmt::format("{}: this describes no switch, block or ring", from.origin));
  for (const auto& [group, key] : all)
    for (const std::string& host : group->nodes) {
      if (Node* node = add(host, Kind::machine, host)) node->attributes["host_name"] = host;
      link(host, key);
    }
  put_topologies(graph.nodes.front(), topologies);
  return graph;
}

std::string to_slurm_conf(const Graph& graph) {
  const std::vector<SlurmTopology> all = slurm_topologies(graph);
  const SlurmTopology& topology = slurm_topology(all);
  const auto has = [&](SlurmKind kind) {
    return std::any_of(topology.groups.begin(), topology.groups.end(), [&](const SlurmGroup& it) { return it.kind == kind; });
  };
  const SlurmKind kind = has(SlurmKind::tree_switch) ? SlurmKind::tree_switch
                         : has(SlurmKind::block)     ? SlurmKind::block
                                                     : SlurmKind::ring;
  const bool blocks = std::any_of(all.begin(), all.end(), [](const SlurmTopology& it) {
    return std::any_of(it.groups.begin(), it.groups.end(),
                       [](const SlurmGroup& group) { return group.kind == SlurmKind::block; });
  });
  std::string others;
  for (const SlurmTopology& it : all)
    if (it.name != topology.name) others += fmt::format("{}{}", others.empty() ? "" : ", ", it.name);
  std::string text;
  if (kind == SlurmKind::tree_switch && blocks)
    text += "# Blocks are left out: topology.conf holds one kind of topology. --as slurm-yaml writes both.\n";
  if (!others.empty())
    text += fmt::format("# This is the topology {}; {} left out: {}.\n", topology.name,
                        all.size() == 2 ? "another is" : "others are", others);
  for (const SlurmGroup& group : topology.groups)
    if (group.kind == kind) write_group(group, text);
  if (kind == SlurmKind::block && !topology.block_sizes.empty())
    text += fmt::format("BlockSizes={}\n", fmt::join(topology.block_sizes, ","));
  return text;
}

}  // namespace railgauge::topo
