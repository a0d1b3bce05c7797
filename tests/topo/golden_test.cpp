// Recorded machines against the text and JSON that they must give, and against facts that stand in their XML.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

topo::Graph recorded(const std::string& name) { return topo::build(topo::read_evidence(machine_file(name))); }

const topo::Node& node(const topo::Graph& graph, std::string_view key) {
  const auto at = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& it) { return it.key == key; });
  if (at == graph.nodes.end()) throw std::runtime_error("no node " + std::string(key));
  return *at;
}

const topo::Link& link(const topo::Graph& graph, std::string_view a, std::string_view b) {
  const auto at = std::find_if(graph.links.begin(), graph.links.end(), [&](const auto& it) { return it.a == a && it.b == b; });
  if (at == graph.links.end()) throw std::runtime_error("no link from " + std::string(a) + " to " + std::string(b));
  return *at;
}

}  // namespace

TEST_CASE("recorded machines give their text and JSON byte for byte") {
  for (const std::string name : {"gpu_node", "odd", "laptop"}) {
    INFO(name);
    const topo::Graph graph = recorded(name + ".xml");
    CHECK(inconsistency(graph) == "");
    CHECK(topo::to_text(graph) == contents(machine_file(name + ".txt")));
    const std::string json = topo::to_json(graph);
    CHECK(json == contents(machine_file(name + ".json")));
    CHECK(nlohmann::json::parse(json)["nodes"].size() == graph.nodes.size());
    CHECK(nlohmann::json::parse(json)["links"].size() == graph.links.size());
  }
}

TEST_CASE("a GPU node: keys and locality and links and their provenance") {
  const topo::Graph graph = recorded("gpu_node.xml");
  const topo::Node gpu = node(graph, "0000:93:00.0");
  CHECK(gpu.kind == topo::Kind::gpu);
  CHECK(gpu.name == "NVIDIA H100 80GB HBM3");
  CHECK(topo::text_of(gpu.attributes, "uuid") == "GPU-00000000-0000-0000-0000-000000000002");
  CHECK(topo::number_of(gpu.attributes, "memory_bytes") == 83083264ULL * 1024);
  CHECK(node(graph, gpu.parent).parent == "0000:91:00.0");
  CHECK(node(graph, "0000:91:00.0").kind == topo::Kind::pci_switch);
  CHECK(node(graph, "pci0000:90").parent == "numa1");
  CHECK(node(graph, "numa1").parent == "package1");
  CHECK(topo::number_of(node(graph, "numa1").attributes, "memory_bytes") == 137438953472ULL);
  CHECK(topo::number_of(node(graph, "package0").attributes, "l2_caches") == 8);

  const topo::Node port = node(graph, "0xa088c20300ab0001/1");
  CHECK(port.kind == topo::Kind::port);
  CHECK(port.parent == "0000:95:00.0");
  CHECK(port.name == "mlx5_1/1");
  CHECK(topo::text_of(port.attributes, "state") == "init");

  const topo::Link& pcie = link(graph, gpu.parent, gpu.key);
  CHECK(pcie.kind == topo::LinkKind::pcie);
  CHECK_THAT(pcie.bandwidth.nominal, WithinAbs(63.015385, 1e-5));
  CHECK(pcie.bandwidth.line == 0);
  CHECK(pcie.provenance == topo::Provenance{"hwloc"});
  const topo::Link distance = link(graph, "numa0", "numa1");
  CHECK(topo::number_of(distance.attributes, "a_to_b") == 21);
  CHECK(topo::number_of(distance.attributes, "b_to_a") == 23);
  CHECK(link(graph, "0000:13:00.0", "0000:14:00.0").kind == topo::LinkKind::nvlink);
  CHECK_THAT(link(graph, "0000:13:00.0", "0000:14:00.0").bandwidth.nominal, WithinAbs(200, 1e-9));
  CHECK_THROWS(link(graph, "0000:13:00.0", "0000:94:00.0"));  // the matrix has 0 there
}

TEST_CASE("odd devices: an address twice or no GUID or no PCI device or no class") {
  const topo::Graph graph = recorded("odd.xml");
  CHECK(node(graph, "0001:00:02.0").kind == topo::Kind::storage);  // class ffff, but a disk hangs on it
  CHECK(node(graph, "0001:00:02.0#2").kind == topo::Kind::nic);
  CHECK(node(graph, "os:rdmap0/1").parent == "0001:00:04.0");
  CHECK(topo::text_of(node(graph, "os:rdmap0/2").attributes, "state") == "unknown");  // 9 is no state of a port
  CHECK(node(graph, "0001:00:05.0").kind == topo::Kind::accelerator);
  CHECK(node(graph, "0001:00:06.0").kind == topo::Kind::nvswitch);
  CHECK(node(graph, "os:sda").kind == topo::Kind::storage);
  CHECK(node(graph, "os:nvml9").kind == topo::Kind::gpu);
  CHECK(topo::to_text(graph).find('\x7f') == std::string::npos);
}

TEST_CASE("each row of the tables of kinds stands in the place of its enumerator") {
  for (std::size_t i = 0; i < topo::kinds().size(); ++i) CHECK(static_cast<std::size_t>(topo::kinds()[i].kind) == i);
  for (std::size_t i = 0; i < topo::link_kinds().size(); ++i) CHECK(static_cast<std::size_t>(topo::link_kinds()[i].kind) == i);
}

TEST_CASE("the JSON of recorded machines and of this one keeps its schema", "[long]") {
  const std::string python = RAILGAUGE_PYTHON;
  if (python.empty()) skip("no python3 was found when the tests were configured");
  const Scratch scratch;
  std::string command = python + " " RAILGAUGE_VALIDATE " " RAILGAUGE_SCHEMA;
  fill(scratch.path() / "live.json", topo::to_json(topo::build(topo::collect({}))));
  command += " " + (scratch.path() / "live.json").string();
  for (const std::string name : {"gpu_node", "odd", "laptop"}) {
    const auto path = scratch.path() / (name + ".json");
    fill(path, topo::to_json(recorded(name + ".xml")));
    command += " " + path.string();
  }
  const int status = std::system(command.c_str());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 4) skip("python3 has no jsonschema (package python3-jsonschema)");
  CHECK(status == 0);
  fill(scratch.path() / "wrong.json", R"({"schema": "railgauge.topology/1", "nodes": [], "links": []})");
  CHECK(std::system(
            (python + " " RAILGAUGE_VALIDATE " " RAILGAUGE_SCHEMA " " + (scratch.path() / "wrong.json").string() + " > /dev/null")
                .c_str()) != 0);
}
