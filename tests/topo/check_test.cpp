// What is wrong with one machine: nothing with a healthy one, and one finding, by its rule, for one fault.
#include "topo/check/check.hpp"
#include "topo/read/sources.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "topo/read/build.hpp"
#include "topo/roles.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

// "fault pcie-width 0000:03:00.0 sw0", one for each finding.
std::vector<std::string> told(const Graph& graph, const CheckOptions& options = {}) {
  std::vector<std::string> all;
  for (const Finding& finding : check(graph, options)) {
    std::string text = std::string(word(finding.severity)) + ' ' + finding.rule + ' ' + finding.a.key;
    if (!finding.b.key.empty()) text += ' ' + finding.b.key;
    all.push_back(text);
    CHECK_FALSE(finding.a.name.empty());
    CHECK_FALSE(finding.found.empty());
    CHECK_FALSE(finding.why.empty());
    CHECK(finding.found.find('\n') == std::string::npos);
    CHECK_FALSE(finding.why.ends_with('.'));
    CHECK_FALSE(finding.action.ends_with('.'));
  }
  return all;
}

struct DamageRow {
  std::string name;
  std::function<void(Graph&)> damage;
  std::vector<std::string> expected;
};

void check_rows(const std::function<Graph()>& healthy, const std::vector<DamageRow>& rows) {
  CHECK(told(healthy()) == std::vector<std::string>{});
  for (const DamageRow& row : rows) {
    INFO(row.name);
    Graph graph = healthy();
    row.damage(graph);
    CHECK(told(graph) == row.expected);
  }
}

Link& above(Graph& graph, const std::string& key) {
  for (Link& link : graph.links)
    if (link.kind == LinkKind::pcie && link.b == key) return link;
  throw std::runtime_error("nothing above " + key);
}

Link& nvlink_of(Graph& graph, const std::string& gpu) {
  for (Link& link : graph.links)
    if (link.kind == LinkKind::nvlink && link.a == gpu) return link;
  throw std::runtime_error("no NVLink of " + gpu);
}

}  // namespace

TEST_CASE("check: PCIe") {
  check_rows(
      [] { return gpu_server(8); },
      {
          {"width", [](Graph& it) { above(it, "0000:23:00.0").active.width = 8; }, {"fault pcie-width 0000:23:00.0 sw2"}},
          {"idle", [](Graph& it) { above(it, "0000:23:00.0").active.speed = 2.5; }, {"note pcie-low-now 0000:23:00.0 sw2"}},
          {"idle and narrow",
           [](Graph& it) { above(it, "0000:23:00.0").active = {4, 2.5}; },
           {"fault pcie-width 0000:23:00.0 sw2", "note pcie-low-now 0000:23:00.0 sw2"}},
          {"slow NIC", [](Graph& it) { above(it, "0000:23:01.0").active.speed = 16; }, {"fault pcie-speed 0000:23:01.0 sw2"}},
          {"the switch above", [](Graph& it) { above(it, "sw2").active.width = 8; }, {"fault pcie-width sw2 0000:20:01.0"}},
          {"slot x8, said above the device",
           [](Graph& it) { above(it, "sw2").capable = above(it, "sw2").active = {8, 32}; },
           {"warning pcie-slot sw2 0000:20:01.0"}},
          {"slot x8, said by the device",
           [](Graph& it) {
             above(it, "0000:23:00.0").capable = above(it, "0000:23:00.0").active = {8, 32};
             above(it, "0000:23:00.0").attributes["b_capable_width"] = std::uint64_t{16};
           },
           {"warning pcie-slot 0000:23:00.0 sw2"}},
          {"slot of an older generation",
           [](Graph& it) {
             for (const char* key : {"0000:23:00.0", "sw2", "0000:20:01.0", "0000:23:01.0"})
               above(it, key).capable = above(it, key).active = {16, 16};
             above(it, "0000:23:00.0").attributes["gpu_max_generation"] = std::uint64_t{5};
           },
           {"note pcie-slot 0000:23:00.0 sw2"}},
          {"virtual port",
           [](Graph& it) {
             above(it, "sw2").capable = {1, 2.5};
             above(it, "sw2").active = {1, 2.5};
           },
           {"warning pcie-virtual sw2 0000:20:01.0"}},
      });
  Graph unknown = gpu_server(2);  // hwloc alone tells no widths
  for (Link& link : unknown.links) link.capable = link.active = {};
  CHECK(told(unknown).empty());
}

TEST_CASE("check: NVLink") {
  check_rows(
      [] { return gpu_server(8); },
      {
          {"two of eighteen inactive",
           [](Graph& it) {
             nvlink_of(it, "0000:33:00.0").count = 16;
             nvlink_of(it, "0000:33:00.0").attributes["capable_count"] = std::uint64_t{18};
           },
           {"fault nvlink-inactive 0000:33:00.0 nvswitch"}},
          {"down",
           [](Graph& it) { nvlink_of(it, "0000:33:00.0").state = LinkState::down; },
           {"fault nvlink-inactive 0000:33:00.0 nvswitch"}},
          {"fewer", [](Graph& it) { nvlink_of(it, "0000:33:00.0").count = 17; }, {"fault nvlink-fewer 0000:33:00.0 nvswitch"}},
          {"slower",
           [](Graph& it) { nvlink_of(it, "0000:33:00.0").active.speed = 53; },
           {"warning nvlink-slower 0000:33:00.0 nvswitch"}},
          {"not joined",
           [](Graph& it) { node_at(it, "0000:33:00.0").attributes["fabric_state"] = std::string("in progress"); },
           {"fault nvlink-fabric 0000:33:00.0"}},
          {"joined with trouble",
           [](Graph& it) {
             node_at(it, "0000:33:00.0").attributes["fabric_state"] = std::string("completed");
             node_at(it, "0000:33:00.0").attributes["fabric_health"] = std::string("degraded bandwidth");
           },
           {"fault nvlink-fabric 0000:33:00.0"}},
          {"joined without a cluster, as boards with NVSwitches do",
           [](Graph& it) { node_at(it, "0000:33:00.0").attributes["fabric_state"] = std::string("completed"); },
           {}},
          {"one without a cluster, and one in another clique",
           [](Graph& it) {
             for (Node& node : it.nodes)
               if (node.kind == Kind::gpu) {
                 node.attributes["fabric_state"] = std::string("completed");
                 node.attributes["fabric_cluster"] = std::string("01234567");
                 node.attributes["fabric_clique"] = std::uint64_t{32766};
               }
             node_at(it, "0000:33:00.0").attributes.erase("fabric_cluster");
             node_at(it, "0000:43:00.0").attributes["fabric_clique"] = std::uint64_t{1};
           },
           {"fault nvlink-fabric 0000:33:00.0", "fault nvlink-clique 0000:43:00.0 0000:03:00.0"}},
      });
  // Cards without any NVLink are no fault, nor is a pair with a bridge beside two without.
  Graph cards = gpu_server(4);
  std::erase_if(cards.links, [](const Link& link) { return link.kind == LinkKind::nvlink; });
  std::erase_if(cards.nodes, [](const Node& node) { return node.kind == Kind::nvswitch; });
  CHECK(told(cards).empty());
  for (Node& node : cards.nodes)
    if (node.kind == Kind::gpu) {
      node.name = "NVIDIA A40";
      node.attributes["nvlinks"] = std::uint64_t{12};
      node.attributes["nvlinks_active"] = std::uint64_t{0};
    }
  CHECK(told(cards).empty());
  for (Node& node : cards.nodes)
    for (const char* name : {"nvlinks", "nvlinks_active"}) node.attributes.erase(name);
  add_link(cards, "0000:03:00.0", "0000:13:00.0", LinkKind::nvlink).count = 12;
  CHECK(told(cards) == std::vector<std::string>{"note nvlink-fewer 0000:23:00.0", "note nvlink-fewer 0000:33:00.0"});
}

TEST_CASE("check: the recorded machines with a fault are found out, the healthy ones are not") {
  struct Row {
    const char* machine;
    std::vector<std::string> expected;  // without notes
  };
  for (const Row& row :
       {Row{"dgx1_v100", {}}, Row{"dgx2_v100", {}}, Row{"dgx_a100", {}}, Row{"dgx_h100", {}}, Row{"gb200_tray", {}},
        Row{"idle_gpu", {}}, Row{"inactive_nvlink", {"warning nvlink-inactive 0000:3b:00.0 0000:af:00.0"}},
        Row{"pcie_cards", {"fault pcie-width 0000:a1:00.0 numa1"}}}) {
    INFO(row.machine);
    std::vector<std::string> found = told(topo::build(topo::read_evidence(machine_file(row.machine))));
    std::erase_if(found, [](const std::string& it) { return it.starts_with("note "); });
    CHECK(found == row.expected);
  }
}

TEST_CASE("check: a missing edge between two GPUs names both") {
  Graph mesh = gpu_server(4);
  std::erase_if(mesh.links, [](const Link& link) { return link.kind == LinkKind::nvlink; });
  const std::vector<std::string> gpus{"0000:03:00.0", "0000:13:00.0", "0000:23:00.0", "0000:33:00.0"};
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = a + 1; b < 4; ++b)
      if (a != 1 || b != 2) add_link(mesh, gpus[a], gpus[b], LinkKind::nvlink).count = 6;
  CHECK(told(mesh) == std::vector<std::string>{"fault nvlink-fewer 0000:13:00.0 0000:23:00.0"});
  const Finding finding = check(mesh).front();
  CHECK(finding.found == "12 NVLinks in use");
  CHECK(finding.expected == "18, as GPU 0 has");
}

TEST_CASE("check: NICs near their GPUs, and which NICs count") {
  check_rows([] { return gpu_server(8); },
             {
                 {"a NIC of one NUMA node is gone, and its GPU uses a neighbour's",
                  [](Graph& it) { node_at(it, "0000:23:01.0").kind = Kind::device; },
                  {}},
                 {"all of one NUMA node",
                  [](Graph& it) {
                    for (const char* key : {"0000:03:01.0", "0000:13:01.0", "0000:23:01.0", "0000:33:01.0"})
                      node_at(it, key).kind = Kind::device;
                  },
                  {"warning nic-numa 0000:03:00.0 0000:43:01.0", "warning nic-numa 0000:13:00.0 0000:43:01.0",
                   "warning nic-numa 0000:23:00.0 0000:43:01.0", "warning nic-numa 0000:33:00.0 0000:43:01.0"}},
                 {"a port without a subnet manager",
                  [](Graph& it) { node_at(it, guid("nic", 3) + "/1").attributes["state"] = std::string("init"); },
                  {"fault port-init " + guid("nic", 3) + "/1"}},
                 {"a port that is down beside others that are up",
                  [](Graph& it) { node_at(it, guid("nic", 3) + "/1").attributes["state"] = std::string("down"); },
                  {"warning port-down " + guid("nic", 3) + "/1"}},
                 {"an Ethernet port has no subnet manager",
                  [](Graph& it) {
                    node_at(it, guid("nic", 3) + "/1").attributes["state"] = std::string("init");
                    node_at(it, guid("nic", 3) + "/1").attributes["link_layer"] = std::string("Ethernet");
                  },
                  {}},
             });
  // The user knows better: only NICs of the second NUMA node are for GPUs.
  Graph graph = gpu_server(4);
  CheckOptions options;
  options.nics = "mlx5_2,0000:33:*";
  CHECK(told(graph, options) ==
        std::vector<std::string>{"warning nic-numa 0000:03:00.0 0000:23:01.0", "warning nic-numa 0000:13:00.0 0000:23:01.0"});
}

TEST_CASE("roles: storage and management NICs are told from compute NICs") {
  Graph graph = gpu_server(4);
  const auto add_nic = [&](const std::string& key, const std::string& name, const std::string& pci_class) -> Node& {
    Node node;
    node.key = key;
    node.kind = Kind::nic;
    node.name = name;
    node.parent = "pci0000:00";
    node.provenance = {"test"};
    node.attributes["pci_class"] = pci_class;
    const auto root = std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& it) { return it.key == "pci0000:00"; });
    return *graph.nodes.insert(root + 1, node);
  };
  add_nic("0000:01:00.0", "Intel Ethernet Controller E810-C", "0200");
  add_nic("0000:02:00.0", "Mellanox ConnectX-7", "0207");  // the same card, but below no GPU's switch
  add_nic("0000:04:00.0", "Mellanox BlueField-3", "0207");
  add_nic("0000:05:00.0", "Intel Ethernet Adaptive Virtual Function", "0200");
  const View view(graph);
  const std::vector<NicRole> roles = nic_roles(view, "");
  CHECK(roles[view.place("0000:01:00.0")] == NicRole::management);
  CHECK(roles[view.place("0000:02:00.0")] == NicRole::storage);
  CHECK(roles[view.place("0000:04:00.0")] == NicRole::storage);
  CHECK(roles[view.place("0000:05:00.0")] == NicRole::none);
  for (const char* key : {"0000:03:01.0", "0000:13:01.0", "0000:23:01.0", "0000:33:01.0"})
    CHECK(roles[view.place(key)] == NicRole::compute);
  CHECK(roles[view.place("machine")] == NicRole::none);
  const std::vector<NicRole> asked = nic_roles(view, "mlx5_?,0000:02:*");
  CHECK(asked[view.place("0000:02:00.0")] == NicRole::compute);
  CHECK(asked[view.place("0000:33:01.0")] == NicRole::compute);
  CHECK(asked[view.place("0000:01:00.0")] == NicRole::management);
}

TEST_CASE("roles: patterns") {
  for (const auto& [pattern, text, fits] : std::vector<std::tuple<std::string, std::string, bool>>{{"mlx5_*", "mlx5_0", true},
                                                                                                   {"mlx5_*", "mlx4_0", false},
                                                                                                   {"*", "", true},
                                                                                                   {"", "", true},
                                                                                                   {"", "x", false},
                                                                                                   {"?", "x", true},
                                                                                                   {"?", "", false},
                                                                                                   {"a*b*c", "axxbyyc", true},
                                                                                                   {"a*b*c", "axxbyy", false},
                                                                                                   {"*_1", "mlx5_11", false},
                                                                                                   {"*_1*", "x_11", true}})
    CHECK(matches(pattern, text) == fits);
  CHECK_FALSE(matches(std::string(2000, '*') + "b", std::string(2000, 'a')));
}

TEST_CASE("check: real and odd machines do not upset it, and the worst comes first", "[long]") {
  for (const std::string name : {"laptop.json", "odd.json", "gpu_node.json"}) {
    const Graph graph = build(read_evidence(machine_file(name)));
    for (const Finding& finding : check(graph))
      // Of the GPU node's four GPUs two have no NVLink to each other, and one port has no subnet manager.
      CHECK((finding.severity == Severity::note ||
             (name == "gpu_node.json" && (finding.rule == "port-init" || finding.rule == "nvlink-fewer"))));
  }
  std::set<std::string> names;
  for (const RuleRow& rule : rules()) CHECK(names.insert(std::string(rule.name)).second);
  std::mt19937 random(21);
  for (int round = 0; round < 500; ++round) {
    const Graph graph = any_graph(random);
    Severity last = Severity::fault;
    for (const Finding& finding : check(graph)) {
      CHECK(names.contains(finding.rule));
      CHECK(finding.severity >= last);
      last = finding.severity;
    }
    CHECK(nlohmann::json::accept(to_json(diagnose(graph))));
    CHECK_FALSE(to_text(diagnose(graph)).empty());
  }
}

TEST_CASE("check: a paragraph is three lines that can be read aloud") {
  Graph graph = gpu_server(2);
  above(graph, "0000:13:00.0").active.width = 8;
  CHECK(
      to_text(diagnose(graph)) ==
      "FAULT pcie-width: GPU 1 (NVIDIA H100 80GB HBM3, 0000:13:00.0) to PCIe switch (sw1): the link runs x8; expected x16, which "
      "both ends can.\n"
      "  Half of the bandwidth of GPU 1 is lost, and a link that is idle does not give up lanes.\n"
      "  Power off, reseat the card, its riser or cable, and look for bent pins; if x8 stays, exchange it with a sibling to "
      "learn "
      "whether card or slot is at fault.\n"
      "44 links, 2 GPUs, 2 NICs checked: 1 fault; not checked: the fabric (--fabric or a file of ibnetdiscover tells it).\n");
  CHECK(to_text({}) == "Nothing to check.\n");
  Graph many = rail_fabric(40, 2, 1);
  for (Link& link : many.links)
    if (link.kind == LinkKind::infiniband) link.state = LinkState::init;
  const std::string text = to_text(diagnose(many));
  CHECK_THAT(text, ContainsSubstring("FAULT port-init: 74 more like these; --format json has them all.\n"));
  CHECK_THAT(text, ContainsSubstring(" checked: 82 faults, 1 note."));
  // What they have in common stands once, below those that are written out.
  CHECK(text.find("no subnet manager") == text.rfind("no subnet manager"));
  CHECK(nlohmann::json::parse(to_json(diagnose(many)))["findings"].size() == 83);
}
