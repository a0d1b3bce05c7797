// Machines recorded elsewhere as copies of /sys and /proc, unpacked and read with a root in front, and lspci's output.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;
namespace fs = std::filesystem;

namespace {

fs::path fixture(const std::string& name) {
  const fs::path path = fs::path(RAILGAUGE_FIXTURES) / name;
  if (!fs::exists(path)) skip("no fixture " + path.string());
  return path;
}

void unpack(const fs::path& archive, const fs::path& into) {
  fs::create_directories(into);
  const std::string command = "tar xf '" + archive.string() + "' -C '" + into.string() + "' 2>/dev/null";
  if (std::system("command -v tar bzip2 gzip > /dev/null 2>&1") != 0) skip("there is no tar, bzip2 or gzip");
  REQUIRE(std::system(command.c_str()) == 0);
}

// "ttar": a text with a block for each file, "Path: NAME", "Lines: N" and the lines, between lines that begin with "# ttar". EOF
// and NULLBYTE at the end of a line stand for what they say.
void unpack_ttar(const fs::path& archive, const fs::path& into) {
  std::istringstream file(contents(archive));
  std::string path;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Path: ")) path = line.substr(6);
    if (line.starts_with("Directory: ")) fs::create_directories(into / line.substr(11));
    if (!line.starts_with("Lines: ")) continue;
    std::string text;
    for (int left = std::stoi(line.substr(7)); left > 0 && std::getline(file, line); --left)
      text += line.ends_with("EOF") ? line.substr(0, line.size() - 3) : line + "\n";
    fs::create_directories((into / path).parent_path());
    fill(into / path, text);
  }
}

std::size_t count(const topo::Graph& graph, const std::vector<topo::Kind>& kinds) {
  return static_cast<std::size_t>(std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const topo::Node& node) {
    return std::find(kinds.begin(), kinds.end(), node.kind) != kinds.end();
  }));
}

std::size_t functions(const topo::Graph& graph) {
  return static_cast<std::size_t>(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                                [](const topo::Node& node) { return node.attributes.contains("pci_class"); }));
}

}  // namespace

TEST_CASE("fixtures: archives of /sys and /proc are machines with their own names, never this machine's", "[long]") {
  struct Row {
    const char *archive, *folder;
    std::size_t packages, numa, functions, nics;
    const char *host, *kernel, *architecture;
  };
  // Packages and NUMA nodes: `lstopo` with HWLOC_FSROOT, and the console output that came with two of them (one of the Xeon's
  // four packages is lost in its broken locality). Functions: `ls sys/bus/pci/devices | wc -l`; NICs: `grep -l 0x02 .../class`.
  // Names: cat proc/hwloc-nofile-info; the Xeon's has none.
  for (const Row& row :
       {Row{"sysfs-dgx-spark-gb10.tar.bz2", "nvidia-dgx-gb10", 1, 1, 0, 0, "cfarm107", "6.17.0-1014-nvidia", "aarch64"},
        Row{"sysfs-power9-gpunumanodes.tar.bz2", "nvidiagpunumanodes", 2, 2, 6, 0, "c685f8n02",
            "4.14.0-49.el7a.bz1553205.page_fault_hang.ppc64le", "ppc64le"},
        Row{"sysfs-xeon-pci-conflicts.tar.bz2", "40intel64-4n10c+pci-conflicts", 3, 4, 3, 0, "", "", ""},
        Row{"sysfs-parisc-pcidomain32.tar.bz2", "2pa-pcidomain32bits", 2, 1, 9, 1, "hwloc-debian9amd64", "4.9.0-3-amd64",
            "x86_64"}}) {
    INFO(row.archive);
    const Scratch scratch;
    unpack(fixture(row.archive), scratch.path());
    const topo::Evidence evidence = topo::collect(scratch.path() / row.folder);
    const topo::Graph graph = topo::build(evidence);
    CHECK(inconsistency(graph) == "");
    CHECK(count(graph, {topo::Kind::package}) == row.packages);
    CHECK(count(graph, {topo::Kind::numa}) == row.numa);
    CHECK(functions(graph) == row.functions);
    CHECK(count(graph, {topo::Kind::nic}) == row.nics);
    const topo::Attributes& machine = graph.nodes.front().attributes;
    CHECK(topo::text_of(machine, "host_name") == row.host);
    CHECK(topo::text_of(machine, "kernel") == row.kernel);
    CHECK(topo::text_of(machine, "architecture") == row.architecture);
    // The folder that --save makes of it is the same machine.
    (void)topo::save(evidence, scratch.path() / "kept");
    CHECK(topo::to_json(topo::build(topo::read_evidence(scratch.path() / "kept"))) == topo::to_json(graph));
  }
}

TEST_CASE("a root without hwloc's file of names is named by the kernel's files in it, or by nobody") {
  const Scratch scratch;
  const fs::path root = scratch.path() / "root";
  const auto put = [&](const std::string& path, const std::string& text) {
    fs::create_directories((root / path).parent_path());
    fill(root / path, text);
  };
  for (const char* list : {"online", "possible", "present"}) put(std::string("sys/devices/system/cpu/") + list, "0\n");
  for (const char* number : {"core_id", "physical_package_id"})
    put(std::string("sys/devices/system/cpu/cpu0/topology/") + number, "0\n");
  for (const char* mask : {"thread_siblings", "core_siblings", "core_cpus", "package_cpus"})
    put(std::string("sys/devices/system/cpu/cpu0/topology/") + mask, "1\n");
  put("proc/cpuinfo", "processor\t: 0\n");
  const auto attribute = [&](const char* name) {
    return std::string(topo::text_of(topo::build(topo::collect(root)).nodes.front().attributes, name));
  };
  CHECK(attribute("host_name") == "");
  CHECK(attribute("kernel") == "");
  put("proc/version", "Linux version 5.15.0-1042-azure (buildd@x) (gcc 11) #49-Ubuntu SMP\n");
  CHECK(attribute("kernel") == "5.15.0-1042-azure");
  put("proc/sys/kernel/hostname", "node<7>\n");
  put("proc/sys/kernel/osrelease", "5.4.0\n");
  CHECK(attribute("host_name") == "node<7>");
  CHECK(attribute("kernel") == "5.4.0");
  put("proc/hwloc-nofile-info", "OSName: Linux\nHostName: node8\n");
  CHECK(attribute("host_name") == "node8");
}

TEST_CASE("fixtures: the InfiniBand folder of a machine alone") {
  const Scratch scratch;
  unpack(fixture("sysfs-class-infiniband-h100.tar.gz"), scratch.path() / "unpacked");
  fs::create_directories(scratch.path() / "sys/class");
  fs::rename(scratch.path() / "unpacked/components/accelerator/nvidia/infiniband/class/testdata/sys-class-infiniband-h100.0",
             scratch.path() / "sys/class/infiniband");
  const topo::Graph graph = topo::build(topo::collect(scratch.path()));
  CHECK(inconsistency(graph) == "");
  CHECK(count(graph, {topo::Kind::nic}) == 9);   // ls sys/class/infiniband | wc -l
  CHECK(count(graph, {topo::Kind::port}) == 9);  // ls -d sys/class/infiniband/*/ports/* | wc -l
  std::size_t ndr = 0;
  std::uint64_t received = 0;
  for (const topo::Link& link : graph.links) {
    CHECK(link.state == topo::LinkState::active);
    ndr += link.active.width == 4 && link.active.speed == 106.25 ? 1 : 0;  // grep -l "4X NDR" .../rate | wc -l
    if (link.b == "os:mlx5_bond_0/1") {
      received = link.b_counters.at("port_rcv_data_bytes");
      CHECK(link.active.speed == 100);  // it is Ethernet, though its rate says 2X NDR
    }
  }
  CHECK(ndr == 8);
  CHECK(received == 230539874932483 * 4);  // cat sys/class/infiniband/mlx5_bond_0/ports/1/counters/port_rcv_data
}

TEST_CASE("fixtures: adapters of several makers in one archive of text") {
  const Scratch scratch;
  unpack_ttar(fixture("sysfs-class-infiniband-mixed.ttar"), scratch.path());
  const topo::Graph graph = topo::build(topo::collect(scratch.path() / "fixtures"));
  CHECK(inconsistency(graph) == "");
  CHECK(count(graph, {topo::Kind::nic}) == 3);   // grep -c '/board_id$'
  CHECK(count(graph, {topo::Kind::port}) == 4);  // grep -c '/rate$'
  // grep -A2 '/rate$' and '/state$'
  const std::map<std::string, std::pair<unsigned, double>> rates = {{"os:hfi1_0/1", {4, 25.78125}},
                                                                    {"os:mlx4_0/1", {4, 10}},
                                                                    {"os:mlx4_0/2", {4, 10}},
                                                                    {"0x0a7fbc1245efd23b/1", {1, 25.78125}}};
  for (const topo::Link& link : graph.links) {
    INFO(link.b);
    REQUIRE(rates.contains(link.b));
    CHECK(link.state == topo::LinkState::active);
    CHECK(link.active.width == rates.at(link.b).first);
    CHECK(link.active.speed == rates.at(link.b).second);
  }
}

TEST_CASE("fixtures: lspci -vvv of a machine of eight GPUs") {
  const topo::Graph graph = topo::build(topo::read_evidence(fixture("gpud-lspci-vvv.txt")));
  CHECK(inconsistency(graph) == "");
  using topo::Kind;
  CHECK(functions(graph) == 517);                                   // grep -c '^[0-9a-f]'
  CHECK(count(graph, {Kind::pci_bridge, Kind::pci_switch}) == 59);  // grep -c '^[0-9a-f].* PCI bridge:'
  CHECK(count(graph, {Kind::gpu}) == 8);                            // grep -c '3D controller: NVIDIA'
  CHECK(count(graph, {Kind::nvswitch}) == 4);                       // grep -c ' Bridge: NVIDIA'
  CHECK(count(graph, {Kind::nic}) == 14);                           // grep -c 'Ethernet controller:'
  CHECK(count(graph, {Kind::numa}) == 2);                           // grep -o 'NUMA node: .*' | sort -u | wc -l
  for (const topo::Link& link : graph.links) {
    if (link.b != "0000:19:00.0") continue;
    CHECK(link.a == "0000:17:01.0");
    CHECK(link.active.speed == 32);
    CHECK(link.active.width == 16);
  }
  CHECK_THAT(topo::to_text(graph), ContainsSubstring("8 GPUs, 4 NVSwitches, 14 NICs, 8 disks"));
}

TEST_CASE("fixtures: lspci without -v is a machine without links") {
  struct Row {
    const char* name;
    std::size_t functions, gpus, nvswitches;
  };
  // grep -c ., grep -c '3D controller.*NVIDIA', grep -c 'Bridge.*NVIDIA'
  for (const Row& row : {Row{"gpud-lspci.nn.a100.txt", 31, 8, 6}, Row{"gpud-lspci.nn.a10.txt", 20, 1, 0}}) {
    INFO(row.name);
    const topo::Graph graph = topo::build(topo::read_evidence(fixture(row.name)));
    CHECK(inconsistency(graph) == "");
    CHECK(functions(graph) == row.functions);
    CHECK(count(graph, {topo::Kind::gpu}) == row.gpus);
    CHECK(count(graph, {topo::Kind::nvswitch}) == row.nvswitches);
  }
}
