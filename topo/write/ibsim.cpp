// Writes the InfiniBand part of a graph as a netlist for ibsim.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "topo/infiniband.hpp"
#include "topo/read/netlist.hpp"

namespace railgauge::topo {
namespace {

constexpr double fastest_of_old = 53.125;  // HDR: ibsim 0.10 knows no faster one

struct Cable {
  unsigned port = 0, peer_port = 0;
  const Node* peer = nullptr;
  std::string options;
};

struct Device {
  const Node* node = nullptr;
  std::vector<Cable> cables;
  unsigned ports = 0;
};

class Writer {
 public:
  explicit Writer(const Graph& graph) : graph_(graph) {
    for (const Node& node : graph.nodes) nodes_.emplace(node.key, &node);
    for (const Link& link : graph.links)
      if (link.kind == LinkKind::infiniband && link.state != LinkState::down && link.state != LinkState::disabled) add(link);
    if (devices_.empty()) throw Error(Fault::usage, "--as ibsim: this topology has no InfiniBand links");
  }

  std::string write() {
    std::string text = "# A fabric for ibsim. Both ends of a link have the same options, which ibsim wants.\n";
    if (!reduced_.empty()) {
      std::string names;
      for (const std::string_view name : reduced_) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
      text += fmt::format("# Written with the next speed that ibsim 0.10 knows: {}.\n", names);
    }
    // Clients of ibsim stand at the first node, so hosts come first.
    for (const bool switches : {false, true})
      for (const Node& node : graph_.nodes)
        if (const auto device = devices_.find(&node); device != devices_.end())
          if ((node.kind == Kind::fabric_switch) == switches) write(device->second, text);
    return text;
  }

 private:
  struct DevicePort {
    const Node* device = nullptr;
    unsigned port = 0;
  };

  // A link ends at a switch, or at a port below an adapter.
  DevicePort end_of(const std::string& key, unsigned port) const {
    const auto found = nodes_.find(key);
    if (found == nodes_.end()) return {};
    const Node* node = found->second;
    if (node->kind == Kind::port) {
      if (const auto parent = nodes_.find(node->parent); parent != nodes_.end()) node = parent->second;
      if (port == 0)
        port = static_cast<unsigned>(std::min<unsigned long>(std::strtoul(key.c_str() + key.rfind('/') + 1, nullptr, 10), 255));
    }
    return {node, port};
  }

  void add(const Link& link) {
    const DevicePort a = end_of(link.a, link.a_port);
    const DevicePort b = end_of(link.b, link.b_port);
    if (a.device == nullptr || b.device == nullptr) return;
    if (a.port == 0 || b.port == 0)
      throw Error(Fault::usage, fmt::format("--as ibsim: the link between {} and {} has no numbers of ports, which ibsim needs",
                                            link.a, link.b));
    const std::string options = options_of(link);
    for (const auto& [here, there] : {std::pair{a, b}, std::pair{b, a}}) {
      Device& device = devices_[here.device];
      device.node = here.device;
      device.cables.push_back({here.port, there.port, there.device, options});
      device.ports = std::max(device.ports, here.port);
      if (here.device == there.device && here.port == there.port) break;  // a loop-back plug
    }
  }

  std::string options_of(const Link& link) {
    const auto lesser = [](auto at_a, auto at_b) { return at_b > 0 ? std::min(at_a, at_b) : at_a; };
    const unsigned width = infiniband_width_code(lesser(link.active.width, link.active_at_b.width));
    const double speed = lesser(link.active.speed, link.active_at_b.speed);
    std::string options = fmt::format("w={}", width == 0 ? 2 : width);
    const InfinibandSpeed* active = speed > 0 ? infiniband_speed(speed) : nullptr;
    if (active == nullptr) return options;
    // Masks of all that is as fast or slower.
    unsigned speeds = 0;
    unsigned extended = 0;
    for (const InfinibandSpeed& row : infiniband_speeds())
      if (row.signalling <= std::min(active->signalling, fastest_of_old)) {
        speeds |= row.speed_code;
        extended |= row.extended_code;
      }
    if (active->signalling > fastest_of_old || active->name == "FDR10") reduced_.insert(active->name);
    return options + fmt::format(" s={} e={}", speeds, extended);
  }

  static std::string guid_of(const Node& node) {
    std::string guid = guid_key(text_of(node.attributes, "node_guid"));
    if (guid.empty()) guid = guid_key(node.key);
    if (guid.empty()) throw Error(Fault::usage, fmt::format("--as ibsim: {} has no GUID, which ibsim needs", node.key));
    return guid.substr(2);
  }

  static char letter(const Node& node) { return node.kind == Kind::fabric_switch ? 'S' : 'H'; }

  void write(Device& device, std::string& text) const {
    const Node& node = *device.node;
    const bool is_switch = node.kind == Kind::fabric_switch;
    const std::string guid = guid_of(node);
    std::string description(text_of(node.attributes, "description"));
    if (description.empty()) description = name_of(node);
    std::replace_if(description.begin(), description.end(), [](char c) { return c == '"' || (c >= 0 && c < ' '); }, '\'');
    description.resize(std::min<std::size_t>(description.size(), 64));
    auto out = std::back_inserter(text);
    fmt::format_to(out, "\n");
    if (const auto system = guid_key(text_of(node.attributes, "system_guid")); !system.empty())
      fmt::format_to(out, "sysimgguid={}\n", system);
    fmt::format_to(out, "{}=0x{}\n", is_switch ? "switchguid" : "caguid", guid);
    fmt::format_to(out, "{}\t{} \"{}-{}\"\t\t# \"{}\"", is_switch ? "Switch" : "Ca",
                   std::max<std::uint64_t>(device.ports, std::min<std::uint64_t>(number_of(node.attributes, "ports"), 254)),
                   letter(node), guid, description);
    if (is_switch) fmt::format_to(out, " base port 0 lid {} lmc 0", number_of(node.attributes, "lid"));
    fmt::format_to(out, "\n");
    std::sort(device.cables.begin(), device.cables.end(), [](const Cable& a, const Cable& b) { return a.port < b.port; });
    for (const Cable& cable : device.cables)
      fmt::format_to(out, "[{}]\t\"{}-{}\"[{}]\t{}\n", cable.port, letter(*cable.peer), guid_of(*cable.peer), cable.peer_port,
                     cable.options);
  }

  std::string name_of(const Node& node) const {
    const auto machine = nodes_.find(node.parent);
    return machine != nodes_.end() && machine->second->kind == Kind::machine ? machine->second->name + " " + node.name
                                                                             : node.name;
  }

  const Graph& graph_;
  std::unordered_map<std::string_view, const Node*> nodes_;
  std::unordered_map<const Node*, Device> devices_;
  std::set<std::string_view> reduced_;
};

}  // namespace

std::string to_ibsim(const Graph& graph) { return Writer(graph).write(); }

}  // namespace railgauge::topo
