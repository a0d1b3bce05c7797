// One page with the drawing, its facts and its tables. What it does when used stands in web/page.js.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/output/markup.hpp"
#include "topo/draw/draw.hpp"
#include "topo/draw/svg.hpp"
#include "topo/draw/web.hpp"
#include "topo/layout/measure.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::ordered_json;

Json flat(const std::vector<Fact>& facts) {
  Json list = Json::array();
  for (const Fact& fact : facts) {
    list.push_back(fact.name);
    list.push_back(fact.value);
  }
  return list;
}

// What the script needs: of each box and edge its title and its facts, and the names that boxes stand for.
std::string data_of(const Picture& picture) {
  Json boxes = Json::array();
  Json edges = Json::array();
  Json members = Json::object();
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    const Box& box = picture.boxes[i];
    boxes.push_back({box.role == Role::note || box.lines.empty() ? "" : box.lines.front(), flat(box.facts)});
    Json places = Json::array();
    for (const Members& it : box.members)
      if (!it.names.empty()) places.push_back({it.place, it.names});
    if (!places.empty()) members[fmt::format("{}", i)] = std::move(places);
  }
  for (const Edge& edge : picture.edges) {
    std::string title(row(edge.kind).word);
    for (const std::string& line : edge.label) title += " " + line;
    edges.push_back({edge.facts.empty() ? "" : title, flat(edge.facts)});
  }
  const Json all = {{"boxes", std::move(boxes)}, {"edges", std::move(edges)}, {"members", std::move(members)}};
  std::string text = all.dump(-1, ' ', false, Json::error_handler_t::replace);
  // Nothing in it may end the script element.
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

std::string table_of(const Table& table) {
  std::string out = fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>\n",
                                escaped(table.id), escaped(table.title));
  if (!table.note.empty()) out += fmt::format("<p>{}</p>\n", escaped(table.note));
  if (table.rows.empty()) return out + "</section>\n";
  out += fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: {}\"><table{}><thead><tr>",
                     escaped(table.title), table.matrix ? " class=\"matrix\"" : "");
  for (const std::string& column : table.columns)
    out += column.empty() ? "<td></td>" : fmt::format("<th scope=\"col\">{}</th>", escaped(column));
  out += "</tr></thead><tbody>\n";
  for (const auto& cells : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string_view style = cells[i].warning ? " class=\"warning\"" : cells[i].same ? " class=\"same\"" : "";
      out += fmt::format("<{0}{1}{2}>{3}</{0}>", i == 0 ? "th" : "td", i == 0 ? " scope=\"row\"" : "", style,
                         escaped(cells[i].text));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div></section>\n";
}

std::string choices(const Used& used) {
  std::string out = "<div class=\"legend railgauge-colours\">\n";
  for (const Kind kind : used.kinds)
    out += fmt::format(
        "<label><input type=\"checkbox\" checked data-kind=\"{0}\"><svg class=\"railgauge\" width=\"20\" height=\"14\" "
        "aria-hidden=\"true\"><g "
        "class=\"{2} {0}\"><rect x=\"1\" y=\"1\" width=\"18\" height=\"12\" rx=\"3\"/></g></svg>{1}</label>\n",
        class_of(kind), row(kind).word,
        kind == Kind::pci_root || kind == Kind::pci_bridge || kind == Kind::pci_switch ? "bar" : "card");
  const auto line = [](const std::string& classes) {
    return fmt::format(
        "<svg class=\"railgauge\" width=\"36\" height=\"14\" aria-hidden=\"true\"><g class=\"edge {}\"><path d=\"M1 7h34\" "
        "stroke-width=\"2.5\"/></g></svg>",
        classes);
  };
  for (const LinkKind kind : used.links)
    out += fmt::format("<label><input type=\"checkbox\" checked data-kind=\"{}\">{}{}</label>\n", class_of(kind),
                       line(class_of(kind)), row(kind).word);
  const std::string sample = class_of(used.links.empty() ? LinkKind::pcie : used.links.front());
  if (used.low) out += fmt::format("<span>{}slow now: saves power</span>\n", line(sample + " low"));
  if (used.ratios)
    for (const auto& [name, words] :
         {std::pair{"good", "90 % of expected or more"}, {"fair", "75 to 90 %"}, {"poor", "50 to 75 %"}, {"bad", "below 50 %"}})
      out += fmt::format("<span>{}{}</span>\n", line(fmt::format("{} ratio-{}", sample, name)), words);
  if (used.warning)
    out += fmt::format("<label class=\"wrong\"><input type=\"checkbox\" id=\"wrong\">{}only what is wrong</label>\n",
                       line(sample + " warning"));
  return out + "</div>\n";
}

}  // namespace

std::string draw_html(const Picture& picture, const Graph& graph, const Ratios& ratios) {
  const std::vector<double> of_edges = ratios_of(picture, graph, ratios);
  constexpr double margin = 24;
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n";
  out += fmt::format("<title>{}: topology</title>\n<style>\n{}{}</style>\n</head>\n<body class=\"railgauge-colours\">\n",
                     escaped(picture.title), web::picture_css, web::page_css);
  out += fmt::format("<header><h1>{}</h1>\n", escaped(picture.title));
  if (!picture.subtitle.empty()) out += fmt::format("<p>{}</p>\n", escaped(picture.subtitle));
  for (const std::string& note : picture.notes) out += fmt::format("<p>{}</p>\n", escaped(note));
  out +=
      "</header>\n<div class=\"tools\" role=\"region\" aria-label=\"Search, zoom and kinds\"><input type=\"search\" id=\"find\" "
      "placeholder=\"Find a node ( / )\" aria-label=\"Find a "
      "node\">\n"
      "<span><button id=\"in\" title=\"Zoom in (+)\" aria-label=\"Zoom in\">+</button> <button id=\"out\" title=\"Zoom out (-)\" "
      "aria-label=\"Zoom out\">&#8722;</button> <button id=\"fit\" title=\"Show all (0)\">All</button></span>\n"
      "<span><button id=\"dark\" title=\"Light or dark\">Light/dark</button> <button id=\"print\">Print</button></span>\n";
  out += choices(used_in(picture, of_edges));
  out += fmt::format(
      "</div>\n<main style=\"--wide:{:.3f};--tall:{:.0f}px\"><div id=\"view\"><svg class=\"railgauge\" viewBox=\"{:.0f} {:.0f} "
      "{:.0f} {:.0f}\" "
      "role=\"group\" "
      "aria-label=\"{}\" preserveAspectRatio=\"xMidYMin meet\">\n{}</svg></div>\n",
      (picture.height + 2 * margin) / (picture.width + 2 * margin), 1.5 * (picture.height + 2 * margin), -margin, -margin,
      picture.width + 2 * margin, picture.height + 2 * margin, escaped(picture.title), draw_shapes(picture, of_edges, true));
  out +=
      "<aside aria-live=\"polite\"><div id=\"found\"></div><div id=\"facts\"><p>Point at something, or move to it with the Tab "
      "key, to read "
      "what is known of it. A click keeps it. Drag to move; the wheel, + and - zoom.</p></div></aside></main>\n";
  for (const Table& table : picture.tables) out += table_of(table);
  out += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
                     data_of(picture), web::page_js);
  return out;
}

std::string to_html(const Graph& graph, const Diagnosis& diagnosis, const Ratios& ratios) {
  return draw_html(lay_out(graph, diagnosis), graph, ratios);
}

}  // namespace railgauge::topo
