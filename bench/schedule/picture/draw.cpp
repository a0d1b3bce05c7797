// Shapes, and one SVG around them.
#include "bench/schedule/picture/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/output/markup.hpp"

namespace railgauge::picture {
namespace {

using topo::escaped;

struct SortRow {
  std::string_view name, words;
};
constexpr std::array<SortRow, sorts> rows{{
    {"stored", "message, stored"},
    {"reduced", "message, reduced"},
    {"signal", "signal"},
    {"dependency", "dependency between thread blocks"},
    {"waits", "stuck: waits for"},
    {"copy", "copy"},
    {"reduce", "reduction"},
    {"step", "step"},
}};
constexpr std::size_t most_words = 1500;  // beside arrows: more would hide them

std::string number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

void line(std::string& out, const char* classes, double x1, double y1, double x2, double y2) {
  fmt::format_to(std::back_inserter(out), "<path class=\"{}\" d=\"M{} {}L{} {}\"/>\n", classes, number(x1), number(y1),
                 number(x2), number(y2));
}

// Line and head in one path: the area of the line is nothing, that of the head is filled.
std::string arrow(const Point& from, const Point& to) {
  constexpr double head = 7, half = 2.8;
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < 0.1) return fmt::format("M{} {}h0.1", number(from.x), number(from.y));
  const double x = (to.x - from.x) / length, y = (to.y - from.y) / length;
  const Point base{to.x - head * x, to.y - head * y};
  return fmt::format("M{} {}L{} {}M{} {}L{} {}L{} {}z", number(from.x), number(from.y), number(base.x), number(base.y),
                     number(to.x), number(to.y), number(base.x - half * y), number(base.y + half * x), number(base.x + half * y),
                     number(base.y - half * x));
}

std::string path_of(const Item& item) {
  const std::string x = number(item.from.x), y = number(item.from.y);
  switch (item.sort) {
    case Sort::copy:
      return fmt::format("M{} {}h9v9h-9z", number(item.from.x - 4.5), number(item.from.y - 4.5));
    case Sort::reduce:
      return fmt::format("M{} {}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M{} {}h7M{} {}v7", number(item.from.x - 6), y,
                         number(item.from.x - 3.5), y, x, number(item.from.y - 3.5));
    case Sort::step:
      return fmt::format("M{} {}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0", number(item.from.x - 2.5), y);
    default:
      return arrow(item.from, item.to);
  }
}

std::string words_beside(const Picture& picture) {
  const auto count = std::count_if(picture.items.begin(), picture.items.end(), [](const Item& it) { return !it.label.empty(); });
  if (static_cast<std::size_t>(count) > most_words) return "";
  std::string out = "<g class=\"words\">\n";
  for (std::size_t i = 0; i < picture.items.size(); ++i) {
    const Item& item = picture.items[i];
    if (item.label.empty()) continue;
    // Nearer to the sender, where arrows to different ranks have not crossed yet.
    const double length = std::hypot(item.to.x - item.from.x, item.to.y - item.from.y);
    const double part = length > 60 ? 22 / length : 0.42;
    out += fmt::format("<text class=\"word\" data-i=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", i,
                       number(item.from.x + part * (item.to.x - item.from.x)),
                       number(item.from.y + part * (item.to.y - item.from.y) + 3), escaped(item.label));
  }
  return out + "</g>\n";
}

std::string stops_of(const Picture& picture) {
  std::string out;
  for (const Lane& lane : picture.lanes) {
    if (lane.stuck) {
      line(out, "never", lane.end, lane.y, picture.width, lane.y);
      out += fmt::format("<path class=\"stop\" d=\"M{0} {1}l10 10m0 -10l-10 10\"><title>{2}</title></path>\n",
                         number(lane.end - 5), number(lane.y - 5), escaped(lane.why));
    }
    if (lane.wrong != 0)
      out += fmt::format("<text class=\"number\" x=\"{}\" y=\"{}\">{}</text>\n", number(lane.end + 12), number(lane.y - 4),
                         lane.wrong);
  }
  for (const Item& item : picture.items)
    if (item.wrong != 0)
      out += fmt::format(
          "<circle class=\"wrong\" cx=\"{0}\" cy=\"{1}\" r=\"9\"/><text class=\"number\" x=\"{0}\" y=\"{2}\">{3}</text>\n",
          number(item.from.x), number(item.from.y), number(item.from.y - 12), item.wrong);
  return out;
}

constexpr double margin = 22, letter = 6.4, heading_letter = 12;  // letters: the width of one, about

// As many lines as the width takes.
std::vector<std::string> wrapped(const std::string& text, double width) {
  const auto most = static_cast<std::size_t>(std::max(24.0, width / letter));
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (text.size() - begin > most) {
    std::size_t end = text.rfind(' ', begin + most);
    if (end == std::string::npos || end <= begin) {
      end = begin + most;
      // Not within a character of UTF-8.
      while (end > begin + 1 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    }
    lines.push_back(text.substr(begin, end - begin));
    begin = end + (text[end] == ' ' ? 1 : 0);
  }
  lines.push_back(text.substr(begin));
  return lines;
}

}  // namespace

std::string_view class_of(Sort sort) noexcept { return rows[static_cast<std::size_t>(sort)].name; }
std::string_view words_of(Sort sort) noexcept { return rows[static_cast<std::size_t>(sort)].words; }

std::string sample_of(Sort sort) {
  Item item;
  item.sort = sort;
  const bool is_mark = sort == Sort::copy || sort == Sort::reduce || sort == Sort::step;
  item.from = {is_mark ? 18.0 : 1.0, 7};
  item.to = {is_mark ? 18.0 : 35.0, 7};
  return fmt::format("<g class=\"i {}\"><path d=\"{}\"/></g>", class_of(sort), path_of(item));
}

bool uses(const Picture& picture, Sort sort) {
  return std::any_of(picture.items.begin(), picture.items.end(), [&](const Item& item) { return item.sort == sort; });
}

std::string shapes_of(const Picture& picture) {
  const double bottom = picture.height;
  std::string out = "<g class=\"bands\">\n";
  for (std::size_t i = 0; i < picture.bands.size(); i += 2)
    out += fmt::format("<rect class=\"band\" x=\"-4\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", number(picture.bands[i].top),
                       number(picture.width + 8), number(picture.bands[i].bottom - picture.bands[i].top));
  std::string rules;
  for (const Column& column : picture.columns) rules += fmt::format("M{} 0v{}", number(column.left), number(bottom));
  if (!rules.empty()) out += fmt::format("<path class=\"rule\" d=\"{}\"/>\n", rules);
  out += "</g>\n<g class=\"lanes\">\n";
  for (const Lane& lane : picture.lanes)
    line(out, lane.memory ? "lane memory" : "lane", 0, lane.y, std::max(lane.end, 4.0), lane.y);
  std::string bars;
  for (const Bar& bar : picture.bars)
    if (bar.to - bar.from > 6)
      bars += fmt::format("M{} {}h{}", number(bar.from + 3), number(bar.y), number(bar.to - bar.from - 6));
  if (!bars.empty()) out += fmt::format("<path class=\"bar\" d=\"{}\"/>\n", bars);
  out += "</g>\n<g class=\"items\">\n";
  // A group for each sort, whose style its shapes inherit: a browser has thousands of them to show.
  for (std::size_t i = 0; i < picture.items.size(); ++i) {
    const Item& item = picture.items[i];
    const bool first = i == 0 || picture.items[i - 1].sort != item.sort;
    const bool last = i + 1 == picture.items.size() || picture.items[i + 1].sort != item.sort;
    if (first) out += fmt::format("<g class=\"i {}\">\n", class_of(item.sort));
    fmt::format_to(std::back_inserter(out), "<path{} d=\"{}\"/>\n", item.lost ? " class=\"lost\"" : "", path_of(item));
    if (last) out += "</g>\n";
  }
  out += "</g>\n" + words_beside(picture) + "<g class=\"stops\">\n" + stops_of(picture) + "</g>\n";
  // What stays in sight when the page is zoomed: names of ranks and numbers of columns.
  double names = 52;
  for (const Lane& lane : picture.lanes)
    if (!lane.name.empty()) names = 88;
  out += fmt::format("<g class=\"axis ranks\"><rect x=\"{}\" y=\"-30\" width=\"{}\" height=\"{}\"/>\n", number(-names - 6),
                     number(names + 2), number(bottom + 36));
  for (const Band& band : picture.bands) {
    const bool alone = names < 80;
    out += fmt::format("<text class=\"rank\" x=\"{}\" y=\"{}\">{}</text>\n", number(alone ? -10 : -52),
                       number((band.top + band.bottom) / 2 + 4), escaped(band.name));
  }
  for (const Lane& lane : picture.lanes)
    if (!lane.name.empty())
      out += fmt::format("<text class=\"block\" x=\"-8\" y=\"{}\">{}</text>\n", number(lane.y + 3.5), escaped(lane.name));
  out += fmt::format(
      "</g>\n<g class=\"axis columns\"><rect x=\"{}\" y=\"-24\" width=\"{}\" height=\"20\"/>"
      "<text class=\"rank\" x=\"-10\" y=\"-10\">{}</text>\n",
      number(-names - 6), number(picture.width + names + 12), picture.column_word);
  for (const Column& column : picture.columns)
    out += fmt::format("<text class=\"step\" x=\"{}\" y=\"-10\">{}</text>\n", number(column.left + column.width / 2),
                       escaped(column.name));
  return out + "</g>\n";
}

std::string draw_svg(const Picture& picture) {
  constexpr double names = 96, narrowest = 620, beside = 14;
  const double width = std::max(picture.width, narrowest - names);
  double y = -24;
  std::string head;
  for (const std::string& row : wrapped(picture.title, (width + names) * letter / heading_letter))
    head += fmt::format("<text class=\"heading\" x=\"{}\" y=\"{}\">{}</text>\n", number(-names), number(y += 24), escaped(row));
  const auto words = [&](const std::string& text, const char* style) {
    for (const std::string& row : wrapped(text, width + names))
      head +=
          fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", style, number(-names), number(y += 18), escaped(row));
  };
  y += 4;
  words(picture.subtitle, "subtitle");
  for (const std::string& note : picture.notes) words(note, "subtitle");
  for (std::size_t i = 0; i < picture.findings.size(); ++i) words(fmt::format("{}. {}", i + 1, picture.findings[i]), "finding");
  const double top = y + 46;
  double x = -names;
  y = top + picture.height + 30;
  std::string legend;
  for (std::size_t i = 0; i < sorts; ++i) {
    const auto sort = static_cast<Sort>(i);
    if (!uses(picture, sort)) continue;
    const double wide = 42 + letter * static_cast<double>(words_of(sort).size()) + beside;
    if (x + wide > width && x > -names) {
      x = -names;
      y += 20;
    }
    legend += fmt::format("<g transform=\"translate({} {})\">{}<text x=\"42\" y=\"11\">{}</text></g>\n", number(x), number(y),
                          sample_of(sort), words_of(sort));
    x += wide;
  }
  std::string key;
  if (picture.numbered_blocks) {
    y += 36;
    key = fmt::format(
        "<text x=\"{}\" y=\"{}\">Pale bars are transfers and waits. Numbers beside arrows are blocks, as in the larger one of "
        "input and output.</text>\n",
        number(-names), number(y));
  }
  const double left = -names - margin, high = -margin - 16, wide = width + names + 2 * margin, tall = y + 24 - high;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"railgauge\" viewBox=\"{} {} {} {}\" width=\"{}\" height=\"{}\" "
      "role=\"img\">\n<title>{}</title>\n<style>{}</style>\n",
      number(left), number(high), number(wide), number(tall), number(wide), number(tall), escaped(picture.title),
      web::rounds_css);
  out += fmt::format("<rect class=\"paper\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", number(left), number(high),
                     number(wide), number(tall));
  return out + head + fmt::format("<g transform=\"translate(0 {})\">\n", number(top)) + shapes_of(picture) + "</g>\n" + legend +
         key + "</svg>\n";
}

}  // namespace railgauge::picture
