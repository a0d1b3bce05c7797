// One page with the drawing, what each part of it is, and a table of ranks. What it does when used stands in web/page.js.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/output/markup.hpp"
#include "base/page/files.hpp"
#include "base/page/page.hpp"
#include "base/page/words.hpp"
#include "base/version.hpp"
#include "bench/schedule/picture/draw.hpp"

namespace railgauge::picture {
namespace {

using Json = nlohmann::ordered_json;
using topo::escaped;

double rounded(double value) {
  return static_cast<double>(static_cast<std::int64_t>(value * 10 + (value < 0 ? -0.5 : 0.5))) / 10;
}

// Of each item: its ends, the ranks that it joins, its blocks, and the numbers of the words of its title and its facts.
std::string data_of(const Picture& picture) {
  Json items = Json::array();
  page::Words words;
  for (const Item& item : picture.items) {
    Json facts = Json::array();
    for (const Fact& fact : item.facts) {
      facts.push_back(words.number(fact.name));
      facts.push_back(words.number(fact.value));
    }
    Json blocks = Json::array();
    for (const auto& [first, count] : item.blocks) {
      blocks.push_back(first);
      blocks.push_back(count);
    }
    items.push_back({rounded(item.from.x), rounded(item.from.y), rounded(item.to.x), rounded(item.to.y), item.rank, item.peer,
                     std::move(blocks), words.number(item.title), std::move(facts)});
  }
  return Json{{"words", words.take()}, {"items", std::move(items)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string tools_of(const Picture& picture) {
  constexpr std::uint32_t most_choices = 512;
  std::string out =
      "<div class=\"tools\" role=\"region\" aria-label=\"Zoom, choice and kinds\">"
      "<span><button id=\"in\" title=\"Zoom in (+)\" aria-label=\"Zoom in\">+</button> <button id=\"out\" title=\"Zoom out (-)\" "
      "aria-label=\"Zoom out\">&#8722;</button> <button id=\"fit\" title=\"Show all (0)\">All</button></span>\n"
      "<label>Show <select id=\"only\"><option value=\"\">everything</option>";
  for (std::size_t rank = 0; rank < picture.bands.size(); ++rank)
    out += fmt::format("<option value=\"r{}\">{}</option>", rank, escaped(picture.bands[rank].name));
  if (picture.numbered_blocks)
    for (std::uint32_t block = 0; block < std::min(picture.blocks, most_choices); ++block)
      out += fmt::format("<option value=\"b{0}\">block {0}</option>", block);
  out += "</select></label>\n";
  if (picture.numbered_blocks)
    out +=
        "<label>Colours <select id=\"colours\"><option value=\"\">by kind</option><option value=\"by-block\">by block</option>"
        "</select></label>\n";
  out += "<div class=\"legend railgauge-colours\">\n";
  for (std::size_t i = 0; i < sorts; ++i) {
    const auto sort = static_cast<Sort>(i);
    if (!uses(picture, sort)) continue;
    out += fmt::format(
        "<label><input type=\"checkbox\" checked data-kind=\"{}\"><svg class=\"railgauge\" width=\"36\" height=\"14\" "
        "aria-hidden=\"true\">{}</svg>{}</label>\n",
        class_of(sort), sample_of(sort), words_of(sort));
  }
  return out + "</div></div>\n";
}

// Messages that each rank sends and receives.
std::string table_of(const Picture& picture) {
  struct Row {
    std::size_t sent = 0, received = 0, copies = 0, reductions = 0;
    std::set<std::int32_t> to, from;
  };
  std::vector<Row> rows(picture.bands.size());
  for (const Item& item : picture.items) {
    Row& mine = rows[static_cast<std::size_t>(item.rank)];
    if (item.sort == Sort::copy) ++mine.copies;
    if (item.sort == Sort::reduce) ++mine.reductions;
    if (item.sort != Sort::stored && item.sort != Sort::reduced) continue;
    Row& theirs = rows[static_cast<std::size_t>(item.peer)];
    ++mine.sent;
    mine.to.insert(item.peer);
    if (item.lost) continue;
    ++theirs.received;
    theirs.from.insert(item.rank);
  }
  std::string out =
      "<section id=\"ranks\" aria-labelledby=\"ranks-title\"><h2 id=\"ranks-title\">Ranks</h2>\n<p>What each of them does.</p>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: Ranks\"><table><thead><tr>";
  for (const char* const column : {"rank", "sends", "to ranks", "receives", "from ranks", "copies", "reductions"})
    out += fmt::format("<th scope=\"col\">{}</th>", column);
  out += "</tr></thead><tbody>\n";
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    const Row& it = rows[rank];
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                       rank, it.sent, it.to.size(), it.received, it.from.size(), it.copies, it.reductions);
  }
  return out + "</tbody></table></div></section>\n";
}

std::string findings_of(const Picture& picture) {
  if (picture.findings.empty()) return "";
  std::string out =
      "<section id=\"findings\" aria-labelledby=\"findings-title\"><h2 id=\"findings-title\">What is wrong</h2>\n<ol>\n";
  for (const std::string& finding : picture.findings) out += fmt::format("<li>{}</li>\n", escaped(finding));
  return out + "</ol></section>\n";
}

}  // namespace

std::string draw_page(const Picture& picture) {
  constexpr double left = 104, above = 36, right = 24, below = 16, widest_whole = 1300, least_ratio = 0.42;
  const double width = picture.width + left + right, height = picture.height + above + below;
  page::Document document;
  document.title = escaped(picture.title) + ": rounds";
  document.heading = escaped(picture.title);
  document.lines.push_back(escaped(picture.subtitle));
  for (const std::string& note : picture.notes) document.lines.push_back(escaped(note));
  document.lines.emplace_back(
      picture.numbered_blocks
          ? "Time goes from left to right, and nothing is to scale. Pale bars are transfers and waits. Numbers beside "
            "arrows are blocks, as in the larger one of input "
            "and output."
          : "Time goes from left to right, and nothing is to scale.");
  document.tools = "<button id=\"theme\">Light or dark</button> <button id=\"print\">Print</button>";
  document.skip = "To the picture";
  document.before = findings_of(picture) + tools_of(picture);
  document.main_attributes =
      fmt::format(" style=\"--wide:{:.3f};--tall:{:.0f}px\"",
                  width > widest_whole ? std::max(height / width, least_ratio) : height / width, 1.5 * std::max(height, 280.0));
  document.main = fmt::format(
      "<div id=\"view\" tabindex=\"0\" role=\"group\" aria-label=\"Picture of the {0}s\"><svg class=\"railgauge\" "
      "viewBox=\"{1:.0f} "
      "{2:.0f} {3:.0f} {4:.0f}\" role=\"img\" aria-label=\"{5}\" preserveAspectRatio=\"xMinYMin meet\">\n{6}</svg></div>\n"
      "<aside aria-live=\"polite\"><div id=\"facts\"><p>Point at an arrow or a mark to read what it is. A click keeps it. With "
      "the "
      "picture in focus, n and p go to the next and the one before. Drag to move; the wheel, + and - zoom.</p></div></aside>\n",
      picture.column_word, -left, -above, width, height, escaped(picture.title), shapes_of(picture));
  document.after = table_of(picture);
  document.colours = "railgauge-colours";
  document.program = fmt::format("railgauge {}", version());
  const std::string style = fmt::format("{}{}", page::zoom_css, web::rounds_css);
  document.style = style;
  document.data = data_of(picture);
  document.script = fmt::format("<script>\n{}{}</script>", page::zoom_js, web::page_js);
  document.policy = "'unsafe-inline'";
  return page::text_of(document);
}

}  // namespace railgauge::picture
