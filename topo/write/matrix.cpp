// Writes the paths between GPUs and NICs as the table that `nvidia-smi topo -m` prints.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "topo/path.hpp"
#include "topo/words.hpp"
#include "topo/write/formats.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t nobody = static_cast<std::size_t>(-1);
constexpr std::size_t most_devices = 2048;  // a table of 4 million cells is for nobody

struct Device {
  std::size_t node;
  std::string label;  // "GPU0"
};

class Matrix {
 public:
  explicit Matrix(const Graph& graph) : graph_(graph), paths_(graph), parents_(graph.nodes.size(), nobody) {
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      if (const auto parent = places.find(graph.nodes[i].parent); parent != places.end()) parents_[i] = parent->second;
      places.try_emplace(graph.nodes[i].key, i);
    }
  }

  std::string write() const {
    std::unordered_map<std::size_t, std::vector<std::size_t>> gpus, nics;
    std::vector<std::size_t> machines;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Kind kind = graph_.nodes[i].kind;
      if (kind != Kind::gpu && kind != Kind::nic) continue;
      const std::size_t machine = above(i, Kind::machine);
      if (!gpus.contains(machine) && !nics.contains(machine)) machines.push_back(machine);
      (kind == Kind::gpu ? gpus : nics)[machine].push_back(i);
    }
    std::string text;
    for (const std::size_t machine : machines) {
      const std::string name = machine == nobody ? "devices of no machine" : printable(graph_.nodes[machine].name);
      if (machines.size() > 1) text += fmt::format("{}{}:\n", text.empty() ? "" : "\n", name);
      text += table(numbered(std::move(gpus[machine])), of_fabric(numbered(std::move(nics[machine]))));
    }
    if (text.empty()) throw Error(Fault::usage, "--as matrix: there is neither a GPU nor a NIC in this graph");
    return text + legend();
  }

 private:
  [[nodiscard]] std::size_t above(std::size_t node, Kind kind) const {
    while (node != nobody && graph_.nodes[node].kind != kind) node = parents_[node];
    return node;
  }

  // In the order of their numbers, where each has one of its own.
  [[nodiscard]] std::vector<std::size_t> numbered(std::vector<std::size_t> nodes) const {
    std::vector<std::uint64_t> numbers;
    for (const std::size_t node : nodes)
      if (graph_.nodes[node].attributes.contains("index")) numbers.push_back(index_of(node));
    std::sort(numbers.begin(), numbers.end());
    if (numbers.size() != nodes.size() || std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end()) return nodes;
    std::sort(nodes.begin(), nodes.end(), [&](std::size_t a, std::size_t b) { return index_of(a) < index_of(b); });
    return nodes;
  }
  [[nodiscard]] std::uint64_t index_of(std::size_t node) const { return number_of(graph_.nodes[node].attributes, "index"); }

  // NICs that talk verbs; the others only where there are none of these.
  [[nodiscard]] std::vector<std::size_t> of_fabric(std::vector<std::size_t> nics) const {
    const auto speaks = [&](std::size_t nic) {
      const Attributes& it = graph_.nodes[nic].attributes;
      return !list_of(it, "verbs").empty() || it.contains("node_guid") || text_of(it, "pci_class") == "0207";
    };
    if (std::any_of(nics.begin(), nics.end(), speaks)) std::erase_if(nics, [&](std::size_t nic) { return !speaks(nic); });
    return nics;
  }

  [[nodiscard]] std::string cell(std::size_t a, std::size_t b) const {
    if (a == b) return " X ";
    const Path path = paths_.between(graph_.nodes[a].key, graph_.nodes[b].key);
    if (path.path_class != PathClass::nv) return std::string(row(path.path_class).word);
    const bool xgmi = !path.route.empty() && path.route.front()->kind == LinkKind::xgmi;
    return fmt::format("{}{}", xgmi ? "XGMI" : "NV", path.count);
  }

  [[nodiscard]] std::string table(const std::vector<std::size_t>& gpus, const std::vector<std::size_t>& nics) const {
    std::vector<Device> devices;
    const bool numbers =
        std::is_sorted(gpus.begin(), gpus.end(), [&](std::size_t a, std::size_t b) { return index_of(a) < index_of(b); }) &&
        std::all_of(gpus.begin(), gpus.end(), [&](std::size_t gpu) { return graph_.nodes[gpu].attributes.contains("index"); }) &&
        std::adjacent_find(gpus.begin(), gpus.end(), [&](std::size_t a, std::size_t b) { return index_of(a) == index_of(b); }) ==
            gpus.end();
    for (std::size_t i = 0; i < gpus.size(); ++i)
      devices.push_back({gpus[i], fmt::format("GPU{}", numbers ? index_of(gpus[i]) : i)});
    for (std::size_t i = 0; i < nics.size(); ++i) devices.push_back({nics[i], fmt::format("NIC{}", i)});
    if (devices.size() > most_devices)
      throw Error(Fault::usage, fmt::format("--as matrix: {} devices in one machine are too many for a table", devices.size()));
    std::string text;
    for (const Device& device : devices) text += "\t" + device.label;
    text += "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
    for (std::size_t i = 0; i < devices.size(); ++i) {
      text += devices[i].label;
      for (const Device& other : devices) text += "\t" + cell(devices[i].node, other.node);
      text += i < gpus.size() ? affinities(devices[i].node) : "";
      text += '\n';
    }
    if (!nics.empty()) text += "\nNIC Legend:\n\n";
    for (std::size_t i = 0; i < nics.size(); ++i) text += fmt::format("  NIC{}: {}\n", i, name_of(graph_.nodes[nics[i]]));
    return text;
  }

  static std::string name_of(const Node& nic) {
    for (const char* names : {"verbs", "interfaces"})
      if (const auto list = list_of(nic.attributes, names); !list.empty()) return printable(list.front());
    return printable(nic.key);
  }

  [[nodiscard]] std::string affinities(std::size_t gpu) const {
    const Attributes& it = graph_.nodes[gpu].attributes;
    const std::size_t numa = above(gpu, Kind::numa);
    std::string cpus = printable(text_of(it, "cpu_affinity"));
    std::string node = printable(text_of(it, "numa_affinity"));
    if (cpus.empty() && numa != nobody) cpus = printable(text_of(graph_.nodes[numa].attributes, "thread_list"));
    if (const std::size_t digits = numa == nobody ? std::string::npos : graph_.nodes[numa].key.rfind("numa");
        node.empty() && digits != std::string::npos)
      node = printable(std::string_view(graph_.nodes[numa].key).substr(digits + 4));
    const std::string own = printable(text_of(it, "gpu_numa_id"));
    const auto known = [](const std::string& text) { return text.empty() ? std::string("N/A") : text; };
    return fmt::format("\t{}\t{}\t\t{}", known(cpus), known(node), known(own));
  }

  static std::string legend() {
    std::string text = "\nLegend:\n\n  X    = the device itself\n";
    for (const PathClassRow& it : path_classes() | std::views::reverse)
      if (it.path_class != PathClass::loc)
        text += fmt::format("  {:<4} = {}\n", it.path_class == PathClass::nv ? "NV#" : it.word, it.meaning);
    return text;
  }

  const Graph& graph_;
  Paths paths_;
  std::vector<std::size_t> parents_;
};

}  // namespace

std::string to_matrix(const Graph& graph) { return Matrix(graph).write(); }

}  // namespace railgauge::topo
