// Pictures as files: well formed, the same each time, nothing from outside, nothing that breaks out of its place.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <string>

#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/networks.hpp"
#include "topo/check/check.hpp"
#include "topo/draw/picture.hpp"
#include "topo/evidence/files.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

topo::Graph recorded(const std::string& name) { return topo::build(topo::read_evidence(machine_file(name))); }

// Names that firmware or a stranger's file may hold.
topo::Graph hostile() {
  topo::Graph graph = recorded("gpu_node.xml");
  const std::string name = "</script><script>alert(1)</script>\"'&<b>\\\x01\xff\xed\xa0\x80 \xe2\x86\x92 ]]>";
  for (topo::Node& node : graph.nodes) {
    node.name = name;
    node.attributes["serial"] = name;
    for (const char* list : {"verbs", "interfaces"})
      if (node.attributes.contains(list)) node.attributes[list] = std::vector<std::string>{name};
  }
  return graph;
}

std::size_t children(const pugi::xml_node& node, const char* name) {
  const auto all = node.children(name);
  return static_cast<std::size_t>(std::distance(all.begin(), all.end()));
}

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

int code_of(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("every picture is well-formed and the same each time") {
  for (const topo::Graph& graph : {recorded("gpu_node.xml"), recorded("laptop.xml"), recorded("odd.xml"), hostile(),
                                   rail_optimised(64, 4, 16, 8), topo::Graph{}}) {
    pugi::xml_document svg;
    const std::string text = topo::picture_svg(graph);
    const auto result = svg.load_buffer(text.data(), text.size());
    INFO(result.description());
    REQUIRE(result);
    CHECK(std::string(svg.document_element().name()) == "svg");
    CHECK(text == topo::picture_svg(graph));
    CHECK(topo::picture_html(graph) == topo::picture_html(graph));
    CHECK(topo::picture_html(graph).back() == '\n');
  }
}

TEST_CASE("a page loads nothing and its names break out of nothing") {
  for (const topo::Graph& graph : {recorded("gpu_node.xml"), hostile()}) {
    const std::string page = topo::picture_html(graph);
    for (const char* outside : {"src=", "@import", "url(", "fetch(", "https:"}) CHECK(page.find(outside) == std::string::npos);
    CHECK(occurrences(page, "<script") == 2);
    CHECK(occurrences(page, "</script") == 2);
    const std::string open = R"(<script type="application/json" id="data">)";
    const std::size_t begin = page.find(open) + open.size();
    CHECK(nlohmann::json::parse(page.substr(begin, page.find("</script", begin) - begin)).contains("boxes"));
  }
}

TEST_CASE("GraphML holds all nodes and links") {
  for (const topo::Graph& graph : {recorded("gpu_node.xml"), recorded("odd.xml"), hostile(), rail_optimised(64, 4, 16, 8)}) {
    pugi::xml_document document;
    const std::string text = topo::to_graphml(graph);
    const auto result = document.load_buffer(text.data(), text.size());
    INFO(result.description());
    REQUIRE(result);
    const pugi::xml_node inner = document.child("graphml").child("graph");
    CHECK(children(inner, "node") == graph.nodes.size());
    CHECK(children(inner, "edge") == graph.links.size());
    std::set<std::string> ids;
    std::size_t i = 0;
    for (const pugi::xml_node& node : inner.children("node")) {
      ids.insert(node.attribute("id").value());
      const auto kind = node.find_child_by_attribute("data", "key", "kind");
      CHECK(kind.child_value() == std::string(topo::row(graph.nodes[i++].kind).name));
    }
    CHECK(ids.size() == graph.nodes.size());
    for (const pugi::xml_node& edge : inner.children("edge")) {
      CHECK(ids.contains(edge.attribute("source").value()));
      CHECK(ids.contains(edge.attribute("target").value()));
    }
    CHECK(text == topo::to_graphml(graph));
  }
}

TEST_CASE("Graphviz reads what dot is written") {
  if (code_of("dot -V > /dev/null 2>&1") != 0) skip("there is no dot (package graphviz)");
  for (const topo::Graph& graph : {recorded("gpu_node.xml"), recorded("odd.xml"), hostile()}) {
    const Scratch scratch;
    fill(scratch.path() / "graph.dot", topo::to_dot(graph));
    REQUIRE(code_of("dot -Tcanon " + (scratch.path() / "graph.dot").string() + " > " + (scratch.path() / "canon").string()) == 0);
    CHECK(occurrences(contents(scratch.path() / "canon"), " -- ") == graph.links.size());
  }
}

TEST_CASE("dot holds all nodes and links") {
  const topo::Graph graph = recorded("gpu_node.xml");
  const std::string text = topo::to_dot(graph);
  CHECK(occurrences(text, " -- ") == graph.links.size());
  for (const topo::Node& node : graph.nodes) CHECK(occurrences(text, "  \"" + node.key + "\" [label=") == 1);
  CHECK(text == topo::to_dot(graph));
}

TEST_CASE("a link is coloured by its worst ratio of measured to expected") {
  const topo::Graph graph = recorded("gpu_node.xml");
  const topo::Picture picture = topo::lay_out(graph, topo::diagnose(graph));
  CHECK(topo::draw_svg(picture, graph).find("<g class=\"edge link-nvlink ratio") == std::string::npos);
  const auto link =
      std::find_if(graph.links.begin(), graph.links.end(), [](const auto& it) { return it.kind == topo::LinkKind::nvlink; });
  const std::string svg = topo::draw_svg(picture, graph, {{topo::link_key(*link), 0.42}, {"no such link", 1}});
  CHECK(occurrences(svg, "<g class=\"edge link-nvlink ratio-bad\"") == 1);
  CHECK(occurrences(svg, ">42 %<") == 1);
}

TEST_CASE("the page of 3,200 hosts is below 2 MB, and in full that of 16,000 below 5 MB", "[long]") {
  topo::Graph graph = rail_optimised(usual_or_thorough(3200, 16000), 8, 32, 32);
  link_between(graph, "leaf-u07-r3", "spine09").active = {4, 25.78125};
  const std::string page = topo::picture_html(graph);
  CHECK(page.size() < usual_or_thorough(2'000'000U, 5'000'000U));
  CHECK(page.find(usual_or_thorough("node03200", "node16000")) != std::string::npos);
  CHECK(page.find("aria-label=\"switch, spine09") != std::string::npos);  // apart
}

TEST_CASE("a page without findings says so, without an empty table") {
  topo::Graph graph = rail_optimised(64, 2, 16, 4);
  link_between(graph, "leaf-u02-r1", "spine02").active = {4, 25.78125};
  CHECK(topo::picture_html(graph).find("Findings: 0") == std::string::npos);
  CHECK(topo::picture_html(recorded("laptop.xml")).find("Findings: 0</h2>\n</section>") != std::string::npos);
}

TEST_CASE("the JSON of 16,000 hosts is one that is read again", "[long]") {
  const std::size_t bytes = topo::to_json(rail_optimised(1600, 8, 32, 32)).size() * 10;  // nodes and links grow with hosts
  INFO(bytes << " bytes");
  CHECK(bytes < topo::largest_file / 2);  // a live fabric tells more of each link
}

TEST_CASE("a browser opens each page and finds a node by search", "[long]") {
  const std::string python = RAILGAUGE_PYTHON;
  if (python.empty()) skip("no python3 was found when the tests were configured");
  const Scratch scratch;
  topo::Graph odd = rail_optimised(usual_or_thorough(512, 2048), 8, 32, 32);
  std::swap(link_between(odd, "node00040/mlx5_2", "leaf-u02-r2").b, link_between(odd, "node00040/mlx5_5", "leaf-u02-r5").b);
  struct Row {
    const char* file;
    topo::Graph graph;
    const char* name;
  };
  std::string command = python + " " RAILGAUGE_BROWSER;
  for (const Row& row :
       {Row{"node.html", recorded("gpu_node.xml"), "mlx5_1"}, Row{"laptop.html", recorded("laptop.xml"), "NUMA 0"},
        Row{"fabric.html", odd, usual_or_thorough("node00321", "node01234")}, Row{"torus.html", torus(6, 6, 1), "s-2-3-0"},
        Row{"dragonfly.html", dragonfly(9, 8), "g03-s05"}}) {
    fill(scratch.path() / row.file, topo::picture_html(row.graph));
    command += " '" + (scratch.path() / row.file).string() + "' '" + row.name + "'";
  }
  const int code = code_of(command);
  if (code == 4) skip("there is no chromium");
  CHECK(code == 0);
}
