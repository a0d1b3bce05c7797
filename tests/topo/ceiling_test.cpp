// Ceilings through files as tools write them: what is known comes out right, and what is not says why.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "tests/topo/clusters.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "topo/expect/expect.hpp"
#include "topo/nic_bandwidth.hpp"
#include "topo/path.hpp"
#include "topo/read/request.hpp"
#include "topo/roles.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;
namespace fs = std::filesystem;

namespace {

// A file with that text, read by whichever reader takes it.
Graph read(const std::string& text, const std::string& name = "file") {
  const Scratch scratch;
  fill(scratch.path() / name, text);
  return graph_of_files({(scratch.path() / name).string()});
}

// NICs of the DGX H100 for traffic between GPUs: mlx5_N and its PCI address.
struct Device {
  unsigned number;
  std::string pci;
};
const std::vector<Device> compute_nics{{0, "0000:18:00.0"}, {3, "0000:40:00.0"}, {4, "0000:4f:00.0"},  {5, "0000:5e:00.0"},
                                       {6, "0000:9a:00.0"}, {9, "0000:c0:00.0"}, {10, "0000:ce:00.0"}, {11, "0000:dc:00.0"}};

std::string verbs(const Device& device, const std::string& rate, const std::string& state = "4: ACTIVE", unsigned host = 1) {
  return fmt::format(
      "device mlx5_{}\npci {}\nnode_guid a088:c203:{:04x}:{:04x}\nhca_type MT4129\nport 1\nlink_layer InfiniBand\n"
      "state {}\nrate {}\n",
      device.number, device.pci, host, device.number, state, rate);
}

// verbs.txt of a machine, as its collector writes it.
std::string verbs(const std::vector<Device>& devices, const std::string& rate, unsigned host = 1) {
  std::string text = "railgauge verbs 1\n";
  for (const Device& it : devices) text += verbs(it, rate, "4: ACTIVE", host);
  return text + "# end\n";
}

// What `railgauge topo --save` leaves of a DGX H100.
std::string saved(const Scratch& scratch, const std::string& name, const std::string& verbs_text) {
  const fs::path folder = scratch.path() / name;
  fs::create_directories(folder);
  fs::copy(machine_file("dgx_h100") / "nvml.json", folder / "nvml.json");
  std::string hwloc = contents(machine_file("dgx_h100") / "hwloc.xml");
  if (name == "n2")  // adapters of another machine have other GUIDs
    for (std::size_t at = 0; (at = hwloc.find("NodeGUID\" value=\"", at)) != std::string::npos; at += 20) hwloc[at + 17] = 'b';
  fill(folder / "hwloc.xml", hwloc);
  if (!verbs_text.empty()) fill(folder / "verbs.txt", verbs_text);
  return folder.string();
}

const Ceiling& of(const std::vector<Ceiling>& all, std::string_view algorithm) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const Ceiling& it) { return it.algorithm == algorithm; });
  REQUIRE(at != all.end());
  return *at;
}

}  // namespace

TEST_CASE("ceilings: two DGX H100 with verbs readings have 50 GB/s a rail, without cables") {
  const Scratch scratch;
  const std::string rate = verbs(compute_nics, "400 Gb/sec (4X NDR)");
  const Graph graph =
      graph_of_files({saved(scratch, "n1", rate), saved(scratch, "n2", verbs(compute_nics, "400 Gb/sec (4X NDR)", 2))});
  const Team team = team_of(graph, {16});
  CHECK(team.domains == 2);
  CHECK(team.network == 50);
  CHECK(team.network_words == "r = 50 GB/s: 8 NICs of 50 GB/s for each 8 GPUs");
  const std::vector<Ceiling> all = ceilings(Collective::all_reduce, team);
  CHECK(of(all, "ring").bus == 400);
  REQUIRE(of(all, "nvls tree").healthy.has_value());
  CHECK_THAT(of(all, "nvls tree").healthy->least, WithinAbs(0.63 * 750, 0.1));
  // Of one machine whose like the other is, the same.
  CHECK(team_of(graph_of_files({saved(scratch, "n3", rate)}), {16}).network == 50);
}

TEST_CASE("ceilings: a rate that NCCL writes counts, and a port that two sources tell of counts once") {
  const std::string nccl =
      "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\"><pci busid=\"0000:16:00.0\" class=\"0x060400\" link_speed=\"32.0 "
      "GT/s "
      "PCIe\" link_width=\"16\"><pci busid=\"0000:17:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" "
      "link_width=\"16\"><gpu "
      "dev=\"0\" sm=\"89\" rank=\"0\" gdr=\"1\"/></pci><pci busid=\"0000:18:00.0\" class=\"0x020700\" link_speed=\"32.0 GT/s "
      "PCIe\" "
      "link_width=\"16\"><nic><net name=\"mlx5_0\" dev=\"0\" speed=\"200000\" port=\"1\" "
      "guid=\"0xa088c20300010001\"/></nic></pci>"
      "</pci></cpu></system>";
  CHECK(team_of(read(nccl), {2}).network == 25);
  const Scratch scratch;
  fs::create_directories(scratch.path() / "both");
  fill(scratch.path() / "both/nccl.xml", nccl);
  fill(scratch.path() / "both/verbs.txt", verbs(std::vector<Device>{{0, "0000:18:00.0"}}, "200 Gb/sec (4X HDR)"));
  CHECK(team_of(graph_of_files({(scratch.path() / "both").string()}), {2}).network == 25);
}

TEST_CASE("ceilings: real readings of an H100 host's NICs") {
  const fs::path archive = fs::path(RAILGAUGE_FIXTURES) / "sysfs-class-infiniband-h100.tar.gz";
  if (!fs::exists(archive)) skip("no fixture " + archive.string());
  const Scratch scratch;
  fs::create_directories(scratch.path() / "root/sys/class");
  if (std::system(("tar xf '" + archive.string() + "' -C '" + scratch.path().string() + "' 2>/dev/null").c_str()) != 0)
    skip("there is no tar or gzip");
  fs::rename(scratch.path() / "components/accelerator/nvidia/infiniband/class/testdata/sys-class-infiniband-h100.0",
             scratch.path() / "root/sys/class/infiniband");
  SourceOptions options;
  options.root = (scratch.path() / "root").string();
  const HostNetwork network = networks_of(graph_of(options), std::vector<std::string>{"machine"}).front();
  CHECK(network.nics == 8);         // grep -l "4X NDR" of InfiniBand; the bond of Ethernet manages the machine
  CHECK(network.bandwidth == 400);  // 8 * 400 Gb/s
}

TEST_CASE("ceilings: a NIC that tells no rate leaves r unknown, and no number is a ceiling then") {
  const Scratch scratch;
  std::string partial = verbs(compute_nics, "400 Gb/sec (4X NDR)");
  partial.resize(partial.rfind("rate "));  // the last NIC
  for (const std::string& text : {std::string(), partial}) {
    const Team team = team_of(graph_of_files({saved(scratch, text.empty() ? "none" : "partial", text)}), {16});
    INFO(team.network_words);
    CHECK(team.network == 0);
    CHECK_THAT(team.network_words, ContainsSubstring("r is unknown: ") && ContainsSubstring("railgauge topo --save"));
    for (const Ceiling& it : ceilings(Collective::all_reduce, team)) {
      CHECK(it.bus == 0);
      if (it.refusal.empty()) CHECK(it.unknown == team.network_words);
    }
    const std::string said = to_text(Collective::all_reduce, team, ceilings(Collective::all_reduce, team));
    CHECK(said.find("at most") == std::string::npos);
    CHECK(to_json(Collective::all_reduce, team, ceilings(Collective::all_reduce, team)).find("\"unknown\"") != std::string::npos);
  }
  // One that is down is known: seven carry.
  std::string down = verbs({compute_nics.begin(), compute_nics.end() - 1}, "400 Gb/sec (4X NDR)");
  down += verbs(compute_nics.back(), "10 Gb/sec (4X SDR)", "1: DOWN");
  CHECK(team_of(graph_of_files({saved(scratch, "down", down)}), {16}).network == 43.75);
}

TEST_CASE("ceilings: GPUs that NVLink joins and a file that lists PCIe alone give none, and say what would") {
  const auto machine = [](const std::string& gpu) {
    std::string text = "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\">";
    for (unsigned k = 0; k < 4; ++k)
      text += fmt::format("<pci busid=\"000{}:00:00.0\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"16\"{}</pci>",
                          k + 1, gpu);
    return read(text + "</cpu></system>", "topo.xml");
  };
  for (const unsigned ranks : {4U, 8U}) {
    const Team bare = team_of(machine(">"), {ranks});
    CHECK(bare.inside == 0);
    CHECK_THAT(bare.inside_words, ContainsSubstring("V is unknown: NVLink or xGMI may join these GPUs, whose model nccl does not "
                                                    "tell; `railgauge topo --save` on the machine, `nvidia-smi topo -m`"));
    for (const Ceiling& it : ceilings(Collective::all_gather, bare)) CHECK(it.bus == 0);
    // Nor is it known that there are no NVSwitches that reduce.
    CHECK(of(ceilings(Collective::all_reduce, bare), ranks == 4 ? "nvls" : "nvls tree").refusal.empty());
  }
  // A model that has none is on PCIe, whoever tells it.
  CHECK_THAT(team_of(machine("><gpu dev=\"0\" sm=\"89\"/>"), {4}).inside, WithinAbs(31.5, 0.1));
  CHECK_THAT(team_of(machine("><gpu dev=\"0\" sm=\"90\"/>"), {4}).inside, WithinAbs(0, 0));
  // What NCCL itself dumped lists all links: there is none.
  CHECK_THAT(team_of(machine("><gpu dev=\"0\" sm=\"90\" rank=\"0\" gdr=\"1\"/>"), {4}).inside, WithinAbs(31.5, 0.1));
}

TEST_CASE("ceilings: xGMI has a nominal bandwidth by its generation, and never that of PCIe") {
  std::string text = "<system version=\"2\"><cpu numaid=\"0\" arch=\"x86_64\">";
  for (unsigned k = 0; k < 8; ++k) {
    text += fmt::format(
        "<pci busid=\"00{}1:00:00.0\" class=\"0x120000\" vendor=\"0x1002\" device=\"0x74b5\" link_speed=\"32.0 GT/s "
        "PCIe\" link_width=\"16\"><gpu dev=\"{}\" sm=\"304\" gcn=\"GCN\" arch=\"38911\" rank=\"{}\" gdr=\"1\">",
        k, k, k);
    for (unsigned other = 0; other < 8; ++other)
      if (other != k) text += fmt::format("<xgmi target=\"00{}1:00:00.0\" count=\"1\" tclass=\"0x120000\"/>", other);
    text += "</gpu></pci>";
  }
  text += "</cpu></system>";
  const auto team = [&](const std::string& gcn) {
    std::string made = text;
    for (std::size_t at = made.find("GCN"); at != std::string::npos; at = made.find("GCN")) made.replace(at, 3, gcn);
    return team_of(read(made, "rccl.xml"), {8});
  };
  CHECK(team("gfx942").inside == 448);  // 7 links of 64 GB/s; 313 was measured
  CHECK(team("gfx942").generation == "CDNA 3");
  CHECK(of(ceilings(Collective::all_reduce, team("gfx942")), "ring").healthy.has_value());
  CHECK(team("gfx999").inside == 0);
  CHECK(team("gfx999").inside_words == "V is unknown: no xGMI link of these GPUs tells its bandwidth");
}

TEST_CASE("ceilings: NV12 between all of 8 A100 is 12 links to switches and not 84 to each other") {
  std::string table = "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tGPU6\tGPU7\tCPU Affinity\tNUMA Affinity\n";
  std::string states;
  for (unsigned row = 0; row < 8; ++row) {
    table += fmt::format("GPU{}", row);
    for (unsigned column = 0; column < 8; ++column) table += row == column ? "\t X " : "\tNV12";
    table += "\t0-63\t0\n";
    states += fmt::format("GPU {}: NVIDIA A100-SXM4-80GB (UUID: GPU-{})\n", row, row);
    for (unsigned link = 0; link < 12; ++link) states += fmt::format("\t Link {}: 25 GB/s\n", link);
  }
  for (const std::string& text : {table + states, states + table}) {
    const Graph graph = read(text);
    CHECK(inconsistency(graph) == "");
    const Team team = team_of(graph, {8});
    CHECK(team.inside == 300);
    CHECK(team.inside_words == "V = 300 GB/s: 12 NVLinks of each GPU");
    CHECK(team_of(graph, {2}).inside == 300);
    const Path pair = Paths(graph).between("os:nvml0", "os:nvml5");
    CHECK(pair.count == 12);
    CHECK(pair.bandwidth.nominal == 300);
  }
  // The table alone tells how many links there are, and not what they carry.
  CHECK(team_of(read(table), {8}).inside == 0);
  CHECK(Paths(read(table)).between("os:nvml0", "os:nvml5").count == 12);
  // The states alone do not tell where the links lead.
  const Team alone = team_of(read(states), {8});
  CHECK(alone.inside == 0);
  CHECK_THAT(alone.inside_words, ContainsSubstring("nvidia-smi topo -m"));
  // Four GPUs of a board without switches have 12 links in all: 4 to each other one.
  std::string mesh = "\tGPU0\tGPU1\tGPU2\tGPU3\n";
  for (unsigned row = 0; row < 4; ++row) {
    mesh += fmt::format("GPU{}", row);
    for (unsigned column = 0; column < 4; ++column) mesh += row == column ? "\t X " : "\tNV4";
    mesh += "\n";
  }
  std::string four;
  for (std::size_t gpu = 0, at = 0; gpu < 4; ++gpu) {
    const std::size_t end = states.find("GPU " + std::to_string(gpu + 1) + ":");
    four += states.substr(at, end - at);
    at = end;
  }
  const Graph board = read(mesh + four);
  CHECK(team_of(board, {4}).inside == 300);
  CHECK(Paths(board).between("os:nvml0", "os:nvml1").count == 4);
  CHECK(std::none_of(board.nodes.begin(), board.nodes.end(), [](const Node& node) { return node.kind == Kind::nvswitch; }));
}

TEST_CASE("ceilings: NVSwitches of a machine are one fabric, though no source shows the links between them") {
  Graph graph = gpu_server(4);
  add_node(graph, "nvswitch2", Kind::nvswitch, "machine", "NVSwitch");
  for (Link& link : graph.links)
    if (link.b == "nvswitch" && link.a > "0000:13:00.0") link.b = "nvswitch2";  // the other board of a DGX-2
  CHECK(team_of(graph, {4}).inside == 450);
}

TEST_CASE("ceilings: logical devices of one package share its links") {
  // Four packages in CPX: six OS devices each, and a matrix of all pairs of them, as hwloc writes it with ROCm.
  std::string xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
      "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" allowed_cpuset=\"0x1\" nodeset=\"0x1\" "
      "complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\" gp_index=\"1\">\n"
      "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
      "gp_index=\"2\" local_memory=\"1000\"/>\n"
      "<object type=\"Bridge\" gp_index=\"3\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[00-0f]\">\n";
  std::string indexes;
  constexpr unsigned packages = 4, parts = 6, all = packages * parts;
  for (unsigned package = 0; package < packages; ++package) {
    xml += fmt::format(
        "<object type=\"PCIDev\" gp_index=\"{}\" pci_busid=\"0000:0{}:00.0\" pci_type=\"1200 [1002:74a0] [0000:0000] "
        "00\" pci_link_speed=\"63.0\">\n<info name=\"PCIVendor\" value=\"AMD\"/><info name=\"PCIDevice\" "
        "value=\"MI300A\"/>\n",
        10 + package, package + 1);
    for (unsigned part = 0; part < parts; ++part) {
      const unsigned index = 100 + package * parts + part;
      xml += fmt::format("<object type=\"OSDev\" gp_index=\"{}\" name=\"rsmi{}\" subtype=\"RSMI\" osdev_type=\"1\"/>\n", index,
                         package * parts + part);
      indexes += fmt::format("OSDev:{} ", index);
    }
    xml += "</object>\n";
  }
  std::string values;
  for (unsigned i = 0; i < all; ++i)
    for (unsigned j = 0; j < all; ++j) values += i / parts == j / parts ? "0 " : "100000 ";
  xml += fmt::format(
      "</object></object>\n<distances2hetero nbobjs=\"{}\" kind=\"10\" name=\"XGMIBandwidth\" indexing=\"gp\">\n"
      "<indexes length=\"{}\">{}</indexes>\n<u64values length=\"{}\">{}</u64values>\n</distances2hetero>\n</topology>\n",
      all, indexes.size(), indexes, values.size(), values);
  const Graph graph = read(xml, "cpx.xml");
  const Team team = team_of(graph, {4});
  CHECK(team.inside == 300);
  CHECK(team.inside_words == "V = 300 GB/s: 3 xGMI links of each GPU");
  CHECK(Paths(graph).between("0000:01:00.0", "0000:03:00.0").bandwidth.nominal == 100);
}

TEST_CASE("ceilings: an uplink that GPUs share bounds a collective as it bounds a pair") {
  Graph graph = gpu_server(4);
  std::erase_if(graph.links, [](const Link& link) { return link.kind == LinkKind::nvlink; });
  for (Node& node : graph.nodes)
    if (node.kind == Kind::gpu) node.name = "NVIDIA L40S";
  for (const char* gpu : {"0000:03:00.0", "0000:13:00.0", "0000:23:00.0", "0000:33:00.0"})
    link_at(graph, gpu).bandwidth = {128, 121, 106};
  const Path pair = Paths(graph).between("0000:03:00.0", "0000:33:00.0");
  CHECK(pair.bandwidth.nominal == 63);
  CHECK(team_of(graph, {4}).inside == 63);
  CHECK_THAT(team_of(graph, {4}).inside_words, ContainsSubstring("63 GB/s: the narrowest PCIe link between these GPUs"));
  // Below one switch the uplink is not crossed.
  node_at(graph, "0000:13:00.0").parent = "sw0";
  link_at(graph, "0000:13:00.0").a = "sw0";
  CHECK(team_of(graph, {2}).inside == 121);
}

TEST_CASE("ceilings: one tray does not tell how large its NVLink domain is, and --domains does") {
  const Graph tray = graph_of_files({machine_file("gb200_tray").string()});
  CHECK(team_of(tray, {4}).domains == 1);
  CHECK_THAT(sentence([&] { (void)team_of(tray, {72}); }),
             ContainsSubstring("how many NVLink domains 72 ranks are in is unknown") && ContainsSubstring("--domains 1"));
  const Team rack = team_of(tray, TeamOptions{72, {}, 1});
  CHECK(rack.domains == 1);
  CHECK(rack.inside == 900);
  const std::vector<Ceiling> all = ceilings(Collective::all_reduce, rack);
  CHECK_THAT(of(all, "nvls").bus, WithinAbs(1750.7, 0.1));
  REQUIRE(of(all, "nvls").healthy.has_value());
  CHECK(of(all, "nvls").healthy->least < 846.8);
  CHECK(of(all, "nvls").healthy->most > 846.8);
  CHECK(team_of(tray, TeamOptions{144, {}, 2}).domains == 2);
  CHECK_THAT(sentence([&] { (void)team_of(tray, TeamOptions{72, {}, 5}); }), ContainsSubstring("--domains 5: 18 machines"));
  CHECK_THAT(sentence([&] { (void)team_of(gpu_server(8), TeamOptions{16, {}, 1}); }), ContainsSubstring("these stay in it"));
  // Readings of all trays tell it.
  Cluster cluster{"NVIDIA GB200", 18, 4, 900};
  cluster.rack = true;
  CHECK(team_of(build(cluster), {72}).domains == 1);
  // Trays of several racks whose domains nobody tells.
  cluster.rack = false;
  CHECK_THAT(sentence([&] { (void)team_of(build(cluster), {72}); }), ContainsSubstring("is unknown"));
}

TEST_CASE("ceilings: a management port is no rail because it speaks InfiniBand, and --nics names those that are") {
  Graph graph = gpu_server(8);
  for (Node& node : graph.nodes)
    if (node.kind == Kind::nic) node.attributes["pci_class"] = std::string("0200");
  for (Node& node : graph.nodes)
    if (node.kind == Kind::port) node.attributes["link_layer"] = std::string("Ethernet");
  for (Link& link : graph.links)
    if (link.b.ends_with("/1")) link.bandwidth = {50, 50, 49};
  add_node(graph, "0000:fe:00.0", Kind::nic, "pci0000:70", "Mellanox ConnectX-7").attributes["pci_class"] = std::string("0207");
  node_at(graph, "0000:fe:00.0").attributes["verbs"] = std::vector<std::string>{"mlx5_9"};
  add_node(graph, "other/1", Kind::port, "0000:fe:00.0").attributes["link_layer"] = std::string("InfiniBand");
  add_link(graph, "0000:fe:00.0", "other/1", LinkKind::internal).bandwidth = {53.125, 50, 49};
  add_link(graph, "pci0000:70", "0000:fe:00.0", LinkKind::pcie).bandwidth = {8, 7.88, 6.9};  // x2
  CHECK(team_of(graph, {16}).network == 50);
  const View view(graph);
  CHECK(nic_roles(view, "")[view.place("0000:fe:00.0")] != NicRole::compute);
  CHECK(nic_roles(view, "")[view.place("0000:03:01.0")] == NicRole::compute);
  CHECK(team_of(graph, TeamOptions{16, "mlx5_0,mlx5_1", 0}).network == 12.5);
  CHECK(team_of(graph, TeamOptions{16, "mlx5_9", 0}).network == 7.88 / 8);
  CHECK_THAT(sentence([&] { (void)team_of(graph, TeamOptions{16, "mlx4_*", 0}); }),
             ContainsSubstring("--nics mlx4_*: no NIC of"));
  // Nor where nobody tells the rates.
  for (Link& link : graph.links)
    if (link.b.ends_with("/1") || link.b == "0000:fe:00.0") link.bandwidth = {};
  const View silent(graph);
  CHECK(nic_roles(silent, "")[silent.place("0000:fe:00.0")] != NicRole::compute);
  CHECK(nic_roles(silent, "")[silent.place("0000:73:01.0")] == NicRole::compute);
}
