// NCCL's and RCCL's topology: what stands in the files, and that it comes out as it went in.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/nccl_grammar.hpp"
#include "topo/path.hpp"
#include "topo/read/build.hpp"
#include "topo/read/nccl.hpp"
#include "topo/read/sources.hpp"
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

topo::Graph nccl(const std::string& xml) { return topo::build({{"nccl", "m.xml", xml}}); }

std::size_t count(const topo::Graph& graph, Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const topo::Node& node) { return node.kind == kind; }));
}
std::size_t count(const topo::Graph& graph, LinkKind kind) {
  return static_cast<std::size_t>(
      std::count_if(graph.links.begin(), graph.links.end(), [&](const topo::Link& link) { return link.kind == kind; }));
}

std::string round_trip(const std::string& xml) {
  const topo::Graph graph = nccl(xml);
  if (const std::string wrong = inconsistency(graph); !wrong.empty()) return wrong;
  const std::string out = topo::to_nccl(graph);
  if (const std::string wrong = against_nccl(out); !wrong.empty()) return wrong + "\n" + out;
  const std::string before = canonical(NcclGrammar(xml, false).read());
  const std::string after = canonical(NcclGrammar(out, true).read());
  return before == after ? "" : "before\n" + before + "\nafter\n" + after;
}

// A GB300 as its tray's dump has it, in short: two hosts of one NVLink domain, C2C, a switch that the driver hides, a GPU in two
// parts, a linked pair of switches, rails and planes, a processor as the target of NVLink.
const char* const odd =
    "<system version=\"1\">\n"
    "  <cpu host_hash=\"0x11\" numaid=\"0\" affinity=\"ffffffff,ffff00ff\" arch=\"arm64\">\n"
    "    <pci busid=\"0008:01:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x31c2\" link_speed=\"2.5 GT/s PCIe\" "
    "link_width=\"16\">\n"
    "      <gpu dev=\"0\" sm=\"103\" rank=\"0\" gdr=\"1\" mlopart=\"0\">\n"
    "        <nvlink target=\"fffffff:ffff:ff\" count=\"9\" tclass=\"0x068000\"/>\n"
    "        <c2c bw=\"44712\" count=\"5\"/>\n"
    "      </gpu>\n"
    "      <gpu dev=\"1\" sm=\"103\" rank=\"1\" gdr=\"1\" mlopart=\"1\"><nvlink target='fffffff:ffff:ff' count=\"9\" "
    "tclass=\"0x068000\" /></gpu>\n"
    "    </pci>\n"
    "    <pci busid=\"0000:c1:00.0\" class=\"0x060400\" link_speed=\"\" link_width=\"0\">\n"
    "      <pcilink target=\"0000:c4:00.0\"/>\n"
    "      <pci busid=\"0000:C3:00.0\" class=\"0x020700\" link_speed=\"64.0 GT/s PCIe\" link_width=\"16\">\n"
    "        <nic><net name=\"mlx5_0\" dev=\"0\" latency=\"0\" speed=\"800000\" port=\"1\" rail=\"0\" plane=\"1\" "
    "guid=\"0xd972b70203dd6838\" maxconn=\"131072\" gdr=\"1\" coll=\"1\" gin=\"0\"/>\n"
    "        <net name=\"mlx5_0\" dev=\"1\" speed=\"800000\" port=\"2\" guid=\"0xd972b70203dd6838\"/></nic>\n"
    "        <nic><net name=\"more\" dev=\"7\"/></nic>\n"
    "      </pci>\n"
    "    </pci>\n"
    "    <pci busid=\"0000:c4:00.0\" class=\"0x060400\" link_speed=\"\" link_width=\"0\"><pcilink "
    "target=\"0000:c1:00.0\"/></pci>\n"
    "    <nic><net name=\"mlx5_0+mlx5_1\" dev=\"2\" speed=\"1600000\"/></nic><nic/>\n"
    "  </cpu>\n"
    "  <cpu host_hash=\"0x22\" numaid=\"0\" affinity=\"ffff\" arch=\"ppc64\">\n"
    "    <pci busid=\"0008:01:00.0\" class=\"0x030200\" link_speed=\"\" link_width=\"0\">\n"
    "      <gpu dev=\"0\" sm=\"70\" rank=\"2\" gdr=\"0\">\n"
    "        <nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/>\n"
    "        <nvlink target=\"0008:01:00.0\" count=\"1\" tclass=\"0x030200\"/>\n"
    "        <nvlink target=\"0004:00:01.0\" count=\"3\" tclass=\"0x068001\"/>\n"
    "        <nvlink target=\"0009:01:00.0\" count=\"2\" tclass=\"0x030200\"/>\n"
    "        <nvlink target=\"0009:01:00.0\" count=\"2\" tclass=\"0x030200\"/>\n"
    "      </gpu>\n"
    "    </pci>\n"
    "  </cpu>\n"
    "</system>\n";

}  // namespace

TEST_CASE("NCCL: every fixture comes out with the elements and nesting and attributes that it went in with") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("index.tsv").parent_path())) {
    const std::string name = entry.path().filename().string();
    if (!(name.starts_with("nccl-") || name.starts_with("rccl-")) || name.find("graph") != std::string::npos) continue;
    INFO(name);
    CHECK(round_trip(contents(entry.path())) == "");
    CHECK(topo::read_evidence(entry.path()).front().source == "nccl");
    ++files;
  }
  CHECK(files == 19);
}

TEST_CASE("NCCL: as many GPUs and switches and NICs and links as the file has") {
  struct Row {
    const char* name;
    std::size_t processors, gpus, adapters, switches, ports, nvlinks, xgmis;
  };
  // Counted with grep -c: '<cpu'; class="0x03 and class="0x12; class="0x02 and <nic under <cpu; class="0x06; '<net'; '<nvlink';
  // '<xgmi' (each link stands in the file twice but for NVLinks to themselves).
  for (const Row& row : {Row{"nccl-azure-ncv4-topo.xml", 4, 4, 1, 0, 1, 4, 0},
                         {"nccl-azure-ndv2-topo.xml", 2, 8, 1, 0, 0, 0, 0},
                         {"nccl-azure-ndv4-topo.xml", 4, 8, 8, 4, 0, 0, 0},
                         {"nccl-azure-ndv5-topo.xml", 2, 8, 8, 8, 0, 0, 0},
                         {"nccl-oci-topo-flattened.xml", 4, 8, 8, 4, 0, 0, 0},
                         {"nccl-aws-p4de-topo.xml", 2, 8, 4, 4, 0, 0, 0},
                         {"rccl-topo_4p3l.xml", 1, 4, 2, 6, 2, 0, 12},
                         {"rccl-topo_8p_940vm.xml", 2, 8, 8, 0, 8, 0, 56},
                         {"rccl-topo_8p_rome_n4.xml", 7, 8, 1, 8, 1, 0, 16},
                         {"rccl-topo_8p6l_6nic.xml", 2, 8, 6, 8, 6, 0, 48}}) {
    INFO(row.name);
    const topo::Graph graph = topo::build(topo::read_evidence(fixture(row.name)));
    CHECK(count(graph, Kind::numa) == row.processors);
    CHECK(count(graph, Kind::gpu) == row.gpus);
    CHECK(count(graph, Kind::nic) == row.adapters);
    CHECK(count(graph, Kind::pci_switch) == row.switches);
    CHECK(count(graph, Kind::port) == row.ports);
    CHECK(count(graph, LinkKind::nvlink) == row.nvlinks);
    CHECK(2 * count(graph, LinkKind::xgmi) == row.xgmis);
  }
  const topo::Graph bare = topo::build(topo::read_evidence(fixture("nccl-aws-g5.48xl-topo.xml")));
  CHECK(count(bare, Kind::device) == 9);  // grep -c '<pci': addresses alone
}

TEST_CASE("NCCL: rates and classes of a machine") {
  const topo::Graph graph = topo::build(topo::read_evidence(fixture("nccl-azure-ndv5-topo.xml")));
  const topo::Paths paths(graph);
  const topo::Path near = paths.between("0001:00:00.0", "0101:00:00.0");
  CHECK(row(near.path_class).word == "PIX");
  CHECK_THAT(near.bandwidth.nominal, WithinAbs(63.015, 0.01));
  REQUIRE(near.bottleneck != nullptr);
  CHECK(near.bottleneck->active.width == 16);
  CHECK_THAT(near.bottleneck->active.speed, WithinAbs(32, 1e-9));
  CHECK(row(paths.between("0001:00:00.0", "0102:00:00.0").path_class).word == "PHB");
  CHECK(row(paths.between("0001:00:00.0", "0009:00:00.0").path_class).word == "SYS");
  const auto numa = std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const auto& it) { return it.key == "numa0"; });
  REQUIRE(numa != graph.nodes.end());
  CHECK(topo::text_of(numa->attributes, "thread_list") == "0-47");
}

TEST_CASE("NCCL: several hosts and hidden switches and parts and odd attributes come out as they went in") {
  CHECK(round_trip(odd) == "");
  const topo::Graph graph = nccl(odd);
  CHECK(count(graph, Kind::machine) == 2);
  CHECK(count(graph, Kind::rack) == 1);
  CHECK(count(graph, Kind::nvswitch) == 1);
  CHECK(count(graph, Kind::partition) == 2);
  CHECK(count(graph, Kind::nic) == 4);
  CHECK(count(graph, Kind::port) == 4);
  const topo::Paths paths(graph);
  const topo::Path across = paths.between("0x11/0008:01:00.0/0", "0x22/0008:01:00.0");
  CHECK(row(across.path_class).word == "NV");
  CHECK(across.count == 9);
  CHECK_THAT(across.bandwidth.nominal, WithinAbs(18 * 25, 1e-9));  // 9 links of 50 at one end, 18 of 25 at the other
  const topo::Path chip = paths.between("0x11/0008:01:00.0/0", "0x11/numa0");
  CHECK(row(chip.path_class).word == "C2C");
  CHECK_THAT(chip.bandwidth.nominal, WithinAbs(5 * 44.712, 1e-9));
  const auto adapter =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const auto& it) { return it.key == "0x11/0000:c3:00.0"; });
  REQUIRE(adapter != graph.nodes.end());
  CHECK(topo::text_of(adapter->attributes, "sys_image_guid") == "0x3868dd0302b772d9");
}

TEST_CASE("NCCL: random files come out as they went in") {
  constexpr unsigned seed = 4711;
  std::mt19937 random(seed);
  const std::vector<std::string> classes = {"0x030200", "0x060400", "0x020700", "0x068000", "0x120000", "0x038000", "", "junk"};
  for (int round = 0; round < 200; ++round) {
    std::string xml = "<system version=\"" + std::to_string(1 + random() % 2) + "\" extra=\"x\">\n";
    std::vector<std::string> open = {"cpu"};
    const auto hosts = 1 + random() % 3;
    unsigned elements = 1;
    for (unsigned cpus = 1 + random() % 4, n = 0; n < cpus; ++n) {
      xml += "<cpu numaid=\"" + std::to_string(random() % 3) + "\"" +
             (hosts > 1 ? " host_hash=\"0x" + std::to_string(random() % hosts) + "\"" : "") + ">";
      int depth = 0;
      for (auto tags = random() % 12; tags > 0 && elements < 200; --tags) {
        ++elements;
        const std::string bus = "0000:" + std::to_string(10 + random() % 20) + ":00." + std::to_string(random() % 3);
        const std::string pci = "<pci busid=\"" + bus + "\" class=\"" + classes[random() % classes.size()] + "\" link_width=\"" +
                                std::to_string(random() % 40) + "\"";
        switch (random() % 6) {
          case 0:
            xml += pci + ">";
            ++depth;
            break;
          case 1:
            if (depth > 0) xml += "</pci>";
            depth = std::max(depth - 1, 0);
            break;
          case 2:
            xml += pci + "><gpu dev=\"" + std::to_string(random() % 8) + "\" sm=\"" + std::to_string(random() % 200) + "\">";
            for (auto links = random() % 5; links > 0; --links, ++elements)
              xml += std::string(random() % 2 == 0 ? "<nvlink" : "<xgmi") +
                     " target=\"0000:" + std::to_string(10 + random() % 20) + ":00." + std::to_string(random() % 3) +
                     "\" count=\"" + std::to_string(random() % 9) + "\" tclass=\"" + classes[random() % classes.size()] + "\"/>";
            xml += "</gpu></pci>";
            break;
          case 3:
            xml += "<nic><net name=\"n" + std::to_string(random() % 4) + "\" dev=\"" + std::to_string(random() % 4) +
                   "\" odd_1=\"\"/></nic>";
            break;
          case 4:
            xml += pci + "/>";
            break;
          default:
            xml += pci +
                   "><nic><net dev=\"-1\" speed=\"-1\"/></nic><gpu/><gpu mlopart=\"1\"><c2c bw=\"1\" count=\"2\"/></gpu></pci>";
            elements += 4;
            break;
        }
      }
      for (; depth > 0; --depth) xml += "</pci>";
      xml += "</cpu>\n";
    }
    xml += "</system>\n";
    INFO("seed " << seed << ", round " << round << "\n" << xml);
    CHECK(round_trip(xml) == "");
  }
}

TEST_CASE("NCCL: unknown elements and attributes behind the sixteenth are left out as NCCL does") {
  std::string many;
  for (int i = 0; i < 20; ++i) many += " a" + std::to_string(i) + "=\"" + std::to_string(i) + "\"";
  const topo::Graph graph =
      nccl("<?xml version=\"1.0\"?>\n<system version=\"1\"><new><cpu numaid=\"7\"/></new><cpu numaid=\"0\"" + many +
           "><gpu dev=\"3\"/>\t<pci busid=\"00000000:0A:00.0\"/></cpu></system>");
  CHECK(count(graph, Kind::numa) == 1);
  CHECK(count(graph, Kind::gpu) == 0);
  CHECK(graph.nodes.back().key == "0000:0a:00.0");
  const std::string out = topo::to_nccl(graph);
  CHECK(against_nccl(out) == "");
  CHECK_THAT(out, ContainsSubstring("a14=\"14\""));
  CHECK(out.find("a15") == std::string::npos);
}

TEST_CASE("NCCL: graphs of other sources are written as NCCL would have found them") {
  for (const std::string name : {"gpu_node.xml", "odd.xml", "laptop.xml"}) {
    INFO(name);
    const topo::Graph graph = topo::build(topo::read_evidence(machine_file(name)));
    const std::string out = topo::to_nccl(graph);
    CHECK(against_nccl(out) == "");
    CHECK(missing(NcclGrammar(out, true).read()) == "");
    CHECK(inconsistency(nccl(out)) == "");
    CHECK(count(nccl(out), Kind::gpu) + 1 >= count(graph, Kind::gpu));  // one of odd.xml has no address
  }
  const std::string out = topo::to_nccl(topo::build(topo::read_evidence(machine_file("gpu_node.xml"))));
  const topo::Graph again = nccl(out);
  const topo::Graph first = topo::build(topo::read_evidence(machine_file("gpu_node.xml")));
  CHECK(count(again, Kind::gpu) == 4);
  CHECK(count(again, Kind::nic) == 2);  // of 15: those that speak verbs
  CHECK(count(again, LinkKind::nvlink) == count(first, LinkKind::nvlink));
  const topo::Paths paths(again);
  const topo::Paths before(first);
  for (const char* a : {"0000:13:00.0", "0000:14:00.0", "0000:15:00.0", "0000:93:00.0", "0000:94:00.0"})
    for (const char* b : {"0000:13:00.0", "0000:14:00.0", "0000:15:00.0", "0000:93:00.0", "0000:94:00.0"})
      CHECK(row(paths.between(a, b).path_class).word == row(before.between(a, b).path_class).word);
  topo::Graph none;
  CHECK_THAT(sentence([&] { (void)topo::to_nccl(none); }), ContainsSubstring("there is no machine"));
}

TEST_CASE("NCCL: of a bandwidth alone the count of NVLinks follows, or NVLink is left out for NCCL to look itself") {
  // Two GPUs as hwloc tells them: a model, and one number for all their links.
  const auto written = [](const std::string& model, double gigabytes, const std::string& source = "hwloc") {
    topo::Graph graph;
    add_node(graph, "machine", Kind::machine, "");
    for (const std::string bus : {"05", "06"}) {
      topo::Node& gpu = add_node(graph, "0000:" + bus + ":00.0", Kind::gpu, "machine", model);
      if (model == "8.6") gpu.attributes["compute_capability"] = model;
      add_link(graph, "machine", "0000:" + bus + ":00.0", LinkKind::pcie);
    }
    topo::Link& link = add_link(graph, "0000:05:00.0", "0000:06:00.0", LinkKind::nvlink);
    link.bandwidth = {0, gigabytes, 0};
    link.provenance = {source};
    return topo::to_nccl(graph);
  };
  const auto counted = [](const std::string& text) {
    const std::size_t at = text.find("<nvlink ");
    if (at == std::string::npos) return std::string("none");
    const std::size_t count = text.find("count=\"", at) + 7;
    return text.substr(count, text.find('"', count) - count);
  };
  struct Row {
    std::string model;
    double gigabytes;
    std::string count;
  };
  for (const Row& row :
       {Row{"Tesla V100-SXM2-16GB", 50, "2"}, Row{"Tesla V100-SXM2-16GB", 25, "1"}, Row{"Tesla P100-SXM2-16GB", 40, "2"},
        Row{"NVIDIA A100-SXM4-80GB", 300, "12"}, Row{"NVIDIA H100 80GB HBM3", 450, "18"}, Row{"NVIDIA B200", 900, "18"},
        Row{"NVIDIA RTX A6000", 56.25, "4"}, Row{"8.6", 56.25, "4"}, Row{"NVIDIA H100 80GB HBM3", 40, "none"},
        Row{"NVIDIA GPU", 50, "none"}, Row{"NVIDIA V1000", 50, "none"}, Row{"NVIDIA A100-SXM4-80GB", 0, "none"}}) {
    INFO(row.model << " " << row.gigabytes);
    CHECK(counted(written(row.model, row.gigabytes)) == row.count);
  }
  CHECK(counted(written("NVIDIA GPU", 50, "nvidia-smi")) == "1");  // which counts links
}

TEST_CASE("NCCL: fragments and wrong roots and wrong values are one sentence with their line") {
  const auto said = [](const std::string& xml) { return sentence([&] { (void)nccl(xml); }); };
  CHECK_THAT(said("\n<cpu numaid=\"0\"/>"), ContainsSubstring("m.xml:2: <cpu> is the outermost element"));
  CHECK_THAT(said("<system version=\"1\"/>"), ContainsSubstring("m.xml:1: there is no <cpu> in it"));
  CHECK_THAT(said("<system><cpu/></system>"), ContainsSubstring("of version \"\""));
  CHECK_THAT(said("<system version=\"1\">\n<cpu/></system>"), ContainsSubstring("m.xml:2: <cpu> has no numaid"));
  CHECK_THAT(said("<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"3\"/></cpu></system>"),
             ContainsSubstring("is no PCI address"));
  CHECK_THAT(said("<system version=\"1\"><cpu numaid=\"0\"/></system><system version=\"1\"/>"),
             ContainsSubstring("two outermost"));
  CHECK_THAT(said("<system version=\"1\"><cpu numaid=\"" + std::string(5000000, '0') + "\"/></system>"),
             ContainsSubstring("longer than 255 characters"));
  CHECK_THAT(said("<!DOCTYPE system [<!ENTITY a \"aaaa\">]><system version=\"1\"/>"),
             ContainsSubstring("declares things of its own"));
  const std::string gpu = "<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0:1:0.0\"><gpu>";
  const std::string end = "</gpu></pci></cpu></system>";
  CHECK_THAT(said(gpu + "<nvlink target=\"0:2:0.0\" count=\"99999999999999999999\"/>" + end),
             ContainsSubstring("is no number from 0 to"));
  CHECK_THAT(said(gpu + "<nvlink count=\"1\"/>" + end), ContainsSubstring("<nvlink> has no target"));
  std::string wide = "<system version=\"1\"><cpu";
  for (int i = 0; i < 100; ++i) wide += " a" + std::to_string(i) + "=\"\"";
  CHECK_THAT(said(wide + "/></system>"), ContainsSubstring("more than 64 attributes"));
  std::string many = "<system version=\"1\">";
  for (int i = 0; i < 200001; ++i) many += "<a/>";
  CHECK_THAT(said(many + "</system>"), ContainsSubstring("more than 200000 elements"));
  CHECK(topo::is_nccl("<!-- <topology -->\n<system version=\"1\">"));
  CHECK(topo::is_nccl("<nic/>"));
  CHECK(!topo::is_nccl("<topology><system/></topology>"));
  CHECK(!topo::is_nccl("<systems/>"));
  CHECK(!topo::is_nccl(""));
}

TEST_CASE("NCCL: cut and damaged files give a graph or one sentence") {
  const auto survived = [](const std::string& xml) {
    std::string wrong;
    const std::string said = sentence([&] {
      const topo::Graph graph = nccl(xml);
      wrong = inconsistency(graph);
      if (wrong.empty()) wrong = against_nccl(topo::to_nccl(graph));
      (void)topo::to_json(graph);
      (void)topo::to_text(graph);
    });
    return said == "no error" || said.starts_with("m.xml:") || said.starts_with("--as nccl: ") ? wrong : said;
  };
  const std::string whole = odd;
  for (std::size_t length = 0; length + 2 < whole.size(); length += std::size_t{usual_or_sanitized(1U, 3U)}) {
    INFO("length " << length);
    CHECK(sentence([&] { (void)nccl(whole.substr(0, length)); }).starts_with("m.xml:"));
  }
  constexpr unsigned seed = 99;
  std::mt19937 random(seed);
  const std::string characters = "<>\"'/= 0129abf.-,x\n\t\x7f\xff";
  for (int round = 0; round < usual_or_sanitized(2000, 400); ++round) {
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
