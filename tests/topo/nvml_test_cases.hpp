// What nvml_test.cpp and nvml_library_test.cpp share.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>
#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/evidence/nvml.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

namespace railgauge::test::nvml_cases {

using namespace railgauge;
using namespace railgauge::test;
inline const std::string library = RAILGAUGE_FAKE_NVML_LIBRARY;
inline const std::string old_library = RAILGAUGE_FAKE_NVML_OLD_LIBRARY;
inline constexpr topo::Patience patient{std::chrono::minutes(2), std::chrono::minutes(5)};

inline const std::vector<std::string> machines = {"dgx1_v100",  "dgx2_v100", "dgx_a100",        "dgx_h100",          "gb200_tray",
                                                  "pcie_cards", "idle_gpu",  "inactive_nvlink", "gb300_missing_edge"};

inline std::filesystem::path described(const std::string& name) { return machine_file(name) / "nvml.txt"; }

// What the library tells of the machine in that file, with the name of the machine that this runs on left out.
inline std::string collected(const std::filesystem::path& description, const std::string& from = library,
                             const topo::Patience& patience = patient) {
  ::setenv("RAILGAUGE_FAKE_NVML", description.c_str(), 1);
  const topo::Taken taken = topo::read_nvml_library(from, patience);
  ::unsetenv("RAILGAUGE_FAKE_NVML");
  CHECK(taken.reason == "");
  std::string text = taken.text;
  const std::size_t host = text.find("\"host\": ");
  if (host == std::string::npos) return text;
  return text.replace(host, text.find('\n', host) - host, "\"host\": \"node\",");
}

inline topo::Graph graph_in(const std::string& text) { return topo::build({{"nvml", "nvml.json", text}}); }

// The description of a machine with more lines.
class Changed {
 public:
  Changed(const std::string& name, const std::string& lines) { fill(path(), contents(described(name)) + lines + "\n"); }
  [[nodiscard]] std::filesystem::path path() const { return scratch_.path() / "nvml.txt"; }

 private:
  Scratch scratch_;
};

inline std::string attributes(const topo::Attributes& all) {
  std::string text;
  for (const auto& [name, value] : all) {
    text += fmt::format(" {}=", name);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) text += fmt::format("{}", *number);
    if (const auto* one = std::get_if<std::string>(&value)) text += *one;
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) text += fmt::format("[{}]", fmt::join(*list, ","));
  }
  return text;
}

inline std::string counters(const char* end, const topo::Counters& all) {
  std::string text;
  for (const auto& [name, value] : all)
    if (value != 0) text += fmt::format(" {}:{}={}", end, name, value);
  return text;
}

// All of a graph but zero counters and provenance, a line for each node and link.
inline std::string listing(const topo::Graph& graph) {
  std::string text;
  for (const topo::Node& it : graph.nodes)
    text += fmt::format("{} {} in {} \"{}\"{}\n", row(it.kind).name, it.key, it.parent.empty() ? "-" : it.parent, it.name,
                        attributes(it.attributes));
  for (const topo::Link& it : graph.links)
    text += fmt::format("{} {} {} x{} {} {:g}/{:g}/{:g} capable {}x{:g} active {}x{:g}{}{}{}\n", row(it.kind).name, it.a, it.b,
                        it.count, row(it.state).name, it.bandwidth.line, it.bandwidth.nominal, it.bandwidth.usable,
                        it.capable.width, it.capable.speed, it.active.width, it.active.speed, counters("a", it.a_counters),
                        counters("b", it.b_counters), attributes(it.attributes));
  return text;
}

// A recorded machine's file against what is made now. RAILGAUGE_RECORD=1 in the environment writes it instead.
inline void check_recorded(const std::filesystem::path& path, const std::string& text) {
  INFO(path.string());
  if (std::getenv("RAILGAUGE_RECORD") != nullptr) fill(path, text);
  CHECK(text == contents(path));
}

inline std::size_t count(const topo::Graph& graph, topo::Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const topo::Node& it) { return it.kind == kind; }));
}

// Links of a kind in a state, with those side by side.
inline unsigned links(const topo::Graph& graph, topo::LinkKind kind, topo::LinkState state = topo::LinkState::active) {
  unsigned all = 0;
  for (const topo::Link& it : graph.links)
    if (it.kind == kind && it.state == state) all += it.count;
  return all;
}

inline const topo::Node& node(const topo::Graph& graph, std::string_view key) {
  const auto at = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& it) { return it.key == key; });
  if (at == graph.nodes.end()) throw std::runtime_error("no node " + std::string(key));
  return *at;
}

inline std::vector<topo::Link> links_of(const topo::Graph& graph, const std::string& key, topo::LinkKind kind) {
  std::vector<topo::Link> all;
  for (const topo::Link& it : graph.links)
    if (it.kind == kind && (it.a == key || it.b == key)) all.push_back(it);
  return all;
}

inline std::string text_at(const topo::Graph& graph, const std::string& key, const std::string& name) {
  return std::string(topo::text_of(node(graph, key).attributes, name));
}

}  // namespace railgauge::test::nvml_cases
