// What people paste of nvidia-smi, and the table that is written again.
#include "topo/read/nvidia_smi.hpp"
#include "topo/read/sources.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/path.hpp"
#include "topo/read/build.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;
using topo::Kind;
using topo::LinkKind;

namespace {

std::filesystem::path fixture(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(RAILGAUGE_FIXTURES) / name;
  if (!std::filesystem::exists(path)) skip("no fixture " + path.string());
  return path;
}

topo::Graph smi(const std::string& text) { return topo::build({{"nvidia-smi", "m.txt", text}}); }

const topo::Node& node(const topo::Graph& graph, std::string_view key) {
  const auto at = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& it) { return it.key == key; });
  if (at == graph.nodes.end()) throw std::runtime_error("no node " + std::string(key));
  return *at;
}

std::size_t count(const topo::Graph& graph, Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& it) { return it.kind == kind; }));
}

// Cells by the names of their row and column, NIC0 being what the legend calls it; the columns must be the first line with GPU0.
std::map<std::string, std::string> cells(const std::string& text) {
  std::map<std::string, std::string> found, legend;
  std::vector<std::string> columns;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    if (all.size() == 2 && all[0].ends_with(':')) legend[all[0].substr(0, all[0].size() - 1)] = all[1];
    if (columns.empty() && line.find("GPU0") != std::string::npos) {
      for (const std::string& word : all)
        if (word.starts_with("GPU") || word.starts_with("NIC") || word.starts_with("mlx5")) columns.push_back(word);
      if (columns.size() > 1 && columns.back() == "GPU") columns.pop_back();  // "GPU NUMA ID"
    } else if (!all.empty() && std::find(columns.begin(), columns.end(), all[0]) != columns.end()) {
      for (std::size_t i = 0; i < columns.size(); ++i) found[all[0] + " " + columns[i]] = all.at(i + 1);
      if (all.size() > columns.size() + 1) found[all[0] + " CPU"] = all[columns.size() + 1];
    }
  }
  std::map<std::string, std::string> named;
  for (const auto& [key, word] : found) {
    std::string name = key;
    for (const auto& [nic, device] : legend)
      for (std::size_t at = name.find(nic);
           at != std::string::npos && (at + nic.size() == name.size() || name[at + nic.size()] == ' ');
           at = name.find(nic, at + device.size()))
        name.replace(at, nic.size(), device);
    named[name] = word;
  }
  return named;
}

const char* const modern =
    "$ nvidia-smi topo -m\n"
    "\t\x1b[4mGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
    "GPU0\t X \tNV18\tPXB\tSYS\t0-55,112-167\t0\t\tN/A\n"
    "GPU1\tNV18\t X \tSYS\tNODE\t56-111\t1\t\t3\n"
    "NIC0\tPXB\tSYS\t X \tSYS\t\t\t\t\n"
    "NIC1\tSYS\tNODE\tSYS\t X \n"
    "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe\n\nNIC Legend:\n\n  NIC0: mlx5_3\n  NIC1: mlx5_bond_0\n\n";

const char* const cube =
    "GPU 0: Tesla V100-SXM2-16GB (UUID: GPU-a0)\n\t Link 0: 25.781 GB/s\n\t Link 1: 25.781 GB/s\n\t Link 2: <inactive>\n"
    "GPU 1: Tesla V100-SXM2-16GB (UUID: GPU-a1)\n\t Link 0: 25.781 GB/s\n\t Link 1: 25.781 GB/s\n"
    "GPU 0: Tesla V100-SXM2-16GB (UUID: GPU-a0)\n\t Link 0: Remote Device 00000000:07:00.0: Link 1\n"
    "\t Link 1: Remote Device 00000000:07:00.0: Link 0\n"
    "GPU 1: Tesla V100-SXM2-16GB (UUID: GPU-a1)\n\t Link 0: Remote Device 00000000:06:00.0: Link 1\n"
    "\t Link 1: Remote Device 00000000:06:00.0: Link 0\n";

}  // namespace

TEST_CASE("nvidia-smi: tables of fixtures come out with the same cells") {
  for (const std::string name : {"topo-m-dgx1-v100-tabs.txt", "topo-m-4gpu-nv6-short-header.txt"}) {
    INFO(name);
    const topo::Evidence evidence = topo::read_evidence(fixture(name));
    CHECK(evidence.front().source == "nvidia-smi");
    const topo::Graph graph = topo::build(evidence);
    CHECK(inconsistency(graph) == "");
    const auto before = cells(evidence.front().text);
    CHECK(before.size() > 16);
    CHECK(cells(topo::to_matrix(graph)) == before);
  }
  // grep -o '^GPU[0-9]' and '^mlx5'; the NV cells above the diagonal: 4 of NV1 and NV2 a GPU.
  const topo::Graph graph = topo::build(topo::read_evidence(fixture("topo-m-dgx1-v100-tabs.txt")));
  CHECK(count(graph, Kind::gpu) == 8);
  CHECK(count(graph, Kind::nic) == 4);
  unsigned links = 0;
  for (const topo::Link& link : graph.links) links += link.kind == LinkKind::nvlink ? link.count : 0;
  CHECK(links == 24);  // 6 of each of 8 GPUs, shared by two
}

TEST_CASE("nvidia-smi: a table of today with its legend and colours and short rows") {
  const topo::Graph graph = smi(modern);
  CHECK(inconsistency(graph) == "");
  CHECK(topo::is_nvidia_smi(modern));
  CHECK(node(graph, "os:nvml0").parent == "numa0");
  CHECK(topo::number_of(node(graph, "os:nvml1").attributes, "index") == 1);
  CHECK(topo::text_of(node(graph, "os:nvml1").attributes, "gpu_numa_id") == "3");
  CHECK(node(graph, "os:mlx5_3").parent == "numa0");
  CHECK(node(graph, "os:mlx5_bond_0").parent == "numa1");
  CHECK(topo::text_of(node(graph, "numa1").attributes, "thread_list") == "56-111");
  const topo::Paths paths(graph);
  CHECK(paths.between("os:nvml0", "os:nvml1").count == 18);
  CHECK(row(paths.between("os:nvml1", "os:mlx5_bond_0").path_class).word == "NODE");
  std::string plain = modern;
  for (const std::string escape : {"\x1b[4m", "\x1b[0m"}) plain.erase(plain.find(escape), escape.size());
  CHECK(cells(plain).size() == 18);
  CHECK(cells(topo::to_matrix(graph)) == cells(plain));
  CHECK(topo::to_matrix(smi(topo::to_matrix(graph))) == topo::to_matrix(graph));
  std::string pasted = modern;
  std::replace(pasted.begin(), pasted.end(), '\t', ' ');
  CHECK(cells(topo::to_matrix(smi(pasted))) == cells(plain));
}

TEST_CASE("nvidia-smi: the state of peers and old words and tables that are not symmetric") {
  const topo::Graph graph =
      smi(" GPU0 GPU1\n GPU0 X SOC\n GPU1 SYS X\n\n$ nvidia-smi topo -p2p r\n \tGPU0\tGPU1\n GPU0\tX\tOK\n GPU1\tCNS\tX\n"
          "nvidia-smi topo -p2p n\n GPU0 GPU1\nGPU0 X NS\nGPU1 NS X\n");
  REQUIRE(graph.links.size() == 1);
  const topo::Attributes& said = graph.links.front().attributes;
  CHECK(topo::text_of(said, "path") == "SOC");
  CHECK(topo::text_of(said, "path_back") == "SYS");
  CHECK(topo::text_of(said, "p2p_read") == "OK");
  CHECK(topo::text_of(said, "p2p_read_back") == "CNS");
  CHECK(topo::text_of(said, "p2p_nvlink") == "NS");
  CHECK(!said.contains("p2p_nvlink_back"));
  CHECK(cells(topo::to_matrix(graph)).at("GPU0 GPU1") == "SYS");
}

TEST_CASE("nvidia-smi: NVLinks and their far ends") {
  const topo::Graph graph = smi(cube);
  CHECK(inconsistency(graph) == "");
  CHECK(topo::text_of(node(graph, "0000:06:00.0").attributes, "uuid") == "GPU-a0");
  const topo::Paths paths(graph);
  CHECK(paths.between("0000:06:00.0", "0000:07:00.0").count == 2);
  CHECK_THAT(paths.between("0000:06:00.0", "0000:07:00.0").bandwidth.nominal, WithinAbs(50, 1e-9));
  const auto down =
      std::find_if(graph.links.begin(), graph.links.end(), [](const auto& it) { return it.state == topo::LinkState::down; });
  REQUIRE(down != graph.links.end());
  CHECK(down->a_port == 3);
  CHECK(graph.links.size() == 3);

  std::string switched;
  for (int gpu = 0; gpu < 4; ++gpu) {
    switched += "GPU " + std::to_string(gpu) + ": NVIDIA A100 (UUID: GPU-" + std::to_string(gpu) + ")\n";
    for (int link = 0; link < 12; ++link)
      switched += "\t Link " + std::to_string(link) + ": Remote Device 00000000:C" + std::to_string(link / 2) + ":00.0: Link " +
                  std::to_string(gpu * 2 + link % 2 + 20) + "\n";
  }
  const topo::Graph many = smi(switched + "\tGPU0\tGPU1\nGPU0\t X \tNV12\nGPU1\tNV12\t X \n");
  CHECK(count(many, Kind::nvswitch) == 6);
  CHECK(many.links.size() == 48);
  const topo::Paths of_many(many);
  CHECK(of_many.between("os:nvml0", "os:nvml3").count == 12);
  const topo::Graph alone =
      smi("GPU 0: Tesla T4 (UUID: GPU-1)\n\tNVML: Unable to retrieve NVLink information as all links are inActive\n");
  CHECK(alone.links.empty());
  CHECK(count(alone, Kind::gpu) == 1);
}

TEST_CASE("matrix: a machine's tree gives the classes that its PCIe tree has") {
  const topo::Graph graph = topo::build(topo::read_evidence(machine_file("gpu_node.xml")));
  const std::string text = topo::to_matrix(graph);
  const auto found = cells(text);
  CHECK_THAT(text, ContainsSubstring("NIC Legend"));
  CHECK(found.at("GPU0 GPU1").starts_with("NV"));
  CHECK(found.at("GPU0 GPU3") == "SYS");
  CHECK(found.at("GPU0 mlx5_0") == "PIX");
  CHECK(found.at("GPU2 mlx5_0") == "SYS");
  CHECK(found.at("GPU0 CPU") == topo::text_of(node(graph, "numa0").attributes, "thread_list"));
  for (const auto& [pair, word] : found)
    if (const std::size_t space = pair.find(' '); pair.substr(space) != " CPU")
      CHECK(found.at(pair.substr(space + 1) + " " + pair.substr(0, space)) == word);
  CHECK(cells(topo::to_matrix(smi(text))) == found);
  CHECK_THAT(sentence([&] { (void)topo::to_matrix(topo::build(topo::read_evidence(machine_file("laptop.xml")))); }),
             !ContainsSubstring("another fault"));
  CHECK_THAT(sentence([] { (void)topo::to_matrix({}); }), ContainsSubstring("neither a GPU nor a NIC"));
}

TEST_CASE("nvidia-smi: what is wrong is one sentence with its line") {
  const auto said = [](const std::string& text) { return sentence([&] { (void)smi(text); }); };
  CHECK(said("GPU0 GPU1\nGPU0 X FOO\nGPU1 X X\n") == "m.txt:2: \"FOO\" between GPU0 and GPU1 is no word of nvidia-smi topo");
  CHECK_THAT(said("GPU0 GPU1\nGPU0 X NV1\n"), ContainsSubstring("m.txt:2: the table ends before the row of GPU1"));
  CHECK_THAT(said("GPU0 GPU1\nGPU0 X\nGPU1 NV1 X\n"), ContainsSubstring("m.txt:2: the row of GPU0 has 1 of 2 cells"));
  CHECK_THAT(said("GPU0 GPU0\n"), ContainsSubstring("two columns have one name"));
  CHECK_THAT(said("nothing\n"), ContainsSubstring("there is no GPU in it"));
  CHECK_THAT(said("GPU 0: a (UUID: b)\nLink 0: Remote Device x:y: Link 1\n"), ContainsSubstring("is no PCI address"));
  CHECK_THAT(said("GPU 0: a (UUID: b)\nLink 99999999999999999999: <inactive>\n"), ContainsSubstring("is no number of an NVLink"));
  CHECK_THAT(said("GPU 0: a (UUID: b)\nLink 0: nan GB/s\n"), ContainsSubstring("is no bandwidth"));
  CHECK_THAT(said("GPU0 GPU1\nGPU0 X NV99999999999\nGPU1 X X\n"), ContainsSubstring("is no word"));
  CHECK_THAT(said(std::string(70000, 'x')), ContainsSubstring("longer than 65536"));
  for (const std::string other :
       {"<topology>GPU0\n</topology>", "{\"GPU0\": 1}", "SwitchName=s0 Nodes=dev[0-5]\n", "we saw a hang on GPU0\n", ""})
    CHECK(!topo::is_nvidia_smi(other));
}

TEST_CASE("nvidia-smi: cut and damaged tables give a graph or one sentence", "[long]") {
  constexpr unsigned seed = 31;
  std::mt19937 random(seed);
  const std::string whole = std::string(modern) + cube;
  const auto survived = [](const std::string& text) {
    std::string wrong;
    const std::string said = sentence([&] {
      const topo::Graph graph = smi(text);
      wrong = inconsistency(graph);
      (void)topo::to_matrix(graph);
      (void)topo::to_json(graph);
      (void)topo::to_nccl(graph);
    });
    return said == "no error" || said.starts_with("m.txt:") || said.starts_with("--as ") ? wrong : said;
  };
  for (std::size_t length = 0; length < whole.size(); ++length) {
    INFO("length " << length);
    CHECK(survived(whole.substr(0, length)) == "");
  }
  const std::string characters = "\t\n XNVPIGUL0129:.()<>-_/\x1b[\x7f\xff";
  for (int round = 0; round < 2000; ++round) {
    std::string text = whole;
    for (auto hits = 1 + random() % 3; hits > 0; --hits) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = characters[random() % characters.size()];
      else if (random() % 2 == 0)
        text.erase(at, 1 + random() % 30);
      else
        text.insert(at, text.substr(random() % text.size(), random() % 80));
    }
    INFO("seed " << seed << ", round " << round);
    CHECK(survived(text) == "");
  }
}
