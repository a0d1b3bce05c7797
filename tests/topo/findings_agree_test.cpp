// Text, JSON, page and picture name the same findings, of recorded machines, of fabrics, and of fixtures where they are at hand.
#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/damage.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "topo/check/check.hpp"
#include "topo/layout/layout.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/words.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

using List = std::vector<std::string>;  // in their order: "fault pcie-width: a to b: found; expected what"

std::string unescaped(std::string text) {
  for (const auto& [entity, plain] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&apos;", "'"}, {"&amp;", "&"}})
    for (std::size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1))
      text.replace(at, std::string(entity).size(), plain);
  return text;
}

std::string line(const std::string& severity, const std::string& rule, const std::string& a, const std::string& b,
                 const std::string& found, const std::string& expected) {
  return printable(fmt::format("{} {}: {}{}: {}{}.", severity, rule, a, b.empty() ? "" : " to " + b, found,
                               expected.empty() ? "" : "; expected " + expected));
}

// The lines that begin with a severity.
List in_text(const std::string& text) {
  List all;
  std::istringstream lines(text);
  for (std::string it; std::getline(lines, it);)
    for (const auto& [upper, lower] : {std::pair{"FAULT ", "fault "}, {"WARNING ", "warning "}, {"NOTE ", "note "}})
      if (it.starts_with(upper)) all.push_back(lower + it.substr(std::string(upper).size()));
  return all;
}

List in_json(const std::string& text) {
  List all;
  const auto json = nlohmann::json::parse(text);
  for (const auto& it : json["findings"])
    all.push_back(line(it["severity"], it["rule"], it["a"]["name"], it.contains("b") ? std::string(it["b"]["name"]) : "",
                       it["found"], it["expected"]));
  return all;
}

List in_page(const std::string& page) {
  List all;
  const std::size_t begin = page.find("<section id=\"findings\"");
  if (begin == std::string::npos) return {"no table of findings"};
  const std::size_t end = page.find("</section>", begin);
  for (std::size_t row = page.find("<tr><th", begin); row < end; row = page.find("<tr><th", row + 1)) {
    std::vector<std::string> cells;
    const std::size_t stop = page.find("</tr>", row);
    for (std::size_t at = page.find('>', row + 4); at < stop;) {
      const std::size_t close = page.find("</t", at);
      cells.push_back(unescaped(page.substr(at + 1, close - at - 1)));
      at = page.find('>', page.find("<t", close + 1));
    }
    if (cells.size() >= 6 && cells[0] != "severity")
      all.push_back(line(cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]));
  }
  return all;
}

List in_picture(const std::string& svg) {
  const std::size_t begin = svg.find("<desc>");
  if (begin == std::string::npos) return {};
  return in_text(unescaped(svg.substr(begin + 6, svg.find("</desc>", begin) - begin - 6)));
}

void check_agreement(const Graph& graph) {
  const Diagnosis diagnosis = diagnose(graph);
  const List json = in_json(to_json(diagnosis));
  CHECK(json.size() == diagnosis.findings.size());
  CHECK(in_text(to_text(diagnosis, std::numeric_limits<std::size_t>::max())) == json);
  const std::string page = picture_html(graph), svg = picture_svg(graph);
  CHECK(in_page(page) == json);
  CHECK(in_picture(svg) == json);
  // What was checked stands in all of them.
  const std::string sentence = summary(diagnosis);
  CHECK_THAT(unescaped(page), ContainsSubstring(printable(sentence)));
  CHECK_THAT(unescaped(svg), ContainsSubstring(printable(sentence)));
}

}  // namespace

TEST_CASE("findings: text and JSON and page and picture have the same ones of every recorded machine") {
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RAILGAUGE_MACHINES)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() && entry.path().extension() != ".xml" && entry.path().extension() != ".json") continue;
    INFO(name);
    check_agreement(build(read_evidence(entry.path())));
    ++read;
  }
  CHECK(read >= 12);
}

TEST_CASE("findings: text and JSON and page and picture have the same ones of fabrics") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < usual_or_sanitized(8, 2); ++round) {
    const Damaged damaged = damage(random);
    INFO(damaged.shape << ": " << damaged.descriptions.front());
    check_agreement(damaged.graph);
    // Layout finds nothing of its own.
    const Picture plain = lay_out(damaged.graph, {});
    for (const Box& box : plain.boxes) CHECK_FALSE(box.warning);
    for (const Edge& edge : plain.edges) CHECK_FALSE(edge.warning);
    for (const Table& table : plain.tables)
      for (const auto& row : table.rows)
        for (const Cell& cell : row) CHECK_FALSE(cell.warning);
  }
  Graph many = rail_fabric(usual_or_sanitized(40, 10), 2, 1);
  for (Link& link : many.links)
    if (link.kind == LinkKind::infiniband) link.state = LinkState::init;
  check_agreement(many);
  for (int round = 0; round < usual_or_sanitized(200, 40); ++round) {
    const Graph graph = any_graph(random);
    CHECK_NOTHROW(picture_svg(graph));
    CHECK_NOTHROW(picture_html(graph));
  }
}

TEST_CASE("findings: text and JSON and page and picture have the same ones of fixtures") {
  const std::filesystem::path folder = RAILGAUGE_FIXTURES;
  if (!std::filesystem::exists(folder)) skip("no fixtures in " + folder.string());
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    Graph graph;
    try {
      graph = build(read_evidence(entry.path()));
    } catch (const std::exception&) {
      continue;  // other tests say which can be read
    }
    INFO(entry.path().string());
    check_agreement(graph);
    ++read;
  }
  CHECK(read >= 30);
}
