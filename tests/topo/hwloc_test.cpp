// hwloc XML of all versions: sets, the old form of machines, and that one machine is the same graph in each version.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <random>
#include <set>
#include <string>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/read/hwloc_set.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

// As hwloc writes it: words from the highest.
std::string written(const std::set<std::size_t>& members) {
  if (members.empty()) return "0x0";
  std::string text;
  for (std::size_t word = *members.rbegin() / 32 + 1; word-- > 0;) {
    unsigned value = 0;
    for (std::size_t bit = 0; bit < 32; ++bit)
      if (members.contains(word * 32 + bit)) value |= 1U << bit;
    char digits[16];
    std::snprintf(digits, sizeof digits, "0x%08x", value);
    text += (text.empty() ? "" : ",") + (value == 0 ? std::string() : std::string(digits));
  }
  return text;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

const topo::Node* find(const topo::Graph& graph, std::string_view key) {
  for (const topo::Node& node : graph.nodes)
    if (node.key == key) return &node;
  return nullptr;
}

// A machine of two sockets as hwloc 1.11 wrote it: memory holds the processors, caches have no level in their type.
std::string old_machine() {
  std::string xml =
      "<?xml version=\"1.0\"?>\n<topology>\n<object type=\"Machine\" os_index=\"0\" cpuset=\"0xf\" "
      "complete_cpuset=\"0xf\" nodeset=\"0x3\" complete_nodeset=\"0x3\"><info name=\"HostName\" value=\"old\"/>\n"
      "<distances nbobjs=\"2\" relative_depth=\"1\" latency_base=\"10.000000\"><latency value=\"1.000000\"/>"
      "<latency value=\"2.100000\"/><latency value=\"2.200000\"/><latency value=\"1.000000\"/></distances>\n";
  for (unsigned n = 0; n < 2; ++n) {
    const std::string set = n == 0 ? "0x3" : "0xc";
    const std::string sets = " cpuset=\"" + set + "\" complete_cpuset=\"" + set + "\" nodeset=\"0x" + std::to_string(n + 1) +
                             "\" complete_nodeset=\"0x" + std::to_string(n + 1) + "\"";
    xml += "<object type=\"NUMANode\" os_index=\"" + std::to_string(n) + "\"" + sets + " local_memory=\"1024\">";
    xml += "<object type=\"Socket\" os_index=\"" + std::to_string(n) + "\"" + sets + ">";
    xml += "<object type=\"Cache\"" + sets + " cache_size=\"4096\" depth=\"3\" cache_type=\"0\">";
    xml += "<object type=\"Cache\"" + sets + " cache_size=\"64\" depth=\"1\" cache_type=\"2\">";
    xml += "<object type=\"Core\" os_index=\"" + std::to_string(n) + "\"" + sets + ">";
    for (unsigned thread = 2 * n; thread < 2 * n + 2; ++thread) {
      const std::string bit = "\"0x" + std::to_string(1U << thread) + "\"";
      xml += "<object type=\"PU\" os_index=\"" + std::to_string(thread) + "\" cpuset=" + bit + " complete_cpuset=" + bit + "/>";
    }
    xml += "</object></object></object></object>";
    xml += "<object type=\"Bridge\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"10001:[0" + std::to_string(n) + "-0f]\">";
    xml += "<object type=\"PCIDev\" pci_busid=\"10001:0" + std::to_string(n) +
           ":1f.7\" pci_type=\"0302 [10de:1db8] [10de:131d] a1\" pci_link_speed=\"15.753846\"/></object></object>\n";
  }
  return xml + "</object>\n</topology>\n";
}

}  // namespace

TEST_CASE("hwloc: sets are those of the standard library, whatever their members") {
  constexpr unsigned seed = 7;
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::set<std::size_t> left;
    std::set<std::size_t> right;
    for (auto count = random() % 60; count > 0; --count) left.insert(random() % 200);
    for (auto count = random() % 300; count > 0; --count) right.insert(random() % 150);
    INFO("seed " << seed << ", round " << round);
    const topo::HwlocSet set(written(left));
    topo::HwlocSet common(written(right));
    std::set<std::size_t> members;
    set.each([&](std::size_t bit) { members.insert(bit); });
    CHECK(members == left);
    CHECK(set.size() == left.size());
    CHECK(set.inside(common) == std::includes(right.begin(), right.end(), left.begin(), left.end()));
    std::set<std::size_t> both;
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::inserter(both, both.end()));
    common.keep(set);
    CHECK(common == topo::HwlocSet(written(both)));
  }
  CHECK(topo::HwlocSet("0x8,,0x0000000f").list() == "0-3,67");
  CHECK(topo::HwlocSet("0xf...f,0x5").list() == "0,2");
  CHECK(topo::HwlocSet("0xf...f").empty());
  CHECK(topo::HwlocSet("0x80000000,0x80000001").list() == "0,31,63");
}

TEST_CASE("hwloc: version 3 of a machine is the graph of its version 2") {
  struct Use {
    const char *before, *after;
  };
  for (const std::string name : {"gpu_node", "odd", "laptop"}) {
    INFO(name);
    std::string xml = contents(machine_file(name + ".xml"));
    const std::string same = topo::to_json(graph_of(xml));
    replace_all(xml, "<topology version=\"2.0\">", "<topology version=\"3.0\">");
    for (const Use& use :
         {Use{"0", "_1"}, Use{"1", "_12"}, Use{"2", "_16"}, Use{"3", "_48"}, Use{"4", "_64"}, Use{"5", "_8"}, Use{"6", "_2"}})
      replace_all(xml, std::string("osdev_type=\"") + use.before + "\"", std::string("osdev_type=\"") + use.after + "\"");
    replace_all(xml, "osdev_type=\"_", "osdev_type=\"");
    // What the operating system says stands behind the objects.
    std::string moved;
    for (const std::string info : {"OSName", "OSRelease", "HostName", "Architecture"}) {
      const std::size_t at = xml.find("<info name=\"" + info + "\"");
      if (at == std::string::npos) continue;
      const std::size_t end = xml.find("/>", at) + 2;
      moved += xml.substr(at, end - at);
      xml.erase(at, end - at);
    }
    xml.insert(xml.rfind("</topology>"), moved);
    CHECK(topo::to_json(graph_of(xml)) == same);
  }
}

TEST_CASE("hwloc: a machine of version 1 gets the form of later ones") {
  const topo::Graph graph = graph_of(old_machine());
  CHECK(inconsistency(graph) == "");
  REQUIRE(find(graph, "machine") != nullptr);
  const topo::Attributes machine = find(graph, "machine")->attributes;
  CHECK(topo::text_of(machine, "host_name") == "old");
  CHECK(topo::number_of(machine, "memory_bytes") == 2048);
  CHECK(topo::number_of(machine, "threads") == 4);
  CHECK(topo::number_of(machine, "cores") == 2);
  for (const std::string n : {"0", "1"}) {
    REQUIRE(find(graph, "package" + n) != nullptr);
    CHECK(topo::number_of(find(graph, "package" + n)->attributes, "l3_bytes") == 4096);
    CHECK(topo::number_of(find(graph, "package" + n)->attributes, "l1_caches") == 0);  // of instructions
    REQUIRE(find(graph, "numa" + n) != nullptr);
    CHECK(find(graph, "numa" + n)->parent == "package" + n);
    const topo::Node* gpu = find(graph, "10001:0" + n + ":1f.7");
    REQUIRE(gpu != nullptr);
    CHECK(gpu->kind == topo::Kind::gpu);
    CHECK(gpu->parent == "pci10001:0" + n);
    CHECK(find(graph, gpu->parent)->parent == "numa" + n);
  }
  const auto distance = std::find_if(graph.links.begin(), graph.links.end(),
                                     [](const topo::Link& link) { return link.kind == topo::LinkKind::distance; });
  REQUIRE(distance != graph.links.end());
  CHECK(topo::number_of(distance->attributes, "a_to_b") == 21);
  CHECK(topo::number_of(distance->attributes, "b_to_a") == 22);
}

TEST_CASE("hwloc: processors and memory that were not allowed are left out") {
  std::string xml = old_machine();
  replace_all(xml, "<object type=\"Machine\"", "<object type=\"Machine\" allowed_cpuset=\"0x1\" allowed_nodeset=\"0x1\"");
  const topo::Graph graph = graph_of(xml);
  CHECK(inconsistency(graph) == "");
  CHECK(topo::number_of(find(graph, "machine")->attributes, "threads") == 1);
  CHECK(topo::number_of(find(graph, "machine")->attributes, "memory_bytes") == 1024);
  CHECK(find(graph, "numa1") == nullptr);
  CHECK(find(graph, "10001:01:1f.7") != nullptr);  // devices stay
}

TEST_CASE("hwloc: a matrix must have the numbers that it promises") {
  const std::string xml = contents(machine_file("gpu_node.xml"));
  for (const std::string from : {"<u64values length=\"12\">10 ", "<indexes length=\"4\">0 "}) {
    std::string cut = xml;
    const std::size_t at = cut.find(from);
    REQUIRE(at != std::string::npos);
    const std::size_t number = cut.find('>', at) + 1;
    cut.erase(number, cut.find(' ', number) - number);
    CHECK_THAT(sentence([&] { (void)graph_of(cut); }),
               ContainsSubstring("m.xml:376: a matrix of 2 objects must have 2 indexes and 4 values"));
  }
}

TEST_CASE("hwloc: a hundred thousand devices of one address take no longer than their file", "[long]") {
  std::string xml = contents(machine_file("laptop.xml"));
  const std::size_t end = xml.rfind("</object>");
  std::string devices;
  for (unsigned i = 0; i < 100000; ++i) devices += "<object type=\"OSDev\" name=\"sda\" osdev_type=\"0\"/>";
  xml.insert(end, devices);
  const topo::Graph graph = graph_of(xml);
  CHECK(find(graph, "os:sda#100000") != nullptr);
}
