// Boxes, edges and a legend as SVG. Colours and dashes stand in web/picture.css.
#include "topo/draw/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/output/markup.hpp"
#include "topo/draw/draw.hpp"
#include "topo/draw/web.hpp"
#include "topo/layout/measure.hpp"

namespace railgauge::topo {
namespace {

constexpr double margin = 28;

// One digit after the point, and none that says nothing.
std::string number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string titles(const std::vector<Fact>& facts, const std::string& first) {
  std::string text = escaped(first);
  for (const Fact& fact : facts) text += "\n" + escaped(fact.name) + ": " + escaped(fact.value);
  return "<title>" + text + "</title>";
}

std::string text_at(double x, double y, std::string_view style, std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>", number(x), number(y),
                     style.empty() ? std::string() : fmt::format(" class=\"{}\"", style), escaped(text));
}

// Corners are rounded.
std::string path_of(const Edge& edge) {
  const std::vector<Point>& at = edge.bends;
  if (at.size() < 2) return {};
  std::string path = fmt::format("M{} {}", number(at[0].x), number(at[0].y));
  if (edge.curved && at.size() == 4)
    return path + fmt::format("C{} {} {} {} {} {}", number(at[1].x), number(at[1].y), number(at[2].x), number(at[2].y),
                              number(at[3].x), number(at[3].y));
  for (std::size_t i = 1; i + 1 < at.size(); ++i) {
    const auto toward = [&](const Point& other) {
      const double dx = other.x - at[i].x;
      const double dy = other.y - at[i].y;
      const double length = std::hypot(dx, dy);
      const double part = length > 0 ? std::min(7.0, length / 2) / length : 0;
      return Point{at[i].x + dx * part, at[i].y + dy * part};
    };
    const Point in = toward(at[i - 1]);
    const Point out = toward(at[i + 1]);
    path += fmt::format("L{} {}Q{} {} {} {}", number(in.x), number(in.y), number(at[i].x), number(at[i].y), number(out.x),
                        number(out.y));
  }
  return path + fmt::format("L{} {}", number(at.back().x), number(at.back().y));
}

class Shapes {
 public:
  Shapes(const Picture& picture, const std::vector<double>& ratios, bool numbered, const Scale& scale, Shade shade)
      : picture_(picture), ratios_(ratios), numbered_(numbered), scale_(scale), shade_(shade) {}

  std::string draw() {
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i)
      if (picture_.boxes[i].role == Role::frame) box(i);
    for (std::size_t i = 0; i < picture_.edges.size(); ++i) edge(i);
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i)
      if (picture_.boxes[i].role != Role::frame) box(i);
    for (const Box& it : picture_.boxes)
      if (it.role == Role::frame) {  // edges pass behind their titles
        out_ += fmt::format("<g class=\"over {}\">", class_of(it.kind));
        lines(it);
        out_ += "</g>\n";
      }
    for (std::size_t i = 0; i < picture_.edges.size(); ++i) label(i);
    return std::move(out_);
  }

 private:
  static std::string_view role_of(Role role) {
    switch (role) {
      case Role::frame:
        return "frame";
      case Role::bar:
        return "bar";
      case Role::card:
        return "card";
      case Role::folded:
        return "folded";
      case Role::note:
        return "note";
    }
    return "card";
  }

  void box(std::size_t i) {
    const Box& it = picture_.boxes[i];
    std::string classes = fmt::format("{} {}", role_of(it.role), class_of(it.kind));
    if (it.warning) classes += " warning";
    out_ += fmt::format("<g class=\"{}\"", classes);
    if (numbered_) {
      out_ += fmt::format(" data-b=\"{}\"", i);
      if (it.role != Role::note || !it.facts.empty())
        out_ += fmt::format(" tabindex=\"0\" role=\"img\" aria-label=\"{}\"", escaped(spoken(it)));
    }
    out_ += ">";
    if (!numbered_) out_ += titles(it.facts, spoken(it));
    const double radius = it.role == Role::frame ? 10 : it.role == Role::bar ? 5 : 7;
    if (it.role != Role::note) {
      if (it.count > 1 && it.role == Role::card)  // a pile
        for (const double off : {6.0, 3.0}) rect(it, off, radius, " class=\"pile\"");
      rect(it, 0, radius, "");
    }
    if (it.role != Role::frame) lines(it);
    out_ += "</g>\n";
  }

  void rect(const Box& it, double off, double radius, std::string_view more) {
    out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"{}/>", number(it.at.x + off),
                        number(it.at.y - off), number(it.width), number(it.height), number(radius), more);
  }

  static std::string spoken(const Box& it) {
    std::string text;
    if (it.role != Role::note && it.role != Role::folded) text = std::string(row(it.kind).word);
    for (const std::string& line : it.lines) text += (text.empty() ? "" : ", ") + line;
    if (!it.badge.empty()) text += ", " + it.badge;
    return text;
  }

  void lines(const Box& it) {
    if (it.lines.empty()) return;
    if (it.role == Role::bar) {
      out_ += text_at(it.at.x + it.width / 2, it.at.y + it.height / 2 + 4, "mid", it.lines.front());
      for (std::size_t i = 1; i < it.lines.size(); ++i)
        out_ += text_at(it.at.x + it.width / 2, it.at.y + it.height / 2 + 4 + 15 * static_cast<double>(i), "mid", it.lines[i]);
      return;
    }
    if (it.role == Role::folded) {
      const double first = it.at.y + it.height / 2 + 4 - 8 * (static_cast<double>(it.lines.size()) - 1);
      for (std::size_t i = 0; i < it.lines.size(); ++i)
        out_ += text_at(it.at.x + it.width / 2, first + 16 * static_cast<double>(i), i == 0 ? "mid name" : "mid", it.lines[i]);
      return;
    }
    const double left = it.role == Role::note ? 0 : it.role == Role::frame ? 14 : 8;
    double y = it.at.y + (it.role == Role::frame ? 20 : it.role == Role::note ? 12 : 18);
    for (std::size_t i = 0; i < it.lines.size(); ++i) {
      const bool name = i == 0 && (it.role != Role::note || it.lines.size() > 1);
      out_ += text_at(it.at.x + left, y, name ? "name" : "", it.lines[i]);
      y += i == 0 ? 16 : 15;
    }
    if (!it.badge.empty()) {
      const double width = text_width(it.badge, label_size, true) + 8;
      const double x = it.at.x + it.width - width - 5;
      out_ += fmt::format("<rect class=\"badge\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"15\" rx=\"7.5\"/>", number(x),
                          number(it.at.y + 5.5), number(width));
      out_ += text_at(x + width / 2, it.at.y + 16.5, "badge mid", it.badge);
    }
  }

  std::string classes_of(const Edge& it, std::size_t i) const {
    std::string classes = class_of(it.kind);
    if (it.warning) classes += " warning";
    if (it.low) classes += " low";
    if (const std::string_view ratio = class_of_ratio(ratios_[i], scale_, shade_); !ratio.empty())
      classes += fmt::format(" {}", ratio);
    return classes;
  }

  void edge(std::size_t i) {
    const Edge& it = picture_.edges[i];
    const std::string path = path_of(it);
    if (path.empty()) return;
    out_ += fmt::format("<g class=\"edge {}\"", classes_of(it, i));
    if (numbered_)
      out_ += fmt::format(" data-e=\"{}\"{}", i,
                          it.facts.empty() ? "" : " tabindex=\"0\" role=\"img\" aria-label=\"" + escaped(spoken(it)) + "\"");
    out_ += ">";
    if (!numbered_ && !it.facts.empty()) out_ += titles(it.facts, spoken(it));
    out_ += fmt::format("<path d=\"{}\" stroke-width=\"{}\"/>", path, number(it.weight));
    if (numbered_ && !it.facts.empty()) out_ += fmt::format("<path class=\"hit\" d=\"{}\"/>", path);
    out_ += "</g>\n";
  }

  static std::string spoken(const Edge& it) {
    std::string text = it.title.empty() ? std::string(row(it.kind).word) : it.title;
    for (const std::string& line : it.label) text += ", " + line;
    return text;
  }

  void label(std::size_t i) {
    const Edge& it = picture_.edges[i];
    std::vector<std::string> lines = it.label;
    if (ratios_[i] >= 0) lines.push_back(fmt::format("{:.0f} %", 100 * ratios_[i]));
    if ((lines.empty() && it.mark.empty()) || it.bends.size() < 2) return;
    out_ += fmt::format("<g class=\"label {}\">", classes_of(it, i));
    if (!it.mark.empty()) mark(it.mark, {it.label_at.x, it.label_at.y - (lines.empty() ? 3 : 22)});
    double y = it.label_at.y;
    for (const std::string& line : lines) {
      out_ += text_at(it.label_at.x, y, it.label_centred ? "mid" : "", line);
      y += 12;
    }
    out_ += "</g>\n";
  }

  void mark(const std::string& text, const Point& middle) {
    constexpr double radius = 9;
    const double width = std::max(2 * radius, text_width(text, line_size, true) + 8);
    out_ +=
        fmt::format("<rect class=\"mark\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>", number(middle.x - width / 2),
                    number(middle.y - radius), number(width), number(2 * radius), number(radius));
    out_ += text_at(middle.x, middle.y + 4, "mark mid", text);
  }

  const Picture& picture_;
  const std::vector<double>& ratios_;
  bool numbered_;
  Scale scale_;
  Shade shade_;
  std::string out_;
};

// Wraps at `width`; a single word may be wider, and `width` grows with it.
std::string legend(const Used& used, Shade shade, double y, double& width, double& bottom) {
  constexpr double gap = 18;  // between two entries
  double right = 0;
  std::string out = "<g class=\"legend\">\n";
  double x = 0;
  const auto next = [&](double wide) {
    if (x > 0 && x + wide > width) {
      x = 0;
      y += 24;
    }
  };
  for (const Kind kind : used.kinds) {
    const std::string_view word = row(kind).word;
    const double wide = 30 + text_width(word, line_size) + gap;
    next(wide);
    out += fmt::format("<g class=\"{} {}\"><rect x=\"{}\" y=\"{}\" width=\"20\" height=\"13\" rx=\"4\"/></g>",
                       kind == Kind::pci_root || kind == Kind::pci_bridge || kind == Kind::pci_switch ? "bar" : "card",
                       class_of(kind), number(x), number(y));
    out += text_at(x + 27, y + 11, "", word) + "\n";
    x += wide;
  }
  const auto line = [&](const std::string& classes, std::string_view word) {
    const double wide = 50 + text_width(word, line_size) + gap;
    next(wide);
    right = std::max(right, x + wide - gap);
    out +=
        fmt::format("<g class=\"edge {}\"><path d=\"M{} {}h40\" stroke-width=\"2.5\"/></g>", classes, number(x), number(y + 7));
    out += text_at(x + 47, y + 11, "", word) + "\n";
    x += wide;
  };
  for (const LinkKind kind : used.links) line(class_of(kind), row(kind).word);
  const LinkKind sample = used.links.empty() ? LinkKind::pcie : used.links.front();
  if (used.warning) line(class_of(sample) + " warning", "degraded, missing or mis-cabled");
  if (used.low) line(class_of(sample) + " low", "slow now: saves power");
  if (used.ratios)
    for (const ShadeRow& it : rows_of(shade)) line(fmt::format("{} {}", class_of(sample), it.name), it.words);
  bottom = y + 20;
  width = std::max(width, right);
  return out + "</g>\n";
}

}  // namespace

std::string class_of(Kind kind) { return fmt::format("kind-{}", row(kind).name); }
std::string class_of(LinkKind kind) { return fmt::format("link-{}", row(kind).name); }

Used used_in(const Picture& picture, const std::vector<double>& ratios) {
  Used used;
  const auto add = [](auto& list, auto value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  };
  for (const Box& box : picture.boxes) {
    if (box.role != Role::note && box.role != Role::folded && box.role != Role::frame) add(used.kinds, box.kind);
    used.warning = used.warning || box.warning;
  }
  for (const Edge& edge : picture.edges) {
    add(used.links, edge.kind);
    used.warning = used.warning || edge.warning;
    used.low = used.low || edge.low;
  }
  std::sort(used.kinds.begin(), used.kinds.end());
  std::sort(used.links.begin(), used.links.end());
  used.ratios = std::any_of(ratios.begin(), ratios.end(), [](double it) { return it >= 0; });
  return used;
}

std::string draw_shapes(const Picture& picture, const std::vector<double>& ratios, bool numbered, const Scale& scale,
                        Shade shade) {
  return Shapes(picture, ratios, numbered, scale, shade).draw();
}

namespace {

constexpr std::size_t most_lines = 24;  // findings; the description has all
constexpr double indent = 16;           // of a sentence's second line
constexpr double widest_line = 640;     // unless the picture is wider

// Sentences below the legend.
std::string findings_of(const Picture& picture, double& y, double& width) {
  std::string out;
  const double room = std::max(width, widest_line);
  for (std::size_t i = 0; i < picture.findings.size() && i < most_lines; ++i) {
    double x = 0;
    for (const std::string& line : wrapped(picture.findings[i], room - indent, line_size)) {
      out += text_at(x, y += 16, "subtitle", line) + "\n";
      width = std::max(width, x + text_width(line, line_size));
      x = indent;
    }
  }
  if (picture.findings.size() > most_lines)
    out +=
        text_at(0, y += 16, "subtitle",
                fmt::format("and {} more: railgauge topo check and --as html tell all.", picture.findings.size() - most_lines)) +
        "\n";
  return out;
}

// For programs, and for people who cannot see the picture.
std::string description_of(const Picture& picture) {
  std::string out = "<desc>";
  for (const std::string& it : picture.notes) out += escaped(it) + "\n";
  for (const std::string& it : picture.findings) out += escaped(it) + "\n";
  return out + "</desc>\n";
}

}  // namespace

std::string draw_svg(const Picture& picture, const Graph& graph, const Ratios& ratios, Shade shade) {
  const std::vector<double> of_edges = ratios_of(picture, graph, ratios, shade);
  double head = 30;
  std::string heading = text_at(0, 22, "heading", picture.title);
  if (!picture.subtitle.empty()) heading += text_at(0, head += 14, "subtitle", picture.subtitle);
  std::vector<std::string> notes;
  for (const std::string& note : picture.notes)
    for (std::string& line : wrapped(note, std::max(picture.width, widest_line), title_size)) notes.push_back(std::move(line));
  for (const std::string& note : notes) heading += text_at(0, head += 18, "subtitle", note);
  head += 26;
  double widest = std::max(picture.width, text_width(picture.title, 22, true));
  for (const std::string& note : notes) widest = std::max(widest, text_width(note, title_size));
  widest = std::max(widest, text_width(picture.subtitle, title_size));
  double bottom = 0;
  const std::string key = legend(used_in(picture, of_edges), shade, head + picture.height + 34, widest, bottom);
  const std::string findings = findings_of(picture, bottom, widest);
  const double width = widest + 2 * margin;
  const double height = bottom + 2 * margin;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"railgauge\" viewBox=\"{} {} {} {}\" width=\"{}\" height=\"{}\" "
      "role=\"img\">\n",
      number(-margin), number(-margin), number(width), number(height), number(width), number(height));
  out +=
      fmt::format("<title>{}</title>\n{}<style>{}</style>\n", escaped(picture.title), description_of(picture), web::picture_css);
  out += fmt::format("<rect class=\"paper\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n{}\n", number(-margin),
                     number(-margin), number(width), number(height), heading);
  out += fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n{}{}</svg>\n", number(head),
                     draw_shapes(picture, of_edges, false, {}, shade), key, findings);
  return out;
}

std::string to_svg(const Graph& graph, const Diagnosis& diagnosis, const Ratios& ratios) {
  return draw_svg(lay_out(graph, diagnosis), graph, ratios);
}

}  // namespace railgauge::topo
