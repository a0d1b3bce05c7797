// The page: well made, small, inert, and with a mark on the faulty.
#include <nlohmann/json.hpp>
#include <string>

#include "reports/validation/picture.hpp"
#include "reports/validation/writers.hpp"
#include "tests/reports/validation/made.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge;
using namespace railgauge::validation;
using railgauge::test::ContainsSubstring;

namespace {

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++found;
  return found;
}

constexpr std::string_view data_begins = "<script type=\"application/json\" id=\"data\">";

// Without style, data and script, which are no markup.
std::string markup_of(const std::string& page) {
  const std::size_t style = page.find("<style>"), body = page.find("</style>");
  return page.substr(0, style) + page.substr(body, page.find(data_begins) - body);
}

nlohmann::json data_of(const std::string& page) {
  const std::size_t begin = page.find(data_begins) + data_begins.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

}  // namespace

TEST_CASE("every element that is opened is closed, and every part has its heading") {
  for (const Validation& of : {test::healthy(), test::faulty_cable(), test::inconclusive()}) {
    const std::string page = markup_of(to_html(of));
    for (const std::string tag :
         {"head", "header", "nav", "main",    "section", "table", "thead", "tbody", "tr",  "td", "details",
          "ul",   "ol",     "li",  "article", "figure",  "svg",   "g",     "text",  "pre", "p",  "div"}) {
      INFO(tag);
      CHECK(count(page, "<" + tag + ">") + count(page, "<" + tag + " ") == count(page, "</" + tag + ">"));
    }
    for (const char* id : {"verdict", "map", "pairs", "hosts", "figures", "stages", "reading"}) {
      INFO(id);
      CHECK(count(page, "<section id=\"" + std::string(id) + "\"") == 1);
    }
    CHECK(count(page, "<h1>") == 1);
  }
  const std::string cable = to_html(test::faulty_cable());
  CHECK_THAT(cable, ContainsSubstring("<p class=\"verdict fault\">"));
  CHECK_THAT(cable, ContainsSubstring("<section id=\"differences\""));
  CHECK_THAT(to_html(test::inconclusive()), ContainsSubstring("<section id=\"unread\""));
  CHECK_THAT(to_html(test::inconclusive()), ContainsSubstring("<p class=\"verdict warning\">"));
  CHECK_THAT(to_html(test::healthy()), ContainsSubstring("<p class=\"verdict good\">"));
  CHECK_NOTHROW(to_html({}));
}

TEST_CASE("one host alone has no map of a fabric") {
  Validation alone = test::healthy();
  alone.hosts.resize(1);
  alone.pairs.clear();
  alone.map = {};
  CHECK_THAT(to_html(alone), !ContainsSubstring("Map of the fabric"));
  CHECK_THAT(to_html(test::healthy()), ContainsSubstring("Map of the fabric"));
}

TEST_CASE("the map marks the faulty link and host") {
  const MapPicture cable = draw_map(test::faulty_cable());
  CHECK(count(cable.svg, "class=\"edge link-infiniband warning ratio-fair\"") == 1);
  CHECK(count(cable.svg, "class=\"mark mid\">1<") == 1);
  CHECK(count(cable.svg, ">95 %<") == 1);
  CHECK(count(cable.svg, "class=\"card kind-machine warning\"") == 1);
  CHECK_THAT(cable.svg, ContainsSubstring(">\u2716 cable/port: 5.1 % less<"));
  CHECK_THAT(cable.svg, ContainsSubstring("\nfaulty: n3:mlx5_1/1 - leaf1 port 4, 94.9 % of usual"));
  // The others are folded, and named.
  CHECK(count(cable.svg, ">8 hosts: n[0-7]<") == 2);
  CHECK(count(cable.svg, ">2 leaves<") == 2);
  CHECK(count(cable.svg, ">2 spines<") == 1);
  CHECK(count(cable.svg, "class=\"card kind-fabric_switch\"") == 3);
  REQUIRE(cable.marks.size() == 1);
  CHECK(cable.marks[0] == "n3:mlx5_1/1 - leaf1 port 4, 94.9 % of usual");
  CHECK(draw_map(test::faulty_cable()).svg == cable.svg);
}

TEST_CASE("what can be pointed at on the map has a name, which claims no kind of link") {
  const MapPicture cable = draw_map(test::faulty_cable());
  CHECK_THAT(cable.svg, ContainsSubstring("aria-label=\"Map of the fabric: 6 switches, 8 hosts; 1 link faulty\""));
  for (const char* kind : {"<g class=\"card ", "<g class=\"bar ", "<g class=\"edge "})
    for (std::size_t at = cable.svg.find(kind); at != std::string::npos; at = cable.svg.find(kind, at + 1)) {
      INFO(cable.svg.substr(at, 200));
      CHECK(cable.svg.substr(cable.svg.find('>', at) + 1).starts_with("<title>"));
    }
  CHECK(cable.svg.find("InfiniBand") == std::string::npos);
}

TEST_CASE("a switch that is faulty is marked, and a link between switches") {
  Validation of = test::faulty_cable();
  of.diagnoses.front().from = "leaf1";
  MapLink& link = of.map.links.back();
  link.faulty = true;
  const MapPicture picture = draw_map(of);
  // The switch, and both ends of the link.
  CHECK(count(picture.svg, "class=\"card kind-fabric_switch warning\"") == 3);
  CHECK_THAT(picture.svg, ContainsSubstring("\nfault: leaf1: 5.1 % less bandwidth, sending"));
  CHECK(count(picture.svg, "class=\"edge link-infiniband warning") == 2);
  CHECK(count(picture.svg, "class=\"mark mid\">1<") == 1);
  CHECK(count(picture.svg, "class=\"mark mid\">2<") == 1);
  CHECK_THAT(picture.svg, ContainsSubstring("<title>leaf3 - spine1"));
  REQUIRE(picture.marks.size() == 2);
  CHECK(picture.marks[1] == "leaf3 port 6 - spine1 port 4");
}

TEST_CASE("of links side by side only the faulty one is marked, though their ports are not known") {
  Validation of = test::faulty_cable();
  MapLink& link = of.map.links.back();
  link.a_port = link.b_port = "";
  of.map.links.push_back(link);
  of.map.links.back().faulty = true;
  CHECK_THAT(draw_map(of).svg, ContainsSubstring(">1 of 2<"));
}

TEST_CASE("a link that is low and not faulty is told where its host is folded") {
  Validation of = test::faulty_cable();
  of.map.links[10].share = 0.85;
  const MapPicture picture = draw_map(of);
  CHECK(count(picture.svg, "class=\"edge link-infiniband ratio-poor\"") == 1);
  CHECK(count(picture.svg, ">85 %<") == 1);
  CHECK(count(picture.svg, ">8 hosts, 1 low<") == 1);
  CHECK_THAT(picture.svg, ContainsSubstring("\nlow: n5:mlx5_0/1 - leaf2 port 2, 85.0 % of usual"));
  CHECK(picture.marks.size() == 1);
}

TEST_CASE("hosts that are lost or not decided stand apart, in words, the faulty before them") {
  Validation of = test::faulty_cable();
  of.hosts[0].state = HostState::doubtful;
  of.hosts[0].reason = "suspected of receiving 2.4 % less";
  of.hosts[6].state = HostState::lost;
  of.hosts[6].reason = "nothing was heard of it";
  const MapPicture picture = draw_map(of);
  CHECK(count(picture.svg, "class=\"card kind-machine warning\"") == 3);
  CHECK_THAT(picture.svg, ContainsSubstring(">? doubtful: suspected of<"));
  CHECK_THAT(picture.svg, ContainsSubstring(">\u26a0 lost: nothing was heard of<"));
  CHECK(picture.svg.find("<title>machine, n3") < picture.svg.find("<title>machine, n6"));
  CHECK(picture.svg.find("<title>machine, n6") < picture.svg.find("<title>machine, n0"));
  std::erase_if(of.map.links, [](const MapLink& it) { return it.host == "n6"; });
  CHECK_THAT(draw_map(of).caption, ContainsSubstring("Of n6 (lost) no switch is known."));
}

TEST_CASE("of more that stand out than the map can draw, the caption names the others") {
  Validation of = test::fleet({.hosts = 64, .rails = 1, .rounds = 0, .hosts_a_leaf = 16, .spines = 2});
  for (std::size_t i = 0; i < 14; ++i) of.hosts[i].state = HostState::lost;
  const MapPicture picture = draw_map(of);
  CHECK(count(picture.svg, "class=\"card kind-machine warning\"") == 12);
  CHECK_THAT(picture.caption, ContainsSubstring("Not drawn apart: n12 (\u26a0 lost), n13 (\u26a0 lost)."));
  for (MapLink& link : of.map.links) link.faulty = !link.host.empty();
  CHECK(draw_map(of).marks.size() == 12);
  CHECK_THAT(draw_map(of).caption, ContainsSubstring("Of 64 faulty links the first 12 are numbered"));
}

TEST_CASE("a torus is drawn as one, and the caption names what hangs on its switches") {
  Validation of = test::fleet({.hosts = 32, .rails = 1, .rounds = 0, .hosts_a_leaf = 2, .spines = 0});
  for (std::uint32_t x = 0; x < 4; ++x)
    for (std::uint32_t y = 0; y < 4; ++y)
      for (const std::uint32_t other : {4 * y + (x + 1) % 4, 4 * ((y + 1) % 4) + x})
        of.map.links.push_back({"", 0, 4 * y + x, other, "", "", std::nullopt, false});
  of.map.links[3].faulty = of.map.links.back().faulty = true;
  const MapPicture picture = draw_map(of);
  CHECK(count(picture.svg, "class=\"bar kind-fabric_switch") == 16);
  CHECK(count(picture.svg, "class=\"bar kind-fabric_switch warning\"") == 2);
  CHECK_THAT(picture.svg, ContainsSubstring("class=\"mark mid\">2<"));
  CHECK_THAT(picture.caption, ContainsSubstring("Not drawn apart: n3:eth0 to leaf1 port 2 (\u2716 link)."));
  CHECK(picture.marks.size() == 2);
}

TEST_CASE("of a large fabric those that stand out are drawn, and the others counted") {
  Validation of = test::fleet({.hosts = 2048, .rails = 8, .rounds = 0, .hosts_a_leaf = 32, .spines = 64});
  of.hosts[1000].state = HostState::faulty;
  for (MapLink& link : of.map.links)
    if (link.host == "n1000" && link.rail == 5) link.faulty = true;
  const MapPicture picture = draw_map(of);
  CHECK(count(picture.svg, "class=\"card kind-machine warning\"") == 1);
  CHECK(count(picture.svg, "class=\"edge link-infiniband warning\"") == 1);
  CHECK(count(picture.svg, ">2048 hosts: n[0-2047]<") == 8);
  CHECK(count(picture.svg, ">64 leaves<") == 8);
  CHECK_THAT(picture.svg, ContainsSubstring(">64 spines<"));
  CHECK(picture.svg.size() < 200'000);
}

TEST_CASE("where the switches are not known hosts stand beside their rails, and who stands out has a frame") {
  const MapPicture picture = draw_map(test::inconclusive());
  CHECK(count(picture.svg, "class=\"frame lost\"") == 1);
  CHECK(count(picture.svg, "class=\"frame doubtful\"") == 1);
  REQUIRE(picture.marks.size() == 2);
  CHECK_THAT(picture.marks[0], ContainsSubstring("n17: lost: nothing was heard of rank 17"));
  CHECK(count(picture.svg, "class=\"unmeasured\"") == 1);
}

TEST_CASE("the chart has a cell for each pair that was measured") {
  const auto shares = data_of(to_html(test::faulty_cable()))["shares"];
  if (shares.is_null()) test::skip("this build has no charts, which need npm");
  CHECK(shares["names"].size() == 8);
  REQUIRE(shares["matrices"].size() == 3);
  for (const auto& matrix : shares["matrices"]) {
    CHECK(matrix["share"].size() == 56);
    CHECK(matrix["from"].size() == 56);
    CHECK(matrix["to"].size() == 56);
  }
}

TEST_CASE("markup in names stays text, wherever they are written") {
  for (const std::string attack :
       {"<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "<!--<script>",
        "' onmouseover='alert(1)", "</title></style></textarea><b>"}) {
    INFO(attack);
    for (const Validation& of : {test::named(test::faulty_cable(), attack), test::named(test::inconclusive(), attack)}) {
      const std::string page = to_html(of), markup = markup_of(page);
      CHECK(markup.find(attack) == std::string::npos);
      for (const char* piece : {"<img", "<svg onload", "<b>", "<script", "' onmouseover="})
        CHECK(markup.find(piece) == std::string::npos);
      CHECK_NOTHROW(data_of(page));
    }
  }
}

TEST_CASE("endless texts and numbers that are none leave a small and sound page") {
  const std::string page =
      to_html(test::named(test::faulty_cable(), std::string(test::usual_or_thorough(1'000'000U, 10'000'000U), 'z')));
  CHECK(page.size() < 5'000'000);
  const std::string none = markup_of(to_html(test::without_numbers(test::faulty_cable())));
  for (const char* word : {">nan", ">inf", " nan", "\"nan", "+inf"}) CHECK(none.find(word) == std::string::npos);
}

TEST_CASE("2,048 hosts of 8 rails are less than 10 MB") {
  const Validation of = test::fleet({.hosts = 2048, .rails = 8, .rounds = 16, .hosts_a_leaf = 32, .spines = 64});
  CHECK(to_html(of).size() < 10'000'000);
  const Validation unknown = test::fleet({.hosts = 2048, .rails = 8, .rounds = 16});
  CHECK(to_html(unknown).size() < 10'000'000);
}
