// Graphviz draws what dot is written, without an error or a warning: recorded machines, any graph, and machines of others.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/generate.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "topo/read/build.hpp"
#include "topo/read/fabric.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;
namespace fs = std::filesystem;

namespace {

// The layered layout takes minutes for thousands of links; the one by forces takes seconds.
constexpr std::size_t most_links = 2000;

int code_of(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void need_graphviz() {
  if (code_of("dot -V > /dev/null 2>&1") != 0) skip("there is no dot (package graphviz)");
}

// "" when Graphviz draws the graph in silence; else what it said. Fonts that this machine lacks are no matter.
std::string drawn(const topo::Graph& graph) {
  const Scratch scratch;
  const auto in = [&](const char* name) { return (scratch.path() / name).string(); };
  fill(in("graph.dot"), topo::to_dot(graph));
  const std::string tool = graph.links.size() <= most_links ? "dot" : "sfdp";
  const int code = code_of(tool + " -Tsvg " + in("graph.dot") + " > " + in("svg") + " 2> " + in("said"));
  std::string said;
  std::istringstream lines(contents(in("said")));
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("Fontconfig")) said += line + "\n";
  if (code != 0) said += tool + " ended with " + std::to_string(code);
  if (code == 0 && contents(in("svg")).find("</svg>") == std::string::npos) said += "the picture is not whole";
  return said;
}

// Every file and folder of `folder` that is a topology of no more links.
std::size_t draw_all(const fs::path& folder, std::size_t links = std::numeric_limits<std::size_t>::max()) {
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    topo::Graph graph;
    try {
      graph = topo::build(topo::read_evidence(entry.path()));
    } catch (const Error&) { continue; }
    if (graph.links.size() > links) continue;
    INFO(entry.path().string() << ", " << graph.nodes.size() << " nodes");
    CHECK(drawn(graph) == "");
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("dot: Graphviz draws every recorded machine of this repository without a word", "[long]") {
  need_graphviz();
  CHECK(draw_all(machine_file("")) >= 3);
}

TEST_CASE("dot: Graphviz draws machines and fabrics of any shape without a word", "[long]") {
  need_graphviz();
  constexpr unsigned seed = 3400;
  std::mt19937 random(seed);
  INFO("seed " << seed);
  for (int round = 0; round < 30; ++round) CHECK(drawn(any_graph(random)) == "");
  CHECK(drawn(gpu_server(8)) == "");
  CHECK(drawn(topo::to_graph(fat_tree(4))) == "");
  CHECK(drawn(topo::to_graph(torus(3, 3, 2, 1))) == "");
  CHECK(drawn({}) == "");
}

// Graphviz's older ranking has "trouble in init_rank" with this one.
TEST_CASE("dot: GPUs that are joined across NUMA nodes, in another order than these, are drawn") {
  need_graphviz();
  topo::Graph graph;
  add_node(graph, "machine", topo::Kind::machine, "");
  add_node(graph, "package0", topo::Kind::package, "machine");
  const std::vector<std::vector<std::string>> numas = {{"2", "5"}, {"4", "1"}, {"0", "3"}};
  for (std::size_t i = 0; i < numas.size(); ++i) {
    const std::string numa = "numa" + std::to_string(i);
    add_node(graph, numa, topo::Kind::numa, "package0");
    add_link(graph, "package0", numa, topo::LinkKind::memory);
    for (const std::string& number : numas[i]) {
      add_node(graph, "root" + number, topo::Kind::pci_root, numa);
      add_node(graph, "gpu" + number, topo::Kind::gpu, "root" + number);
      add_link(graph, numa, "root" + number, topo::LinkKind::internal);
      add_link(graph, "root" + number, "gpu" + number, topo::LinkKind::pcie);
    }
  }
  for (int a = 0; a < 6; ++a)
    for (int b = a + 1; b < 6; ++b) add_link(graph, "gpu" + std::to_string(a), "gpu" + std::to_string(b), topo::LinkKind::xgmi);
  CHECK(drawn(graph) == "");
}

TEST_CASE("dot: Graphviz draws machines and fabrics recorded elsewhere without a word", "[long]") {
  need_graphviz();
  const fs::path folder = RAILGAUGE_FIXTURES;
  if (!fs::exists(folder)) skip("no fixtures " + folder.string());
  CHECK(draw_all(folder, usual_or_thorough<std::size_t>(200, 1'000'000)) >= 20);
}
