// ibdiagnet and iblinkinfo: fabrics printed as the tools print them come back whole; damaged ones say what is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/generate.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/spoil.hpp"
#include "topo/infiniband.hpp"
#include "topo/read/ibdiagnet.hpp"
#include "topo/read/iblinkinfo.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

std::string digits(const std::string& guid) { return guid.substr(2); }
unsigned lid_of(std::size_t node) { return static_cast<unsigned>(node) + 1; }

// Some cables at other rates, a narrow one, one that waits for a subnet manager.
Fabric odd_fabric(unsigned k = 4) {
  Fabric fabric = fat_tree(k);
  constexpr Rate rates[] = {{4, 25.78125}, {2, 53.125}, {1, 2.5}, {4, 14.0625}, {4, 10}, {4, 212.5}};
  const auto both = [&](std::size_t i, const auto& change) {
    FabricPort& it = fabric.ports[i];
    change(it);
    for (FabricPort& other : fabric.ports)
      if (other.node == it.peer && other.number == it.peer_number) change(other);
  };
  for (std::size_t i = 0; i < std::size(rates); ++i)
    both(3 * i, [&](FabricPort& port) { port.active = port.capable = rates[i]; });
  both(1, [](FabricPort& port) { port.capable = {4, 106.25}, port.active = {1, 106.25}; });
  both(30, [](FabricPort& port) { port.state = LinkState::init; });
  return fabric;
}

std::uint64_t speed_code(double speed) {
  const InfinibandSpeed* row = infiniband_speed(speed);
  if (row->name == "XDR") return 1U << 24U;
  return row->extended_code != 0 ? std::uint64_t{row->extended_code} << 8U : row->speed_code;
}

unsigned state_code(LinkState state) {
  return state == LinkState::down ? 1 : state == LinkState::init ? 2 : state == LinkState::armed ? 3 : 4;
}

std::string database(const Fabric& fabric) {
  std::string text =
      "# written by a test\n\nSTART_NODES\nNodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,"
      "PortGUID,DeviceID,PartitionCap,revision,VendorID,LocalPortNum\n";
  for (const FabricNode& it : fabric.nodes)
    text += fmt::format("\"{}\",{},{},1,1,{},{},{},4123,128,0x00000000,713,1\n", it.description, it.ports,
                        it.kind == FabricKind::adapter ? 1 : 2, it.key, it.key, it.key);
  text +=
      "END_NODES\n\n\nSTART_PORTS\nNodeGuid,PortGuid,PortNum,LID,LinkWidthActv,LinkWidthSup,LinkSpeedActv,PortPhyState,"
      "PortState,LinkSpeedSup,FECActv\n";
  for (std::size_t i = 0; i < fabric.nodes.size(); ++i)
    if (fabric.nodes[i].kind != FabricKind::adapter)
      text += fmt::format("{0},{0},0,{1},0,0,0,5,4,0,N/A\n", fabric.nodes[i].key, lid_of(i));
  for (const FabricPort& it : fabric.ports) {
    const FabricNode& node = fabric.nodes[it.node];
    text += fmt::format("{0},{0},{1},{2},{3},{4},{5},5,{6},{7},N/A\n", node.key, it.number,
                        node.kind == FabricKind::adapter ? lid_of(it.node) : 0, infiniband_width_code(it.active.width),
                        infiniband_width_code(it.capable.width) | 1U, speed_code(it.active.speed), state_code(it.state),
                        speed_code(it.capable.speed) | 1U);
  }
  text +=
      "END_PORTS\n\nSTART_SWITCHES\nNodeGUID,LinearFDBCap\n0x1,anything\nEND_SWITCHES\n\nSTART_LINKS\n"
      "NodeGuid1,PortNum1,NodeGuid2,PortNum2\n";
  for (const FabricPort& it : fabric.ports)
    if (std::pair(it.node, it.number) < std::pair(it.peer, it.peer_number))
      text += fmt::format("{},{},{},{}\n", fabric.nodes[it.node].key, it.number, fabric.nodes[it.peer].key, it.peer_number);
  return text + "END_LINKS\n";
}

std::string lst_end(const Fabric& fabric, std::size_t node, unsigned number) {
  const FabricNode& it = fabric.nodes[node];
  return fmt::format(
      "{{ {} Ports:{:02x} SystemGUID:{} NodeGUID:{} PortGUID:{} VenID:000002C9 DevID:101B Rev:000000A0 {{{}}} LID:{:04x} "
      "PN:{:02x} }}",
      it.kind == FabricKind::adapter ? "CA" : "SW", it.ports, digits(it.key), digits(it.key), digits(it.key), it.description,
      lid_of(node), number);
}

std::string lst(const Fabric& fabric) {
  std::string text;
  for (const FabricPort& it : fabric.ports) {
    if (std::pair(it.node, it.number) > std::pair(it.peer, it.peer_number)) continue;
    const double speed = infiniband_speed(it.active.speed)->data;
    const std::string word = it.active.speed < 11 ? fmt::format("{}", it.active.speed) : fmt::format("{:.0f}", speed);
    text +=
        fmt::format("{} {} PHY={}x LOG={} SPD={}\n", lst_end(fabric, it.node, it.number),
                    lst_end(fabric, it.peer, it.peer_number), it.active.width, it.state == LinkState::init ? "INI" : "ACT", word);
  }
  return text;
}

std::string speed_word(double speed) {
  return speed == 2.5                ? "2.5 Gbps"
         : speed == 5 || speed == 10 ? fmt::format("{:.1f} Gbps", speed)
                                     : fmt::format("{} Gbps", speed);
}

// With `lines` as -l prints it; without, LIDs are told unless `managed` is false.
std::string linkinfo(const Fabric& fabric, bool lines, bool managed = true) {
  std::string text;
  for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
    const FabricNode& node = fabric.nodes[i];
    const bool is_switch = node.kind != FabricKind::adapter;
    if (!lines)
      text +=
          is_switch ? fmt::format("Switch: {} {}:\n", node.key, node.description) : fmt::format("CA: {}:\n", node.description);
    const auto lid = [&](std::size_t at) { return managed ? lid_of(at) : 0; };
    const std::string guid = lines       ? fmt::format("{} \"{:>30}\" ", node.key, node.description)
                             : is_switch ? "      "
                                         : fmt::format("      {} ", node.key);
    for (const FabricPort& it : fabric.ports) {
      if (it.node != i) continue;
      std::string could;
      if (it.capable.width != it.active.width) could += fmt::format("Could be {}X", it.capable.width);
      could += ' ';
      if (it.capable.speed != it.active.speed) could += "Could be " + speed_word(it.capable.speed);
      text += fmt::format("{}{:>6} {:>4}[  ] ==({:>3} {:>18} {:>6}/{:>8})==>  {}{:>6} {:>4}[  ] \"{}\" ({})\n", guid, lid(i),
                          it.number, fmt::format("{}X", it.active.width), speed_word(it.active.speed),
                          it.state == LinkState::init ? "Initialize" : "Active", "LinkUp",
                          lines ? fabric.nodes[it.peer].key + " " : "", lid(it.peer), it.peer_number,
                          fabric.nodes[it.peer].description, could);
    }
    if (is_switch)
      text += fmt::format("{}{:>6} {:>4}[  ] ==({:>14}{:>6}/{:>8})==>             [  ] \"\" ( )\n", guid, lid(i), 64, "", "Down",
                          "Polling");
  }
  return text;
}

Graph read(Graph (*reader)(const Reading&), const std::string& text) { return reader({"s", "f.txt", text}); }

// Each node and cable with all that lists tell alike: not descriptions, vendors and counters.
std::set<std::string> facts(const Graph& graph, bool capable) {
  std::set<std::string> all;
  for (const Node& node : graph.nodes)
    all.insert(fmt::format("{} {} {} below {}", node.key, row(node.kind).name, node.name, node.parent));
  for (const Link& link : graph.links)
    if (link.kind == LinkKind::infiniband)
      all.insert(fmt::format("{}[{}]-{}[{}] {}x{} {} of {}x{}", link.a, link.a_port, link.b, link.b_port, link.active.width,
                             link.active.speed, row(link.state).name, capable ? link.capable.width : 0,
                             capable ? link.capable.speed : 0));
  return all;
}

const std::vector<std::pair<Graph (*)(const Reading&), std::string>>& samples() {
  static const std::vector<std::pair<Graph (*)(const Reading&), std::string>> all = {
      {read_ibdiagnet_database, database(odd_fabric())},
      {read_ibdiagnet_links, lst(odd_fabric())},
      {read_iblinkinfo, linkinfo(odd_fabric(), false)},
      {read_iblinkinfo, linkinfo(odd_fabric(), true)}};
  return all;
}

}  // namespace

TEST_CASE("ibdiagnet: the database and the list of links give the fabric that they are of") {
  for (const unsigned k : {2U, 4U, 6U}) {
    const Fabric fabric = odd_fabric(std::max(k, 4U));
    const Graph expected = to_graph(fabric);
    const Graph whole = read(read_ibdiagnet_database, database(fabric));
    CHECK(inconsistency(whole) == "");
    CHECK(facts(whole, true) == facts(expected, true));
    const Graph list = read(read_ibdiagnet_links, lst(fabric));
    CHECK(inconsistency(list) == "");
    CHECK(facts(list, false) == facts(expected, false));
  }
}

TEST_CASE("iblinkinfo: both forms give the fabric that they are of, also where no subnet manager gave LIDs") {
  const Fabric fabric = odd_fabric(6);
  const auto expected = facts(to_graph(fabric), true);
  for (const std::string& text : {linkinfo(fabric, false), linkinfo(fabric, true), linkinfo(fabric, false, false)}) {
    CHECK(is_iblinkinfo(text));
    const Graph graph = read(read_iblinkinfo, text);
    CHECK(inconsistency(graph) == "");
    CHECK(facts(graph, true) == expected);
    const auto leaf =
        std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& it) { return it.kind == Kind::fabric_switch; });
    REQUIRE(leaf != graph.nodes.end());
    CHECK(text_of(leaf->attributes, "ports_down") == "64");
  }
}

TEST_CASE("ibdiagnet: counters, ports with nothing plugged in and values that are unknown") {
  const Graph graph = read(read_ibdiagnet_database,
                           "START_NODES\nNodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,PortGUID,DeviceID,VendorID\n"
                           "\"leaf one, north\",40,2,0xa,0xa,0xa,54000,713\n\"n1 HCA-1\",1,1,0x10,0x10,0x11,4123,713\nEND_NODES\n"
                           "START_PORTS\nNodeGuid,PortGuid,PortNum,LID,LinkWidthActv,LinkSpeedActv,PortPhyState,PortState\n"
                           "0xa,0xa,0,7,0,0,0,4\n0xa,0xa,1,0,2,512,5,4\n0xa,0xa,2,0,2,1,2,1\n0xa,0xa,3,0,2,1,3,1\n0x10,0x11,1,9,"
                           "2,65536,5,4\nEND_PORTS\n"
                           "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0x10,1,0xa,1\n0xa,1,0x10,1\nEND_LINKS\n"
                           "START_PM_INFO\nNodeGUID,PortGUID,PortNumber,LinkDownedCounter,SymbolErrorCounter,PortXmitWait\n"
                           "0xa,0xa,1,3,0x5,N/A\nEND_PM_INFO\n");
  const auto at =
      std::find_if(graph.links.begin(), graph.links.end(), [](const Link& it) { return it.kind == LinkKind::infiniband; });
  REQUIRE(at != graph.links.end());
  CHECK(at->a == "0x0000000000000010/1");
  CHECK(at->b_counters == Counters{{"link_downed", 3}, {"symbol_error", 5}});
  CHECK(at->active.speed == 10.3125);  // FDR10 at one end
  CHECK(at->active_at_b.speed == 25.78125);
  CHECK(number_of(graph.nodes[0].attributes, "lid") == 7);
  CHECK(graph.nodes[0].name == "leaf one, north");
  CHECK(text_of(graph.nodes[0].attributes, "ports_down") == "2-3");
  CHECK(text_of(graph.nodes[0].attributes, "vendor_id") == "0x2c9");
}

TEST_CASE("PortInfo: a port is disabled where it is down, whatever its physical state was last") {
  CHECK(port_state(1, 3) == LinkState::disabled);
  CHECK(port_state(1, 2) == LinkState::down);
  CHECK(port_state(4, 3) == LinkState::active);
  CHECK(port_state(9, 5) == LinkState::unknown);
}

TEST_CASE("iblinkinfo: peers that the file does not describe, settings of -p, external ports and speeds that could be") {
  const Graph graph =
      read(read_iblinkinfo,
           "Switch: 0x000000000000000a MF0;leaf1:SX6036/U1:\n"
           "           7    1[ 3] ==( 4X          2.5 Gbps Active/  LinkUp) (HOQ:15 VL_Stall:7)==>       9    1[  ] "
           "\"n1 HCA-1\" ( Could be 10.0 Gbps)\n"
           "           7    2[  ] ==( 1X 10.0 Gbps (FDR10) Active/  LinkUp)==>      11    2[  ] \"n2 mlx4_0\" (Could be 4X )\n"
           "           7    3[  ] ==(                Down/Disabled)==>             [  ] \"\" ( )\n");
  CHECK(inconsistency(graph) == "");
  const auto cable = [&](const std::string& a) {
    const auto at = std::find_if(graph.links.begin(), graph.links.end(),
                                 [&](const Link& it) { return it.kind == LinkKind::infiniband && it.a == a; });
    if (at == graph.links.end()) throw std::runtime_error("no cable at " + a);
    return *at;
  };
  CHECK(cable("lid:9/1").active.speed == 2.5);
  CHECK(cable("lid:9/1").capable.speed == 10);
  CHECK(number_of(cable("lid:9/1").attributes, "b_external_port") == 3);
  CHECK(cable("lid:11/2").active.speed == 10.3125);
  CHECK(cable("lid:11/2").capable.width == 4);
  const auto n1 = std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& it) { return it.key == "n1"; });
  REQUIRE(n1 != graph.nodes.end());
  CHECK(n1->kind == Kind::machine);
}

TEST_CASE("lists of a fabric: each is told by its contents, and a folder of several is one fabric") {
  const Scratch scratch;
  const Fabric fabric = odd_fabric();
  fill(scratch.path() / "ibdiagnet2.db_csv", database(fabric));
  fill(scratch.path() / "ibdiagnet2.lst", lst(fabric));
  fill(scratch.path() / "iblinkinfo.txt", linkinfo(fabric, false));
  for (const auto& [file, source] : std::map<std::string, std::string>{
           {"ibdiagnet2.db_csv", "ibdiagnet"}, {"ibdiagnet2.lst", "ibdiagnet-lst"}, {"iblinkinfo.txt", "iblinkinfo"}})
    CHECK(read_evidence(scratch.path() / file).at(0).source == source);
  CHECK(read_evidence(scratch.path()).size() == 3);
}

TEST_CASE("lists of a fabric: what is wrong is one sentence with its line") {
  const auto said = [](Graph (*reader)(const Reading&), const std::string& text) {
    return sentence([&] { (void)read(reader, text); });
  };
  const std::string nodes = "START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"a\",4,2,0xa\n\"b\",4,2,0xb\n";
  CHECK(said(read_ibdiagnet_database, nodes) == "f.txt:4: section NODES begins on line 1 and does not end; is the file cut off?");
  CHECK(said(read_ibdiagnet_database, "START_LINKS\nNodeGuid1\nEND_LINKS\n") ==
        "f.txt:3: expected a section NODES (START_NODES ... END_NODES)");
  CHECK(said(read_ibdiagnet_database, nodes + "START_PORTS\n") ==
        "f.txt:5: expected END_NODES, which line 1 began, found START_PORTS");
  CHECK(said(read_ibdiagnet_database, nodes + "\"c\",4,2,east\n") ==
        "f.txt:5: expected a GUID as nodeguid of section NODES, found 'east'");
  CHECK(said(read_ibdiagnet_database, nodes + "\"c\",4,9,0xc\n") ==
        "f.txt:5: expected 1 (adapter), 2 (switch) or 3 (router) as nodetype, found 9");
  CHECK(said(read_ibdiagnet_database, nodes + "\"c\",4,2\n") ==
        "f.txt:5: expected 4 values, as the head of section NODES has columns, found 3");
  CHECK(said(read_ibdiagnet_database, nodes + "\"c,4,2,0xc\n") == "f.txt:5: expected a closing quote (\") before the file ends");
  CHECK(said(read_ibdiagnet_database, nodes + "\"c\",99999999999999999999999,2,0xc\n") ==
        "f.txt:5: expected a number as numports, found '99999999999999999999999'");
  CHECK(said(read_ibdiagnet_database, nodes + "\"c\",4,2,0xa\n") ==
        "f.txt:5: 0x000000000000000a is here and on line 3: a GUID names one node only");
  const std::string links = nodes + "END_NODES\nSTART_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n";
  CHECK(said(read_ibdiagnet_database, links + "0xa,1,0xc,1\nEND_LINKS\n") ==
        "f.txt:8: expected a node of section NODES, found 0x000000000000000c");
  CHECK(said(read_ibdiagnet_database, links + "0xa,1,0xb,255\nEND_LINKS\n") ==
        "f.txt:8: expected a number up to 254 as portnum2 of section LINKS");
  CHECK(said(read_ibdiagnet_database, links + "0xa,1,0xb,1\n0xa,1,0xb,2\nEND_LINKS\n")
            .starts_with(
                "f.txt:9: port 1 of 0x000000000000000a is joined with port 2 of 0x000000000000000b here, and with port 1"));
  CHECK(said(read_ibdiagnet_database, links + "0xa,1,0xa,1\nEND_LINKS\n") ==
        "f.txt:8: port 1 of 0x000000000000000a cannot be its own peer");

  const std::string end = "{ SW Ports:28 SystemGUID:0a NodeGUID:0a PortGUID:0a VenID:02c9 DevID:d2f0 Rev:a0 {x} LID:1 PN:";
  const std::string other =
      "{ CA Ports:01 SystemGUID:10 NodeGUID:10 PortGUID:11 VenID:02c9 DevID:101b Rev:00 {n1 HCA-1} LID:2 PN:01 }";
  CHECK(said(read_ibdiagnet_links, end + "01 } " + other + " PHY=4x LOG=ACT SPD=25\n") == "no error");
  CHECK(said(read_ibdiagnet_links, end + "01 } " + other) == "f.txt:1: expected PHY=, but the line ends");
  CHECK(said(read_ibdiagnet_links, end + "xyz } ") == "f.txt:1: expected a hexadecimal number after PN:, found 'xyz'");
  CHECK(said(read_ibdiagnet_links, end + "00 } ") == "f.txt:1: expected a port of 0x000000000000000a, 1 to 254, found 0");
  CHECK(said(read_ibdiagnet_links, end + "01 } " + other + " PHY=5x LOG=ACT SPD=25\n") ==
        "f.txt:1: expected a width as 4x after PHY=, found '5x'");
  CHECK(said(read_ibdiagnet_links, end + "01 } " + other + " PHY=4x LOG=FINE SPD=25\n") ==
        "f.txt:1: expected ACT, INI, ARM or DOWN after LOG=, found 'FINE'");

  const std::string head = "Switch: 0x000000000000000a leaf1:\n";
  const std::string port = "           7    1[  ] ==( 4X          2.5 Gbps Active/  LinkUp)==>       ";
  CHECK(said(read_iblinkinfo, port + "9    1[  ] \"n1 HCA-1\" ( )\n") ==
        "f.txt:1: this port stands before any switch or adapter");
  CHECK(said(read_iblinkinfo, head + port) == "f.txt:2: expected a LID, but the line ends");
  CHECK(said(read_iblinkinfo, head + port + "9 900[  ] \"n1 HCA-1\" ( )\n") ==
        "f.txt:2: expected a port, 1 to 254, found '[  ] \"n1 HCA-1\" ( )'");
  CHECK(said(read_iblinkinfo, head + port + "9    1[  ] \"n1 HCA-1") ==
        "f.txt:2: expected the name of the peer in quotes, and ( ), found '\"n1 HCA-1'");
  CHECK(said(read_iblinkinfo, head + "    7 1[  ] ==( 4X 2.5 Gbps Asleep/LinkUp)==> 9 1[  ] \"n\" ( )\n") ==
        "f.txt:2: expected Down, Initialize, Armed or Active, found 'Asleep'");
  CHECK(said(read_iblinkinfo, head + "    0 1[  ] ==( 4X 2.5 Gbps Active/LinkUp)==> 0 1[  ] \"n\" ( )\n")
            .starts_with("f.txt:2: expected one node of the name 'n': without LIDs"));
  CHECK(said(read_iblinkinfo, "\"leaf1\" 7 1[  ] ==( 4X 2.5 Gbps Active/LinkUp)==> 9 1[  ] \"n\" ( )\n") ==
        "f.txt:1: expected a GUID, found 'leaf1'");
  CHECK(said(read_iblinkinfo, "Switch: leaf1:\n") == "f.txt:1: expected the GUID of the switch, found 'leaf1'");
  CHECK(said(read_iblinkinfo, head + "rubbish\n") ==
        "f.txt:2: expected a node, or a port with ==( ... )==> and its peer, found 'rubbish'");
}

TEST_CASE("lists of a fabric: damaged and cut files give a graph or one sentence", "[long]") {
  constexpr unsigned seed = 3200;
  std::mt19937 random(seed);
  const std::string odd = "=:-[](){}\",. 019SCx\n\t\x7f\xff";
  for (const auto& [reader, whole] : samples())
    for (int round = 0; round < 250; ++round) {
      const std::string text = spoilt(whole, odd, random);
      INFO("seed " << seed << ", round " << round << ": " << whole.substr(0, 20));
      const std::string said = sentence([&] {
        const Graph graph = read(reader, text);
        CHECK(inconsistency(graph) == "");
        CHECK(!to_json(graph).empty());
      });
      CHECK((said == "no error" || said.starts_with("f.txt")));
    }
}
