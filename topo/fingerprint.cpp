// Each part becomes a line of what never changes by itself; parts below another are sorted, so the order of discovery is lost.
#include "topo/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "topo/view.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t deepest_indent = 40;  // of any hardware far less; of files of strangers perhaps not

std::uint64_t hash_of(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325U) {
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3U;
  return hash;
}

// The same in every list of PCI devices, which names are not; a card's maker may have given it another subsystem.
std::string model_of(const Node& node) {
  const std::string_view id = text_of(node.attributes, "pci_id");
  if (id.empty()) {
    if (node.kind != Kind::nic) return node.name;
    const std::string_view device = text_of(node.attributes, "device");  // the name of a NIC may be that of the single card
    return std::string(device.empty() ? text_of(node.attributes, "hca_type") : device);
  }
  const std::string_view board = text_of(node.attributes, "pci_subsystem");
  const bool told = !board.empty() && board != "0000:0000" && (node.kind == Kind::gpu || node.kind == Kind::nic);
  return told ? fmt::format("{} board {}", id, board) : std::string(id);
}

// Virtual functions come and go with a setting; interfaces without a card are software.
bool is_card(const Node& node) {
  const bool is_virtual = node.name.find("Virtual Function") != std::string::npos ||
                          text_of(node.attributes, "device").find("Virtual Function") != std::string_view::npos;
  return !is_virtual && node.key.find("os:") == std::string::npos;
}

class Prints {
 public:
  explicit Prints(const Graph& graph) : view_(graph), nodes_(graph.nodes.size()) {
    find_memory_of_gpus();
    for (std::size_t i = nodes_.size(); i-- > 0;) keep(i);
    for (std::size_t i = nodes_.size(); i-- > 0;) finish(i);
  }

  [[nodiscard]] std::vector<HostPrint> hosts() const {
    std::map<std::string, HostPrint> found;  // by digits
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (view_.node(i).kind != Kind::machine) continue;
      std::string text = text_of_host(i);
      std::string digits = digits_of(text);
      const auto [at, fresh] = found.try_emplace(std::move(digits));
      if (fresh)
        at->second = {at->first, std::move(text), 1};
      else
        ++at->second.count;
    }
    std::vector<HostPrint> all;
    for (auto& [digits, host] : found) all.push_back(std::move(host));
    return all;
  }

 private:
  struct NodePrint {
    bool kept = false;
    std::string line;
    std::uint64_t hash = 0;             // of the line and all below
    std::vector<std::size_t> children;  // that are kept, sorted
  };

  // A driver that is not loaded does not show them.
  void find_memory_of_gpus() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Attributes& attributes = view_.node(i).attributes;
      const std::size_t machine = attributes.contains("memory_numa") ? view_.machine(i) : View::none;
      if (machine == View::none) continue;
      const std::string& key = view_.node(machine).key;
      const std::size_t memory =
          view_.place(fmt::format("{}numa{}", key == "machine" ? "" : key + "/", number_of(attributes, "memory_numa")));
      if (memory != View::none) memory_of_gpus_.push_back(memory);
    }
    std::sort(memory_of_gpus_.begin(), memory_of_gpus_.end());
  }

  [[nodiscard]] bool stands_alone(std::size_t i) const {
    const Node& node = view_.node(i);
    switch (node.kind) {
      case Kind::package:
      case Kind::gpu:
      case Kind::nvswitch:
      case Kind::accelerator:
      case Kind::partition:
        return true;
      case Kind::numa:
        return !std::binary_search(memory_of_gpus_.begin(), memory_of_gpus_.end(), i);
      case Kind::nic:
        return is_card(node);
      default:
        return false;
    }
  }

  // With what is kept, whatever holds it is kept too. Nodes stand behind their parents.
  void keep(std::size_t i) {
    nodes_[i].kept = nodes_[i].kept || stands_alone(i);
    const std::size_t parent = view_.parent(i);
    if (!nodes_[i].kept || parent == View::none) return;
    nodes_[parent].kept = true;
    nodes_[parent].children.push_back(i);
  }

  [[nodiscard]] unsigned links_of(std::size_t i, LinkKind kind) const {
    unsigned links = 0;
    for (const std::size_t link : view_.links(i))
      if (view_.link(link).kind == kind) links += view_.link(link).count;
    return links;
  }

  // Of a machine those that stand in no package.
  [[nodiscard]] static std::string processors_of(const Node& machine) {
    const bool none = !machine.attributes.contains("packages");
    const std::uint64_t cores = number_of(machine.attributes, none ? "cores" : "cores_without_package");
    const std::uint64_t threads = number_of(machine.attributes, none ? "threads" : "threads_without_package");
    if (cores == 0 && threads == 0) return {};
    const std::string_view model = none ? railgauge::topo::text_of(machine.attributes, "cpu_model") : "processor";
    std::string text = fmt::format(", {} in no package", model.empty() ? "processor" : model);
    if (cores != 0) text += fmt::format(", {} cores", cores);
    return text + fmt::format(", {} threads", threads);
  }

  [[nodiscard]] std::string words_of(std::size_t i) const {
    const Node& node = view_.node(i);
    const auto counted = [&](std::string_view attribute, std::string_view word) {
      const std::uint64_t number = number_of(node.attributes, attribute);
      return number == 0 ? std::string() : fmt::format(", {} {}", number, word);
    };
    if (node.kind == Kind::package) {
      const std::string_view model = text_of(node.attributes, "cpu_model");
      return fmt::format("processor {}{}{}", model.empty() ? node.name : model, counted("cores", "cores"),
                         counted("threads", "threads"));
    }
    std::string text(row(node.kind).word);
    if (node.kind == Kind::machine || node.kind == Kind::numa || node.kind == Kind::pci_root || node.kind == Kind::pci_bridge)
      return text;
    if (const std::string model = model_of(node); !model.empty() && model != text) text += " " + model;
    if (node.kind != Kind::gpu) return text;
    // How many there are, not how many are up, nor whom they reach: a link that is down does not tell that.
    const std::uint64_t told = number_of(node.attributes, "nvlinks");
    if (const std::uint64_t links = told == 0 ? links_of(i, LinkKind::nvlink) : told; links != 0)
      text += fmt::format(", {} NVLinks", links);
    if (const unsigned links = links_of(i, LinkKind::xgmi); links != 0) text += fmt::format(", {} xGMI", links);
    return text;
  }

  void finish(std::size_t i) {
    NodePrint& node = nodes_[i];
    if (!node.kept) return;
    node.line = words_of(i);
    for (char& character : node.line)  // a line stays one, whatever a file calls its parts
      if (static_cast<unsigned char>(character) < ' ' || character == '\x7f') character = ' ';
    if (const std::size_t link = view_.pcie_above(i); link != View::none) {
      const Rate& rate = view_.link(link).capable;
      if (rate.width != 0) node.line += fmt::format(", PCIe x{} of {} GT/s", rate.width, rate.speed);
    }
    std::sort(node.children.begin(), node.children.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(nodes_[a].line, nodes_[a].hash) < std::tie(nodes_[b].line, nodes_[b].hash);
    });
    node.hash = hash_of(node.line + "\n");
    for (const std::size_t child : node.children) node.hash = hash_of(fmt::format("{:016x}\n", nodes_[child].hash), node.hash);
  }

  // A list in place of a recursion, since files of strangers may nest at will.
  [[nodiscard]] std::string text_of_host(std::size_t machine) const {
    struct Open {
      std::size_t node, depth, count;
    };
    std::string text;
    std::vector<Open> open;
    if (const std::string processors = processors_of(view_.node(machine)); !processors.empty())
      text += processors.substr(2) + "\n";
    const auto below = [&](std::size_t node, std::size_t depth) {
      const std::vector<std::size_t>& children = nodes_[node].children;
      std::vector<Open> groups;
      for (const std::size_t child : children) {
        if (!groups.empty() && nodes_[groups.back().node].hash == nodes_[child].hash &&
            nodes_[groups.back().node].line == nodes_[child].line)
          ++groups.back().count;
        else
          groups.push_back({child, depth, 1});
      }
      open.insert(open.end(), groups.rbegin(), groups.rend());
    };
    below(machine, 0);
    while (!open.empty()) {
      const Open next = open.back();
      open.pop_back();
      text.append(2 * std::min(next.depth, deepest_indent), ' ');
      if (next.count > 1) text += fmt::format("{} x ", next.count);
      text += nodes_[next.node].line + "\n";
      below(next.node, next.depth + 1);
    }
    return text;
  }

  View view_;
  std::vector<NodePrint> nodes_;
  std::vector<std::size_t> memory_of_gpus_;  // places of NUMA nodes, sorted
};

}  // namespace

std::vector<HostPrint> host_prints(const Graph& graph) { return Prints(graph).hosts(); }

std::string digits_of(std::string_view text) { return fmt::format("{:016x}", hash_of(text)); }

std::string digits_of_hosts(std::vector<std::string> hosts) {
  std::sort(hosts.begin(), hosts.end());
  if (hosts.empty() || hosts.front().empty()) return {};
  std::string text;
  for (const std::string& host : hosts) text += host + "\n";
  return digits_of(text);
}

std::string fingerprint_of(const Graph& graph) {
  std::vector<std::string> hosts;
  for (const HostPrint& host : host_prints(graph)) hosts.insert(hosts.end(), host.count, host.digits);
  return digits_of_hosts(std::move(hosts));
}

std::string to_fingerprint(const Graph& graph) {
  const std::vector<HostPrint> hosts = host_prints(graph);
  if (hosts.empty()) throw Error(Fault::usage, "there is no host in this topology, so there is no fingerprint of its hosts");
  std::size_t all = 0;
  for (const HostPrint& host : hosts) all += host.count;
  std::string text = fmt::format("{}  {} host{}\n", fingerprint_of(graph), all, all == 1 ? "" : "s");
  for (const HostPrint& host : hosts) text += fmt::format("\n{} x host {}\n{}", host.count, host.digits, host.text);
  return text;
}

}  // namespace railgauge::topo
