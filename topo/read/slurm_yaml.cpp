// topology.yaml of Slurm 25.05 and newer: several topologies in one file.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "topo/hostlist.hpp"
#include "topo/notes.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/slurm.hpp"
#include "topo/read/yaml_text.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

constexpr const char* sorts[] = {"tree", "block", "ring", "torus3d"};

class Reader {
 public:
  explicit Reader(const Reading& from) : from_(from) {}

  std::vector<SlurmTopology> read() {
    const YAML::Node whole = parse_yaml(from_, "topology.yaml", "list of topologies");
    if (!whole.IsSequence()) refuse(whole, "expected a list of topologies, each with `topology:` and its name");
    std::vector<SlurmTopology> all;
    for (const YAML::Node& one : whole) all.push_back(topology(one));
    check_ending(all);
    return all;
  }

 private:
  // YAML needs no end: a file that was cut between two words is YAML too.
  void check_ending(const std::vector<SlurmTopology>& all) const {
    if (all.empty() || all.back().groups.empty()) return;
    const SlurmGroup& last = all.back().groups.back();
    if (last.nodes.empty() && last.children.empty())
      throw Error(Fault::usage, fmt::format("{}:{}: the file ends inside {}, which has no names below it: it was cut",
                                            from_.origin, last_line_of(from_.text), last.name));
    if (is_unterminated(from_.text) && (from_.text.ends_with(',') || from_.text.ends_with(':'))) refuse_cut(from_, "names");
  }

  [[noreturn]] void refuse(const YAML::Node& at, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", from_.origin, at.Mark().line + 1, what));
  }

  std::string text(const YAML::Node& map, const char* key, bool needed) const {
    const YAML::Node value = map[key];
    if (!value.IsDefined() || value.IsNull()) {
      if (needed) refuse(map, fmt::format("expected `{}:` here", key));
      return {};
    }
    if (!value.IsScalar()) refuse(value, fmt::format("expected one word after `{}:`", key));
    return value.Scalar();
  }

  bool is_true(const YAML::Node& map, const char* key) const {
    bool value = false;
    if (const YAML::Node told = map[key]; told.IsDefined() && !YAML::convert<bool>::decode(told, value))
      refuse(told, fmt::format("expected true or false after `{}:`", key));
    return value;
  }

  std::vector<std::string> names(const YAML::Node& map, const char* key) {
    return expand_hostlist(text(map, key, false), fmt::format("{}:{}", from_.origin, map.Mark().line + 1), room_);
  }

  void read_groups(const YAML::Node& list, SlurmKind kind, const char* key, SlurmTopology& into) {
    if (!list.IsDefined()) return;
    if (!list.IsSequence()) refuse(list, fmt::format("expected a list with `- {}:`", key));
    for (const YAML::Node& one : list) {
      if (!one.IsMap()) refuse(one, fmt::format("expected `{}:` here", key));
      SlurmGroup& group = into.groups.emplace_back();
      group.kind = kind;
      group.name = text(one, key, true);
      if (group.name.empty()) refuse(one, fmt::format("`{}:` names nothing", key));
      group.line = static_cast<std::size_t>(one.Mark().line) + 1;
      group.nodes = names(one, "nodes");
      if (kind == SlurmKind::tree_switch) group.children = names(one, "children");
    }
  }

  SlurmTopology topology(const YAML::Node& one) {
    if (!one.IsMap()) refuse(one, "expected a topology with `topology:` and its name");
    SlurmTopology it;
    it.name = text(one, "topology", true);
    it.is_default = is_true(one, "cluster_default");
    it.flat = is_true(one, "flat");
    const bool told = std::any_of(std::begin(sorts), std::end(sorts), [&](const char* kind) { return one[kind].IsDefined(); });
    if (!told && !it.flat) refuse(one, "expected `tree:`, `block:`, `ring:` or `flat: true` in this topology");
    for (const char* kind : {"tree", "block", "ring"})
      if (const YAML::Node value = one[kind]; value.IsDefined() && !value.IsMap())
        refuse(value, fmt::format("expected what belongs to `{}:`", kind));
    if (const YAML::Node tree = one["tree"]; tree.IsDefined())
      read_groups(tree["switches"], SlurmKind::tree_switch, "switch", it);
    if (const YAML::Node ring = one["ring"]; ring.IsDefined()) read_groups(ring["rings"], SlurmKind::ring, "ring", it);
    if (const YAML::Node block = one["block"]; block.IsDefined()) {
      read_groups(block["blocks"], SlurmKind::block, "block", it);
      const YAML::Node sizes = block["block_sizes"];
      if (sizes.IsDefined() && !sizes.IsSequence()) refuse(sizes, "expected a list of numbers after `block_sizes:`");
      for (const YAML::Node& size : sizes) {
        std::uint64_t value = 0;
        if (!YAML::convert<std::uint64_t>::decode(size, value)) refuse(size, "expected a number of nodes");
        it.block_sizes.push_back(value);
      }
    }
    if (one["torus3d"].IsDefined())
      refuse(one["torus3d"], "a torus of Slurm places nodes on a grid and names no switches; it is not read");
    return it;
  }

  const Reading& from_;
  std::size_t room_ = most_names;
};

void write_groups(YAML::Emitter& out, const SlurmTopology& topology, SlurmKind kind, const char* key) {
  out << YAML::BeginSeq;
  for (const SlurmGroup& group : topology.groups) {
    if (group.kind != kind) continue;
    out << YAML::BeginMap << YAML::Key << key << YAML::Value << group.name;
    if (!group.children.empty()) out << YAML::Key << "children" << YAML::Value << compress_hostlist(group.children);
    if (!group.nodes.empty()) out << YAML::Key << "nodes" << YAML::Value << compress_hostlist(group.nodes);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq;
}

struct Section {
  SlurmKind kind;
  const char *name, *list, *key;
};
constexpr Section sections[] = {{SlurmKind::tree_switch, "tree", "switches", "switch"},
                                {SlurmKind::block, "block", "blocks", "block"},
                                {SlurmKind::ring, "ring", "rings", "ring"}};

}  // namespace

bool is_slurm_yaml(std::string_view text) {
  text = text.substr(0, 64U << 10U);
  for (Lines lines(text); lines.next();) {
    Scan scan(lines.line());
    if (scan.blanks().done() || scan.rest()[0] == '#' || scan.rest() == "---") continue;
    if (!scan.take("-")) return false;
    // The name need not be the first thing that is said of a topology.
    for (const std::string_view key : {"topology:", "cluster_default:", "tree:", "block:", "flat:", "ring:", "torus3d:"})
      if (scan.blanks().rest().starts_with(key)) return text.find("topology:") != std::string_view::npos;
    return false;
  }
  return false;
}

Graph read_slurm_yaml(const Reading& reading) {
  Graph graph = to_graph(Reader(reading).read(), reading);
  note_open_line(graph, reading);
  return graph;
}

std::string to_slurm_yaml(const Graph& graph) {
  const std::vector<SlurmTopology> topologies = slurm_topologies(graph);
  const bool told = std::any_of(topologies.begin(), topologies.end(), [](const SlurmTopology& it) { return it.is_default; });
  YAML::Emitter out;
  out << YAML::BeginSeq;
  bool first = true;
  const auto begin = [&](const SlurmTopology& topology, const char* otherwise) {
    out << YAML::BeginMap << YAML::Key << "topology" << YAML::Value
        << (topology.name.empty() ? std::string(otherwise) : topology.name);
    out << YAML::Key << "cluster_default" << YAML::Value << (told ? topology.is_default : std::exchange(first, false));
  };
  for (const SlurmTopology& topology : topologies) {
    for (const Section& section : sections) {
      if (std::none_of(topology.groups.begin(), topology.groups.end(),
                       [&](const SlurmGroup& group) { return group.kind == section.kind; }))
        continue;
      begin(topology, section.name);
      out << YAML::Key << section.name << YAML::Value << YAML::BeginMap;
      if (section.kind == SlurmKind::block && !topology.block_sizes.empty())
        out << YAML::Key << "block_sizes" << YAML::Value << YAML::Flow << topology.block_sizes;
      out << YAML::Key << section.list << YAML::Value;
      write_groups(out, topology, section.kind, section.key);
      out << YAML::EndMap << YAML::EndMap;
    }
    if (!topology.flat) continue;
    begin(topology, "flat");
    out << YAML::Key << "flat" << YAML::Value << true << YAML::EndMap;
  }
  out << YAML::EndSeq;
  return std::string("---\n") + out.c_str() + "\n";
}

}  // namespace railgauge::topo
