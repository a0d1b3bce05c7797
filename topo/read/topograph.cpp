// Names first, then who is below whom: each host and switch is below one switch at most, and in one block at most.
#include "topo/read/topograph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "topo/hostlist.hpp"
#include "topo/merge.hpp"
#include "topo/pci.hpp"
#include "topo/read/ending.hpp"
#include "topo/read/nodes.hpp"
#include "topo/read/yaml_text.hpp"
#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t npos = static_cast<std::size_t>(-1);
constexpr std::size_t longest_word = 255;  // that counts as one name
constexpr auto top_keys = std::to_array<std::string_view>({"switches:", "blocks:", "capacity_blocks:", "nodes:", "version:"});
constexpr const char* domain_annotation = "accelerator.topology.test/domain";
constexpr const char* part_annotation = "accelerator.topology.test/sub-domain";

struct Named {
  std::string name;
  YAML::Node node;
  std::size_t line = 0;
};

struct ModelSwitch {
  std::string name;
  std::size_t line = 0;
  std::vector<std::string> labels;
  std::size_t above = npos, above_line = 0;
};

struct ModelHost {
  std::string name, block, type, domain, part;
  std::size_t above = npos, above_line = 0, block_line = 0;
  std::vector<std::string> labels;
  std::vector<Attributes> gpus;
};

class Model {
 public:
  explicit Model(const Reading& reading) : reading_(reading), root_(parse_yaml(reading, "model of topograph", "model")) {
    if (!root_.IsMap()) fail(root_, "expected `switches:` and `blocks:`");
    const std::vector<Named> switches = entries(root_, "switches");
    for (const Named& it : switches) add_switch(it);
    for (const Named& it : switches) {
      for (const std::string& below : names(it.node, "switches")) hang(below, it);
      for (const std::string& host : hosts(it.node, "nodes")) hang_host(host, switches_.at(it.name), it.line);
    }
    for (const char* blocks : {"blocks", "capacity_blocks"})
      for (const Named& it : entries(root_, blocks)) add_block(it);
    for (const Named& it : switches)
      for (const std::string& block : names(it.node, "capacity_blocks")) hang_block(block, it);
    for (const Named& it : entries(root_, "nodes")) describe_host(it);
    check_circles();
    if (hosts_.empty()) fail(root_, "expected hosts, found none");
  }

  Graph build() {
    for (const ModelHost& host : hosts_) add_host(host);
    for (const ModelSwitch& it : all_) {
      if (host_places_.contains(it.name)) fail(it.line, fmt::format("{} is the name of a switch and of a host", it.name));
      Node& node = add(it.name, Kind::fabric_switch, it.name, "");
      node.attributes["slurm"] = std::string("switch");
      if (!it.labels.empty()) node.attributes["labels"] = it.labels;
    }
    for (const ModelSwitch& it : all_)
      if (it.above != npos) link(it.name, all_[it.above].name);
    for (const ModelHost& host : hosts_)
      if (host.above != npos) link(host.name, all_[host.above].name);
    sort_depth_first(graph_);
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", reading_.origin, line, what));
  }
  [[noreturn]] void fail(const YAML::Node& at, const std::string& what) const { fail(line_of(at), what); }
  static std::size_t line_of(const YAML::Node& at) { return static_cast<std::size_t>(std::max(at.Mark().line, 0)) + 1; }

  // Of a list each with its `name:`, or of a map by the names.
  std::vector<Named> entries(const YAML::Node& map, const char* key) const {
    std::vector<Named> all;
    const YAML::Node value = map[key];
    if (!value.IsDefined() || value.IsNull()) return all;
    if (value.IsMap()) {
      for (const auto& it : value) {
        if (!it.first.IsScalar()) fail(it.first, fmt::format("expected a name in `{}:`", key));
        all.push_back({it.first.Scalar(), it.second, line_of(it.first)});
      }
    } else if (value.IsSequence()) {
      for (const YAML::Node& it : value) {
        if (!it.IsMap()) fail(it, fmt::format("expected one of `{}:` with its fields", key));
        all.push_back({text(it, "name"), it, line_of(it)});
      }
    } else {
      fail(value, fmt::format("expected a list, or names with fields, after `{}:`", key));
    }
    for (const Named& it : all)
      if (!it.node.IsMap() && !it.node.IsNull()) fail(it.line, fmt::format("expected fields of {}", it.name));
    return all;
  }

  std::string text(const YAML::Node& map, const char* key) const {
    if (!map.IsMap()) return {};
    const YAML::Node value = map[key];
    if (!value.IsDefined() || value.IsNull()) return {};
    if (!value.IsScalar()) fail(value, fmt::format("expected one word after `{}:`", key));
    return value.Scalar();
  }

  std::vector<std::string> names(const YAML::Node& map, const char* key) const {
    std::vector<std::string> all;
    if (!map.IsMap()) return all;
    const YAML::Node value = map[key];
    if (!value.IsDefined() || value.IsNull()) return all;
    if (!value.IsSequence()) fail(value, fmt::format("expected a list of names after `{}:`", key));
    for (const YAML::Node& it : value) {
      if (!it.IsScalar() || it.Scalar().empty()) fail(it, fmt::format("expected a name in `{}:`", key));
      all.push_back(it.Scalar());
    }
    return all;
  }

  // Names with brackets, "node[1101-1118]".
  std::vector<std::string> hosts(const YAML::Node& map, const char* key) {
    std::vector<std::string> all;
    for (const std::string& name : names(map, key))
      for (std::string& host : expand_hostlist(name, fmt::format("{}:{}", reading_.origin, line_of(map[key])), room_))
        all.push_back(std::move(host));
    return all;
  }

  // "region=us-west" and the like, of `labels:` and, before 2026, `metadata:`.
  std::vector<std::string> labels(const YAML::Node& map) const {
    std::vector<std::string> all;
    if (!map.IsMap()) return all;
    for (const char* key : {"labels", "metadata"}) {
      const YAML::Node value = map[key];
      if (!value.IsDefined() || value.IsNull()) continue;
      if (!value.IsMap()) fail(value, fmt::format("expected names with values after `{}:`", key));
      for (const auto& it : value)
        if (it.first.IsScalar() && it.second.IsScalar()) all.push_back(it.first.Scalar() + "=" + it.second.Scalar());
    }
    return all;
  }

  // A text inside of another map: of `annotations:` or `attributes:`.
  std::string text(const YAML::Node& map, const char* outer, const char* key) const {
    if (!map.IsMap()) return {};
    const YAML::Node value = map[outer];
    if (!value.IsDefined() || value.IsNull()) return {};
    if (!value.IsMap()) fail(value, fmt::format("expected names with values after `{}:`", outer));
    return text(value, key);
  }

  std::size_t add_switch(const Named& it) {
    if (it.name.empty()) fail(it.line, "expected the `name:` of the switch");
    const auto [place, fresh] = switches_.try_emplace(it.name, all_.size());
    if (!fresh) fail(it.line, fmt::format("the switch {} is here and on line {}", it.name, all_[place->second].line));
    ModelSwitch& made = all_.emplace_back();
    made.name = it.name;
    made.line = it.line;
    made.labels = labels(it.node);
    return place->second;
  }

  // A switch that stands below another need not be described.
  void hang(const std::string& below, const Named& above) {
    const auto [place, fresh] = switches_.try_emplace(below, all_.size());
    if (fresh) {
      ModelSwitch& made = all_.emplace_back();
      made.name = below;
      made.line = above.line;
    }
    ModelSwitch& it = all_[place->second];
    if (it.above != npos)
      fail(above.line, fmt::format("the switch {} is below {} here and below {} on line {}", below, above.name,
                                   all_[it.above].name, it.above_line));
    it.above = switches_.at(above.name);
    it.above_line = above.line;
  }

  ModelHost& host_at(const std::string& name) {
    const auto [place, fresh] = host_places_.try_emplace(name, hosts_.size());
    if (fresh) hosts_.emplace_back().name = name;
    return hosts_[place->second];
  }

  void hang_host(const std::string& name, std::size_t above, std::size_t line) {
    ModelHost& host = host_at(name);
    if (host.above != npos && host.above != above)
      fail(line, fmt::format("the host {} is below {} here and below {} on line {}", name, all_[above].name,
                             all_[host.above].name, host.above_line));
    host.above = above;
    host.above_line = line;
  }

  void add_block(const Named& it) {
    const std::vector<std::string> members = hosts(it.node, "nodes");
    if (members.empty()) fail(it.line, "expected `nodes:` with at least one host");
    const std::string above = text(it.node, "switch");
    const auto place = switches_.find(above);
    if (!above.empty() && place == switches_.end()) fail(it.line, fmt::format("expected a switch of this file, found {}", above));
    std::string domain = text(it.node, "annotations", domain_annotation);
    if (domain.empty()) domain = text(it.node, "nvlink");
    if (domain.empty()) domain = text(it.node, "attributes", "nvlink");
    const std::string type = text(it.node, "type");
    const std::string part = text(it.node, "annotations", part_annotation);
    const std::vector<std::string> all_labels = labels(it.node);
    // Each member keeps all of it: it counts as the names that would fill its place.
    std::size_t names_each = (it.name.size() + type.size() + domain.size() + part.size()) / longest_word;
    for (const std::string& label : all_labels) names_each += 1 + label.size() / longest_word;
    if (names_each > room_ / members.size())
      fail(it.line, fmt::format("its hosts have more labels than the {} that are read", most_names));
    room_ -= names_each * members.size();
    for (const std::string& name : members) {
      ModelHost& host = host_at(name);
      if (host.block_line != 0)
        fail(it.line, fmt::format("the host {} is in this block and in that of line {}", name, host.block_line));
      host.block_line = it.line;
      host.block = it.name;
      host.type = type;
      host.domain = domain;
      host.part = part;
      host.labels = all_labels;
      if (!above.empty()) hang_host(name, place->second, it.line);
    }
    if (!it.name.empty() && !blocks_.try_emplace(it.name, members).second)
      fail(it.line, fmt::format("the block {} is described twice", it.name));
  }

  void hang_block(const std::string& block, const Named& above) {
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) fail(above.line, fmt::format("expected a block of this file, found {}", block));
    for (const std::string& host : found->second) hang_host(host, switches_.at(above.name), above.line);
  }

  void describe_host(const Named& it) {
    if (it.name.empty()) fail(it.line, "expected the `name:` of the host");
    ModelHost& host = host_at(it.name);
    if (std::string domain = text(it.node, "attributes", "nvlink"); !domain.empty()) host.domain = std::move(domain);
    if (std::string block = text(it.node, "capacity_block_id"); !block.empty()) host.block = std::move(block);
    const YAML::Node attributes = it.node.IsMap() ? it.node["attributes"] : YAML::Node();
    const YAML::Node gpus = attributes.IsDefined() && attributes.IsMap() ? attributes["gpus"] : YAML::Node();
    if (!gpus.IsDefined() || gpus.IsNull()) return;
    if (!gpus.IsSequence()) fail(gpus, "expected a list of GPUs after `gpus:`");
    for (const YAML::Node& gpu : gpus) {
      if (!gpu.IsMap()) fail(gpu, "expected the fields of a GPU");
      Attributes& made = host.gpus.emplace_back();
      std::uint64_t index = 0;
      if (const YAML::Node value = gpu["index"]; value.IsDefined()) {
        if (!YAML::convert<std::uint64_t>::decode(value, index)) fail(value, "expected the number of the GPU after `index:`");
        made["index"] = index;
      }
      for (const auto& [key, attribute] : {std::pair{"uuid", "uuid"}, {"model", "model"}, {"pci_bus_id", "pci"}})
        if (std::string word = text(gpu, key); !word.empty()) made[attribute] = std::move(word);
    }
  }

  // Each switch has one above it at most: a walk upward that meets itself, and no earlier one, goes in a circle.
  void check_circles() const {
    std::vector<std::size_t> walk(all_.size(), npos);  // by the switch at which it began
    for (std::size_t i = 0; i < all_.size(); ++i) {
      std::size_t at = i;
      for (; at != npos && walk[at] == npos; at = all_[at].above) walk[at] = i;
      if (at != npos && walk[at] == i) fail(all_[at].line, fmt::format("the switch {} is above itself", all_[at].name));
    }
  }

  Node& add(std::string key, Kind kind, std::string name, std::string parent) {
    return add_node(graph_, std::move(key), kind, std::move(name), std::move(parent), reading_.source);
  }

  void link(const std::string& a, const std::string& b) {
    Link& made = graph_.links.emplace_back();
    made.kind = LinkKind::tree;
    made.a = a;
    made.b = b;
    made.provenance = {reading_.source};
  }

  std::string rack(const std::string& key, const std::string& name, const std::string& parent) {
    if (racks_.insert(key).second) add(key, Kind::rack, name, parent).attributes["role"] = std::string("nvlink_domain");
    return key;
  }

  void add_host(const ModelHost& host) {
    std::string holder;
    if (!host.domain.empty()) holder = rack("domain:" + host.domain, host.domain, "");
    if (!host.part.empty()) {
      const std::string within = host.domain.empty() ? "domain:/" : fmt::format("domain:{}/", host.domain);
      holder = rack(within + host.part, host.part, holder);
    }
    Node& node = add(host.name, Kind::machine, host.name, holder);
    node.attributes["host_name"] = host.name;
    if (!host.block.empty()) node.attributes["capacity_block"] = host.block;
    if (!host.type.empty()) node.attributes["model"] = host.type;
    if (!host.labels.empty()) node.attributes["labels"] = host.labels;
    for (std::size_t i = 0; i < host.gpus.size(); ++i) {
      const Attributes& told = host.gpus[i];
      std::string address = pci_key(text_of(told, "pci"));
      const std::string model(text_of(told, "model"));
      Node& gpu = add(fmt::format("{}/{}", host.name, address.empty() ? fmt::format("os:gpu{}", i) : address), Kind::gpu,
                      model.empty() ? "NVIDIA GPU" : model, host.name);
      gpu.attributes = told;
      gpu.attributes.erase("pci");
      if (!gpu_keys_.insert(gpu.key).second)
        throw Error(Fault::usage, fmt::format("{}: two GPUs of {} have one PCI address", reading_.origin, host.name));
    }
  }

  const Reading& reading_;
  const YAML::Node root_;
  std::size_t room_ = most_names;
  std::vector<ModelSwitch> all_;
  std::unordered_map<std::string, std::size_t> switches_, host_places_;
  std::vector<ModelHost> hosts_;
  std::unordered_map<std::string, std::vector<std::string>> blocks_;
  std::unordered_set<std::string> racks_, gpu_keys_;
  Graph graph_;
};

}  // namespace

bool is_topograph_model(std::string_view text) {
  bool found = false;
  for (Lines lines(text); lines.next();) {
    const std::string_view line = lines.line();
    if (line.empty() || line[0] == ' ' || line[0] == '#' || line[0] == '-') continue;
    const auto* const key =
        std::find_if(top_keys.begin(), top_keys.end(), [&](std::string_view it) { return line.starts_with(it); });
    if (key == top_keys.end()) return false;
    found = found || *key != "version:";
  }
  return found;
}

Graph read_topograph_model(const Reading& reading) {
  Graph graph = Model(reading).build();
  note_open_line(graph, reading);
  return graph;
}

}  // namespace railgauge::topo
