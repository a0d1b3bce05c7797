// Machines recorded elsewhere, where the folder of fixtures is at hand: counts against the files themselves.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

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
  for (const std::string name :
       {"hwloc-aws-g4dn-metal-t4.xml", "hwloc-devel09-pci.xml", "hwloc-pascal-2p100-hfi.xml", "hwloc-tioga-mi250x.xml",
        "hwloc1-knl-snc4.xml", "hwloc-dgx-spark-gb10.xml", "hwloc-dgx-spark-gb10-nomidr.xml", "hwloc-dgx2-v100-nvswitch.xml",
        "hwloc-fakeheterodistances.xml", "hwloc-manyVFs-sriov.xml", "hwloc-sgi-uv-24n.xml", "hwloc-westmere-pci-mlx.xml",
        "hwloc-xeon-nvme-mic-dax.xml", "hwloc-xeon-pcilocality.xml", "hwloc-xeon-wholeio-cuda-opencl-mlx4.xml"}) {
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
    std::size_t gpus, nics, ports, nvswitches, xgmi, nvlinks;
  };
  // Counted with grep: among lines with type="PCIDev", pci_type="(03|12).. of NVIDIA, AMD and Intel (but 1002:515e, a
  // screen); pci_type="(02..|0c06);
  // "Port[0-9]+(State|LID)", one for each port; subtype="NVSwitch"; and the pairs of the matrices XGMIBandwidth and
  // NVLinkBandwidth that are not 0, with a loop over their values in Python.
  for (const Row& row :
       {Row{"hwloc-aws-g4dn-metal-t4.xml", 8, 2, 1, 0, 0, 0}, Row{"hwloc-pascal-2p100-hfi.xml", 2, 3, 1, 0, 0, 0},
        Row{"hwloc-tioga-mi250x.xml", 8, 5, 0, 0, 28, 0}, Row{"hwloc-devel09-pci.xml", 0, 3, 0, 0, 0, 0},
        Row{"hwloc1-knl-snc4.xml", 0, 4, 1, 0, 0, 0}, Row{"hwloc-dgx2-v100-nvswitch.xml", 16, 0, 0, 12, 0, 96},
        Row{"hwloc-manyVFs-sriov.xml", 0, 18, 3, 0, 0, 0}, Row{"hwloc-sgi-uv-24n.xml", 0, 7, 1, 0, 0, 0},
        Row{"hwloc-westmere-pci-mlx.xml", 3, 3, 0, 0, 0, 0}, Row{"hwloc-xeon-nvme-mic-dax.xml", 0, 3, 1, 0, 0, 0},
        Row{"hwloc-xeon-pcilocality.xml", 0, 5, 1, 0, 0, 0}, Row{"hwloc-xeon-wholeio-cuda-opencl-mlx4.xml", 4, 3, 1, 0, 0, 0}}) {
    INFO(row.name);
    const topo::Graph graph = topo::build(topo::read_evidence(fixture(row.name)));
    CHECK(count(graph, {topo::Kind::gpu}) == row.gpus);
    CHECK(count(graph, {topo::Kind::nic}) == row.nics);
    CHECK(count(graph, {topo::Kind::port}) == row.ports);
    CHECK(count(graph, {topo::Kind::nvswitch}) == row.nvswitches);
    const auto links = [&](topo::LinkKind kind) {
      return static_cast<std::size_t>(
          std::count_if(graph.links.begin(), graph.links.end(), [&](const topo::Link& link) { return link.kind == kind; }));
    };
    CHECK(links(topo::LinkKind::xgmi) == row.xgmi);
    CHECK(links(topo::LinkKind::nvlink) == row.nvlinks);
    const std::string text = topo::to_text(graph);
    if (row.gpus > 0) CHECK_THAT(text, ContainsSubstring(std::to_string(row.gpus) + " GPUs"));
  }
}

TEST_CASE("fixtures: 24 NUMA nodes have their distances, 24 * 23 / 2, as the matrix has them") {
  const topo::Graph graph = topo::build(topo::read_evidence(fixture("hwloc-sgi-uv-24n.xml")));
  std::size_t pairs = 0;
  for (const topo::Link& link : graph.links) {
    if (link.kind != topo::LinkKind::distance) continue;
    ++pairs;
    if (link.a == "numa0" && link.b == "numa1") CHECK(topo::number_of(link.attributes, "a_to_b") == 50);
  }
  CHECK(pairs == 276);
}

TEST_CASE("fixtures: other formats are one sentence") {
  for (const std::string name : {"azure-slurm-topology.txt", "mpi_crd.yaml"}) {
    const auto path = fixture(name);
    CHECK_THAT(sentence([&] { (void)topo::build(topo::read_evidence(path)); }), ContainsSubstring(path.string()));
  }
}
