// Files that were cut: refused with file and line, or read with a note that says so, in every format.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/generate.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "topo/check/check.hpp"
#include "topo/notes.hpp"
#include "topo/read/build.hpp"
#include "topo/read/nccl.hpp"
#include "topo/read/netlist.hpp"
#include "topo/read/slurm.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

struct File {
  std::string name;
  std::string text;
};

const char* const fabric =
    "#\n# Topology file: generated on Mon Mar  3 10:00:00 2025\n#\n# Initiated from node 0000000000000a01 port "
    "0000000000000a02\n\n"
    "vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0xb0\nswitchguid=0xb0(b0)\n"
    "Switch\t64 \"S-00000000000000b0\"\t\t# \"MF0;leaf1:MQM9700/U1\" enhanced port 0 lid 12 lmc 0\n"
    "[1]\t\"H-0000000000000a01\"[1](a02) \t\t# \"node1 mlx5_0\" lid 101 4xNDR\n"
    "[2]\t\"H-0000000000000a11\"[1](a12) \t\t# \"node2 mlx5_0\" lid 102 4xNDR\n"
    "[3]\t\"H-0000000000000a21\"[1](a22) \t\t# \"node3 mlx5_0\" lid 103 2xFDR10\n\n"
    "vendid=0x2c9\ndevid=0x1021\nsysimgguid=0xa01\ncaguid=0xa01\n"
    "Ca\t1 \"H-0000000000000a01\"\t\t# \"node1 mlx5_0\"\n"
    "[1](a02) \t\"S-00000000000000b0\"[1]\t\t# lid 101 lmc 0 \"MF0;leaf1:MQM9700/U1\" lid 12 4xNDR\n\n"
    "vendid=0x2c9\ndevid=0x1021\nsysimgguid=0xa11\ncaguid=0xa11\n"
    "Ca\t1 \"H-0000000000000a11\"\t\t# \"node2 mlx5_0\"\n"
    "[1](a12) \t\"S-00000000000000b0\"[2]\t\t# lid 102 lmc 0 \"MF0;leaf1:MQM9700/U1\" lid 12 4xNDR\n\n"
    "vendid=0x2c9\ndevid=0x1021\nsysimgguid=0xa21\ncaguid=0xa21\n"
    "Ca\t1 \"H-0000000000000a21\"\t\t# \"node3 mlx5_0\"\n"
    "[1](a22) \t\"S-00000000000000b0\"[3]\t\t# lid 103 lmc 0 \"MF0;leaf1:MQM9700/U1\" lid 12 2xFDR10\n";

const char* const report =
    "CA   101  1 0x0000000000000a02 4x NDR - SW    12  1 0x00000000000000b0 ( 'node1 mlx5_0' - 'leaf1' )\n"
    "CA   102  1 0x0000000000000a12 4x NDR - SW    12  2 0x00000000000000b0 ( 'node2 mlx5_0' - 'leaf1' )\n"
    "SW    12  1 0x00000000000000b0 4x NDR - CA   101  1 0x0000000000000a02 ( 'leaf1' - 'node1 mlx5_0' )\n"
    "SW    12  2 0x00000000000000b0 4x NDR - CA   102  1 0x0000000000000a12 ( 'leaf1' - 'node2 mlx5_0' )\n"
    "SW    12  3 0x00000000000000b0 4x ???                                    'leaf1'\n";

const char* const table =
    "\tGPU0\tGPU1\tGPU2\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tNV12\tNV12\tPXB\tSYS\t0-55,112-167\t0\t\tN/A\n"
    "GPU1\tNV12\t X \tNV12\tSYS\tNODE\t56-111\t1\t\tN/A\n"
    "GPU2\tNV12\tNV12\t X \tSYS\tPIX\t56-111\t1\t\tN/A\n"
    "NIC0\tPXB\tSYS\tSYS\t X \tSYS\t\t\t\t\n"
    "NIC1\tSYS\tNODE\tPIX\tSYS\t X \t\t\t\t\n"
    "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe\n\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_11\n\n";

std::string lanes() {
  std::string text;
  for (const char* gpu : {"0", "1", "2"}) {
    text += std::string("GPU ") + gpu + ": NVIDIA A100-SXM4-80GB (UUID: GPU-5d1c8b2" + gpu + "-0000-1111-2222-333344445555)\n";
    for (int link = 0; link < 12; ++link) text += "\t Link " + std::to_string(link) + ": 25 GB/s\n";
  }
  return text;
}

const char* const functions =
    "00:01.0 PCI bridge [0604]: Intel Corporation Device [8086:352a] (rev 04) (prog-if 00 [Normal decode])\n"
    "\tBus: primary=00, secondary=16, subordinate=1a, sec-latency=0\n"
    "\tCapabilities: [40] Express (v2) Root Port (Slot+), MSI 00\n"
    "\t\tLnkCap:\tPort #1, Speed 32GT/s, Width x16, ASPM not supported\n"
    "\t\tLnkSta:\tSpeed 32GT/s (ok), Width x16 (ok)\n\n"
    "16:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:2330] (rev a1)\n"
    "\tNUMA node: 10\n"
    "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n"
    "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n"
    "\t\tLnkSta:\tSpeed 32GT/s (ok), Width x16 (ok)\n"
    "\tKernel driver in use: nvidia\n\n";

const char* const pcie =
    "railgauge pcie 1\ndevice 0000:16:01.0\npath pci0000:16/0000:16:01.0\nclass 0x060400\nmax_link_width 16\ndevice "
    "0000:17:00.0\n"
    "path pci0000:16/0000:16:01.0/0000:17:00.0\nclass 0x030200\nvendor 0x10de\nmax_link_speed 32.0 GT/s PCIe\nmax_link_width 16\n"
    "numa_node 10\n# end\n";
const char* const verbs =
    "railgauge verbs 1\ndevice mlx5_0\npci 0000:19:00.0\nnode_guid a088:c203:00ab:0000\nport 1\nlink_layer InfiniBand\n"
    "state 4: ACTIVE\nrate 400 Gb/sec (4X NDR)\ncounter symbol_error 120\n# end\n";
const char* const conf =
    "# of this cluster\nSwitchName=root Switches=l[1-3]\nSwitchName=l1 Nodes=n[001-012]\nSwitchName=l2 Nodes=n[013-024],m1\n"
    "SwitchName=l3 Nodes=n025,n026,n127\n";
const char* const channels =
    "<graphs version=\"1\">\n<graph id=\"0\" pattern=\"4\"><channel><gpu dev=\"0\"/><gpu "
    "dev=\"1\"/></channel></graph>\n</graphs>\n";
const char* const cards =
    "\n\n======== ROCm System Management Interface ========\n=========== Weight between two GPUs ===========\n"
    "       GPU0         GPU1         \nGPU0   0            15           \nGPU1   15           0            \n\n"
    "========== Link Type between two GPUs =========\n"
    "       GPU0         GPU1         \nGPU0   0            XGMI         \nGPU1   XGMI         0            \n\n"
    "================== Numa Nodes =================\nGPU[0]\t\t: (Topology) Numa Node: 0\n"
    "GPU[1]\t\t: (Topology) Numa Node: 12\n============= End of ROCm SMI Log =============\n";
const char* const amd_cards =
    "LINK TYPE TABLE:\n             0000:11:00.0 0000:19:00.0\n0000:11:00.0 SELF         XGMI\n0000:19:00.0 XGMI         SELF\n\n"
    "ATOMICS TABLE:\n             0000:11:00.0 0000:19:00.0\n0000:11:00.0 SELF         64,32\n0000:19:00.0 64,32        SELF\n";
const char* const database =
    "START_NODES\nNodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,PortGUID,DeviceID,VendorID\n"
    "\"leaf1\",40,2,0xb0,0xb0,0xb0,54000,713\n\"n1 mlx5_0\",1,1,0xa01,0xa01,0xa02,4123,713\nEND_NODES\n"
    "START_PORTS\nNodeGuid,PortGuid,PortNum,LID,LinkWidthActv,LinkSpeedActv,PortPhyState,PortState\n"
    "0xb0,0xb0,1,0,2,512,5,4\n0xa01,0xa02,1,9,2,512,5,4\nEND_PORTS\n"
    "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0xa01,1,0xb0,1\nEND_LINKS\n";
const char* const list =
    "{ CA Ports:01 SystemGUID:a01 NodeGUID:a01 PortGUID:a02 VenID:02c9 DevID:101b Rev:00 {n1 mlx5_0} LID:9 PN:01 } { SW Ports:28 "
    "SystemGUID:b0 NodeGUID:b0 PortGUID:b0 VenID:02c9 DevID:d2f0 Rev:a0 {leaf1} LID:c PN:11 } PHY=4x LOG=ACT SPD=100\n";
const char* const lines_of_ports =
    "CA: n1 mlx5_0:\n      0x0000000000000a02    101    1[  ] ==( 4X      106.25 Gbps Active/  LinkUp)==>      12    1[  ] "
    "\"leaf1\" ( )\nCA: n2 mlx5_0:\n      0x0000000000000a12    102    1[  ] ==( 4X      106.25 Gbps Active/  LinkUp)==>      "
    "12   10[  ] \"leaf1\" ( )\nSwitch: 0x00000000000000b0 leaf1:\n"
    "          12    1[  ] ==( 4X      106.25 Gbps Active/  LinkUp)==>     101    1[  ] \"n1 mlx5_0\" ( )\n"
    "          12   10[  ] ==( 4X      106.25 Gbps Active/  LinkUp)==>     102    1[  ] \"n2 mlx5_0\" ( )\n"
    "          12   11[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )\n";
const char* const model =
    "switches:\n  core:\n    switches:\n    - leaf1\n    - leaf2\nblocks:\n- switch: leaf1\n  nodes:\n  - \"n[11-12]\"\n"
    "  annotations:\n    accelerator.topology.test/domain: nvl1\n- switch: leaf2\n  nodes: [n21, n22]\n";
const char* const subnet =
    "1\nfe80:0000:0000:0000\n../hwloc\n2\n0000:0000:0000:0a01,9,0,0:1,'n1 mlx5_0' ,n1\n0000:0000:0000:00b0,12,1,0:1,'leaf1' ,\n"
    "0000:0000:0000:0a01,0000:0000:0000:00b0,8.000000,0,1,0,1,17,4x,EDR,8.000000,'n1 mlx5_0' - 'leaf1' ,1,0\n"
    "0000:0000:0000:00b0,0000:0000:0000:0a01,8.000000,0,1,1,17,1,4x,EDR,8.000000,'leaf1' - 'n1 mlx5_0' ,0,0\n";
const char* const cable_lines =
    "from host,from port,to switch,to port\nn1,mlx5_0,leaf1,11\nn2,mlx5_0,leaf1,12\nn12,mlx5_0,leaf1,13\n";

std::string answers() {
  const std::string info = " info=" + std::string(128, '0');
  return "# railgauge: InfiniBand fabric, as libibnetdisc found it, 2 hops wide\nnode switch guid=0x000000000000000a lid=3" +
         info + " description=leaf 0\nport 1 guid=0x000000000000000a peer=0x0000000000000010/1 counters=symbol_error:12" + info +
         "\nnode adapter guid=0x0000000000000010 lid=0" + info +
         " description=n0 mlx5_0\nport 1 guid=0x0000000000000011 peer=0x000000000000000a/1" + info + "\n# end\n";
}

std::vector<File> files() {
  const std::filesystem::path machine = machine_file("gpu_node.xml");
  const Graph graph = topo::build(read_evidence(machine));
  const std::string slurm = to_slurm_yaml(topo::build({{"slurm-conf", "c", conf}}));
  return {
      {"hwloc.xml", contents(machine)},
      {"nvml.json", contents(machine_file("dgx_h100") / "nvml.json")},
      {"railgauge.json", to_json(graph)},
      {"nccl.xml", to_nccl(graph)},
      {"nccl_graph.xml", channels},
      {"generated.txt", "rail:hosts=16,radix=16\n"},
      {"ibnetdiscover.out", fabric},
      {"ibnetdiscover-p.out", report},
      {"ibsim.net",
       "Switch\t8 \"S1\"\n[1]\t\"h1\"[1]\n[2]\t\"h2\"[1]\n\nHca\t1 \"h1\"\n[1]\t\"S1\"[1]\n\nHca\t1 \"h2\"\n[1]\t\"S1\"[2]\n"},
      {"ibsim-guids.net", to_ibsim(to_graph(fat_tree(4)))},
      {"nvidia-smi.txt", table},
      {"nvlink.txt", lanes()},
      {"lspci.txt", functions},
      {"pcie.txt", pcie},
      {"verbs.txt", verbs},
      {"topology.conf", conf},
      {"topology.yaml", slurm},
      {"rocm-smi.txt", cards},
      {"amd-smi.txt", amd_cards},
      {"ibdiagnet2.db_csv", database},
      {"ibdiagnet2.lst", list},
      {"iblinkinfo.txt", lines_of_ports},
      {"topograph.yaml", model},
      {"netloc.txt", subnet},
      {"cables.csv", cable_lines},
      {"ibfabric.txt", answers()}};
}

std::string json_without_notes(Graph graph) {
  for (Node& node : graph.nodes) node.attributes.erase(std::string(notes_attribute));
  return to_json(graph);
}

using Cable = std::tuple<std::string, unsigned, std::string, unsigned>;
std::map<Cable, Rate> cables_of(const Graph& graph) {
  std::map<Cable, Rate> cables;
  for (const Link& link : graph.links)
    if (link.kind == LinkKind::infiniband)
      cables[std::min(Cable{link.a, link.a_port, link.b, link.b_port}, Cable{link.b, link.b_port, link.a, link.a_port})] =
          link.active;
  return cables;
}

// "" where the first `size` bytes are refused with their line, are read with a note, or are all that the whole says. A list that
// was cut between two lines may also be a shorter list, whose cables are those of the whole.
std::string verdict(const std::filesystem::path& path, const std::string& text, std::size_t size, const Graph& whole,
                    const std::string& whole_json) {
  const std::string cut = text.substr(0, size);
  fill(path, cut);
  Graph graph;
  const std::string said = sentence([&] { graph = topo::build(read_evidence(path)); });
  std::filesystem::remove(path);
  if (said != "no error") {
    const std::string head = path.string() + ":";
    if (!said.starts_with(head)) return "no file: " + said;
    if (said.size() > head.size() && said[head.size()] >= '1' && said[head.size()] <= '9') return "";
    const bool begin = said.find("no topology that railgauge reads") != std::string::npos ||
                       said.find("the file is empty") != std::string::npos ||
                       said.find("describes no switch") != std::string::npos ||
                       said.find("a fabric without any switch or adapter") != std::string::npos ||
                       said.find("there is no GPU in it") != std::string::npos;
    return begin ? "" : "no line: " + said;
  }
  if (const std::string wrong = inconsistency(graph); !wrong.empty()) return wrong;
  if (!notes_of(graph).empty() || json_without_notes(graph) == whole_json) return "";
  const bool between = cut.ends_with('\n') || text[size] == '\n' || text[size] == '\r';
  if (!between || graph.nodes.size() > whole.nodes.size()) return "a part is taken for the whole";
  const auto all = cables_of(whole);
  for (const auto& [cable, rate] : cables_of(graph)) {
    const auto found = all.find(cable);
    if (found == all.end() || found->second.width != rate.width || found->second.speed != rate.speed) return "another cable";
  }
  return "";
}

std::string said_of(const std::string& source, const std::string& text) {
  return sentence([&] { (void)topo::build({{source, "f", text}}); });
}
std::vector<std::string> notes(const std::string& source, const std::string& text) {
  return notes_of(topo::build({{source, "f", text}}));
}

}  // namespace

TEST_CASE("cut: every format, cut after any byte, is refused with its line or says that it may be cut", "[long]") {
  constexpr unsigned seed = 911;
  std::mt19937 random(seed);
  const Scratch scratch;
  std::set<std::string> read;
  for (const File& file : files()) {
    const std::filesystem::path path = scratch.path() / file.name;
    fill(path, file.text);
    const Evidence evidence = read_evidence(path);
    read.insert(evidence.at(0).source);
    const Graph whole = topo::build(evidence);
    CHECK(notes_of(whole).empty());
    const std::string json = json_without_notes(whole);
    for (int round = 0; round < usual_or_thorough(60, 200); ++round) {
      const std::size_t size = random() % file.text.size();
      INFO("seed " << seed << ", " << file.name << ", byte " << size << ", behind `"
                   << file.text.substr(size < 30 ? 0 : size - 30, std::min<std::size_t>(size, 30)) << "`");
      CHECK(verdict(path, file.text, size, whole, json) == "");
    }
  }
  for (const Source& source : sources()) {
    INFO(source.name);
    CHECK(read.contains(std::string(source.name)));
  }
}

TEST_CASE("cut: rocm-smi and iblinkinfo that end between two lines have a note of what is missing") {
  const std::string tables = cards;
  REQUIRE(notes("rocm-smi", tables.substr(0, tables.find("========== Link"))).size() == 1);
  CHECK_THAT(notes("rocm-smi", tables.substr(0, tables.find("========== Link")))[0],
             ContainsSubstring("f:8: the output does not end with `End of ROCm SMI Log`"));
  CHECK(notes("rocm-smi", tables.substr(tables.find("=========== Weight"), 150)).empty());  // a part that was pasted
  const std::string ports = lines_of_ports;
  REQUIRE(notes("iblinkinfo", ports.substr(0, ports.find("Switch:"))).size() == 1);
  CHECK_THAT(notes("iblinkinfo", ports.substr(0, ports.find("Switch:")))[0],
             ContainsSubstring("2 of 4 ports stand in the lines"));
  CHECK(notes("iblinkinfo", ports.substr(ports.find("Switch:"))).empty());  // switches alone, as -S prints
}

TEST_CASE("fixtures: files from elsewhere, cut after any byte, are refused with their line or say that they may be cut",
          "[long]") {
  if (!std::filesystem::exists(RAILGAUGE_FIXTURES)) skip("no folder " RAILGAUGE_FIXTURES);
  constexpr unsigned seed = 912;
  std::mt19937 random(seed);
  const Scratch scratch;
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(RAILGAUGE_FIXTURES))
    if (entry.is_regular_file() && entry.file_size() > 0) paths.insert(entry.path());
  std::size_t read = 0;
  for (const std::filesystem::path& from : paths) {
    const std::string text = contents(from);
    const std::filesystem::path path = scratch.path() / from.filename();
    fill(path, text);
    Graph whole;
    if (sentence([&] { whole = topo::build(read_evidence(path)); }) != "no error") continue;
    ++read;
    const std::string json = json_without_notes(whole);
    const int rounds = usual_or_thorough(60, 200) / (text.size() > 100000 ? 10 : 1);
    for (int round = 0; round < rounds; ++round) {
      const std::size_t size = random() % text.size();
      INFO("seed " << seed << ", " << from.filename().string() << ", byte " << size << ", behind `"
                   << text.substr(size < 30 ? 0 : size - 30, std::min<std::size_t>(size, 30)) << "`");
      CHECK(verdict(path, text, size, whole, json) == "");
    }
  }
  CHECK(read > 20);
}

TEST_CASE("cut: a line of ibnetdiscover without its rate is no 4x SDR link") {
  const std::string whole = fabric;
  const std::size_t rate = whole.find("4xNDR");
  const std::size_t line = 1 + static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + std::ptrdiff_t(rate), '\n'));
  const std::string at = "f:" + std::to_string(line) + ": ";
  for (const std::string end : {"", "4", "4x", "4xN", "4xND"}) {
    INFO(end);
    CHECK_THAT(said_of("ibnetdiscover", whole.substr(0, rate) + end), ContainsSubstring(at));
    // In the middle of a file too.
    CHECK_THAT(said_of("ibnetdiscover", whole.substr(0, rate) + end + whole.substr(rate + 5)), ContainsSubstring(at));
  }
  CHECK_THAT(said_of("ibnetdiscover", whole.substr(0, whole.find("FDR10") + 3)), ContainsSubstring("FDR10"));
  CHECK_THAT(said_of("ibnetdiscover", whole.substr(0, whole.find("caguid"))),
             ContainsSubstring("the file ends before the switch or adapter"));
  // A port that does not tell its rate is whole.
  std::string unknown = whole;
  for (std::size_t i = unknown.find("4xNDR"); i != std::string::npos; i = unknown.find("4xNDR")) unknown.replace(i, 5, "4x???");
  CHECK(said_of("ibnetdiscover", unknown) == "no error");
}

TEST_CASE("cut: a list of ibnetdiscover that ends between two nodes has a note of the ports that only their peers name") {
  const std::string whole = fabric;
  const std::string part = whole.substr(0, whole.rfind("vendid="));
  REQUIRE(notes("ibnetdiscover", part).size() == 1);
  CHECK_THAT(notes("ibnetdiscover", part)[0], ContainsSubstring("f:13: 1 of 6 ports stands in the lines of its peer alone"));
  CHECK_THAT(notes("ibnetdiscover", part)[0], ContainsSubstring("port 1 of 0x0000000000000a21"));
  CHECK(notes("ibnetdiscover", whole).empty());
  const std::string text = report;
  CHECK(notes("ibnetdiscover-p", text.substr(0, text.find("SW    12  2 0x00000000000000b0 4x NDR - CA"))).size() == 1);
  CHECK(notes("ibnetdiscover-p", text).empty());
}

TEST_CASE("cut: a matrix names the row that is missing, in the order of its columns") {
  std::string head;
  for (int gpu = 0; gpu < 12; ++gpu) head += "\tGPU" + std::to_string(gpu);
  std::string text = head + "\n";
  for (int row = 0; row < 9; ++row) {
    text += "GPU" + std::to_string(row);
    for (int column = 0; column < 12; ++column) text += row == column ? "\t X " : "\tNV4";
    text += "\n";
  }
  CHECK(said_of("nvidia-smi", text) == "f:10: the table ends before the row of GPU9");
  const std::string whole = table;
  CHECK_THAT(said_of("nvidia-smi", whole.substr(0, whole.find("NIC1\tSYS"))), ContainsSubstring("before the row of NIC1"));
  CHECK_THAT(said_of("nvidia-smi", whole.substr(0, whole.find("NIC0\tPXB") + 13)),
             ContainsSubstring("the row of NIC0 has 2 of 5 cells"));
  CHECK_THAT(said_of("nvidia-smi", whole.substr(0, whole.find("  NIC1: "))),
             ContainsSubstring("the NIC legend ends before NIC1"));
  CHECK_THAT(notes("nvidia-smi", whole.substr(0, whole.find("mlx5_11") + 6)).at(0), ContainsSubstring("no newline at its end"));
  const std::string links = lanes();
  CHECK_THAT(said_of("nvidia-smi", links.substr(0, links.rfind("\t Link 11"))),
             ContainsSubstring("the list of GPU 2 ends after 11 of 12 links"));
  CHECK_THAT(said_of("nvidia-smi", links.substr(0, links.rfind(" GB/s"))),
             ContainsSubstring("f:39: expected a bandwidth in GB/s"));
  CHECK_THAT(said_of("nvidia-smi", links.substr(0, links.rfind("-3333"))),
             ContainsSubstring("f:27: expected `GPU 0: MODEL (UUID"));
}

TEST_CASE("cut: what railgauge collects itself ends with a line that says so") {
  for (const auto& [source, text] : {std::pair<std::string, std::string>{"pcie", pcie}, {"verbs", verbs}}) {
    INFO(source);
    CHECK(notes(source, text).empty());
    const std::string without = text.substr(0, text.rfind("# end"));
    REQUIRE(notes(source, without).size() == 1);
    CHECK_THAT(notes(source, without)[0], ContainsSubstring("the file does not end with the line `# end`"));
    CHECK_THAT(said_of(source, without.substr(0, without.size() - 1)), ContainsSubstring("it was cut"));
  }
}

TEST_CASE("cut: notes go into every file that is made of the graph, and into what topo check says") {
  const std::string whole = fabric;
  const Graph graph = topo::build({{"ibnetdiscover", "f", whole.substr(0, whole.rfind("vendid="))}});
  CHECK(notes_of(topo::build({{"railgauge", "j", to_json(graph)}})) == notes_of(graph));
  const auto said = [](const Graph& it) {
    const std::vector<Finding> findings = check(it);
    return std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
      return finding.rule == "incomplete-source" && finding.severity == Severity::note &&
             finding.found.starts_with("f:13: 1 of 6 ports");
    });
  };
  CHECK(said(graph) == 1);
  CHECK(said(topo::build({{"ibnetdiscover", "f", whole}})) == 0);
}
