// The scanner behind base/output/text.hpp.
#include "base/output/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace railgauge {
namespace {

struct Decoded {
  std::size_t length = 0;  // 0: no valid character starts here
  std::uint32_t point = 0;
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {1, first};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
  std::uint32_t point = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    point = point << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  if (point < least[length] || point > 0x10ffff || surrogate) return {};
  return {length, point};
}

}  // namespace

std::string format_gigabytes(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  if (value < 0.0005) return fmt::format("{:.0e}", value);
  return fmt::format("{:.{}f}", value, value < 10 ? 3 : value < 100 ? 2 : 1);
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Decoded character = decode(text);
    if (character.length == 0) {
      result += "\xef\xbf\xbd";
      text.remove_prefix(1);
      continue;
    }
    // C0, DEL and C1: the last are control characters of terminals too.
    const bool control = character.point < 0x20 || (character.point >= 0x7f && character.point < 0xa0);
    if (control)
      result += ' ';
    else
      result += text.substr(0, character.length);
    text.remove_prefix(character.length);
  }
  return result;
}

}  // namespace railgauge
