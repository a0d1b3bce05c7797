// Fabrics from ibnetdiscover and ibsim, generated ones, and netlists that are written and read again.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/generate.hpp"
#include "tests/topo/machines.hpp"
#include "topo/infiniband.hpp"
#include "topo/read/build.hpp"
#include "topo/read/netlist.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

std::filesystem::path fixture(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(RAILGAUGE_FIXTURES) / name;
  if (!std::filesystem::exists(path)) skip("no fixture " + path.string());
  return path;
}

std::size_t count(const Graph& graph, Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) { return node.kind == kind; }));
}

std::vector<Link> cables(const Graph& graph) {
  std::vector<Link> found;
  std::copy_if(graph.links.begin(), graph.links.end(), std::back_inserter(found),
               [](const Link& link) { return link.kind == LinkKind::infiniband; });
  return found;
}

const Node& node_of(const Graph& graph, std::string_view name) {
  for (const Node& node : graph.nodes)
    if (node.name == name) return node;
  throw std::runtime_error("no node " + std::string(name));
}

// What a text means, in a form that is compared as a whole: each cable with its ends and rates, each node with its kind.
std::set<std::string> facts(const Graph& graph) {
  std::set<std::string> all;
  for (const Node& node : graph.nodes)
    all.insert(node.key + " " + std::string(row(node.kind).name) + " " + node.name + " below " + node.parent);
  for (const Link& link : cables(graph))
    all.insert(link.a + "[" + std::to_string(link.a_port) + "]-" + link.b + "[" + std::to_string(link.b_port) + "] " +
               std::to_string(link.active.width) + "x" + std::to_string(link.active.speed));
  return all;
}

Graph read(const std::string& text) {
  const Reading reading{is_ibsim(text) ? "ibsim" : "ibnetdiscover", "f.net", text};
  return read_netlist(reading);
}

std::string refusal(const std::string& text) {
  return sentence([&] { (void)read(text); });
}

constexpr const char* two_switches =
    "switchguid=0xa\nSwitch 8 \"S-000000000000000a\" # \"leaf one\" enhanced port 0 lid 7 lmc 0\n"
    "[1][ext 17]\t\"H-0000000000000010\"[1](11) \t\t# \"n1 mlx5_0\" lid 5 4xNDR s=8 w=2 v=4 e=8\n"
    "[8]\t\"S-000000000000000b\"[8] \t\t# \"b; # x\" lid 8 2xHDR\n\n"
    "vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0xb\t\t# Chassis 3 (Vendor) slot 2\nswitchguid=0xb(b)\n"
    "Switch 8 \"S-000000000000000b\" # \"MF0;big:MCS8500/L03/U1\" base port 0 lid 8 lmc 0\n"
    "[8]\t\"S-000000000000000a\"[8] \t\t# \"leaf one\" lid 7 2xNDR\n"
    "[2]\t\"H-0000000000000020\"[1](20) \t\t# \"Mellanox Technologies Aggregation Node\" lid 9 4xHDR\n\n"
    "sysimgguid=0x10\ncaguid=0x10\nCa 2 \"H-0000000000000010\" # \"n1 mlx5_0\"\n"
    "[1](11) \t\"S-000000000000000a\"[1] \t\t# lid 5 lmc 0 \"leaf one\" lid 7 4xNDR\n\n"
    "caguid=0x20\nCa 1 \"H-0000000000000020\" # \"Mellanox Technologies Aggregation Node\"\n"
    "[1](20) \t\"S-000000000000000b\"[2] \t\t# lid 9 lmc 0 \"x\" lid 8 4xHDR\n";

}  // namespace

TEST_CASE("ibnetdiscover: every field of the grammar has its place in the graph") {
  const Graph graph = read(two_switches);
  CHECK(inconsistency(graph) == "");
  const Node& leaf = node_of(graph, "leaf one");
  CHECK(leaf.key == "0x000000000000000a");
  CHECK(number_of(leaf.attributes, "lid") == 7);
  CHECK(number_of(leaf.attributes, "ports") == 8);
  const Node& line = node_of(graph, "big/L03/U1");
  CHECK(text_of(line.attributes, "model") == "MCS8500");
  CHECK(text_of(line.attributes, "board") == "L03/U1");
  CHECK(text_of(line.attributes, "device_id") == "0xd2f2");
  CHECK(number_of(line.attributes, "slot") == 2);
  CHECK(line.parent == "chassis:big");
  CHECK(node_of(graph, "big").kind == Kind::rack);
  CHECK(node_of(graph, "n1").kind == Kind::machine);
  const Node& nic = node_of(graph, "mlx5_0");
  CHECK(nic.parent == "n1");
  CHECK(text_of(nic.attributes, "node_guid") == "0x0000000000000010");
  const Node& port = node_of(graph, "mlx5_0/1");
  CHECK(port.key == "0x0000000000000010/1");
  CHECK(number_of(port.attributes, "lid") == 5);
  CHECK(text_of(port.attributes, "port_guid") == "0x0000000000000011");
  const Node& sharp = node_of(graph, "SHARP aggregation node");
  CHECK(sharp.parent == line.key);
  CHECK(text_of(sharp.attributes, "role") == "aggregation");
  CHECK(count(graph, Kind::machine) == 1);
  const std::vector<Link> links = cables(graph);
  REQUIRE(links.size() == 3);
  for (const Link& link : links) {
    if (link.a == port.key) {
      CHECK(link.b == leaf.key);
      CHECK(link.active.width == 4);
      CHECK(link.active.speed == 106.25);
      CHECK(link.bandwidth.line == 53.125);
      CHECK(link.bandwidth.nominal == 50);
      CHECK(link.active_at_b.width == 0);
      CHECK(number_of(link.attributes, "b_external_port") == 17);
    } else if (link.b == line.key && link.a == leaf.key) {  // the leaf is nearer to the host
      CHECK(link.active.speed == 53.125);
      CHECK(link.active_at_b.speed == 106.25);
      CHECK(link.bandwidth.nominal == 2 * 50 / 8.0);
    }
  }
}

TEST_CASE("fixtures: fabrics have as many switches, adapters, hosts and cables as their files") {
  struct Row {
    const char* name;
    std::size_t switches, nics, aggregation, hosts, links;
  };
  // grep -c '^Switch'; grep -cE '^(Ca|Hca)' less those of grep -c 'Aggregation' among them; half of grep -c '^\[' (the 2007 file,
  // which is cut: cables by hand); hosts: sed 's/.*# "//' of the Ca lines, sort -u of the first of two words, and one for each
  // adapter that has the vendor's own text.
  for (const Row& row :
       {Row{"ibnetdiscover-ndr-dgx-large.out", 40, 542, 40, 122 + 69, 1114},
        Row{"ibnetdiscover-man-2007-grouped.txt", 2, 4, 0, 4, 7}, Row{"ibnetdiscover-bad-truncated.out", 0, 1, 0, 1, 0},
        Row{"ibsim-net.net", 2, 2, 0, 2, 4}, Row{"ibsim-net.1.net", 1, 2, 0, 2, 2}, Row{"ibsim-net.2sw2path.net", 2, 2, 0, 2, 4},
        Row{"ibsim-net.2sw2path4hca.net", 2, 4, 0, 4, 6}, Row{"ibsim-degraded-1x.net", 2, 4, 0, 4, 6}}) {
    INFO(row.name);
    const Graph graph = build(read_evidence(fixture(row.name)));
    CHECK(inconsistency(graph) == "");
    CHECK(count(graph, Kind::fabric_switch) == row.switches);
    CHECK(count(graph, Kind::nic) == row.nics);
    CHECK(count(graph, Kind::accelerator) == row.aggregation);
    CHECK(count(graph, Kind::machine) == row.hosts);
    CHECK(cables(graph).size() == row.links);
    CHECK_FALSE(to_text(graph).empty());
  }
}

TEST_CASE("fixtures: rates of fabrics, and ends that disagree") {
  const Graph ndr = build(read_evidence(fixture("ibnetdiscover-ndr-dgx-large.out")));
  for (const Link& link : cables(ndr))
    CHECK((link.active.width == 4 && link.active.speed == 106.25 && link.active_at_b.width == 0));
  // `[10] ... 4xSDR` on one switch is `[1] ... 1xSDR` on the other, and `[12] ... 4xSDR` is 1xSDR at its adapter.
  const Graph old = build(read_evidence(fixture("ibnetdiscover-man-2007-grouped.txt")));
  std::size_t different = 0;
  for (const Link& link : cables(old)) {
    if (link.active_at_b.width == 0) continue;
    ++different;
    CHECK(std::min(link.active.width, link.active_at_b.width) == 1);
    CHECK(std::max(link.active.width, link.active_at_b.width) == 4);
    CHECK(link.bandwidth.nominal == 0.25);
  }
  CHECK(different == 2);
  const Graph narrow = build(read_evidence(fixture("ibsim-degraded-1x.net")));
  std::map<unsigned, int> widths;
  for (const Link& link : cables(narrow)) ++widths[link.active.width];
  CHECK(widths == std::map<unsigned, int>{{1, 1}, {4, 5}});
}

TEST_CASE("fixtures: the report of ports has cables and ports with nothing plugged in") {
  const Graph graph = build(read_evidence(fixture("ibnetdiscover-p-1.out")));
  CHECK(inconsistency(graph) == "");
  // by hand: four cables, of which three are told from both sides; switches by `cut -c` of the GUIDs and sort -u.
  CHECK(count(graph, Kind::fabric_switch) == 4);
  CHECK(count(graph, Kind::nic) == 3);
  CHECK(count(graph, Kind::machine) == 3);
  CHECK(cables(graph).size() == 4);
  CHECK(text_of(node_of(graph, "ib-i4l1s01").attributes, "ports_down") == "37");
  CHECK(text_of(node_of(graph, "ib-i7l2s01").attributes, "ports_down") == "80");
  CHECK(text_of(node_of(graph, "ib-i1l1s01").attributes, "ports_down").empty());
  CHECK(node_of(graph, "ib-i7l2s01").kind == Kind::fabric_switch);
  for (const Link& link : cables(graph)) CHECK((link.active.width == 4 && link.active.speed == 25.78125));
  const Graph lone = build(read_evidence(fixture("ibnetdiscover-p-3.out")));
  CHECK(node_of(lone, "Infiniscale-IV Mellanox Technologies").kind == Kind::fabric_switch);
}

TEST_CASE("infiniband: words, signalling rates, codes and bandwidths agree with each other") {
  for (const InfinibandSpeed& speed : infiniband_speeds()) {
    for (const unsigned lanes : {1U, 2U, 4U, 8U, 12U}) {
      const Rate rate = infiniband_rate(std::to_string(lanes) + "x" + std::string(speed.name));
      CHECK(rate.width == lanes);
      CHECK(rate.speed == speed.signalling);
      CHECK(infiniband_lanes(infiniband_width_code(lanes)) == lanes);
      const Bandwidth carried = infiniband_bandwidth(rate);
      CHECK_THAT(carried.nominal, WithinAbs(speed.data * lanes / 8, 1e-9));
      CHECK(carried.usable < carried.nominal);
      CHECK(carried.nominal < carried.line);
    }
    CHECK(infiniband_speed(speed.signalling) == &speed);
    if (speed.speed_code != 0) CHECK(infiniband_rate(2, speed.speed_code, 0).speed == speed.signalling);
    if (speed.extended_code != 0) CHECK(infiniband_rate(2, 4, speed.extended_code).speed == speed.signalling);
  }
  CHECK(infiniband_rate("4x ???").width == 4);
  CHECK(infiniband_rate("4x ???").speed == 0);
  for (const std::string text : {"", "x", "4", "EDR", "99999999999xEDR"}) CHECK(infiniband_rate(text).speed == 0);
}

TEST_CASE("generated fabrics: as many hosts, switches and cables as the formulas say") {
  for (const unsigned k : {2U, 4U, 8U}) {
    const Graph graph = to_graph(fat_tree(k));
    CHECK(inconsistency(graph) == "");
    CHECK(count(graph, Kind::machine) == k * k * k / 4);
    CHECK(count(graph, Kind::fabric_switch) == 5 * k * k / 4);
    CHECK(cables(graph).size() == 3 * k * k * k / 4);
  }
  for (const unsigned hosts : {20U, 64U, 300U}) {
    const Graph graph = to_graph(rail_optimised(hosts));
    CHECK(inconsistency(graph) == "");
    CHECK(count(graph, Kind::machine) == hosts);
    CHECK(count(graph, Kind::nic) == 8 * hosts);
    const std::size_t leaves = 8 * ((hosts + 31) / 32);
    CHECK(cables(graph).size() == 8 * hosts + (hosts <= 32 ? 0 : 32 * leaves) + (hosts <= 256 ? 0 : 8 * 32 * 32));
  }
  const Graph fly = to_graph(dragonfly(9, 4, 2, 2));
  CHECK(inconsistency(fly) == "");
  CHECK(count(fly, Kind::machine) == 9 * 4 * 2);
  CHECK(cables(fly).size() == 72 + 9 * 6 + 9 * 8 / 2);
  const Graph grid = to_graph(torus(4, 3, 2, 1));
  CHECK(inconsistency(grid) == "");
  CHECK(cables(grid).size() == 24 + 3 * 24);
  CHECK(cables(to_graph(torus(5, 1, 1, 2))).size() == 10 + 5);
}

TEST_CASE("generated fabrics: faults are where they were put") {
  Fabric fabric = rail_optimised(64);
  const std::size_t before = cables(to_graph(fabric)).size();
  swap_cables(fabric, "node00003 mlx5_1", 1, "node00003 mlx5_2", 1);
  set_rate(fabric, "leaf-u01-r0", 33, {1, 106.25});
  unplug(fabric, "node00004 mlx5_0", 1);
  const Graph graph = to_graph(fabric);
  CHECK(inconsistency(graph) == "");
  const std::vector<Link> links = cables(graph);
  CHECK(links.size() == before - 1);
  CHECK(std::count_if(links.begin(), links.end(), [](const Link& link) { return link.active.width == 1; }) == 1);
  const std::string& silent = fabric.nodes[place_of(fabric, "node00004 mlx5_0")].key;
  for (const Node& node : graph.nodes) {
    CHECK((text_of(node.attributes, "state") == "down") == (node.key == silent + "/1"));
    CHECK(text_of(node.attributes, "ports_down") == (node.name == "leaf-u01-r0" ? "4" : ""));
  }
  const std::string moved = fabric.nodes[place_of(fabric, "node00003 mlx5_1")].key + "/1";
  const auto link = std::find_if(links.begin(), links.end(), [&](const Link& it) { return it.a == moved; });
  REQUIRE(link != links.end());
  CHECK(link->b == fabric.nodes[place_of(fabric, "leaf-u01-r2")].key);
}

TEST_CASE("ibsim: what is written is read again as the same fabric") {
  std::mt19937 random(11);
  for (Fabric fabric : {fat_tree(4), rail_optimised(40), dragonfly(5, 4, 1, 1), torus(3, 3, 3, 1), torus(2, 1, 1, 1)}) {
    for (std::size_t i = 0; i < fabric.ports.size(); ++i)
      if (i % 2 == 0) {  // ends of a cable stand side by side
        const unsigned widths[] = {1, 2, 4, 8, 12};
        const InfinibandSpeed& speed = infiniband_speeds()[random() % 7];
        const Rate rate{widths[random() % 5], speed.name == "FDR10" ? 10 : speed.signalling};
        fabric.ports[i].active = fabric.ports[i + 1].active = rate;
      }
    const Graph graph = to_graph(fabric);
    const std::string text = to_ibsim(graph);
    CHECK(is_ibnetdiscover(text));
    CHECK(facts(read(text)) == facts(graph));
    CHECK(to_ibsim(read(text)) == text);
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = text.find('\n', at);
      REQUIRE(end - at < 255);  // ibsim reads no longer lines
    }
  }
  CHECK_THAT(to_ibsim(to_graph(torus(2, 1, 1, 1))), ContainsSubstring("next speed that ibsim 0.10 knows: NDR"));
  CHECK_THAT(sentence([] { (void)to_ibsim(Graph()); }), ContainsSubstring("has no InfiniBand links"));
}

TEST_CASE("ibsim: nodes without GUIDs have those that ibsim gives, links without options are 4x SDR") {
  const Graph graph =
      read("width=1\nspeed=7\nSwitch 4 \"s\"\n[1] \"h\"[2]\n[2] \"h\" w=2 e=3\nHca 2 \"h\"\n[1] \"s\"[2] w=2 e=3\n[2] \"s\"\n");
  CHECK(inconsistency(graph) == "");
  CHECK(node_of(graph, "s").key == "0x0000000000200000");
  CHECK(node_of(graph, "h").kind == Kind::machine);
  for (const Link& link : cables(graph)) {
    CHECK(link.active.width == (link.b_port == 1 ? 1 : 4));
    CHECK(link.active.speed == (link.b_port == 1 ? 10 : 25.78125));
  }
  const Graph plain = read("Switch 4 \"s\"\n[1] \"h\"\nHca 1 \"h\"\n[1] \"s\"\n");
  CHECK(cables(plain)[0].active.width == 4);
  CHECK(cables(plain)[0].active.speed == 2.5);
}

TEST_CASE("netlists that cannot be followed are one sentence with the line") {
  CHECK_THAT(refusal("include \"more.net\"\n"), ContainsSubstring("f.net:1: ibsim's `include`"));
  CHECK_THAT(refusal("width=2\ndo start\n"), ContainsSubstring("f.net:2: ibsim's `do`"));
  CHECK_THAT(refusal("module \"m\"\n"), ContainsSubstring("f.net:1: ibsim's `module`"));
  CHECK_THAT(refusal("Switch 4 \"s\"\n[1] \"t\"[1]\n"), ContainsSubstring("f.net:2: there is no node \"t\""));
  CHECK_THAT(refusal("Switch 4 \"s\"\nSwitch 4 \"s\"\n"), ContainsSubstring("f.net:2: \"s\" is here and on line 1"));
  CHECK_THAT(refusal("Switch 4 \"s\"\n[5] \"s\"[1]\n"), ContainsSubstring("f.net:2: expected a port"));
  CHECK_THAT(refusal("Switch 4 \"s\"\n[1] \"s\"[2]\n[3] \"s\"[2]\n"),
             ContainsSubstring("f.net:3: port 3 of 0x0000000000200000 cannot"));
  CHECK_THAT(refusal("Switch 4 \"s\"\n[1] \"s\"[2] w=1\n[2] \"s\"[1]\n"), ContainsSubstring("no width or speed in common"));
  CHECK_THAT(refusal("Switch 4000000000 \"s\"\n"), ContainsSubstring("the number of ports"));
  CHECK_THAT(refusal("Switch 4 \"s\"\n[99999999999999999999] \"s\"[2]\n"), ContainsSubstring("expected [port]"));
  CHECK_THAT(refusal("switchguid=0xa\nSwitch 4 \"s\"\nswitchguid=0xa\nSwitch 4 \"t\"\n"),
             ContainsSubstring("f.net:4: 0x000000000000000a is here"));
  CHECK_THAT(refusal("# Topology file: generated on Mon\n"), ContainsSubstring("without any switch or adapter"));
  CHECK_THAT(refusal("[1] \"s\"[2]\n"), ContainsSubstring("before any switch"));
}

TEST_CASE("hosts: one name that several hosts share does not make them one") {
  std::string text = "Switch 8 \"s\"\n";
  for (const std::string n : {"1", "2", "3"}) text += "[" + n + "] \"h" + n + "\"[1]\n";
  for (const std::string n : {"1", "2", "3"}) text += "Hca 1 \"h" + n + "\" # \"localhost mlx5_0\"\n[1] \"s\"[" + n + "]\n";
  const Graph graph = read(text);
  CHECK(inconsistency(graph) == "");
  CHECK(count(graph, Kind::machine) == 3);
  CHECK(read_description("node7 HCA-1").host == "node7");
  CHECK(read_description("node7 mlx5_bond_0").device == "mlx5_bond_0");
  CHECK(read_description("MT4129 ConnectX7   Mellanox Technologies").host.empty());
  CHECK(read_description("a/b mlx5_0").host.empty());
  for (const std::string odd : {"", " ", "a ", " mlx5_0"}) (void)read_description(odd);
}

TEST_CASE("fabrics that are cut off or damaged give a graph or one sentence") {
  const std::string whole = two_switches;
  const std::string report =
      "CA   134  1 0x7cfe9003003b4bde 4x EDR - SW  1719 10 0x7cfe9003009ce5b0 ( 'o1 HCA-1' - 'i1' )\n"
      "SW  1719 37 0x7cfe9003009ce5b0 4x ???                                    'i1'\n";
  const auto survived = [](const std::string& text, bool ports) {
    const Reading reading{"ibnetdiscover", "f.net", text};
    const std::string said = sentence([&] {
      const Graph graph = ports ? read_ibnetdiscover_ports(reading) : read_netlist(reading);
      if (const std::string wrong = inconsistency(graph); !wrong.empty()) throw std::runtime_error(wrong);
      (void)to_json(graph);
    });
    return said == "no error" || said.starts_with("f.net:") ? "" : said;
  };
  for (std::size_t length = 0; length < whole.size(); ++length) CHECK(survived(whole.substr(0, length), false) == "");
  for (std::size_t length = 0; length < report.size(); ++length) CHECK(survived(report.substr(0, length), true) == "");
  constexpr unsigned seed = 4;
  std::mt19937 random(seed);
  const std::string odd = "[]()\"#=0x19 \t\n\xff:;SH-w";
  for (int round = 0; round < 3000; ++round) {
    std::string text = round % 4 == 0 ? report : whole;
    for (auto hits = 1 + random() % 4; hits > 0; --hits) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = odd[random() % odd.size()];
      else if (random() % 2 == 0)
        text.erase(at, 1 + random() % 20);
      else
        text.insert(at, text.substr(random() % text.size(), random() % 60));
      if (text.empty()) text = "x";
    }
    INFO("seed " << seed << ", round " << round);
    CHECK(survived(text, round % 4 == 0) == "");
  }
}
