// GPUs that have lost all of their NVLinks, boards that give their GPUs unequal numbers of links, and whose tool is named.
#include <fmt/format.h>

#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/graphs.hpp"
#include "topo/check/check.hpp"
#include "topo/check/gpu_tools.hpp"
#include "topo/gpu_models.hpp"
#include "topo/read/build.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

constexpr const char* sxm = "NVIDIA H100 80GB HBM3";
constexpr const char* card = "NVIDIA A40";

enum class Form { lanes, sentence, inactive_lanes };  // how `nvidia-smi nvlink -s` tells the links of a GPU

std::string status(unsigned gpu, const std::string& model, unsigned links, Form told) {
  std::string text = fmt::format("GPU {}: {} (UUID: GPU-{:04})\n", gpu, model, gpu);
  if (told == Form::sentence) return text + "NVML: Unable to retrieve NVLink information as all links are inActive\n";
  for (unsigned link = 0; link < links; ++link)
    text += told == Form::lanes ? fmt::format("\t Link {}: 26.562 GB/s\n", link) : fmt::format("\t Link {}: <inactive>\n", link);
  return text;
}

std::string statuses(unsigned gpus, const std::string& model, unsigned links, const std::set<unsigned>& lost, Form told) {
  std::string text;
  for (unsigned gpu = 0; gpu < gpus; ++gpu) text += status(gpu, model, links, lost.contains(gpu) ? told : Form::lanes);
  return text;
}

std::string table(unsigned gpus, unsigned links, const std::set<unsigned>& lost) {
  std::string text = "\t";
  for (unsigned gpu = 0; gpu < gpus; ++gpu) text += fmt::format("GPU{}\t", gpu);
  text += "CPU Affinity\tNUMA Affinity\n";
  for (unsigned a = 0; a < gpus; ++a) {
    text += fmt::format("GPU{}\t", a);
    for (unsigned b = 0; b < gpus; ++b)
      text += a == b ? " X \t" : lost.contains(a) || lost.contains(b) ? "SYS\t" : fmt::format("NV{}\t", links);
    text += fmt::format("0-55\t{}\n", a * 2 / gpus);
  }
  return text;
}

Graph smi(const std::string& text) { return build({{"nvidia-smi", "m.txt", text}}); }

// "fault nvlink-inactive os:nvml3: 18 of 18 NVLinks are inactive", one for each finding.
std::vector<std::string> told(const Graph& graph) {
  std::vector<std::string> all;
  for (const Finding& it : check(graph))
    all.push_back(fmt::format("{} {} {}: {}", word(it.severity), it.rule, it.a.key, it.found));
  return all;
}

// AMD's board of four MI250, each two GPUs: the first of each has seven links, the second six.
Graph mi250() {
  Graph graph;
  add_node(graph, "machine", Kind::machine, "");
  for (unsigned gpu = 0; gpu < 8; ++gpu)
    add_node(graph, fmt::format("0000:{:02x}:00.0", gpu), Kind::gpu, "machine", "AMD Instinct MI250").attributes["pci_id"] =
        std::string("1002:740c");
  const auto join = [&](unsigned a, unsigned b, unsigned count) {
    add_link(graph, fmt::format("0000:{:02x}:00.0", a), fmt::format("0000:{:02x}:00.0", b), LinkKind::xgmi).count = count;
  };
  for (unsigned package = 0; package < 4; ++package) join(2 * package, 2 * package + 1, 4);
  join(0, 2, 1);
  join(4, 6, 1);
  join(0, 4, 2);
  join(2, 6, 2);
  for (const auto& [a, b] : {std::pair{1U, 3U}, {3U, 5U}, {5U, 7U}, {7U, 1U}}) join(a, b, 1);
  return graph;
}

}  // namespace

TEST_CASE("check: all NVLinks of a GPU are gone: one fault, however nvidia-smi tells it") {
  const std::set<unsigned> third{3};
  const std::string table_alone = table(8, 18, third);
  struct Row {
    const char* name;
    std::string text, found;
  };
  const std::string of_18 = "18 of 18 NVLinks are inactive", all = "all NVLinks are inactive";
  for (const Row& row : std::vector<Row>{
           {"a sentence", statuses(8, sxm, 18, third, Form::sentence), all},
           {"a line for each link", statuses(8, sxm, 18, third, Form::inactive_lanes), of_18},
           {"a sentence and the table", statuses(8, sxm, 18, third, Form::sentence) + table_alone, all},
           {"the table and then lines", table_alone + statuses(8, sxm, 18, third, Form::inactive_lanes), of_18},
           {"the table alone", table_alone, "no NVLink is active"},
           {"an unknown model", statuses(8, "NVIDIA X900", 18, third, Form::sentence), all},
       }) {
    INFO(row.name);
    const std::vector<Finding> findings = check(smi(row.text));
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == Severity::fault);
    CHECK(findings[0].rule == "nvlink-inactive");
    CHECK(findings[0].a.key == "os:nvml3");
    CHECK(findings[0].found == row.found);
    CHECK(findings[0].expected == "18 active, as GPU 0 has");
    CHECK_THAT(findings[0].action, ContainsSubstring("nvidia-smi nvlink"));
    CHECK(findings[0].action.find("amd-smi") == std::string::npos);
  }
}

TEST_CASE("check: no GPU of an NVSwitch machine has a link: one fault of the machine") {
  const std::set<unsigned> all{0, 1, 2, 3, 4, 5, 6, 7};
  for (const std::string& text : {statuses(8, sxm, 18, all, Form::sentence), statuses(8, sxm, 18, all, Form::inactive_lanes),
                                  statuses(8, sxm, 18, all, Form::sentence) + table(8, 18, all)}) {
    CHECK(told(smi(text)) ==
          std::vector<std::string>{"fault nvlink-inactive machine: all NVLinks of 8 GPUs (NVIDIA H100 80GB HBM3) are inactive"});
    CHECK_THAT(check(smi(text)).front().action, ContainsSubstring("nvidia-fabricmanager"));
  }
  // Nobody asked for links: nothing is known of them.
  CHECK(told(smi(table(8, 18, all))).empty());
}

TEST_CASE("check: cards without a bridge are no fault") {
  CHECK(told(smi(statuses(4, card, 4, {0, 1, 2, 3}, Form::sentence))).empty());
  CHECK(told(smi(statuses(4, card, 4, {0, 1, 2, 3}, Form::inactive_lanes))).empty());
  for (const std::string& finding : told(smi(statuses(4, card, 4, {2, 3}, Form::sentence)))) CHECK(finding.starts_with("note "));
  CHECK(told(smi(statuses(2, "NVIDIA H100 NVL", 18, {0, 1}, Form::sentence))).empty());
  // One Grace Hopper alone has nobody to be joined with.
  CHECK(told(smi(statuses(1, "NVIDIA GH200 480GB", 18, {0}, Form::sentence))).empty());
}

TEST_CASE("check: any GPUs of any NVSwitch machine that lose their links are named, and no others") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    const auto any = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
    const unsigned gpus = 3 + any(14);
    const unsigned links = 12 + any(7);
    std::set<unsigned> lost;
    for (unsigned count = 1 + any(gpus - 2); lost.size() < count;) lost.insert(any(gpus));
    const Form how = random() % 2 == 0 ? Form::sentence : Form::inactive_lanes;
    const bool both = random() % 2 == 0;
    std::set<std::string> expected, found;
    for (const unsigned gpu : lost) expected.insert(fmt::format("os:nvml{}", gpu));
    for (const Finding& it : check(smi(statuses(gpus, sxm, links, lost, how) + (both ? table(gpus, links, lost) : "")))) {
      CHECK(it.severity == Severity::fault);
      CHECK(found.insert(it.a.key).second);
    }
    CHECK(found == expected);
  }
}

TEST_CASE("check: a board of AMD with seven links on even and six on odd GPUs is as it was made") {
  CHECK(told(mi250()).empty());
  Graph graph = mi250();
  std::erase_if(graph.links, [](const Link& link) { return link.a == "0000:01:00.0" || link.b == "0000:01:00.0"; });
  const std::vector<Finding> findings = check(graph);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].a.key == "0000:01:00.0");
  CHECK(findings[0].severity == Severity::fault);
  CHECK(findings[0].found == "no xGMI link is active");
  CHECK_THAT(findings[0].action, ContainsSubstring("amd-smi"));
  CHECK(findings[0].action.find("nvidia-smi") == std::string::npos);
  // Where each is joined with all others, a missing link between two is a fault on AMD's boards too.
  Graph mesh;
  add_node(mesh, "machine", Kind::machine, "");
  for (const char* key : {"a", "b", "c", "d"}) add_node(mesh, key, Kind::gpu, "machine", "AMD Instinct MI100");
  for (const auto& [a, b] : {std::pair{"a", "b"}, {"a", "c"}, {"a", "d"}, {"b", "c"}, {"b", "d"}})
    add_link(mesh, a, b, LinkKind::xgmi);
  CHECK(told(mesh) == std::vector<std::string>{"fault nvlink-fewer c: 2 xGMI links in use"});
  CHECK(check(mesh).front().b.key == "d");
}

TEST_CASE("check: the vendor of a GPU by its number or name or source") {
  const auto gpu = [](const std::string& name, const std::string& number, const std::string& source) {
    Node node;
    node.name = name;
    if (!number.empty()) node.attributes["pci_id"] = number;
    node.provenance = {source};
    return node;
  };
  CHECK(vendor_of(gpu("", "1002:740c", "hwloc")) == GpuVendor::amd);
  CHECK(vendor_of(gpu("Tesla V100-SXM2-16GB", "", "x")) == GpuVendor::nvidia);
  CHECK(vendor_of(gpu("AMD GPU gcn 910", "", "nccl")) == GpuVendor::amd);
  CHECK(vendor_of(gpu("GPU", "", "nvml")) == GpuVendor::nvidia);
  CHECK(vendor_of(gpu("GPU", "", "nccl")) == GpuVendor::unknown);
  CHECK(vendor_of(gpu("GPU", "", "amd-smi")) == GpuVendor::amd);
  for (const GpuVendor vendor : {GpuVendor::unknown, GpuVendor::nvidia, GpuVendor::amd, GpuVendor::intel})
    CHECK_FALSE(advice_on_links(vendor).empty());
}

TEST_CASE("GPUs whose board joins them, and those of cards and of Grace that may be alone") {
  struct Row {
    const char *name, *model;
    GpuLinks links;
  };
  for (const Row& row : {Row{"NVIDIA A100-SXM4-80GB", "", GpuLinks::always}, Row{"NVIDIA A800-SXM4-80GB", "", GpuLinks::always},
                         Row{"NVIDIA H200", "", GpuLinks::always}, Row{"NVIDIA H200 NVL", "", GpuLinks::some},
                         Row{"NVIDIA GH200 480GB", "", GpuLinks::some}, Row{"NVIDIA A100-PCIE-40GB", "", GpuLinks::some},
                         Row{"NVIDIA H800", "", GpuLinks::always}, Row{"NVIDIA H800 PCIe", "", GpuLinks::some},
                         Row{"Tesla V100-FHHL-16GB", "", GpuLinks::never}, Row{"GPU", "NVIDIA H100 80GB HBM3", GpuLinks::always},
                         Row{"GPU", "", GpuLinks::unknown}}) {
    INFO(row.name << ", " << row.model);
    Node node;
    node.name = row.name;
    if (*row.model != '\0') node.attributes["model"] = std::string(row.model);
    CHECK(gpu_model(node).links == row.links);
  }
}
