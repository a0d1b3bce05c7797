// One page with the drawing, its facts and its tables. What it does when used stands in web/page.js.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/output/markup.hpp"
#include "base/page/files.hpp"
#include "base/page/page.hpp"
#include "base/version.hpp"
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
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
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

std::string choices(const Used& used, Shade shade) {
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
    for (const ShadeRow& it : rows_of(shade))
      out += fmt::format("<span>{}{}</span>\n", line(fmt::format("{} {}", sample, it.name)), it.words);
  if (used.warning)
    out += fmt::format("<label class=\"wrong\"><input type=\"checkbox\" id=\"wrong\">{}only what is wrong</label>\n",
                       line(sample + " warning"));
  return out + "</div>\n";
}

}  // namespace

std::string draw_html(const Picture& picture, const Graph& graph, const Ratios& ratios, Shade shade) {
  const std::vector<double> of_edges = ratios_of(picture, graph, ratios, shade);
  constexpr double margin = 24;
  const std::string style = fmt::format("{}{}{}", page::zoom_css, web::picture_css, web::page_css);
  page::Document document;
  document.title = escaped(picture.title) + ": topology";
  document.heading = escaped(picture.title);
  if (!picture.subtitle.empty()) document.lines.push_back(escaped(picture.subtitle));
  for (const std::string& note : picture.notes) document.lines.push_back(escaped(note));
  document.tools = "<button id=\"theme\">Light or dark</button> <button id=\"print\">Print</button>";
  document.skip = "To the picture";
  document.before = fmt::format(
      "<div class=\"tools\" role=\"region\" aria-label=\"Search, zoom and kinds\"><input type=\"search\" id=\"find\" "
      "placeholder=\"Find a node ( / )\" aria-label=\"Find a node\">\n"
      "<span><button id=\"in\" title=\"Zoom in (+)\" aria-label=\"Zoom in\">+</button> <button id=\"out\" title=\"Zoom out "
      "(-)\" aria-label=\"Zoom out\">&#8722;</button> <button id=\"fit\" title=\"Show all (0)\">All</button></span>\n{}</div>\n",
      choices(used_in(picture, of_edges), shade));
  document.main_attributes =
      fmt::format(" style=\"--wide:{:.3f};--tall:{:.0f}px\"", (picture.height + 2 * margin) / (picture.width + 2 * margin),
                  1.5 * (picture.height + 2 * margin));
  document.main = fmt::format(
      "<div id=\"view\"><svg class=\"railgauge\" viewBox=\"{:.0f} {:.0f} {:.0f} {:.0f}\" role=\"group\" aria-label=\"{}\" "
      "preserveAspectRatio=\"xMidYMin meet\">\n{}</svg></div>\n<aside aria-live=\"polite\"><div id=\"found\"></div>"
      "<div id=\"facts\"><p>Point at something, or move to it with the Tab key, to read what is known of it. A click keeps it. "
      "Drag to move; the wheel, + and - zoom.</p></div></aside>\n",
      -margin, -margin, picture.width + 2 * margin, picture.height + 2 * margin, escaped(picture.title),
      draw_shapes(picture, of_edges, true, {}, shade));
  for (const Table& table : picture.tables) document.after += table_of(table);
  document.colours = "railgauge-colours";
  document.program = fmt::format("railgauge {}", version());
  document.style = style;
  document.data = data_of(picture);
  document.script = fmt::format("<script>\n{}{}</script>", page::zoom_js, web::page_js);
  document.policy = "'unsafe-inline'";
  return page::text_of(document);
}

std::string to_html(const Graph& graph, const Diagnosis& diagnosis, const Ratios& ratios) {
  return draw_html(lay_out(graph, diagnosis), graph, ratios);
}

}  // namespace railgauge::topo
