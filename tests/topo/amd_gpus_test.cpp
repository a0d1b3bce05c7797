// rocm-smi and amd-smi: machines printed as the tools print them come back whole, whatever the form; damaged ones say what is
// wrong.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/spoil.hpp"
#include "topo/read/amd_smi.hpp"
#include "topo/read/nvidia_smi.hpp"
#include "topo/read/rocm_smi.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;
using topo::Graph;
using topo::Kind;
using topo::Link;
using topo::LinkKind;
using topo::number_of;
using topo::text_of;

namespace {

// GPUs in a row: those of one group are joined by xGMI, `links` side by side; each half hangs on a NUMA node of its own.
struct Machine {
  unsigned gpus = 4, group = 2, links = 2;
  [[nodiscard]] unsigned numa(unsigned gpu) const { return gpu < (gpus + 1) / 2 ? 0 : 1; }
  [[nodiscard]] bool joined(unsigned a, unsigned b) const { return a / group == b / group; }
  [[nodiscard]] unsigned hops(unsigned a, unsigned b) const { return joined(a, b) ? 1 : numa(a) == numa(b) ? 2 : 3; }
  [[nodiscard]] unsigned weight(unsigned a, unsigned b) const { return joined(a, b) ? 15 : numa(a) == numa(b) ? 40 : 72; }
  [[nodiscard]] std::string bandwidth(unsigned a, unsigned b) const {
    return joined(a, b) ? fmt::format("50000-{}", 50000 * links) : "N/A";
  }
  [[nodiscard]] static std::string address(unsigned gpu) { return fmt::format("0000:{:02x}:00.0", 0x11 + 8 * gpu); }
};

using Cell = std::function<std::string(unsigned, unsigned)>;

std::string rocm_table(const Machine& machine, const std::string& title, const Cell& cell) {
  std::string text = fmt::format("{:=^90}\n       ", " " + title + " ");
  for (unsigned gpu = 0; gpu < machine.gpus; ++gpu) text += fmt::format("{:<12} ", fmt::format("GPU{}", gpu));
  for (unsigned a = 0; a < machine.gpus; ++a) {
    text += fmt::format("\n{:<6} ", fmt::format("GPU{}", a));
    for (unsigned b = 0; b < machine.gpus; ++b) text += fmt::format("{:<12} ", a == b ? "0" : cell(a, b));
  }
  return text + "\n\n";
}

std::string rocm_text(const Machine& it) {
  std::string text = fmt::format("\n\n{:=^90}\n", " ROCm System Management Interface ");
  text += rocm_table(it, "Weight between two GPUs", [&](auto a, auto b) { return std::to_string(it.weight(a, b)); });
  text += rocm_table(it, "Hops between two GPUs", [&](auto a, auto b) { return std::to_string(it.hops(a, b)); });
  text += rocm_table(it, "Link Type between two GPUs", [&](auto a, auto b) { return it.joined(a, b) ? "XGMI" : "PCIE"; });
  text += fmt::format("{:=^90}\n", " Numa Nodes ");
  for (unsigned gpu = 0; gpu < it.gpus; ++gpu)
    text +=
        fmt::format("GPU[{0}]\t\t: (Topology) Numa Node: {1}\nGPU[{0}]\t\t: (Topology) Numa Affinity: {1}\n", gpu, it.numa(gpu));
  return text + fmt::format("{:=^90}\n", " End of ROCm SMI Log ");
}

std::string rocm_json(const Machine& it) {
  nlohmann::json json;
  for (unsigned a = 0; a < it.gpus; ++a) {
    json[fmt::format("card{}", a)] = {{"(Topology) Numa Node", std::to_string(it.numa(a))},
                                      {"(Topology) Numa Affinity", std::to_string(it.numa(a))}};
    for (unsigned b = a + 1; b < it.gpus; ++b) {
      const std::string pair = fmt::format(" between DRM devices {} and {}", a, b);
      json["system"]["(Topology) Weight" + pair] = std::to_string(it.weight(a, b));
      json["system"]["(Topology) Hops" + pair] = std::to_string(it.hops(a, b));
      json["system"]["(Topology) Link type" + pair] = it.joined(a, b) ? "XGMI" : "PCIE";
    }
  }
  return json.dump();
}

std::string amd_table(const Machine& machine, const std::string& title, const std::string& self, const Cell& cell) {
  std::string text = title + " TABLE:\n            ";
  for (unsigned gpu = 0; gpu < machine.gpus; ++gpu) text += fmt::format("{:>13}", Machine::address(gpu));
  for (unsigned a = 0; a < machine.gpus; ++a) {
    text += fmt::format("\n{} ", Machine::address(a));
    for (unsigned b = 0; b < machine.gpus; ++b) text += fmt::format("{:<13}", a == b ? self : cell(a, b));
    while (text.ends_with(' ')) text.pop_back();
  }
  return text + "\n\n";
}

std::string amd_text(const Machine& it) {
  const auto always = [](const std::string& word) { return [word](auto, auto) { return word; }; };
  return amd_table(it, "ACCESS", "ENABLED", always("ENABLED")) +
         amd_table(it, "WEIGHT", "0", [&](auto a, auto b) { return std::to_string(it.weight(a, b)); }) +
         amd_table(it, "HOPS", "0", [&](auto a, auto b) { return std::to_string(it.hops(a, b)); }) +
         amd_table(it, "LINK TYPE", "SELF", [&](auto a, auto b) { return it.joined(a, b) ? "XGMI" : "PCIE"; }) +
         amd_table(it, "NUMA BW", "N/A", [&](auto a, auto b) { return it.bandwidth(a, b); }) +
         amd_table(it, "CACHE COHERANCY", "SELF", [&](auto a, auto b) { return it.joined(a, b) ? "C" : "NC"; }) +
         amd_table(it, "ATOMICS", "SELF", always("64,32")) + amd_table(it, "DMA", "SELF", always("T")) +
         amd_table(it, "BI-DIRECTIONAL", "SELF", always("T")) + "\nLegend:\n SELF = Current GPU\n C / NC = Coherent or not\n";
}

std::string amd_json(const Machine& it) {
  nlohmann::json json = nlohmann::json::array();
  for (unsigned a = 0; a < it.gpus; ++a) {
    json.push_back({{"gpu", a}, {"bdf", Machine::address(a)}, {"links", nlohmann::json::array()}});
    for (unsigned b = 0; b < it.gpus; ++b) {
      nlohmann::json link = {{"gpu", b},         {"bdf", Machine::address(b)}, {"weight", 0},       {"link_status", "ENABLED"},
                             {"num_hops", 0},    {"link_type", "SELF"},        {"dma", "SELF"},     {"bandwidth", "N/A"},
                             {"bi_dir", "SELF"}, {"atomics", "SELF"},          {"coherent", "SELF"}};
      if (a != b) {
        link["weight"] = it.weight(a, b);
        link["num_hops"] = it.hops(a, b);
        link["link_type"] = it.joined(a, b) ? "XGMI" : "PCIE";
        link["bandwidth"] = it.bandwidth(a, b);
        link["coherent"] = it.joined(a, b) ? "C" : "NC";
        link["atomics"] = "64,32";
        link["dma"] = link["bi_dir"] = "T";
      }
      json.back()["links"].push_back(link);
    }
  }
  return json.dump(2);
}

Graph rocm(const std::string& text) { return topo::read_rocm_smi({"rocm-smi", "m.txt", text}); }
Graph amd(const std::string& text) { return topo::read_amd_smi({"amd-smi", "m.txt", text}); }

const Link& between(const Graph& graph, const std::string& a, const std::string& b) {
  const auto found = std::find_if(graph.links.begin(), graph.links.end(),
                                  [&](const Link& link) { return (link.a == a && link.b == b) || (link.a == b && link.b == a); });
  if (found == graph.links.end()) throw std::runtime_error("no link from " + a + " to " + b);
  return *found;
}

Machine any_machine(std::mt19937& random) {
  Machine machine;
  machine.gpus = static_cast<unsigned>(1 + random() % 16);
  machine.group = static_cast<unsigned>(1 + random() % machine.gpus);
  machine.links = static_cast<unsigned>(1 + random() % 4);
  return machine;
}

}  // namespace

TEST_CASE("rocm-smi: a machine comes back from its tables and from its JSON") {
  constexpr unsigned seed = 3100;
  std::mt19937 random(seed);
  for (int round = 0; round < usual_or_thorough(12, 40); ++round) {
    const Machine machine = any_machine(random);
    INFO("seed " << seed << ", round " << round << ": " << machine.gpus << " GPUs in groups of " << machine.group);
    const std::string text = rocm_text(machine);
    CHECK(topo::is_rocm_smi(text));
    CHECK(topo::is_rocm_smi(rocm_json(machine)));
    const Graph graph = rocm(text);
    CHECK(inconsistency(graph) == "");
    CHECK(graph.links.size() == std::size_t{machine.gpus} * (machine.gpus - 1) / 2);
    for (unsigned a = 0; a < machine.gpus; ++a) {
      const auto gpu = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                    [&](const auto& it) { return it.key == fmt::format("os:rsmi{}", a); });
      REQUIRE(gpu != graph.nodes.end());
      CHECK(gpu->parent == fmt::format("numa{}", machine.numa(a)));
      for (unsigned b = a + 1; b < machine.gpus; ++b) {
        const Link& link = between(graph, fmt::format("os:rsmi{}", a), fmt::format("os:rsmi{}", b));
        CHECK(link.kind == (machine.joined(a, b) ? LinkKind::xgmi : LinkKind::path));
        CHECK(number_of(link.attributes, "hops") == machine.hops(a, b));
        CHECK(number_of(link.attributes, "weight") == machine.weight(a, b));
        CHECK(text_of(link.attributes, "path") == (machine.joined(a, b)                 ? ""
                                                   : machine.numa(a) == machine.numa(b) ? "NODE"
                                                                                        : "SYS"));
      }
    }
    CHECK(topo::to_json(rocm(rocm_json(machine))) == topo::to_json(graph));
  }
}

TEST_CASE("amd-smi: a machine comes back from its tables and from its JSON, with what its links carry") {
  constexpr unsigned seed = 3101;
  std::mt19937 random(seed);
  for (int round = 0; round < usual_or_thorough(12, 40); ++round) {
    const Machine machine = any_machine(random);
    INFO("seed " << seed << ", round " << round << ": " << machine.gpus << " GPUs in groups of " << machine.group);
    CHECK(topo::is_amd_smi(amd_text(machine)));
    CHECK(topo::is_amd_smi(amd_json(machine)));
    const Graph graph = amd(amd_text(machine));
    CHECK(inconsistency(graph) == "");
    for (unsigned a = 0; a < machine.gpus; ++a)
      for (unsigned b = a + 1; b < machine.gpus; ++b) {
        const Link& link = between(graph, Machine::address(a), Machine::address(b));
        CHECK(link.kind == (machine.joined(a, b) ? LinkKind::xgmi : LinkKind::path));
        CHECK(link.count == (machine.joined(a, b) ? machine.links : 1));
        CHECK_THAT(link.bandwidth.nominal, WithinAbs(machine.joined(a, b) ? 50.0 * machine.links : 0, 1e-9));
        CHECK(text_of(link.attributes, "accessible") == "ENABLED");
        CHECK(text_of(link.attributes, "atomics") == "64,32");
        CHECK(text_of(link.attributes, "coherent") == (machine.joined(a, b) ? "C" : "NC"));
      }
    CHECK(topo::to_json(amd(amd_json(machine))) == topo::to_json(graph));
  }
}

TEST_CASE("rocm-smi: links whose bandwidth nobody told are not drawn as links that carry nothing") {
  Machine machine;
  machine.gpus = machine.group = 4;
  const std::string text = topo::to_text(rocm(rocm_text(machine)));
  CHECK_THAT(text, ContainsSubstring("xGMI: x1, of unknown bandwidth, between each pair of 4 devices"));
  CHECK(text.find("0 GB/s") == std::string::npos);
  machine.group = 2;
  CHECK_THAT(topo::to_text(rocm(rocm_text(machine))), ContainsSubstring("xGMI in GB/s (x2: two links of unknown bandwidth)"));
  machine.links = 2;
  CHECK_THAT(topo::to_text(amd(amd_text(machine))), ContainsSubstring("xGMI in GB/s\n"));
}

TEST_CASE("rocm-smi and amd-smi: files are told by their contents, apart from those of nvidia-smi") {
  const Scratch scratch;
  const Machine machine;
  const auto source = [&](const std::string& text) {
    fill(scratch.path() / "m.txt", text);
    return topo::read_evidence(scratch.path() / "m.txt").at(0).source;
  };
  CHECK(source(rocm_text(machine)) == "rocm-smi");
  CHECK(source(rocm_json(machine)) == "rocm-smi");
  CHECK(source("[root@node7 ~]# rocm-smi --showtopo\n" + rocm_text(machine)) == "rocm-smi");
  CHECK(source("[root@node7 ~]# amd-smi topology\n" + amd_text(machine)) == "amd-smi");
  CHECK(source(rocm_table(machine, "Hops between two GPUs", [](auto, auto) { return "1"; })) == "rocm-smi");
  CHECK(source(amd_text(machine)) == "amd-smi");
  CHECK(source(amd_json(machine)) == "amd-smi");
  CHECK(source("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV4\t0-7\nGPU1\tNV4\t X \t0-7\n") == "nvidia-smi");
}

TEST_CASE("amd-smi: directions that differ are both told, and the slower one holds") {
  const std::string head = "            0000:11:00.0 0000:19:00.0\n";
  const Graph graph = amd("LINK TYPE TABLE:\n" + head + "0000:11:00.0 SELF XGMI\n0000:19:00.0 XGMI SELF\n\nWEIGHT TABLE:\n" +
                          head + "0000:11:00.0 0 15\n0000:19:00.0 30 0\nNUMA BW TABLE:\n" + head +
                          "0000:11:00.0 N/A 50000-200000\n0000:19:00.0 50000-100000 N/A\n");
  REQUIRE(graph.links.size() == 1);
  CHECK(number_of(graph.links[0].attributes, "weight") == 15);
  CHECK(number_of(graph.links[0].attributes, "weight_back") == 30);
  CHECK(graph.links[0].count == 2);
  CHECK_THAT(graph.links[0].bandwidth.nominal, WithinAbs(100, 1e-9));
}

TEST_CASE("rocm-smi and amd-smi: what is wrong is one sentence with its line") {
  const auto of_rocm = [](const std::string& text) { return sentence([&] { (void)rocm(text); }); };
  const auto of_amd = [](const std::string& text) { return sentence([&] { (void)amd(text); }); };
  const std::string title = "=== Hops between two GPUs ===\n";
  CHECK(of_rocm(title + "GPU0 GPU1\nGPU0 0 1\n") == "m.txt:3: the table ends before the row of GPU1");
  CHECK(of_rocm(title + "GPU0 GPU1\nGPU0 0\n") == "m.txt:3: expected 2 cells in the row of GPU0, found 1");
  CHECK(of_rocm(title + "GPU0 GPU1\nGPU0 0 many\n") == "m.txt:3: expected a number of hops, found 'many'");
  CHECK(of_rocm(title + "GPU0 GPU1\nGPU0 0 99999999999999999999999\n") ==
        "m.txt:3: expected a number of hops, found '99999999999999999999999'");
  CHECK(of_rocm(title + "GPU0 GPU0\n") == "m.txt:2: two columns have the name GPU0");
  CHECK(of_rocm(title) == "m.txt:1: expected the GPUs of the table, but it ends after its title");
  CHECK(of_rocm("GPU[0] : (Topology) Numa Node: east\n") == "m.txt:1: expected the number of a NUMA node, found ' east'");
  CHECK(of_rocm("GPU[99999] : (Topology) Numa Node: 0\n") == "m.txt:1: expected a GPU as `GPU[0]`, found 'GPU[99999] : '");
  CHECK(of_rocm("=== ROCm System Management Interface ===\n") == "m.txt: there is no GPU in it");
  CHECK(of_rocm(R"({"system": {"(Topology) Hops between DRM devices 0 and one": "1"}})") ==
        R"(m.txt: "(Topology) Hops between DRM devices 0 and one": expected two numbers of GPUs, found "1")");
  CHECK(of_rocm(R"({"system": {"(Topology) Hops between DRM devices 0 and 1": "-1"}})") ==
        R"(m.txt: "(Topology) Hops between DRM devices 0 and 1": expected a number of hops, found "-1")");
  CHECK(of_rocm("{\"system\": {\n\"(Topology) Hops") == "m.txt:2: the JSON ends in the middle");
  CHECK(of_amd("LINK TYPE TABLE:\n 0000:11:00.0\n0000:11:00.0 NVLINK\n") == "m.txt:3: expected XGMI or PCIE, found 'NVLINK'");
  CHECK(of_amd("NUMA BW TABLE:\n 0000:11:00.0\n0000:11:00.0 9-1\n") ==
        "m.txt:3: expected the least and the most bandwidth as 50000-100000, found '9-1'");
  CHECK(of_amd(R"([{"gpu": 0, "bdf": "east", "links": []}])") == R"(m.txt: [0].bdf: expected a PCI address, found "east")");
  CHECK(of_amd(R"([{"gpu": 0, "bdf": "0000:11:00.0"}])").starts_with("m.txt: [0]: expected \"links\", found {"));
  CHECK(of_amd(R"([{"gpu": 0, "bdf": "0000:11:00.0", "links": [{"gpu": 7}]}])") ==
        "m.txt: [0].links[0].gpu: expected a GPU of this file, found 7");
  CHECK(of_amd(R"([{"gpu": 0, "bdf": "0000:11:00.0", "links": []}, {"gpu": 1, "bdf": "0000:11:00.0", "links": []}])") ==
        "m.txt: two GPUs have the PCI address 0000:11:00.0");
  CHECK(of_amd("[" + std::string(100, '[') + std::string(100, ']') + "]") == "m.txt: it is nested deeper than any topology");
}

TEST_CASE("rocm-smi and amd-smi: damaged and cut files give a graph or one sentence") {
  constexpr unsigned seed = 3102;
  std::mt19937 random(seed);
  const std::string odd = "=:-[]{}\",. 019GPUx\n\t\x7f\xff";
  const Machine machine;
  const std::vector<std::pair<std::string, bool>> files = {
      {rocm_text(machine), true}, {rocm_json(machine), true}, {amd_text(machine), false}, {amd_json(machine), false}};
  for (const auto& [whole, is_rocm] : files)
    for (int round = 0; round < usual_or_thorough(100, 400); ++round) {
      const std::string text = spoilt(whole, odd, random);
      INFO("seed " << seed << ", round " << round << ", " << (is_rocm ? "rocm-smi" : "amd-smi"));
      const std::string said = sentence([&] {
        const Graph graph = is_rocm ? rocm(text) : amd(text);
        CHECK(inconsistency(graph) == "");
        CHECK(!topo::to_text(graph).empty());
      });
      CHECK((said == "no error" || said.starts_with("m.txt")));
    }
}
