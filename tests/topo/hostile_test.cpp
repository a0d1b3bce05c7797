// Files that are cut, damaged or malicious: one sentence or a graph, never a crash.
#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/spoil.hpp"
#include "topo/check/check.hpp"
#include "topo/layout/layout.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

// A graph that holds together and can be written, or one sentence that begins with the file's name; else what happened.
std::string survived(const std::string& xml) {
  const std::string said = sentence([&] {
    const topo::Graph graph = graph_of(xml);
    if (const std::string wrong = inconsistency(graph); !wrong.empty()) throw std::runtime_error("inconsistent: " + wrong);
    if (topo::to_text(graph).empty() || topo::to_json(graph).empty()) throw std::runtime_error("nothing was written");
  });
  return said == "no error" || said.find("m.xml") != std::string::npos ? "" : said;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not in the machine: " + from);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a machine cut off anywhere is one sentence with the line where it ends") {
  const std::string whole = contents(machine_file("gpu_node.xml"));
  const std::size_t last = whole.rfind("</topology>") + std::string("</topology").size();
  for (std::size_t length = 0; length <= last; length += length < 600 || length + 50 > last ? 1 : usual_or_sanitized(97, 389)) {
    const std::string said = sentence([&] { (void)graph_of(whole.substr(0, length)); });
    INFO("length " << length << ": " << said);
    const auto lines = std::to_string(1 + std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
    CHECK(said.starts_with("m.xml:"));
    if (length > 200) CHECK(said.starts_with("m.xml:" + lines + ": "));
  }
}

TEST_CASE("damaged machines give a graph or one sentence") {
  constexpr unsigned seed = 20240;
  std::mt19937 random(seed);
  const std::string odd = "<>\"'/= 0129abf.-,x\n\x7f\xff";
  for (const std::string name : {"laptop.xml", "odd.xml", "gpu_node.xml"}) {
    const std::string whole = contents(machine_file(name));
    for (int round = 0; round < 150; ++round) {
      const std::string text = spoilt(whole, odd, random);
      INFO("seed " << seed << ", " << name << ", round " << round);
      CHECK(survived(text) == "");
    }
  }
}

TEST_CASE("damaged values in well-formed machines give a graph or one sentence", "[long]") {
  constexpr unsigned seed = 20241;
  std::mt19937 random(seed);
  const std::vector<std::string> values = {"",
                                           "0",
                                           "1",
                                           "2",
                                           "-1",
                                           "7",
                                           "255",
                                           "x",
                                           "4294967295",
                                           "0xffffffff",
                                           "0x00000000",
                                           "NUMANode",
                                           "Machine",
                                           "PU",
                                           "Bridge",
                                           "0000:[00-ff]",
                                           "ffff:ff:1f.7",
                                           "0-1",
                                           "1-1",
                                           "0,1",
                                           "OSDev"};
  for (const std::string name : {"laptop.xml", "odd.xml", "gpu_node.xml"}) {
    const std::string whole = contents(machine_file(name));
    std::vector<std::size_t> begins;
    for (std::size_t at = whole.find("=\""); at != std::string::npos; at = whole.find("=\"", at + 1)) begins.push_back(at + 2);
    for (int round = 0; round < 300; ++round) {
      const std::size_t begin = begins[random() % begins.size()];
      std::string text = whole;
      text.replace(begin, text.find('"', begin) - begin, values[random() % values.size()]);
      INFO("seed " << seed << ", " << name << ", round " << round << ", byte " << begin);
      CHECK(survived(text) == "");
    }
  }
}

TEST_CASE("numbers and sets beyond any machine are refused with their line") {
  const std::string whole = contents(machine_file("gpu_node.xml"));
  const auto said = [&](const std::string& from, const std::string& to) {
    return sentence([&] { (void)graph_of(replaced(whole, from, to)); });
  };
  CHECK_THAT(said("local_memory=\"137438953472\"", "local_memory=\"99999999999999999999999\""),
             ContainsSubstring("local_memory=\"99999999999999999999999\" of <object> is beyond any machine"));
  CHECK_THAT(said("nbobjs=\"2\"", "nbobjs=\"65537\""),
             ContainsSubstring("nbobjs=\"65537\" of <distances2> is beyond any machine"));
  CHECK_THAT(said("cache_size=\"110100480\"", "cache_size=\"12 apples\""), ContainsSubstring("is no whole number"));
  CHECK_THAT(said("cpuset=\"0x", "cpuset=\"0xf...f,0x"), ContainsSubstring("is no set that a machine has"));
  CHECK_THAT(said("cpuset=\"0x", "cpuset=\"0x" + std::string(100000, 'f')), ContainsSubstring("beyond any machine"));
  CHECK_THAT(said("cpuset=\"0x", "cpuset=\",0x"), ContainsSubstring("is no set that a machine has"));
  CHECK_THAT(said(" complete_nodeset=", " " + std::string("other=")),
             ContainsSubstring("m.xml:4: this object has no complete_nodeset"));
  CHECK_THAT(said("pci_link_speed=\"63.015385\"", "pci_link_speed=\"nan\""), ContainsSubstring("is no speed in GB/s"));
  CHECK(said("os_index=\"0\"", "os_index=\"" + std::string(5000, '9') + "\"").size() < 200);
  CHECK(said("<topology version=\"2.0\">", "<topology version=\"4.0\">") ==
        "m.xml:3: hwloc XML of version 4.0, but versions 1, 2 and 3 can be read");
  CHECK(said("<u64values length=\"", "<u64values length=\"9\">7 </u64values><u64values length=\"").starts_with("m.xml:"));
}

TEST_CASE("small machines that libhwloc's own import crashes or hangs on give a graph or one sentence") {
  const auto tag = [](const std::string& type, const std::string& more = {}) {
    return "<object type=\"" + type + "\"" + more +
           " cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\"";
  };
  const std::string numa = tag("NUMANode", " os_index=\"0\" gp_index=\"3\" local_memory=\"1\"") + "/>";
  const std::string thread = tag("PU", " os_index=\"0\" gp_index=\"2\"") + "/>";
  const auto file = [](const std::string& inside) { return "<topology version=\"2.0\">\n" + inside + "</topology>\n"; };
  const auto machine = [&](const std::string& inside, const std::string& more = {}) {
    return tag("Machine", more) + ">" + inside + "</object>";
  };
  const std::string whole = machine(numa + thread);
  const auto matrix = [](const std::string& element, const std::string& indexes) {
    return "<" + element + " nbobjs=\"2\" kind=\"5\"><indexes length=\"10\">" + indexes +
           "</indexes><u64values length=\"8\">0 1 1 0 </u64values></" + element.substr(0, element.find(' ')) + ">";
  };
  REQUIRE(sentence([&] { (void)graph_of(file(whole)); }) == "no error");
  for (const std::string& xml : {file(machine(numa + thread, " allowed_cpuset=\"0x0\" allowed_nodeset=\"0x0\"")),
                                 file(machine(numa + thread, " allowed_cpuset=\"0x8\" allowed_nodeset=\"0x8\"")),
                                 file(machine(numa + tag("PU", " os_index=\"4000000000\"") + "/>")),
                                 file(whole + "<memattr name=\"Capacity\" flags=\"1\"><memattr_value target_obj_gp_index=\"3\" "
                                              "target_obj_type=\"NUMANode\" value=\"1\"/></memattr>"),
                                 file(whole + matrix("distances2 type=\"NUMANode\" indexing=\"os\"", "0 0 ")),
                                 file(whole + matrix("distances2hetero", "PU:2 PU:99 ")), file(numa), file(thread),
                                 file("<object type=\"PCIDev\" pci_busid=\"0000:00:00.0\"/>"),
                                 file("<object type=\"Bridge\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[00-ff]\"/>"),
                                 file("<object type=\"Misc\"/>")}) {
    INFO(xml);
    CHECK(survived(xml) == "");
  }
}

TEST_CASE("a chain of switches has as many tiers as switches and is checked and drawn", "[long]") {
  topo::Graph graph;
  constexpr unsigned switches = 20000;
  const auto name = [](unsigned i) { return "s" + std::to_string(i); };
  for (unsigned i = 0; i < switches; ++i) add_node(graph, name(i), topo::Kind::fabric_switch, "", name(i));
  add_node(graph, "host", topo::Kind::machine, "", "host");
  add_link(graph, "host", name(0), topo::LinkKind::infiniband);
  for (unsigned i = 1; i < switches; ++i) add_link(graph, name(i - 1), name(i), topo::LinkKind::infiniband, 2, 1);
  CHECK_FALSE(topo::lay_out(graph, topo::diagnose(graph)).boxes.empty());
}

TEST_CASE("XML that is not hwloc's or that has no machine is one sentence") {
  const auto said = [](const std::string& text) { return sentence([&] { (void)graph_of(text); }); };
  CHECK(said("<system version=\"1\"/>") == "m.xml:1: <system> is not the outermost element of hwloc XML");
  CHECK(said("<topology version=\"2.0\"></topology>") == "m.xml: there is no machine in it: no <object>");
  CHECK_THAT(said("<topology version=\"2.0\"><object type=\"PU\"/></topology>"), ContainsSubstring("m.xml"));
}
