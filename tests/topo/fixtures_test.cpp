// Machines recorded elsewhere, where the folder of fixtures is at hand: counts against the files themselves.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/build.hpp"
#include "topo/formats/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::filesystem::path fixture(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(RAILGAUGE_FIXTURES) / name;
  if (!std::filesystem::exists(path)) skip("no fixture " + path.string());
  return path;
}

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

std::size_t count(const topo::Graph& graph, const std::vector<topo::Kind>& kinds) {
  return static_cast<std::size_t>(std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const topo::Node& node) {
    return std::find(kinds.begin(), kinds.end(), node.kind) != kinds.end();
  }));
}

}  // namespace

TEST_CASE("fixtures: as many packages and NUMA nodes and bridges and PCI devices as the file has") {
  for (const std::string name : {"hwloc-aws-g4dn-metal-t4.xml", "hwloc-devel09-pci.xml", "hwloc-pascal-2p100-hfi.xml",
                                 "hwloc-tioga-mi250x.xml", "hwloc1-knl-snc4.xml"}) {
    INFO(name);
    const std::string xml = contents(fixture(name));
    const topo::Graph graph = topo::build(topo::read_evidence(fixture(name)));
    using topo::Kind;
    CHECK(inconsistency(graph) == "");
    CHECK(count(graph, {Kind::package}) == occurrences(xml, "type=\"Package\"") + occurrences(xml, "type=\"Socket\""));
    CHECK(count(graph, {Kind::numa}) == occurrences(xml, "type=\"NUMANode\" os_index"));
    CHECK(count(graph, {Kind::pci_root, Kind::pci_bridge, Kind::pci_switch}) == occurrences(xml, "type=\"Bridge\""));
    const auto devices = std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const topo::Node& node) {
      return node.attributes.contains("pci_id") && node.kind != Kind::pci_bridge && node.kind != Kind::pci_switch;
    });
    CHECK(static_cast<std::size_t>(devices) == occurrences(xml, "type=\"PCIDev\""));
  }
}

TEST_CASE("fixtures: GPUs and NICs and links between GPUs") {
  struct Row {
    const char* name;
    std::size_t gpus, nics, ports, xgmi;
  };
  // Counted with grep: pci_type="03.. or 12.. of NVIDIA, AMD and Intel; pci_type="02.. or 0c06; Port<n>State; pairs of
  // XGMIBandwidth.
  for (const Row& row : {Row{"hwloc-aws-g4dn-metal-t4.xml", 8, 2, 1, 0}, Row{"hwloc-pascal-2p100-hfi.xml", 2, 3, 1, 0},
                         Row{"hwloc-tioga-mi250x.xml", 8, 5, 0, 28}, Row{"hwloc-devel09-pci.xml", 0, 3, 0, 0},
                         Row{"hwloc1-knl-snc4.xml", 0, 4, 1, 0}}) {
    INFO(row.name);
    const topo::Graph graph = topo::build(topo::read_evidence(fixture(row.name)));
    CHECK(count(graph, {topo::Kind::gpu}) == row.gpus);
    CHECK(count(graph, {topo::Kind::nic}) == row.nics);
    CHECK(count(graph, {topo::Kind::port}) == row.ports);
    const auto xgmi = std::count_if(graph.links.begin(), graph.links.end(),
                                    [](const topo::Link& link) { return link.kind == topo::LinkKind::xgmi; });
    CHECK(static_cast<std::size_t>(xgmi) == row.xgmi);
    const std::string text = topo::to_text(graph);
    if (row.gpus > 0) CHECK_THAT(text, ContainsSubstring(std::to_string(row.gpus) + " GPUs"));
  }
}

TEST_CASE("fixtures: hwloc 3 and other formats are one sentence") {
  for (const std::string name : {"hwloc-dgx2-v100-nvswitch.xml", "hwloc-sgi-uv-24n.xml", "hwloc-dgx-spark-gb10.xml"}) {
    const auto path = fixture(name);
    CHECK_THAT(sentence([&] { (void)topo::build(topo::read_evidence(path)); }),
               ContainsSubstring(path.string() + ":3: hwloc XML of version 3.0"));
  }
  for (const std::string name : {"nccl-aws-p4de-topo.xml", "azure-slurm-guids.txt", "mpi_crd.yaml"}) {
    const auto path = fixture(name);
    CHECK_THAT(sentence([&] { (void)topo::build(topo::read_evidence(path)); }), ContainsSubstring(path.string()));
  }
}
