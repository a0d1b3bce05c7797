// Classes and widths of paths, on machines whose every path is known.
#include "topo/path.hpp"

#include <random>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/read/build.hpp"

using namespace railgauge;
using namespace railgauge::test;
using topo::Kind;
using topo::LinkKind;
using topo::PathClass;

namespace {

void add(topo::Graph& graph, const std::string& key, Kind kind, const std::string& parent) {
  topo::Node node;
  node.key = key;
  node.kind = kind;
  node.name = key;
  node.parent = parent;
  node.provenance = {"test"};
  graph.nodes.push_back(std::move(node));
}

topo::Link& join(topo::Graph& graph, const std::string& a, const std::string& b, LinkKind kind, double nominal,
                 unsigned count = 1) {
  topo::Link link;
  link.a = a;
  link.b = b;
  link.kind = kind;
  link.count = count;
  link.bandwidth.nominal = nominal;
  graph.links.push_back(std::move(link));
  return graph.links.back();
}

void hang(topo::Graph& graph, const std::string& key, Kind kind, const std::string& parent, double nominal) {
  add(graph, key, kind, parent);
  join(graph, parent, key, kind == Kind::pci_root || kind == Kind::port ? LinkKind::internal : LinkKind::pcie, nominal);
}

// Two packages of two NUMA nodes. Under numa0 one root with a switch of two ports, one of them with a switch of its own, and a
// device beside; a second root. Under numa1, numa2 and numa3 one root each.
topo::Graph server() {
  topo::Graph graph;
  add(graph, "machine", Kind::machine, "");
  for (const std::string package : {"package0", "package1"}) {
    add(graph, package, Kind::package, "machine");
    for (const int n : {0, 1}) {
      const std::string numa = "numa" + std::to_string(2 * (package.back() - '0') + n);
      add(graph, numa, Kind::numa, package);
      join(graph, package, numa, LinkKind::memory, 1);
      hang(graph, "root" + numa, Kind::pci_root, numa, 0);
      if (numa != "numa0") hang(graph, "gpu" + numa, Kind::gpu, "root" + numa, 63);
    }
  }
  join(graph, "package0", "package1", LinkKind::cpu, 22);
  hang(graph, "second", Kind::pci_root, "numa0", 0);
  hang(graph, "far", Kind::nic, "second", 31.5);
  hang(graph, "port", Kind::pci_bridge, "rootnuma0", 63);
  hang(graph, "upper", Kind::pci_switch, "port", 63);
  hang(graph, "down0", Kind::pci_bridge, "upper", 63);
  hang(graph, "gpu", Kind::gpu, "down0", 63);
  hang(graph, "down1", Kind::pci_bridge, "upper", 63);
  hang(graph, "lower", Kind::pci_switch, "down1", 15.75);
  hang(graph, "down2", Kind::pci_bridge, "lower", 63);
  hang(graph, "nic", Kind::nic, "down2", 31.5);
  hang(graph, "nic/1", Kind::port, "nic", 0);
  hang(graph, "down3", Kind::pci_bridge, "lower", 63);
  hang(graph, "twin0", Kind::nic, "down3", 31.5);
  hang(graph, "twin1", Kind::nic, "down3", 31.5);
  hang(graph, "beside", Kind::gpu, "rootnuma0", 63);
  return graph;
}

std::string word(const topo::Paths& paths, const std::string& a, const std::string& b) {
  return std::string(row(paths.between(a, b).path_class).word);
}

}  // namespace

TEST_CASE("paths: each class of the PCIe tree in both directions") {
  const topo::Graph graph = server();
  const topo::Paths paths(graph);
  struct Row {
    const char *a, *b, *word;
  };
  for (const Row& it : {Row{"gpu", "gpu", "LOC"},
                        {"nic", "nic/1", "LOC"},
                        {"twin0", "twin1", "PIX"},
                        {"nic", "twin0", "PIX"},
                        {"gpu", "nic", "PXB"},
                        {"gpu", "nic/1", "PXB"},
                        {"gpu", "beside", "PHB"},
                        {"gpu", "far", "NODE"},
                        {"gpu", "gpunuma1", "SYS"},
                        {"gpunuma2", "gpunuma3", "SYS"},
                        {"gpu", "gpunuma3", "SYS"},
                        {"gpu", "numa0", "PHB"},
                        {"gpu", "numa1", "SYS"},
                        {"gpu", "package0", "PHB"},
                        {"gpu", "nobody", "N/A"},
                        {"nobody", "nobody", "N/A"}}) {
    INFO(it.a << " " << it.b);
    CHECK(word(paths, it.a, it.b) == it.word);
    CHECK(word(paths, it.b, it.a) == it.word);
  }
}

TEST_CASE("paths: the route stands in order and its narrowest link is the bottleneck") {
  const topo::Graph graph = server();
  const topo::Paths paths(graph);
  const topo::Path path = paths.between("gpu", "nic");
  std::string route;
  for (const topo::Link* link : path.route) route += link->b + " ";
  CHECK(route == "gpu down0 down1 lower down2 nic ");
  REQUIRE(path.bottleneck != nullptr);
  CHECK(path.bottleneck->b == "lower");
  CHECK_THAT(path.bandwidth.nominal, WithinAbs(15.75, 1e-9));
  const topo::Path across = paths.between("gpunuma1", "gpunuma2");
  REQUIRE(across.bottleneck != nullptr);
  CHECK(across.bottleneck->kind == LinkKind::cpu);
  CHECK(across.route.size() == 5);
  CHECK(paths.between("gpu", "gpu").route.empty());
}

TEST_CASE("paths: links between GPUs count before the tree and through NVSwitches no more than either end has") {
  topo::Graph graph = server();
  join(graph, "gpunuma1", "gpunuma2", LinkKind::nvlink, 50, 2);
  join(graph, "gpunuma2", "gpunuma1", LinkKind::nvlink, 25, 1);
  for (const std::string key : {"switch0", "switch1", "switch2"}) add(graph, key, Kind::nvswitch, "machine");
  join(graph, "gpu", "switch0", LinkKind::nvlink, 150, 6);
  join(graph, "gpu", "switch1", LinkKind::nvlink, 150, 6);
  join(graph, "beside", "switch0", LinkKind::nvlink, 150, 6);
  join(graph, "beside", "switch1", LinkKind::nvlink, 125, 5);
  join(graph, "gpunuma3", "switch2", LinkKind::nvlink, 100, 4);
  join(graph, "numa0", "gpu", LinkKind::c2c, 450, 10);
  {
    const topo::Paths paths(graph);
    CHECK(paths.between("gpunuma1", "gpunuma2").count == 3);
    CHECK_THAT(paths.between("gpunuma1", "gpunuma2").bandwidth.nominal, WithinAbs(75, 1e-9));
    const topo::Path path = paths.between("gpu", "beside");
    CHECK(path.path_class == PathClass::nv);
    CHECK(path.count == 11);
    CHECK(path.route.size() == 4);
    CHECK_THAT(path.bandwidth.nominal, WithinAbs(275, 1e-9));
    CHECK(word(paths, "gpu", "gpunuma3") == "SYS");  // another domain
    CHECK(word(paths, "gpu", "numa0") == "C2C");
    CHECK(word(paths, "gpu", "switch0") == "NV");
  }
  join(graph, "switch1", "switch2", LinkKind::nvlink, 0, 8);  // now one domain
  const topo::Paths paths(graph);
  CHECK(paths.between("gpu", "gpunuma3").count == 4);
  CHECK(paths.between("gpunuma3", "gpu").count == 4);
}

TEST_CASE("paths: a class that was told stands where there is no tree") {
  topo::Graph graph;
  add(graph, "machine", Kind::machine, "");
  for (const std::string key : {"a", "b", "c"}) add(graph, key, Kind::gpu, "machine");
  join(graph, "a", "b", LinkKind::path, 0).attributes["path"] = std::string("PXB");
  join(graph, "b", "c", LinkKind::path, 0).attributes["path"] = std::string("nonsense");
  const topo::Paths paths(graph);
  CHECK(word(paths, "b", "a") == "PXB");
  CHECK(word(paths, "b", "c") == "N/A");
  CHECK(word(paths, "a", "c") == "N/A");
}

TEST_CASE("paths: every class has a word that reads back") {
  for (const topo::PathClassRow& it : topo::path_classes()) {
    CHECK(topo::row(it.path_class).word == it.word);
    CHECK(topo::path_class_of(it.word) == it.path_class);
  }
  CHECK(topo::path_class_of("NV18") == PathClass::nv);
  CHECK(topo::path_class_of("SOC") == PathClass::sys);
  CHECK(topo::path_class_of("NVX") == PathClass::none);
  CHECK(topo::path_class_of("") == PathClass::none);
}

TEST_CASE("paths: the path back is the path there on random graphs and never leaves the graph") {
  constexpr unsigned seed = 777;
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    topo::Graph graph;
    const auto count = 2 + random() % 40;
    for (std::size_t i = 0; i < count; ++i)
      add(graph, std::to_string(i), static_cast<Kind>(random() % topo::kinds().size()),
          random() % 8 == 0 ? std::string() : std::to_string(random() % (i + 3)));  // also itself, and what is not there
    for (std::size_t i = 0; i < count * 2; ++i)
      join(graph, std::to_string(random() % (count + 1)), std::to_string(random() % count),
           static_cast<LinkKind>(random() % topo::link_kinds().size()), static_cast<double>(random() % 100), 1 + random() % 4);
    const topo::Paths paths(graph);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j) {
        const topo::Path there = paths.between(std::to_string(i), std::to_string(j));
        const topo::Path back = paths.between(std::to_string(j), std::to_string(i));
        INFO("seed " << seed << ", round " << round << ", " << i << " and " << j);
        CHECK(there.path_class == back.path_class);
        CHECK(there.count == back.count);
        CHECK_THAT(there.bandwidth.nominal, WithinAbs(back.bandwidth.nominal, 1e-9));
        CHECK((there.path_class == PathClass::nv) == (there.count > 0));
      }
  }
}
