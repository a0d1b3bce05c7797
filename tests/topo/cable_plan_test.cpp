// Cable plans: heads of many dialects, a plan and the fabric that was built after it, and cables that are not as planned.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/generate.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/spoil.hpp"
#include "topo/check/check.hpp"
#include "topo/csv.hpp"
#include "topo/diff/diff.hpp"
#include "topo/diff/plan.hpp"
#include "topo/read/cable_plan.hpp"
#include "topo/read/fabric.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

Graph plan(const std::string& text) { return read_cable_plan({"cable-plan", "p.csv", text}); }
std::string refusal(const std::string& text) {
  return sentence([&] { (void)plan(text); });
}

const std::string usual = "from host,from port,to switch,to port\n";

std::string name_of(const FabricNode& node) {
  return node.kind == FabricKind::adapter ? read_description(node.description).host
                                          : read_switch_description(node.description).system;
}

// A line for each cable of the fabric, the end nearer to the hosts first; `port` writes an end's port.
template <class Port>
std::string lines(const Fabric& fabric, char separator, const Port& port) {
  std::string text;
  for (const FabricPort& it : fabric.ports) {
    const FabricNode& node = fabric.nodes[it.node];
    const FabricNode& peer = fabric.nodes[it.peer];
    if (node.kind != FabricKind::adapter &&
        (peer.kind == FabricKind::adapter || std::pair(it.node, it.number) < std::pair(it.peer, it.peer_number)))
      continue;
    text += fmt::format("{1}{0}{2}{0}{3}{0}{4}\n", separator, name_of(node), port(node, it.number), name_of(peer),
                        port(peer, it.peer_number));
  }
  return text;
}

std::string by_device(const FabricNode& node, unsigned number) {
  return node.kind == FabricKind::adapter ? read_description(node.description).device : std::to_string(number);
}

// The fabric with the far ends of two hosts' cables exchanged.
Fabric swapped(Fabric fabric, const std::string& one, const std::string& other) {
  const auto port = [&](const std::string& name) -> FabricPort& {
    const std::size_t node = place_of(fabric, name);
    for (FabricPort& it : fabric.ports)
      if (it.node == node) return it;
    throw std::runtime_error("no cable at " + name);
  };
  FabricPort& a = port(one);
  FabricPort& b = port(other);
  const auto far = [&](const FabricPort& near) {
    return std::find_if(fabric.ports.begin(), fabric.ports.end(),
                        [&](const FabricPort& it) { return it.node == near.peer && it.number == near.peer_number; });
  };
  const auto far_a = far(a);
  const auto far_b = far(b);
  std::swap(far_a->peer, far_b->peer);
  std::swap(far_a->peer_number, far_b->peer_number);
  std::swap(a.peer, b.peer);
  std::swap(a.peer_number, b.peer_number);
  return fabric;
}

std::string all_of(const Difference& it) { return to_text(it); }

}  // namespace

TEST_CASE("csv: what is written comes back, with quotes, separators, blanks and lines inside of cells") {
  constexpr unsigned seed = 3300;
  std::mt19937 random(seed);
  const std::string letters = "ab,;\"\n 'x";
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<std::string>> rows(1 + random() % 5);
    std::string text;
    for (auto& cells : rows) {
      cells.resize(1 + random() % 4);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        for (auto size = random() % 6; size > 0; --size) cells[i] += letters[random() % letters.size()];
        text += i == 0 ? " \"" : ", \"";
        for (const char c : cells[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
        text += "\" ";
      }
      text += '\n';
    }
    INFO("seed " << seed << ", round " << round << ": " << text);
    CsvRecords records(text, ',');
    std::size_t line = 1;
    for (const auto& cells : rows) {
      REQUIRE(records.next("t"));
      CHECK(records.cells() == cells);
      CHECK(records.line() == line);
      ++line;
      for (const std::string& cell : cells) line += static_cast<std::size_t>(std::count(cell.begin(), cell.end(), '\n'));
    }
    CHECK_FALSE(records.next("t"));
  }
  CsvRecords open("a,\"b\nc", ',');
  CHECK(sentence([&] { (void)open.next("t"); }) == "t:1: expected a closing quote (\") before the file ends");
}

TEST_CASE("cable plans: heads of many dialects name the same columns") {
  using Head = std::vector<std::string>;
  struct Row {
    Head head;
    std::size_t a, a_port, b, b_port;
  };
  for (const Row& row : std::vector<Row>{
           {{"from host", "from port", "to switch", "to port"}, 0, 1, 2, 3},
           {{"From", "From Port", "To", "To Port"}, 0, 1, 2, 3},
           {{"source_host", "source_port", "destination_switch", "destination_port"}, 0, 1, 2, 3},
           {{"Src Device", "Src Interface", "Dst Device", "Dst Interface"}, 0, 1, 2, 3},
           {{"Rack", "Hostname", "HCA Port", "Leaf", "Leaf Port", "Cable length"}, 1, 2, 3, 4},
           {{"host", "port", "switch", "port"}, 0, 1, 2, 3},
           {{"switch port", "switch", "host port", "host"}, 3, 2, 1, 0},
           {{"A device", "A port", "Z device", "Z port", "Cable ID"}, 0, 1, 2, 3},
           {{"Device 1", "Port 1", "Device 2", "Port 2"}, 0, 1, 2, 3},
           {{"rack #", "U height", "#Fields:StartDevice", "StartPort", "StartDeviceLocation", "EndDevice", "EndPort",
             "EndDeviceLocation", "LinkType", "Speed"},
            2,
            3,
            5,
            6},
       }) {
    INFO(row.head[0] << ", " << row.head[1]);
    const auto columns = plan_columns(row.head);
    REQUIRE(columns);
    CHECK(columns->a.device == row.a);
    CHECK(columns->a.port == row.a_port);
    CHECK(columns->b.device == row.b);
    CHECK(columns->b.port == row.b_port);
  }
  for (const Head& head : std::vector<Head>{{"host", "switch"},
                                            {"from host", "to switch", "to port"},
                                            {"name", "value", "unit", "comment"},
                                            {"NodeGuid1", "PortNum1", "NodeGuid2", "PortNum2"},
                                            {}})
    CHECK_FALSE(plan_columns(head));
}

TEST_CASE("cable plans: the fabric that was built after a plan does not differ from it, whatever the plan's dialect") {
  for (const Fabric& fabric : {rail_optimised(6, 4), fat_tree(4), dragonfly(3, 2, 2, 1)}) {
    const Graph built = to_graph(fabric);
    const auto upper = [](const FabricNode& node, unsigned number) {
      return node.kind == FabricKind::adapter ? by_device(node, number) + "/" + std::to_string(number)
                                              : fmt::format("Port {}", number);
    };
    const auto modules = [](const FabricNode& node, unsigned number) {
      return node.kind == FabricKind::adapter ? by_device(node, number) + " port 1" : fmt::format("IB1/{}", number);
    };
    const auto cages = [](const FabricNode& node, unsigned number) {
      return node.kind == FabricKind::adapter ? by_device(node, number)
                                              : fmt::format("sw{}p{}", (number + 1) / 2, 2 - number % 2);
    };
    for (const std::string& text : {usual + lines(fabric, ',', by_device),
                                    "# of the summer\nSource;Source port;Target;Target port\n" + lines(fabric, ';', upper),
                                    "StartDevice\tStartPort\tEndDevice\tEndPort\n" + lines(fabric, '\t', modules),
                                    "A device,A port,B device,B port\n" + lines(fabric, ',', cages)}) {
      INFO(text.substr(0, 200));
      CHECK(is_cable_plan(text));
      const Graph planned = plan(text);
      CHECK(inconsistency(planned) == "");
      CHECK(is_plan(planned));
      CHECK_FALSE(is_plan(built));
      const Difference there = diff(planned, built);
      CHECK(all_of(there) == all_of(Difference{}));
      CHECK(there.count() == 0);
      CHECK(diff(built, planned).count() == 0);
    }
  }
}

TEST_CASE("cable plans: a port of a host that is a number counts the ports of its adapters, and domains do not matter") {
  const Fabric fabric = rail_optimised(3, 4);
  std::string text = usual;
  for (const FabricPort& it : fabric.ports) {
    const FabricNode& node = fabric.nodes[it.node];
    if (node.kind != FabricKind::adapter) continue;
    const Description described = read_description(node.description);
    text += fmt::format("{}.example.org,{},{},{}\n", described.host, described.device.back() - '0' + 1,
                        name_of(fabric.nodes[it.peer]), it.peer_number);
  }
  Fabric hosts_only = fabric;
  std::erase_if(hosts_only.ports, [&](const FabricPort& it) {
    return hosts_only.nodes[it.node].kind != FabricKind::adapter && hosts_only.nodes[it.peer].kind != FabricKind::adapter;
  });
  const Graph built = to_graph(hosts_only);
  const Difference same = diff(plan(text), built);
  INFO(to_text(same));
  CHECK(same.links_vanished.empty());
  CHECK(same.links_appeared.empty());
  CHECK(same.links_moved.empty());
  const Difference moved = diff(plan(text), to_graph(swapped(hosts_only, "node00001 mlx5_0", "node00002 mlx5_0")));
  CHECK(moved.links_swapped.size() == 1);
}

TEST_CASE("cable plans: HCA-2 is the second adapter of a host that has none of the name, and dots may tell switches apart") {
  Fabric fabric = rail_optimised(2, 2);
  for (FabricNode& node : fabric.nodes)
    if (node.kind == FabricKind::fabric_switch) node.description = fmt::format("MF0;sw1.{}:MQM9700/U1", node.key.back());
  const auto hca = [](const FabricNode& node, unsigned number) {
    return node.kind == FabricKind::adapter ? fmt::format("HCA-{}", read_description(node.description).device.back() - '0' + 1)
                                            : std::to_string(number);
  };
  const Difference same = diff(plan(usual + lines(fabric, ',', hca)), to_graph(fabric));
  INFO(to_text(same));
  CHECK(same.count() == 0);
  CHECK(diff(plan(usual + lines(fabric, ',', hca)), to_graph(swapped(fabric, "node00001 mlx5_0", "node00002 mlx5_1")))
            .links_swapped.size() == 1);
}

TEST_CASE("cable plans: swapped, missing and unplanned cables and hosts are named, and so does topo check --design") {
  const Fabric fabric = rail_optimised(6, 4);
  const Graph planned = plan(usual + lines(fabric, ',', by_device));
  const Graph built = to_graph(swapped(fabric, "node00001 mlx5_0", "node00002 mlx5_1"));
  const Difference difference = diff(planned, built);
  REQUIRE(difference.links_swapped.size() == 1);
  CHECK(difference.count() == 1);
  CHECK(difference.caution.empty());
  CHECK(difference.links_swapped[0].first.end.name == "mlx5_0/1 of node00001");

  CheckOptions options;
  options.design = &planned;
  const auto of_cabling = [&](const Graph& graph) {
    std::vector<Finding> found;
    for (const Finding& it : check(graph, options))
      if (it.rule == "cabling") found.push_back(it);
    return found;
  };
  const auto findings = of_cabling(built);
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0].found, ContainsSubstring("their cables are swapped"));
  CHECK(of_cabling(to_graph(fabric)).empty());

  Fabric less = fabric;
  less.ports.erase(std::remove_if(less.ports.begin(), less.ports.end(),
                                  [&](const FabricPort& it) {
                                    const std::size_t node = place_of(less, "node00003 mlx5_2");
                                    return it.node == node || it.peer == node;
                                  }),
                   less.ports.end());
  const Difference missing = diff(planned, to_graph(less));
  REQUIRE(missing.links_vanished.size() == 1);
  CHECK(missing.count() == 1);
  CHECK(of_cabling(to_graph(less)).size() == 1);
  const Difference more = diff(plan(usual + lines(less, ',', by_device)), to_graph(fabric));
  REQUIRE(more.links_appeared.size() == 1);
  CHECK(more.count() == 1);

  const Difference other = diff(plan(usual + lines(fabric, ',', by_device) + "node99,mlx5_0,leaf9,1\n"), to_graph(fabric));
  CHECK(other.nodes_vanished.size() == 2);
  CHECK(other.links_vanished.size() == 1);
}

TEST_CASE("cable plans: speeds that the plan tells are compared") {
  const auto with = [](const std::string& speed) {
    return plan("host,host port,switch,switch port,speed\nn1,mlx5_0,leaf1,1," + speed + "\n");
  };
  const auto rate = [&](const std::string& speed) {
    const Graph graph = with(speed);
    const auto at =
        std::find_if(graph.links.begin(), graph.links.end(), [](const Link& it) { return it.kind == LinkKind::infiniband; });
    return fmt::format("{}x{}", at->active.width, at->active.speed);
  };
  CHECK(rate("NDR") == "4x106.25");
  CHECK(rate("hdr100") == "2x53.125");
  CHECK(rate("HDR200") == "4x53.125");
  CHECK(rate("4xEDR") == "4x25.78125");
  CHECK(rate("400G") == "0x0");
  CHECK(rate("400 Gb/s") == "0x0");
  CHECK(rate("") == "0x0");
  CHECK(sentence([&] { (void)with("fast"); }) == "p.csv:2: expected a speed as NDR, HDR100 or 400G, found 'fast'");
  Graph built = with("HDR");
  for (Node& node : built.nodes) node.provenance = {"ibnetdiscover"};
  const Difference slower = diff(with("NDR"), built);
  REQUIRE(slower.links_changed.size() == 1);
  CHECK(slower.links_changed[0].changes[0].attribute == "active speed");
  CHECK(diff(with("400G"), built).count() == 0);
}

TEST_CASE("cable plans: directors, comments, free ports and headings between cables") {
  const Graph graph = plan(
      "# summer\n\nfrom,from port,to,to port\n# a comment, with a comma\nRow 1,,,\nleaf1,1,core/L01/U1,Port 3\n"
      "\"leaf1\",\"2\",,\nMF0;leaf2:MQM9700/U1,5,core/L01/U1,4\n n1 mlx5_0 ,Port 1,leaf1,10\n");
  const auto count = [&](Kind kind) {
    return std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& it) { return it.kind == kind; });
  };
  CHECK(count(Kind::fabric_switch) == 3);
  CHECK(count(Kind::machine) == 1);
  CHECK(std::count_if(graph.links.begin(), graph.links.end(), [](const Link& it) { return it.kind == LinkKind::infiniband; }) ==
        3);
}

TEST_CASE("cable plans: what is wrong is one sentence with its line") {
  CHECK(refusal("a,b\n1,2\n") ==
        "p.csv:1: expected a head with the device and port of both ends, as `from host, from port, to switch, to port`");
  CHECK(refusal(usual) == "p.csv:1: expected cables below this head, found none");
  CHECK(refusal(usual + "n1,mlx5_0,leaf1\n") == "p.csv:2: expected the port of leaf1, found nothing");
  CHECK(refusal(usual + "n1,,leaf1,1\n") == "p.csv:2: expected the port of n1, found nothing");
  CHECK(refusal(usual + ",mlx5_0,leaf1,1\n") == "p.csv:2: expected the name of a device, found nothing");
  CHECK(refusal(usual + "n1,mlx5_0,leaf1,0\n") == "p.csv:2: expected the number of a port of leaf1, 1 to 254, found '0'");
  CHECK(refusal(usual + "n1,mlx5_0,leaf1,99999999999999999999\n") ==
        "p.csv:2: expected the number of a port of leaf1, 1 to 254, found '99999999999999999999'");
  CHECK(refusal(usual + "n1,mlx5_0,leaf1,left\n") == "p.csv:2: expected the number of a port of leaf1, 1 to 254, found 'left'");
  CHECK(refusal(usual + "n1,mlx5_0/900,leaf1,1\n") ==
        "p.csv:2: expected a port of a host as mlx5_0, mlx5_0/1, HCA-1 or 1, found 'mlx5_0/900'");
  CHECK(refusal(usual + "n1,mlx5_0,leaf1,1\nn2,mlx5_0,leaf1,1\n") ==
        "p.csv:3: port 1 of leaf1 is joined with port 1 of n2 mlx5_0 here, and with port 1 of n1 mlx5_0 on line 2");
  CHECK(refusal(usual + "n1,\"mlx5_0,leaf1,1\n") == "p.csv:2: expected a closing quote (\") before the file ends");
  CHECK(refusal("from host;from port;to switch;to port;rate\nn1;mlx5_0;leaf1;1;ndr\nn2;mlx5_0;leaf1;2;x\n") ==
        "p.csv:3: expected a speed as NDR, HDR100 or 400G, found 'x'");
}

TEST_CASE("cable plans: damaged and cut files give a graph or one sentence") {
  constexpr unsigned seed = 3301;
  std::mt19937 random(seed);
  const std::string odd = ",;\"\t\n#/ 019ab\x7f\xff";
  const std::string whole = usual + lines(fat_tree(4), ',', by_device);
  for (int round = 0; round < usual_or_thorough(120, 500); ++round) {
    const std::string text = spoilt(whole, odd, random);
    INFO("seed " << seed << ", round " << round);
    const std::string said = sentence([&] {
      const Graph graph = plan(text);
      CHECK(inconsistency(graph) == "");
      CHECK(!to_json(graph).empty());
    });
    CHECK((said == "no error" || said.starts_with("p.csv:")));
  }
}
