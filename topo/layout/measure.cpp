// Widths of text by classes of letters.
#include "topo/layout/measure.hpp"

#include <algorithm>
#include <utility>

#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

// Of the type's size, in the widest of the common types (DejaVu Sans, what many Linux desktops have). Letters of other scripts
// count as wide ones: too much room is better than too little.
double em(unsigned char c) {
  if (c >= 0x80) return (c & 0xc0U) == 0x80 ? 0 : 0.9;
  constexpr std::string_view narrow = "iljtfrI.,:;|!'()[]{} /\\-";
  if (narrow.find(static_cast<char>(c)) != std::string_view::npos) return 0.35;
  if (c == 'm' || c == 'w' || c == 'M' || c == 'W' || c == '@' || c == '%' || c == '<' || c == '>' || c == '=' || c == '+' ||
      c == '~')
    return 0.92;
  if (c >= 'A' && c <= 'Z') return 0.7;
  return 0.62;
}

}  // namespace

double text_width(std::string_view text, double size, bool bold) {
  double width = 0;
  for (const char c : text) width += em(static_cast<unsigned char>(c));
  return width * size * (bold ? 1.1 : 1.0);
}

std::string fitted(std::string_view text, double width, double size, bool bold) {
  std::string clean = printable(text);
  if (text_width(clean, size, bold) <= width) return clean;
  const double room = width - 0.9 * size;
  double used = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < clean.size();) {
    std::size_t next = i + 1;
    while (next < clean.size() && (static_cast<unsigned char>(clean[next]) & 0xc0U) == 0x80) ++next;
    used += text_width(std::string_view(clean).substr(i, next - i), size, bold);
    if (used > room) break;
    end = i = next;
  }
  clean.resize(end);
  while (!clean.empty() && clean.back() == ' ') clean.pop_back();
  return clean + "\u2026";
}

std::string fitted_name(std::string_view text, double width, double size, bool bold) {
  std::string clean = printable(text);
  if (text_width(clean, size, bold) <= width) return clean;
  const auto follows = [&](std::size_t at) {
    return at < clean.size() && (static_cast<unsigned char>(clean[at]) & 0xc0U) == 0x80;
  };
  std::size_t head = clean.size() / 4;
  while (head > 0 && follows(head)) --head;
  const double room = width - 0.9 * size - text_width(std::string_view(clean).substr(0, head), size, bold);
  std::size_t tail = clean.size();
  while (tail > head && (follows(tail) || text_width(std::string_view(clean).substr(tail - 1), size, bold) <= room)) --tail;
  while (follows(tail)) ++tail;
  if (tail >= clean.size()) return fitted(clean, width, size, bold);
  return clean.substr(0, head) + "\u2026" + clean.substr(tail);
}

std::vector<std::string> wrapped(std::string_view text, double width, double size, std::size_t most) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string longer = lines.empty() || lines.back().empty() ? std::string() : lines.back() + ' ';
    longer += text.substr(0, end);
    if (lines.empty() || (!lines.back().empty() && lines.size() < most && text_width(longer, size) > width))
      lines.emplace_back(text.substr(0, end));
    else
      lines.back() = std::move(longer);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace railgauge::topo
