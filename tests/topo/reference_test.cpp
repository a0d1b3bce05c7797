// Published measurements against ceilings: none may lie above the highest ceiling of an algorithm that its hardware can run.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/clusters.hpp"
#include "tests/topo/machines.hpp"
#include "topo/expect/expect.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

// Fields of one line of CSV.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      all.back() += line[++i];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      all.emplace_back();
    else if (line[i] != '\r')
      all.back() += line[i];
  }
  return all;
}

// Every number of a text, in order: "487.9 / 338.6 / 79.1".
std::vector<double> numbers(const std::string& text) {
  std::vector<double> all;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      ++i;
      continue;
    }
    std::size_t length = 0;
    all.push_back(std::stod(text.substr(i), &length));
    i += length;
  }
  return all;
}

using Hardware = Cluster;

struct Measured {
  std::size_t number;  // its place among the numbers of the row's value
  Collective collective;
  unsigned ranks;  // 0: all GPUs
};
using enum Collective;

struct CollectiveReference {
  std::string platform, metric;
  Hardware hardware;
  std::vector<Measured> measured;
};

const Hardware h100{"NVIDIA H100", 1, 8, 450};
const Hardware b200{"NVIDIA B200", 1, 8, 900};

Hardware several(Hardware one, unsigned machines, unsigned nics, double nic) {
  one.machines = machines;
  one.nics = nics;
  one.nic = nic;
  return one;
}
Hardware rack(const char* gpu, unsigned trays, unsigned racks) {
  Hardware it{gpu, trays, 4, 900};
  it.rack = true;
  it.racks = racks;
  it.nics = 4;
  it.nic = 50;
  return it;
}
Hardware sharp(Hardware it) {
  it.sharp = true;
  return it;
}
Hardware mesh(const char* gpu, double link) {
  Hardware it{gpu, 1, 8, link};
  it.mesh = true;
  return it;
}

std::vector<CollectiveReference> collective_rows() {
  return {
      {"A100 SXM 8-GPU", "AR 1 node", {"NVIDIA A100", 1, 8, 300}, {{0, all_reduce, 0}}},
      {"H100 SXM 8-GPU", "AR 1 node NVLS", h100, {{0, all_reduce, 0}, {1, all_reduce, 0}, {2, all_gather, 0}}},
      {"H100 SXM 8-GPU", "AR", h100, {{2, all_reduce, 0}}},
      {"B200 SXM 8-GPU", "AR", b200, {{0, all_reduce, 0}, {2, all_reduce, 0}}},
      {"MI300X 8", "AR", mesh("AMD MI300X", 64), {{0, all_reduce, 0}, {3, all_reduce, 2}}},
      {"2×p4de (4×100G EFA)", "AR", several({"NVIDIA A100", 1, 8, 300}, 2, 4, 12.5), {{0, all_reduce, 0}}},
      {"2×p5 (32×100G)", "AR", several(h100, 2, 32, 12.5), {{0, all_reduce, 0}, {2, all_reduce, 0}}},
      {"AWS H100 2 nodes", "AR/AG/A2A", several(h100, 2, 32, 12.5), {{0, all_reduce, 0}, {1, all_gather, 0}, {2, all_to_all, 0}}},
      {"p5en", "AR", several({"NVIDIA H200", 1, 8, 450}, 16, 16, 25), {{0, all_reduce, 0}}},
      {"4×P6-B200", "AR", several(b200, 4, 8, 50), {{0, all_reduce, 0}}},
      {"AWS GB200 4 trays",
       "AR/AG/A2A MNNVL on",
       rack("NVIDIA GB200", 4, 1),
       {{0, all_reduce, 0}, {1, all_gather, 0}, {2, all_to_all, 0}}},
      {"same, MNNVL off (EFA)",
       "AR/AG/A2A",
       several({"NVIDIA GB200", 1, 4, 900}, 4, 4, 50),
       {{0, all_reduce, 0}, {1, all_gather, 0}, {2, all_to_all, 0}}},
      {"AWS GB300 8 trays",
       "AR/AG/A2A",
       rack("NVIDIA GB300", 8, 1),
       {{0, all_reduce, 0}, {1, all_gather, 0}, {2, all_to_all, 0}}},
      {"AWS GB300 8 trays",
       "AR/AG/A2A",
       several({"NVIDIA GB300", 1, 4, 900}, 8, 4, 100),
       {{3, all_reduce, 0}, {4, all_gather, 0}, {5, all_to_all, 0}}},
      {"GCP a3-mega H100 TCPXO 2 nodes",
       "AR/AG/A2A",
       several(h100, 2, 8, 25),
       {{0, all_reduce, 0}, {1, all_gather, 0}, {2, all_to_all, 0}}},
      {"GCP GB200 2 trays",
       "AR/AG/A2A",
       rack("NVIDIA GB200", 2, 1),
       {{0, all_reduce, 0}, {1, all_gather, 0}, {2, all_to_all, 0}}},
      {"CoreWeave GB200 NVL72", "AR", rack("NVIDIA GB200", 18, 1), {{0, all_reduce, 72}}},
      {"CoreWeave GB200 NVL72", "AR", rack("NVIDIA GB200", 36, 2), {{4, all_reduce, 144}}},
      {"CoreWeave GB200 NVL72", "AR", rack("NVIDIA GB200", 360, 20), {{8, all_reduce, 1440}}},
      {"CoreWeave H100 SHARP MPIJob", "AR", sharp(several(h100, 12, 8, 50)), {{0, all_reduce, 96}, {2, all_reduce, 96}}},
      {"Together IB H100 (SkyPilot)", "AR", several(h100, 2, 8, 50), {{0, all_reduce, 0}, {2, all_reduce, 0}}},
      // Accelerators joined by 21 Ethernet ports of 200 Gb/s each, three to every other one: a mesh like any other.
      {"Gaudi3 HLS-3", "AR 1 box NW BW", mesh("Gaudi3", 75), {{0, all_reduce, 0}}},
  };
}

struct PathRow {
  std::string platform, metric;
  Hardware hardware;
  std::string from, to;
  struct Number {
    std::size_t place;
    double scale;  // from the row's unit to GB/s in one direction
  };
  std::vector<Number> measured;
};

std::vector<PathRow> path_rows() {
  const auto port = [](double nic) { return several({"no GPU", 1, 1, 0}, 2, 1, nic); };
  const Hardware h200{"NVIDIA H200", 1, 8, 450};
  Hardware station{"NVIDIA GB300", 1, 1, 0};
  station.c2c = 10 * 44.712;
  const double bits = 1.0 / 8;
  return {
      {"8×H200", "H2D / D2H", h200, "m0/numa0", "m0/gpu0", {{0, 1}, {1, 1}}},
      {"8×H200", "P2P uni / bi", h200, "m0/gpu0", "m0/gpu5", {{0, 1}, {1, 0.5}}},
      {"8×H100 (Voltage Park)", "H2D/D2H", h100, "m0/numa0", "m0/gpu0", {{0, 1}, {1, 1}}},
      {"GB300 DGX Station", "H2D/D2H C2C; bidir", station, "m0/numa0", "m0/gpu0", {{0, 1}, {1, 1}}},
      {"Azure ND H100 measured", "ib_write_bw GDR", port(50), "m0/nic0", "m1/nic0", {{0, bits}, {1, bits}}},
      {"p5en EFA 200G", "ib_write_bw", port(25), "m0/nic0", "m1/nic0", {{0, bits}}},
      {"400G RoCE CX-7", "perftest", port(50), "m0/nic0", "m1/nic0", {{0, bits}}},
      {"NDR under NCCL", "per NIC", port(50), "m0/nic0", "m1/nic0", {{0, 1}, {1, 1}}},
      {"100G / 200G under NCCL", "per NIC", port(12.5), "m0/nic0", "m1/nic0", {{0, 1}}},
      {"100G / 200G under NCCL", "per NIC", port(25), "m0/nic0", "m1/nic0", {{1, 1}}},
      {"EDR", "ib_write_bw", port(12.5), "m0/nic0", "m1/nic0", {{0, bits}}},
  };
}

}  // namespace

TEST_CASE("reference: no measured row of the table lies above the highest ceiling of its hardware") {
  const std::filesystem::path file = std::filesystem::path(RAILGAUGE_FACTS) / "expected-performance.csv";
  if (!std::filesystem::exists(file)) skip("no table " + file.string());
  std::set<std::string> used;
  std::vector<std::vector<std::string>> rows;
  const std::string all = contents(file);
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    rows.push_back(fields(all.substr(at, end - at)));
    at = end + 1;
  }
  const auto value_of = [&](const std::string& platform, const std::string& metric) {
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const auto& row) { return row.size() == 6 && row[0] == platform && row[1] == metric; });
    INFO(platform << ", " << metric);
    REQUIRE(found != rows.end());
    used.insert(platform + ", " + metric);
    return numbers((*found)[2]);
  };
  for (const CollectiveReference& row : collective_rows()) {
    const Graph graph = build(row.hardware);
    const std::vector<double> values = value_of(row.platform, row.metric);
    for (const Measured& it : row.measured) {
      TeamOptions options{it.ranks != 0 ? it.ranks : gpus_of(graph), {}, 0};
      // That NVLink leads out of the trays and is not used is not in the graph.
      if (row.hardware.gpu.find("NVIDIA GB") != std::string::npos && !row.hardware.rack) options.domains = row.hardware.machines;
      const Team team = team_of(graph, options);
      const std::vector<Ceiling> list = ceilings(it.collective, team);
      REQUIRE(it.number < values.size());
      INFO(row.platform << ": " << values[it.number] << " of\n" << to_text(it.collective, team, list));
      CHECK(list.front().refusal.empty());
      CHECK(values[it.number] <= list.front().bus);
      CHECK(values[it.number] > 0.02 * list.front().bus);  // the number that was meant, and no size or count
    }
  }
  for (const PathRow& row : path_rows()) {
    const Graph graph = build(row.hardware);
    const std::vector<double> values = value_of(row.platform, row.metric);
    const ExpectedPath expected = expected_path(graph, row.from, row.to);
    for (const PathRow::Number& it : row.measured) {
      REQUIRE(it.place < values.size());
      INFO(row.platform << ": " << values[it.place] << " of\n" << to_text(expected));
      CHECK(values[it.place] * it.scale <= expected.bandwidth.nominal);
      CHECK(values[it.place] * it.scale > 0.5 * expected.bandwidth.nominal);
    }
  }
  // Every row that somebody measured is above.
  for (const auto& row : rows)
    if (row.size() == 6 && row[4].find('M') != std::string::npos) {
      const std::string name = row[0] + ", " + row[1];
      INFO(name);
      CHECK(used.contains(name));
    }
}
