// Where things stand in pictures: nothing lies over another, all text fits, and what is wrong stands apart.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/generate.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/networks.hpp"
#include "topo/check/check.hpp"
#include "topo/layout/layout.hpp"
#include "topo/layout/measure.hpp"
#include "topo/layout/names.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"

using namespace railgauge;
using namespace railgauge::test;
using topo::Box;
using topo::Picture;
using topo::Role;

namespace {

// By less than half a pixel boxes may lie over each other: rounding.
bool overlap(const Box& a, const Box& b) {
  return a.at.x + 0.5 < b.at.x + b.width && b.at.x + 0.5 < a.at.x + a.width && a.at.y + 0.5 < b.at.y + b.height &&
         b.at.y + 0.5 < a.at.y + a.height;
}
bool inside(const Box& a, const Box& b) {
  return a.at.x + 0.5 >= b.at.x && a.at.y + 0.5 >= b.at.y && a.at.x + a.width <= b.at.x + b.width + 0.5 &&
         a.at.y + a.height <= b.at.y + b.height + 0.5;
}

// "" when the picture can be read; else what is wrong with it.
std::string illegible(const Picture& picture) {
  std::set<std::string> ids;
  for (const Box& box : picture.boxes) {
    if (!ids.insert(box.id).second) return box.id + " stands there twice";
    if (box.at.x < -0.5 || box.at.y < -0.5 || box.at.x + box.width > picture.width + 0.5 ||
        box.at.y + box.height > picture.height + 0.5)
      return box.id + " stands outside";
    for (std::size_t i = 0; i < box.lines.size(); ++i)
      if (topo::text_width(box.lines[i],
                           i == 0 && box.role != Role::bar && box.role != Role::note ? topo::title_size : topo::line_size) >
          box.width + 0.5)
        return box.id + ": " + box.lines[i] + " does not fit";
  }
  for (std::size_t i = 0; i < picture.boxes.size(); ++i)
    for (std::size_t j = i + 1; j < picture.boxes.size(); ++j) {
      const Box& a = picture.boxes[i];
      const Box& b = picture.boxes[j];
      if (!overlap(a, b)) continue;
      const bool held = (a.role == Role::frame && inside(b, a)) || (b.role == Role::frame && inside(a, b));
      if (!held) return a.id + " lies over " + b.id;
    }
  for (const topo::Edge& edge : picture.edges) {
    if (!ids.contains(edge.a) || !ids.contains(edge.b)) return "an edge joins " + edge.a + " and " + edge.b;
    if (edge.bends.size() < 2) return "an edge of " + edge.a + " has no course";
  }
  return {};
}

// As `railgauge topo` draws it, with what is found.
Picture picture_of(const topo::Graph& graph, const topo::Ratios& measured = {}) {
  topo::CheckOptions options;
  options.measured = &measured;
  return topo::lay_out(graph, topo::diagnose(graph, options));
}

// Without the notes, which mark nothing.
std::vector<std::vector<topo::Cell>> findings(const Picture& picture);

const Box& box(const Picture& picture, std::string_view id) {
  const auto at = std::find_if(picture.boxes.begin(), picture.boxes.end(), [&](const Box& it) { return it.id == id; });
  if (at == picture.boxes.end()) throw std::runtime_error("no box " + std::string(id));
  return *at;
}

std::string key_of(const topo::Graph& graph, const std::string& name) {
  const auto at = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& it) { return it.name.starts_with(name); });
  if (at == graph.nodes.end()) throw std::runtime_error("no node called " + name);
  return at->key;
}

std::set<std::string> names_in(const Picture& picture) {
  std::set<std::string> names;
  for (const Box& it : picture.boxes) {
    names.insert(it.id);
    for (const topo::Members& members : it.members) names.insert(members.names.begin(), members.names.end());
  }
  return names;
}

const topo::Table& table(const Picture& picture, std::string_view id) {
  const auto at = std::find_if(picture.tables.begin(), picture.tables.end(), [&](const topo::Table& it) { return it.id == id; });
  if (at == picture.tables.end()) throw std::runtime_error("no table " + std::string(id));
  return *at;
}

std::vector<std::vector<topo::Cell>> findings(const Picture& picture) {
  std::vector<std::vector<topo::Cell>> rows = table(picture, "findings").rows;
  std::erase_if(rows, [](const auto& row) { return row.front().text == "note"; });
  return rows;
}

}  // namespace

TEST_CASE("pictures of machines: nothing lies over another and all text fits") {
  for (const std::string name : {"gpu_node", "odd", "laptop"}) {
    INFO(name);
    CHECK(illegible(picture_of(topo::build(topo::read_evidence(machine_file(name + ".xml"))))) == "");
  }
  CHECK(illegible(picture_of(topo::build(topo::collect({})))) == "");
  CHECK(picture_of({}).boxes.empty());
}

TEST_CASE("pictures of fixtures: nothing lies over another and all text fits") {
  const std::filesystem::path folder = RAILGAUGE_FIXTURES;
  if (!std::filesystem::exists(folder)) skip("no fixtures in " + folder.string());
  std::size_t drawn = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    topo::Graph graph;
    try {
      graph = topo::build(topo::read_evidence(entry.path()));
    } catch (const std::exception&) {
      continue;  // other tests say which can be read
    }
    INFO(entry.path().string());
    CHECK(illegible(picture_of(graph)) == "");
    ++drawn;
  }
  CHECK(drawn >= 5);
}

TEST_CASE("the picture of a GPU node shows which NIC belongs to which GPU") {
  const Picture picture = picture_of(topo::build(topo::read_evidence(machine_file("gpu_node.xml"))));
  const Box& bar = box(picture, "0000:11:00.0");
  REQUIRE(bar.role == Role::bar);
  for (const std::string below : {"0000:13:00.0", "0000:14:00.0", "0000:15:00.0"}) {
    const Box& card = box(picture, below);
    CHECK(card.at.y > bar.at.y + bar.height);
    CHECK(card.at.x >= bar.at.x);
    CHECK(card.at.x + card.width <= bar.at.x + bar.width + 0.5);
    CHECK(card.at.y == box(picture, "0000:93:00.0").at.y);  // all devices in one row
  }
  CHECK(box(picture, "0000:15:00.0").badge == "rail 0");
  CHECK(box(picture, "0000:95:00.0").badge == "rail 1");
  CHECK(box(picture, "0000:95:00.0").warning);  // its port waits for a subnet manager
  CHECK(std::count_if(picture.edges.begin(), picture.edges.end(),
                      [](const auto& it) { return it.kind == topo::LinkKind::nvlink; }) == 5);
  for (const Box& it : picture.boxes) CHECK(it.kind != topo::Kind::storage);  // folded away
}

TEST_CASE("a rail-optimised fabric: what is wrong stands apart and the rest is counted") {
  topo::Graph graph = rail_optimised(256, 8, 32, 16);
  const Picture whole = picture_of(graph);
  CHECK(illegible(whole) == "");
  CHECK(findings(whole).empty());
  CHECK(std::none_of(whole.boxes.begin(), whole.boxes.end(), [](const Box& it) { return it.warning; }));
  CHECK(whole.boxes.size() == 2 + 8 * 3);  // spines and their frame; of each rail its frame, its leaves, their hosts

  std::swap(link_between(graph, "node00040/mlx5_2", "leaf-u02-r2").b, link_between(graph, "node00040/mlx5_5", "leaf-u02-r5").b);
  link_between(graph, "leaf-u03-r4", "spine07").active = {4, 53.125};
  std::erase_if(graph.links, [](const topo::Link& it) { return it.a == "leaf-u05-r1" && it.b == "spine02"; });
  const Picture picture = picture_of(graph);
  CHECK(illegible(picture) == "");
  std::set<std::string> apart;
  for (const Box& it : picture.boxes)
    if (it.warning) apart.insert(it.id);
  CHECK(apart == std::set<std::string>{"node00040", "leaf-u03-r4", "spine07", "leaf-u05-r1", "spine02"});
  std::multiset<std::string> what;
  for (const auto& row : findings(picture)) what.insert(row[1].text);
  CHECK(what == std::multiset<std::string>{"infiniband-speed", "rail", "rail", "uplink-missing"});
  CHECK(std::count_if(picture.edges.begin(), picture.edges.end(), [](const auto& it) { return it.warning; }) == 4);
  const topo::Table& rails = table(picture, "rails");
  CHECK(rails.rows.front().front().text == "node00040");
  CHECK(rails.rows.front()[3].warning);
  CHECK(rails.rows.size() == 9);  // eight units of 32 hosts, and the one
}

TEST_CASE("a fabric: what was measured far below the rest stands apart, and nothing does where all are alike") {
  topo::Graph graph = rail_optimised(64, 4, 16, 8);
  const auto key = [&](const char* a, const char* b) { return topo::link_key(link_between(graph, a, b)); };
  topo::Ratios ratios;
  for (const topo::Link& it : graph.links) ratios[topo::link_key(it)] = 0.4;
  const Picture alike = picture_of(graph, ratios);
  CHECK(findings(alike).empty());

  ratios[key("node00040/mlx5_2", "leaf-u03-r2")] = 0.29;
  ratios[key("node00041/mlx5_2", "leaf-u03-r2")] = 0.31;  // within three quarters
  ratios.erase(key("node00042/mlx5_2", "leaf-u03-r2"));   // not measured
  const Picture picture = picture_of(graph, ratios);
  CHECK(illegible(picture) == "");
  REQUIRE(findings(picture).size() == 1);
  const auto row = findings(picture).front();
  CHECK(row[1].text == "link-measured");
  CHECK(std::any_of(row.begin(), row.end(), [](const topo::Cell& it) { return it.text == "29 % of its bandwidth"; }));
  CHECK(std::any_of(row.begin(), row.end(), [](const topo::Cell& it) { return it.text == "40 % of its bandwidth"; }));
  CHECK(box(picture, "node00040").warning);
  CHECK(std::count_if(picture.boxes.begin(), picture.boxes.end(), [](const Box& it) { return it.warning; }) == 1);
}

TEST_CASE("a finding about a switch marks it, one about a link that one alone, and hosts with faults stand before others") {
  topo::Graph graph = rail_optimised(64, 4, 16, 8);
  graph.links.push_back(link_between(graph, "leaf-u01-r1", "spine03"));
  const auto finding = [](topo::Severity severity, const std::string& a, const std::string& b = {}) {
    topo::Finding made;
    made.rule = "made-up";
    made.severity = severity;
    made.a = {a, 0, a};
    made.b = {b, 0, b};
    made.found = "a finding of more words than one line of a box has room for";
    return made;
  };
  topo::Diagnosis diagnosis;
  diagnosis.findings = {finding(topo::Severity::fault, "leaf-u02-r0"), finding(topo::Severity::fault, "node00030"),
                        finding(topo::Severity::fault, "leaf-u01-r1", "spine03"), finding(topo::Severity::warning, "node00002")};
  diagnosis.findings[2].link = graph.links.size() - 1;
  const Picture picture = topo::lay_out(graph, diagnosis);
  CHECK(illegible(picture) == "");
  std::vector<std::string> hosts;
  std::set<std::string> switches;
  for (const Box& it : picture.boxes)
    if (it.warning && it.kind == topo::Kind::machine)
      hosts.push_back(it.id);
    else if (it.warning)
      switches.insert(it.id);
  CHECK(hosts == std::vector<std::string>{"node00030", "node00002"});
  CHECK(switches == std::set<std::string>{"leaf-u02-r0", "leaf-u01-r1", "spine03"});
  CHECK(box(picture, "node00002").lines.size() == 3);
  for (const topo::Edge& it : picture.edges)
    if (it.warning) CHECK(it.label == std::vector<std::string>{"1 of 2: 4x NDR"});
}

TEST_CASE("every host and switch of a large fabric is found in its picture", "[long]") {
  topo::Graph graph = rail_optimised(usual_or_thorough(3200, 16000), 8, 32, 32);
  std::swap(link_between(graph, "node01001/mlx5_0", "leaf-u32-r0").b, link_between(graph, "node01001/mlx5_7", "leaf-u32-r7").b);
  const Picture picture = picture_of(graph);
  CHECK(illegible(picture) == "");
  CHECK(picture.boxes.size() < 100);
  CHECK(box(picture, "node01001").warning);
  const std::set<std::string> names = names_in(picture);
  std::size_t absent = 0;
  for (const topo::Node& node : graph.nodes)
    if (node.kind != topo::Kind::nic && !names.contains(node.name)) ++absent;
  CHECK(absent == 0);
}

TEST_CASE("tori and dragonflies are recognised") {
  struct Row {
    unsigned x, y, z;
    const char* words;
  };
  for (const Row& row : {Row{6, 5, 1, "torus 6 \u00d7 5,"}, Row{4, 4, 1, "torus 4 \u00d7 4,"},
                         Row{5, 4, 3, "torus 5 \u00d7 4 \u00d7 3,"}, Row{7, 3, 2, "torus 7 \u00d7 3 \u00d7 2,"}}) {
    const Picture picture = picture_of(torus(row.x, row.y, row.z));
    INFO(row.words);
    CHECK_THAT(picture.subtitle, ContainsSubstring(row.words));
    CHECK(illegible(picture) == "");
  }
  topo::Graph graph = torus(6, 6, 1);
  std::erase_if(graph.links, [](const topo::Link& it) { return it.a == "s-2-3-0" && it.b == "s-3-3-0"; });
  const Picture missing = picture_of(graph);
  CHECK_THAT(missing.subtitle, ContainsSubstring("torus 6 \u00d7 6, "));
  CHECK(findings(missing).size() == 1);
  CHECK(box(missing, "s-2-3-0").warning);

  const Picture ring = picture_of(dragonfly(9, 8));
  CHECK_THAT(ring.subtitle, ContainsSubstring("dragonfly, 9 groups"));
  CHECK(illegible(ring) == "");
  CHECK(ring.edges.size() == 36);
}

namespace {

// How large the fabric is drawn on a page of 1600 x 1000: 1 is as large as its types say.
double scale_on_page(const Picture& picture) { return std::min({1.0, 1240 / picture.width, 850 / picture.height}); }

}  // namespace

TEST_CASE("a wide fabric is wrapped until its leaves can be read on a page") {
  for (const unsigned leaves : {8U, 16U, 33U, 64U}) {
    // Each leaf lacks a link to a spine of its own, so that none is like another.
    topo::Graph graph = rail_optimised(leaves * 4, 4, 16, 16);
    for (std::size_t i = 0; i < graph.links.size(); i += 23)
      if (graph.links[i].a.starts_with("leaf") || graph.links[i].b.starts_with("leaf"))
        graph.links.erase(graph.links.begin() + static_cast<std::ptrdiff_t>(i));
    const Picture picture = topo::lay_out(graph);
    INFO(leaves << " leaves, " << picture.width << " x " << picture.height);
    CHECK(illegible(picture) == "");
    CHECK(scale_on_page(picture) > 0.6);
  }
}

TEST_CASE("a table of links marks what is missing, and no pair that was never to be joined") {
  // Two pods: the slow links of one leaf and of the other pod's spine are no link between these two.
  topo::Graph pods = topo::to_graph(fat_tree(4));
  const auto slow = [&](const std::string& a, const std::string& b) {
    link_between(pods, key_of(pods, a), key_of(pods, b)).active = {4, 53.125};
  };
  slow("leaf-p01-01", "spine-p01-01");
  slow("leaf-p02-01", "spine-p02-01");
  std::multiset<std::string> marked;
  const Picture two_pods = picture_of(pods);
  for (const auto& row : table(two_pods, "links1").rows)
    for (std::size_t i = 1; i < row.size(); ++i)
      if (row[i].warning) marked.insert(row[i].text);
  CHECK(marked == std::multiset<std::string>{"1", "1"});

  topo::Graph doubled = topo::to_graph(two_tiers(std::vector<unsigned>(8, 4), 4, 2));
  topo::Link* lost = &link_between(doubled, key_of(doubled, "leaf03"), key_of(doubled, "spine02"));
  doubled.links.erase(doubled.links.begin() + (lost - doubled.links.data()));
  marked.clear();
  const Picture leaves = picture_of(doubled);
  for (const auto& row : table(leaves, "links1").rows)
    for (std::size_t i = 1; i < row.size(); ++i)
      if (row[i].warning) marked.insert(row.front().text + " " + row[i].text);
  CHECK(marked == std::multiset<std::string>{"leaf03 1"});
}

TEST_CASE("a picture numbers GPUs as the findings do") {
  topo::Graph graph = gpu_server(2);  // CUDA may count in another order than the driver
  node_at(graph, "0000:03:00.0").attributes["os_devices"] = std::vector<std::string>{"cuda1", "nvml0"};
  node_at(graph, "0000:13:00.0").attributes["os_devices"] = std::vector<std::string>{"cuda0", "nvml1"};
  const topo::View view(graph);
  const Picture picture = picture_of(graph);
  for (const char* key : {"0000:03:00.0", "0000:13:00.0"})
    CHECK(box(picture, key).lines.front() == "GPU " + std::to_string(view.gpu_number(view.place(key))));
}

TEST_CASE("a dragonfly says what its colours mean only where they are") {
  topo::Graph graph = dragonfly(9, 8);
  const auto note = [&] {
    const std::vector<std::string> notes = picture_of(graph).notes;
    const auto at = std::find_if(notes.begin(), notes.end(), [](const std::string& it) { return it.find("pair") < it.size(); });
    return at == notes.end() ? std::string() : *at;
  };
  CHECK(note() == "Each pair of groups is joined by 1 link.");
  const topo::Link between = link_between(graph, "g00-s01", "g01-s00");
  graph.links.push_back(between);  // one too many is no finding
  CHECK(note() == "Most pairs of groups are joined by 1 link.");
  std::erase_if(graph.links, [](const topo::Link& it) { return it.a == "g00-s02" && it.b.starts_with("g02"); });
  CHECK(note() == "Most pairs of groups are joined by 1 link; those that lack some are in the warning colour.");
}

TEST_CASE("names that do not fit are cut where they do not differ") {
  const std::vector<std::string> names{"dc1-superpod-a-ibleaf-01", "dc1-superpod-a-ibleaf-02", "dc1-superpod-b-ibleaf-01"};
  const topo::CommonParts parts(names);
  const double width = topo::text_width("dc1-superpod-a-ibl", topo::title_size, true);
  std::set<std::string> cut;
  for (const std::string& name : names) {
    cut.insert(parts.fitted(name, width, topo::title_size, true));
    CHECK(topo::text_width(*cut.rbegin(), topo::title_size, true) <= width);
  }
  CHECK(cut == std::set<std::string>{"\u2026a-ibleaf-01", "\u2026a-ibleaf-02", "\u2026b-ibleaf-01"});
  CHECK(parts.fitted(names[0], 1000, topo::title_size, true) == names[0]);
  CHECK(topo::CommonParts({}).fitted("alone-and-long", 40, topo::title_size, true).size() < 14);
}
