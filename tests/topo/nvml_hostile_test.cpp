// nvml.json that is cut, damaged or malicious, and how its graph is joined with hwloc's.
#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/spoil.hpp"
#include "topo/pci.hpp"
#include "topo/rates.hpp"
#include "topo/read/build.hpp"
#include "topo/read/nvml.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

topo::Graph graph_in(const std::string& text) { return topo::build({{"nvml", "n.json", text}}); }

// A graph that holds together, or one sentence that begins with the file's name; else what happened.
std::string survived(const std::string& text) {
  const std::string said = sentence([&] {
    const topo::Graph graph = graph_in(text);
    if (const std::string wrong = inconsistency(graph); !wrong.empty()) throw std::runtime_error("inconsistent: " + wrong);
    if (topo::to_text(graph).empty() || topo::to_json(graph).empty()) throw std::runtime_error("nothing was written");
  });
  return said == "no error" || said.starts_with("n.json:") ? "" : said;
}

std::string machine(const std::string& name) { return contents(machine_file(name) / "nvml.json"); }

const std::string head = R"({"schema": "railgauge.nvml/1", )";

}  // namespace

TEST_CASE("nvml.json cut off anywhere is one sentence with the line where it ends") {
  const std::string whole = machine("gb300_missing_edge");
  const std::size_t last = whole.rfind('}');
  for (std::size_t length = 0; length <= last; length += length < 300 || length + 50 > last ? 1 : usual_or_sanitized(53, 211)) {
    const std::string said = sentence([&] { (void)graph_in(whole.substr(0, length)); });
    INFO("length " << length << ": " << said);
    CHECK(said.starts_with("n.json:"));
    const auto lines = 1 + std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n');
    CHECK(said.starts_with("n.json:" + std::to_string(lines) + ": "));
  }
}

TEST_CASE("damaged nvml.json gives a graph or one sentence") {
  constexpr unsigned seed = 20250;
  std::mt19937 random(seed);
  const std::string odd = "{}[]\",: 0129abf.-,x\n\x7f\xff";
  for (const std::string name : {"gb300_missing_edge", "dgx1_v100", "dgx_a100"}) {
    const std::string whole = machine(name);
    for (int round = 0; round < usual_or_thorough(60, 200); ++round) {
      const std::string text = spoilt(whole, odd, random);
      INFO("seed " << seed << ", " << name << ", round " << round);
      CHECK(survived(text) == "");
    }
  }
}

TEST_CASE("damaged values in well-formed nvml.json give a graph or one sentence", "[long]") {
  constexpr unsigned seed = 20251;
  std::mt19937 random(seed);
  const std::vector<std::string> values = {"0",
                                           "1",
                                           "18446744073709551615",
                                           "-1",
                                           "1e999",
                                           "1e99",
                                           "1.5",
                                           "\"\"",
                                           "[]",
                                           "{}",
                                           "null",
                                           "true",
                                           "[[[]]]",
                                           "\"FFFFFFFF:FFFF:FF.F\"",
                                           "\"00000008:01:00.0\""};
  for (const std::string name : {"gb300_missing_edge", "inactive_nvlink", "dgx_a100"}) {
    const std::string whole = machine(name);
    std::vector<std::size_t> colons;
    for (std::size_t at = whole.find("\":"); at != std::string::npos; at = whole.find("\":", at + 1)) colons.push_back(at + 2);
    for (int round = 0; round < usual_or_thorough(80, 300); ++round) {
      std::size_t at = colons[random() % colons.size()];
      if (whole[at] == ' ') ++at;
      const bool text_value = whole[at] == '"';
      const std::size_t end = text_value ? whole.find('"', at + 1) + 1 : whole.find_first_of(",}]\n", at);
      std::string text = whole;
      text.replace(at, end - at, values[random() % values.size()]);
      INFO("seed " << seed << ", " << name << ", round " << round << ", at " << at);
      CHECK(survived(text) == "");
    }
  }
}

TEST_CASE("malicious nvml.json is one sentence that says where") {
  const auto said = [](const std::string& text) { return sentence([&] { (void)graph_in(text); }); };
  CHECK(said("") == "n.json:1: expected JSON, there is a fault at byte 1");
  CHECK(said("[]") == "n.json: the file: expected an object {...}, there stands a list of 0");
  CHECK_THAT(said(R"({"schema": "railgauge.nvml/2"})"), ContainsSubstring("schema: expected railgauge.nvml/1"));
  CHECK(said(head + R"("devices": [{"pcie": {"width": -4}}]})") ==
        "n.json: devices[0].pcie.width: expected a whole number, there stands -4");
  CHECK(said(head + R"("devices": [{"pcie": {"width": 4000000000}}]})") ==
        "n.json: devices[0].pcie.width: expected a small number, there stands 4000000000");
  CHECK_THAT(said(head + R"("devices": [{"name": ")" + std::string(5000, 'x') + "\"}]}"),
             ContainsSubstring("devices[0].name: expected a text of at most 1024 bytes, there stands a text of 5000 bytes"));
  CHECK_THAT(said(head + R"("devices": [)" + std::string(100000, '[')), ContainsSubstring("n.json:1: expected JSON"));
  CHECK_THAT(said(head + R"("devices": )" + std::string(100000, '[') + std::string(100000, ']') + "}"),
             ContainsSubstring("devices[0]: expected an object"));
  CHECK_THAT(said(head + R"("devices": [{}, {}], "p2p": {"read": [[0, 1]]}})"),
             ContainsSubstring("p2p: expected 2 rows, one for each GPU"));
  CHECK(said(head + R"("devices": [{}, {}]})") == "no error");
  std::string many = head + R"("devices": [{})";
  for (int i = 0; i < 300; ++i) many += ", {}";
  CHECK_THAT(said(many + "]}"), ContainsSubstring("devices: expected at most 256 of them, there stands a list of 301"));
}

TEST_CASE("nvml.json is recognised and other files are not") {
  CHECK(topo::is_nvml(machine("idle_gpu")));
  CHECK(!topo::is_nvml(contents(machine_file("gpu_node.xml"))));
  CHECK(!topo::is_nvml(contents(machine_file("gpu_node.json"))));
  CHECK(!topo::is_nvml(""));
}

TEST_CASE("hwloc and NVML of one machine: one GPU and one PCIe link each") {
  topo::Graph hwloc = graph_of(contents(machine_file("gpu_node.xml")));
  const std::string nvml = head + R"("devices": [{"name": "H100", "pci": {"bus_id": "00000000:13:00.0"}, "near_numa": [0],
    "pcie": {"generation": 1, "width": 16, "max_generation": 5, "max_width": 16}}]})";
  const topo::Graph graph = topo::build({{"hwloc", "m.xml", contents(machine_file("gpu_node.xml"))}, {"nvml", "n.json", nvml}});
  CHECK(inconsistency(graph) == "");
  CHECK(graph.nodes.size() == hwloc.nodes.size());
  CHECK(graph.links.size() == hwloc.links.size());
  const auto up = std::find_if(graph.links.begin(), graph.links.end(),
                               [](const topo::Link& it) { return it.kind == topo::LinkKind::pcie && it.b == "0000:13:00.0"; });
  REQUIRE(up != graph.links.end());
  CHECK(up->a != "numa0");
  CHECK(up->state == topo::LinkState::low);
  CHECK_THAT(up->bandwidth.line, WithinAbs(64, 1e-9));
  CHECK_THAT(up->bandwidth.nominal, WithinAbs(63.015, 1e-3));
  CHECK(up->provenance == topo::Provenance{"hwloc", "nvml"});
  const topo::Graph turned = topo::build({{"nvml", "n.json", nvml}, {"hwloc", "m.xml", contents(machine_file("gpu_node.xml"))}});
  CHECK(turned.links.size() == graph.links.size());
}

TEST_CASE("PCIe and NVLink carry what their makers state") {
  const double nominal[] = {4, 8, 15.754, 31.508, 63.015, 121, 242};  // GB/s of sixteen lanes, generations 1 to 7
  for (unsigned generation = 1; generation <= 7; ++generation) {
    const topo::Bandwidth it = topo::pcie_bandwidth(topo::pcie_rate(generation, 16));
    CHECK_THAT(it.nominal, WithinAbs(nominal[generation - 1], 1e-3));
    CHECK(it.line > it.nominal);
    CHECK(it.usable < it.nominal);
  }
  CHECK(topo::pcie_bandwidth(topo::pcie_rate(8, 16)).nominal == 0);
  CHECK(topo::pcie_bandwidth({16, 3}).nominal == 0);
  for (unsigned version = 1; version <= 8; ++version) {
    const topo::NvlinkGeneration* it = topo::nvlink_generation(version, 0, 0);
    REQUIRE(it != nullptr);
    CHECK(it->nvml == version);
    CHECK_THAT(it->rate.width * it->rate.speed / 8, WithinAbs(it->bandwidth.line, 1e-9));
    CHECK(it->bandwidth.usable < it->bandwidth.nominal);
  }
  CHECK(topo::nvlink_generation(9, 0, 0) == nullptr);
  CHECK(topo::nvlink_generation(0, 9, 0)->name == "4.0");
  CHECK(topo::nvlink_generation(4, 8, 6)->bandwidth.nominal == 14.0625);
}

TEST_CASE("PCI addresses in all their forms") {
  CHECK(topo::pci_key("00000000:3B:00.0") == "0000:3b:00.0");
  CHECK(topo::pci_key("0000:3b:00.0") == "0000:3b:00.0");
  CHECK(topo::pci_key("3B:1f.7") == "0000:3b:1f.7");
  CHECK(topo::pci_key("00010008:01:00.0") == "10008:01:00.0");
  for (const char* none : {"", ":", "x", "3b:00", "0000:3b:00", "0000:3b:00.00", "0000:3bb:00.0", "000000000:3b:00.0",
                           "0000:3b:00.0 ", "-1:00:00.0", "1:2:3:4.5", "0000:3b:00:0"})
    CHECK(topo::pci_key(none) == "");
}
