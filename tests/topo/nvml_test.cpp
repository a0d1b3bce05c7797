// NVML: described machines played by an imitation of the library, collected by the real code, stored and interpreted.
#include "tests/topo/nvml_test_cases.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::test::nvml_cases;

TEST_CASE("NVML: each described machine gives its recorded answers and its recorded graph") {
  for (const std::string& name : machines) {
    INFO(name);
    const std::string text = collected(described(name));
    check_recorded(machine_file(name) / "nvml.json", text);
    const topo::Graph graph = graph_in(text);
    CHECK(inconsistency(graph) == "");
    check_recorded(machine_file(name) / "graph.txt", listing(graph));
  }
}

TEST_CASE("NVML: counts of each machine as its maker states them") {
  struct Row {
    const char* name;
    std::size_t gpus, switches;
    unsigned nvlinks, c2c;
    double gigabytes;  // NVLink of one GPU, each direction, nominal
  };
  for (const Row& row : {Row{"dgx1_v100", 8, 0, 24, 0, 150}, Row{"dgx2_v100", 16, 12, 96, 0, 150},
                         Row{"dgx_a100", 8, 6, 96, 0, 300}, Row{"dgx_h100", 8, 4, 144, 0, 450},
                         Row{"gb200_tray", 4, 1, 72, 20, 900}, Row{"pcie_cards", 8, 0, 0, 0, 0}, Row{"idle_gpu", 1, 0, 0, 0, 0},
                         Row{"inactive_nvlink", 2, 0, 3, 0, 3 * 14.0625}, Row{"gb300_missing_edge", 4, 1, 54, 20, 900}}) {
    INFO(row.name);
    const topo::Graph graph = topo::build(topo::read_evidence(machine_file(row.name) / "nvml.json"));
    CHECK(count(graph, topo::Kind::gpu) == row.gpus);
    CHECK(count(graph, topo::Kind::nvswitch) == row.switches);
    CHECK(links(graph, topo::LinkKind::nvlink) == row.nvlinks);
    CHECK(links(graph, topo::LinkKind::c2c) == row.c2c);
    for (const topo::Node& gpu : graph.nodes) {
      if (gpu.kind != topo::Kind::gpu) continue;
      INFO(gpu.key);
      unsigned active = 0;
      double gigabytes = 0;
      for (const topo::Link& it : links_of(graph, gpu.key, topo::LinkKind::nvlink)) {
        active += it.state == topo::LinkState::active ? it.count : 0;
        gigabytes += it.state == topo::LinkState::active ? it.bandwidth.nominal : 0;
      }
      CHECK(active == topo::number_of(gpu.attributes, "nvlinks_active"));
      if (active != 0) CHECK_THAT(gigabytes, WithinAbs(row.gigabytes, 1e-9));
    }
  }
}

TEST_CASE("NVML: the links of a DGX-1 are those that nvidia-smi prints for one") {
  const std::filesystem::path path = std::filesystem::path(RAILGAUGE_FIXTURES) / "topo-m-dgx1-v100-tabs.txt";
  if (!std::filesystem::exists(path)) skip("no fixture " + path.string());
  const topo::Graph graph = graph_in(contents(machine_file("dgx1_v100") / "nvml.json"));
  std::vector<std::string> gpus(8);
  for (const topo::Node& it : graph.nodes)
    if (it.kind == topo::Kind::gpu) gpus.at(topo::number_of(it.attributes, "nvml_index")) = it.key;
  std::istringstream file(contents(path));
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::string head;
    cells >> head;
    if (!head.starts_with("GPU") || line.find("mlx5") != std::string::npos) continue;
    for (std::size_t other = 0; other < 8; ++other) {
      std::string cell;
      cells >> cell;
      unsigned found = 0;
      for (const topo::Link& it : links_of(graph, gpus[rows], topo::LinkKind::nvlink))
        if (other != rows && (it.a == gpus[other] || it.b == gpus[other])) found = it.count;
      INFO(line << " column " << other);
      CHECK(found == (cell.starts_with("NV") ? std::stoul(cell.substr(2)) : 0));
    }
    ++rows;
  }
  CHECK(rows == 8);
}

TEST_CASE("NVML: an idle GPU rests, and a narrow link is narrow") {
  const topo::Graph idle = graph_in(contents(machine_file("idle_gpu") / "nvml.json"));
  const topo::Link resting = links_of(idle, "0000:65:00.0", topo::LinkKind::pcie).at(0);
  CHECK(resting.state == topo::LinkState::low);
  CHECK(resting.active.speed == 2.5);
  CHECK(resting.capable.speed == 16);
  CHECK_THAT(resting.bandwidth.nominal, WithinAbs(31.508, 1e-3));  // what it carries once there is traffic
  CHECK(topo::number_of(resting.attributes, "gpu_max_generation") == 5);
  const topo::Graph cards = graph_in(contents(machine_file("pcie_cards") / "nvml.json"));
  const topo::Link narrow = links_of(cards, "0000:a1:00.0", topo::LinkKind::pcie).at(0);
  CHECK(narrow.state == topo::LinkState::active);
  CHECK(narrow.active.width == 8);
  CHECK(narrow.capable.width == 16);
  CHECK_THAT(narrow.bandwidth.nominal, WithinAbs(15.754, 1e-3));
  CHECK(links_of(cards, "0000:61:00.0", topo::LinkKind::pcie).at(0).b_counters.at("replay") == 41);
  CHECK(topo::list_of(node(cards, "0000:61:00.0").attributes, "p2p_refused")[0] == "all CNS");
}

TEST_CASE("NVML: the fabric of a rack, healthy and not") {
  const topo::Graph tray = graph_in(contents(machine_file("gb200_tray") / "nvml.json"));
  CHECK(text_at(tray, "0008:01:00.0", "fabric_health") == "healthy");
  CHECK(text_at(tray, "0008:01:00.0", "fabric_state") == "completed");
  CHECK(text_at(tray, "machine", "chassis_serial") == "1820525190123");
  const std::string domain = "domain:7f3a1c00-52d9-4b6e-8f10-a2b3c4d5e6f7/32766";
  CHECK(node(tray, domain + "/nvswitch").parent == domain);
  CHECK(node(tray, domain).kind == topo::Kind::rack);
  const topo::Link c2c = links_of(tray, "0018:01:00.0", topo::LinkKind::c2c).at(0);
  CHECK(c2c.a == "numa1");
  CHECK_THAT(c2c.bandwidth.nominal, WithinAbs(5 * 44.712, 1e-9));

  const topo::Graph missing = graph_in(contents(machine_file("gb300_missing_edge") / "nvml.json"));
  CHECK(text_at(missing, "0018:01:00.0", "fabric_health") == "too few NVLinks");
  CHECK(text_at(missing, "0018:01:00.0", "fabric_summary") == "unhealthy");
  const topo::Link edge = links_of(missing, "0018:01:00.0", topo::LinkKind::nvlink).at(0);
  CHECK(edge.state == topo::LinkState::down);
  CHECK(edge.count == 18);
  CHECK(edge.b == "domain:7f3a1c00-52d9-4b6e-8f10-a2b3c4d5e6f7/32766/nvswitch");
  CHECK(topo::number_of(node(missing, "0018:01:00.0").attributes, "nvlinks_active") == 0);
}

TEST_CASE("NVML: trays of one domain meet at its switches, and those of another rack do not") {
  const Scratch scratch;
  const std::string tray = contents(machine_file("gb200_tray") / "nvml.json");
  const auto changed = [&](std::string text, const std::vector<std::pair<std::string, std::string>>& changes) {
    for (const auto& [from, to] : changes)
      for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
  };
  const std::string second = changed(tray, {{"\"node\"", "\"node2\""}, {"GPU-c1", "GPU-c2"}});
  const std::string third = changed(tray, {{"\"node\"", "\"node3\""}, {"GPU-c1", "GPU-c3"}, {"7f3a1c00", "8f3a1c00"}});
  const topo::Graph graph =
      topo::build(std::vector<topo::Evidence>{{{"nvml", "a", tray}}, {{"nvml", "b", second}}, {{"nvml", "c", third}}});
  CHECK(inconsistency(graph) == "");
  CHECK(count(graph, topo::Kind::gpu) == 12);
  CHECK(count(graph, topo::Kind::nvswitch) == 2);
  CHECK(count(graph, topo::Kind::rack) == 2);
  CHECK(links_of(graph, "domain:7f3a1c00-52d9-4b6e-8f10-a2b3c4d5e6f7/32766/nvswitch", topo::LinkKind::nvlink).size() == 8);
}

TEST_CASE("NVML: an inactive link and ends that disagree") {
  const topo::Graph graph = graph_in(contents(machine_file("inactive_nvlink") / "nvml.json"));
  const topo::Link bridge = links_of(graph, "0000:3b:00.0", topo::LinkKind::nvlink).at(0);
  CHECK(bridge.count == 3);
  CHECK(topo::list_of(node(graph, "0000:3b:00.0").attributes, "nvlinks_inactive")[0] == "2");
  CHECK(bridge.a_counters.at("crc_flit") == 1048576);
  CHECK(bridge.b_counters.at("crc_flit") == 0);

  const Changed one_side("dgx1_v100", "link 3:1 off");
  const topo::Graph odd = graph_in(collected(one_side.path()));
  for (const topo::Link& it : links_of(odd, "0000:0b:00.0", topo::LinkKind::nvlink))
    if (it.a == "0000:06:00.0") {
      CHECK(it.count == 1);
      CHECK(topo::number_of(it.attributes, "a_active") == 2);
      CHECK(topo::number_of(it.attributes, "b_active") == 1);
    }
}

TEST_CASE("NVML: a slow link says so") {
  const Changed slow("dgx_h100", "link 0:0-3 field 164 13281");
  const topo::Graph graph = graph_in(collected(slow.path()));
  const topo::Link link = links_of(graph, "0000:1b:00.0", topo::LinkKind::nvlink).at(0);
  CHECK_THAT(link.active.speed, WithinAbs(53.124, 1e-3));
  CHECK(link.capable.speed == 106.25);
  CHECK_THAT(link.bandwidth.nominal, WithinAbs(50, 1e-2));
}

TEST_CASE("NVML: GPUs and switches that the machine cannot see") {
  const Changed guest("dgx_h100", "link *:* 6 hidden");
  const topo::Graph graph = graph_in(collected(guest.path()));
  CHECK(count(graph, topo::Kind::nvswitch) == 1);
  CHECK(node(graph, "nvswitch").parent == "machine");
  CHECK(links_of(graph, "nvswitch", topo::LinkKind::nvlink).size() == 8);

  const Changed few("inactive_nvlink", "system count 1");
  const topo::Graph half = graph_in(collected(few.path()));
  CHECK(node(half, "0000:af:00.0").name == "GPU that this process may not see");
  CHECK(links(half, topo::LinkKind::nvlink) == 3);

  const Changed power9("idle_gpu", "link 0:0-2 3 npu 00000004:00:00.0");
  const topo::Graph npu = graph_in(collected(power9.path()));
  const topo::Link up = links_of(npu, "0000:65:00.0", topo::LinkKind::nvlink).at(0);
  CHECK(up.a == "numa0");
  CHECK(up.count == 3);
}
