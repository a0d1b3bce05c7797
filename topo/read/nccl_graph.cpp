// From NCCL's graph XML (the rings and trees that it chose) to who follows whom.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "topo/read/nccl.hpp"
#include "topo/words.hpp"
#include "topo/xml/elements.hpp"

namespace railgauge::topo {
namespace {

constexpr ElementLimits limits{200000, 64, NcclLimits::characters, NcclLimits::attributes};

struct Pattern {
  std::string_view number, name;
  bool chain, closed;  // whether devices of a channel follow each other, and the first the last
};
constexpr auto patterns = std::to_array<Pattern>({{"1", "balanced tree", true, false},
                                                  {"2", "split tree", true, false},
                                                  {"3", "tree", true, false},
                                                  {"4", "ring", true, true},
                                                  {"5", "NVLS", false, false},
                                                  {"6", "collnet direct", false, false}});

class Channels {
 public:
  explicit Channels(const Reading& reading) : origin_(reading.origin) {
    elements_ = read_elements(reading.text, reading.origin, limits, [](std::string_view parent, std::string_view name) {
      return parent.empty() || (parent == "graphs" && name == "graph") || (parent == "graph" && name == "channel") ||
             (parent == "channel" && (name == "gpu" || name == "net"));
    });
  }

  Graph run() {
    const Element& root = elements_.front();
    if (root.name != "graphs")
      fail(root, fmt::format("<{}> is the outermost element; NCCL's graphs begin with <graphs version=\"1\">", root.name));
    if (value_of(root, "version") != "1")
      fail(root, fmt::format("NCCL graph XML of version \"{}\", but version 1 can be read", value_of(root, "version")));
    add("machine", Kind::machine, "machine", "");
    for (const std::size_t graph : root.children)
      for (std::size_t i = 0; i < elements_[graph].children.size(); ++i) channel(elements_[graph], i);
    if (lines_.empty()) fail(root, "there is no <channel> with a GPU in it");
    graph_.nodes.front().attributes["nccl_channels"] = std::move(lines_);
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(const Element& element, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", origin_, element.line, printable(what)));
  }

  void add(const std::string& key, Kind kind, const std::string& name, const std::string& parent) {
    Node node;
    node.key = key;
    node.kind = kind;
    node.name = name;
    node.parent = parent;
    node.provenance = {"nccl-graph"};
    graph_.nodes.push_back(std::move(node));
  }

  std::string device(const Element& element) {
    const std::string_view dev = value_of(element, "dev");
    if (dev.empty()) fail(element, fmt::format("<{}> has no dev", element.name));
    const bool gpu = element.name == "gpu";
    const std::string key = fmt::format("os:{}{}", gpu ? "nvml" : "net", dev);
    if (!known_.emplace(key, true).second) return key;
    add(key, gpu ? Kind::gpu : Kind::nic, gpu ? "GPU" : "NIC", "machine");
    std::uint64_t index = 0;
    if (const auto [end, error] = std::from_chars(dev.data(), dev.data() + dev.size(), index);
        error == std::errc() && end == dev.data() + dev.size())
      graph_.nodes.back().attributes["index"] = index;
    return key;
  }

  void channel(const Element& graph, std::size_t number) {
    const Element& channel = elements_[graph.children[number]];
    if (channel.children.empty()) return;
    const std::string_view told = value_of(graph, "pattern");
    const auto* const found =
        std::find_if(patterns.begin(), patterns.end(), [&](const Pattern& it) { return it.number == told; });
    const Pattern pattern = found != patterns.end() ? *found : Pattern{told, "pattern ", true, false};
    const std::string name = fmt::format("{}{} {} channel {}", pattern.name, found == patterns.end() ? printable(told) : "",
                                         printable(value_of(graph, "id")), number);
    std::string line = name + ":";
    std::vector<std::string> keys;
    for (const std::size_t child : channel.children) {
      const Element& it = elements_[child];
      keys.push_back(device(it));
      line += fmt::format("{} {} {}",
                          keys.size() == 1 ? ""
                          : pattern.chain  ? " >"
                                           : ",",
                          it.name == "gpu" ? "GPU" : "NIC", printable(value_of(it, "dev")));
    }
    lines_.push_back(std::move(line));
    if (!pattern.chain) return;
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) follow(keys[i], keys[i + 1], name);
    if (pattern.closed && keys.size() > 2 && keys.front() != keys.back()) follow(keys.back(), keys.front(), name);
  }

  void follow(const std::string& from, const std::string& to, const std::string& name) {
    if (from == to) return;
    const auto [at, fresh] = places_.emplace(std::minmax(from, to), graph_.links.size());
    if (fresh) {
      Link link;
      link.a = from;
      link.b = to;
      link.kind = LinkKind::path;
      link.attributes["nccl_channels"] = std::vector<std::string>();
      link.provenance = {"nccl-graph"};
      graph_.links.push_back(std::move(link));
    }
    Link& link = graph_.links[at->second];
    if (auto* names = std::get_if<std::vector<std::string>>(&link.attributes["nccl_channels"]))
      names->push_back(fmt::format("{}, {}", name, link.a == from ? "a to b" : "b to a"));
  }

  const std::string& origin_;
  std::vector<Element> elements_;
  Graph graph_;
  std::map<std::string, bool> known_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::vector<std::string> lines_;
};

}  // namespace

bool is_nccl_graph(std::string_view text) {
  const std::string_view name = first_element(text);
  return name == "graphs" || name == "graph" || name == "channel";
}

Graph read_nccl_graph(const Reading& reading) { return Channels(reading).run(); }

}  // namespace railgauge::topo
