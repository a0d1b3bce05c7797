// Published measurements against ceilings and bands: no figure lies above a ceiling, and none of a healthy system outside its
// band without a reason. The table that comes of it is docs/measured/expectations.md.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "tests/topo/clusters.hpp"
#include "tests/topo/machines.hpp"
#include "topo/csv.hpp"
#include "topo/expect/bands.hpp"
#include "topo/expect/expect.hpp"
#include "topo/gpu_models.hpp"
#include "topo/path.hpp"
#include "topo/read/request.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

using Row = std::map<std::string, std::string, std::less<>>;

std::vector<Row> rows() {
  std::vector<Row> all;
  const std::string text = contents(RAILGAUGE_PUBLISHED);
  CsvRecords records(text, ',');
  REQUIRE(records.next("published.csv"));
  const std::vector<std::string> names = records.cells();
  while (records.next("published.csv")) {
    REQUIRE(records.cells().size() == names.size());
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = records.cells()[i];
    all.push_back(std::move(row));
  }
  REQUIRE(all.size() > 60);
  return all;
}

// "16 GiB" and "16 GB" are the same here: sources mix them. 0 where none is told.
double gigabytes_of(const std::string& size) {
  if (size.empty()) return 0;
  return std::stod(size) * (size.find('G') != std::string::npos ? 1 : size.find('M') != std::string::npos ? 1e-3 : 1e-6);
}

unsigned count(const Row& row, std::string_view name) { return static_cast<unsigned>(std::stoul(row.find(name)->second)); }
double number(const Row& row, std::string_view name) { return std::stod(row.find(name)->second); }
const std::string& text(const Row& row, std::string_view name) { return row.find(name)->second; }

Graph graph_of_row(const Row& row) {
  Cluster cluster{text(row, "gpu"), count(row, "machines"), count(row, "gpus"), number(row, "link")};
  cluster.mesh = text(row, "shape") == "mesh";
  cluster.rack = text(row, "shape") == "rack";
  cluster.racks = count(row, "racks");
  cluster.nics = count(row, "nics");
  cluster.nic = number(row, "nic");
  cluster.sharp = text(row, "sharp") == "yes";
  return build(cluster);
}

struct Compared {
  std::vector<Ceiling> ceilings;   // of all algorithms that can run
  std::optional<std::size_t> its;  // the one that was published, or in whose band the figure lies
  double highest = 0;              // of all
  [[nodiscard]] const Ceiling* ceiling() const { return its ? &ceilings[*its] : nullptr; }
};

Compared compare(const Row& row) {
  Compared it;
  const auto collective = find_collective(text(row, "collective"));
  REQUIRE(collective.has_value());
  TeamOptions options{count(row, "ranks"), {}, 0};
  // That NVLink leads out of the trays and is not used is not in the graph.
  if (text(row, "shape") == "switch" && text(row, "gpu").find("NVIDIA GB") != std::string::npos)
    options.domains = count(row, "machines");
  it.ceilings = ceilings(*collective, team_of(graph_of_row(row), options));
  std::erase_if(it.ceilings, [](const Ceiling& one) { return !one.refusal.empty(); });
  const double figure = number(row, "busbw");
  for (std::size_t i = 0; i < it.ceilings.size(); ++i) {
    const Ceiling& one = it.ceilings[i];
    it.highest = std::max(it.highest, one.bus);
    const bool named = one.algorithm == text(row, "algorithm");
    const bool fits =
        text(row, "algorithm").empty() && one.healthy && figure >= one.healthy->least && figure <= one.healthy->most;
    if (!it.its && (named || fits)) it.its = i;
  }
  return it;
}

bool is_pair(const Row& row) { return text(row, "collective") == "pair"; }

std::string table() {
  std::string out =
      "# How do published figures compare with ceilings and bands?\n\n"
      "    RAILGAUGE_RECORD=1 build/tests/test_topo \"published: the table*\"     # prints it, and writes this page\n\n"
      "Each row of tests/topo/published.csv beside what `railgauge topo expect` says of a generated cluster like it. GB/s of "
      "bus\n"
      "bandwidth. No figure lies above its ceiling; where one lies outside the band, or there is none, the last column says "
      "why.\n"
      "`-` is an algorithm that the source does not name and that no band gives away. The bands are topo/expect/bands.csv: each "
      "is the\n"
      "span of these same figures, widened by up to 7 % below and 5 % above, so that a band with one figure is one run. That "
      "the\n"
      "figures lie within them says that the table is consistent, and nothing of other machines.\n\n"
      "| system | collective | ranks | algorithm | size | published | ceiling | of it | healthy | source | outside, because |\n"
      "|---|---|---:|---|---|---:|---:|---:|---|---|---|\n";
  for (const Row& row : rows()) {
    if (is_pair(row)) continue;
    const Compared it = compare(row);
    const Ceiling* ceiling = it.ceiling();
    const double most = ceiling != nullptr ? ceiling->bus : it.highest;
    const double figure = number(row, "busbw");
    const std::string healthy = ceiling != nullptr && ceiling->healthy
                                    ? fmt::format("{:.0f} to {:.0f}", ceiling->healthy->least, ceiling->healthy->most)
                                    : "-";
    out += fmt::format("| {} | {} | {} | {} | {} | {:g} | {:.4g} | {:.2f} | {} | {} | {} |\n", text(row, "system"),
                       text(row, "collective"), text(row, "ranks"), ceiling != nullptr ? ceiling->algorithm : "-",
                       text(row, "size"), figure, most, figure / most, healthy, text(row, "source"), text(row, "reason"));
  }
  return out;
}

}  // namespace

TEST_CASE("published: no figure lies above its ceiling and none outside its band without a reason") {
  for (const Row& row : rows()) {
    if (is_pair(row)) continue;
    const Compared it = compare(row);
    const double figure = number(row, "busbw");
    INFO(text(row, "system") << ", " << text(row, "collective") << " " << text(row, "algorithm") << ": " << figure);
    CHECK(figure <= it.highest);
    const Ceiling* ceiling = it.ceiling();
    if (!text(row, "algorithm").empty()) REQUIRE(ceiling != nullptr);
    if (ceiling != nullptr) CHECK(figure <= ceiling->bus);
    const bool inside =
        ceiling != nullptr && ceiling->healthy && figure >= ceiling->healthy->least && figure <= ceiling->healthy->most;
    CHECK(inside == text(row, "reason").empty());  // a reason where none is needed is a mistake as well
    CHECK_FALSE(text(row, "source").empty());
  }
}

TEST_CASE("published: no band is wider than the figures that it is made of") {
  struct Seen {
    double least = 1, most = 0;
    double smallest = 0;  // message whose size is told, GB
  };
  std::map<std::string, Seen> seen;  // by what find_band() looks for
  const std::vector<Band> all = bands();
  REQUIRE(all.size() > 20);
  const auto id = [&](const Band* band) { return fmt::format("bands.csv, row {}", band - all.data() + 2); };
  for (const Row& row : rows()) {
    if (is_pair(row) || !text(row, "reason").empty()) continue;
    const Compared it = compare(row);
    const Ceiling* ceiling = it.ceiling();
    REQUIRE(ceiling != nullptr);
    Node gpu;
    gpu.name = text(row, "gpu");
    const unsigned domains = text(row, "shape") == "rack" ? count(row, "racks") : count(row, "machines");
    const Band* band = find_band(all, *find_collective(text(row, "collective")), ceiling->algorithm, gpu_model(gpu).generation,
                                 ceiling->limit, domains, count(row, "ranks") / domains);
    INFO(text(row, "system"));
    REQUIRE(band != nullptr);
    const double share = number(row, "busbw") / ceiling->bus;
    Seen& these = seen[id(band)];
    these.least = std::min(these.least, share);
    these.most = std::max(these.most, share);
    if (const double size = gigabytes_of(text(row, "size")); size > 0 && (these.smallest == 0 || size < these.smallest))
      these.smallest = size;
  }
  for (const Band& band : all) {
    INFO(id(&band) << " " << band.algorithm << " " << band.generation);
    REQUIRE(seen.contains(id(&band)));
    CHECK(band.least >= 0.93 * seen[id(&band)].least);
    CHECK(band.most <= 1.05 * seen[id(&band)].most);
    CHECK(gigabytes_of(band.size) == seen[id(&band)].smallest);
  }
}

TEST_CASE("published: pairs reach what is called usable and no more than what is nominal") {
  for (const Row& row : rows()) {
    if (!is_pair(row)) continue;
    // Links by their generation, as NVML's reader makes them.
    const bool blackwell = text(row, "gpu").find("B200") != std::string::npos;
    const std::string capability = blackwell ? "100" : "90";
    std::string xml = "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\">";
    for (unsigned k = 0; k < 2; ++k)
      xml += fmt::format(
          "<pci busid=\"0000:1{}:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"{}\" "
          "sm=\"{}\" "
          "rank=\"{}\" gdr=\"1\"><nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/></gpu></pci>",
          k, k, capability, k);
    const Scratch scratch;
    const auto file = scratch.path() / "pair.xml";
    fill(file, xml + "</cpu></system>");
    const Graph graph = graph_of_files({file.string()});
    const Path pair = Paths(graph).between("0000:10:00.0", "0000:11:00.0");
    INFO(text(row, "system"));
    CHECK(number(row, "busbw") <= pair.bandwidth.nominal);
    CHECK_THAT(pair.bandwidth.usable, WithinAbs(number(row, "busbw"), 0.01 * number(row, "busbw")));
  }
}

TEST_CASE("published: the topology files of vendors give no ceiling below what their machines reach") {
  unsigned files = 0;
  for (const Row& row : rows()) {
    if (text(row, "file").empty()) continue;
    const auto path = std::filesystem::path(RAILGAUGE_FIXTURES) / text(row, "file");
    if (!std::filesystem::exists(path)) continue;
    const Graph graph = graph_of_files({path.string()});
    for (const unsigned machines : {1U, 2U}) {
      const Team team = team_of(graph, {machines * gpus_of(graph)});
      INFO(path.string() << " " << team.inside_words);
      CHECK_THAT(team.inside_words, ContainsSubstring("V is unknown") && ContainsSubstring("nvidia-smi topo -m"));
      for (const Collective collective : {Collective::all_reduce, Collective::all_gather, Collective::all_to_all})
        for (const Ceiling& it : ceilings(collective, team)) CHECK(it.bus == 0);
    }
    ++files;
  }
  if (files == 0) skip("no fixtures in " RAILGAUGE_FIXTURES);
}

TEST_CASE("published: the table of the docs is the one that is made now") {
  const std::string now = table();
  if (std::getenv("RAILGAUGE_RECORD") != nullptr) fill(RAILGAUGE_EXPECTATIONS, now);
  std::printf("%s", now.c_str());
  CHECK(contents(RAILGAUGE_EXPECTATIONS) == now);
}
