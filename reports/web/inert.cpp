// Letter by letter.
#include "reports/web/inert.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "base/output/markup.hpp"
#include "base/output/text.hpp"

namespace railgauge::web {
namespace {

constexpr std::size_t most_characters = 400;

std::size_t length_of(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069: they end lines or turn the direction of what follows.
bool steers(std::string_view character) {
  if (character.size() != 3 || character[0] != '\xe2') return false;
  const auto last = static_cast<unsigned char>(character[2]);
  if (character[1] == '\x80') return last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae);
  return character[1] == '\x81' && last >= 0xa6 && last <= 0xa9;
}

}  // namespace

std::string shown(std::string_view text) {
  // No character has more than four bytes, so a piece of this size has more of them than are shown.
  const std::string clean = printable(text.substr(0, 4 * (most_characters + 1)));
  std::string result;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < clean.size();) {
    if (characters++ == most_characters) return fmt::format("{}... ({} bytes in all)", result, text.size());
    const std::string_view character = std::string_view(clean).substr(i, length_of(clean[i]));
    if (steers(character))
      result += ' ';
    else
      result += character;
    i += character.size();
  }
  return result;
}

std::string html(std::string_view text) { return topo::escaped(shown(text)); }

std::string html_of_sentence(std::string_view text) { return topo::escaped(text); }

std::string json_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : shown(text)) {
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (c == '<' || c == '>' || c == '&')
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + "\"";
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{:.5g}", value) : "null"; }

}  // namespace railgauge::web
