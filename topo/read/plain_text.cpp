// Tells what a file is by its first bytes, and undoes what others did to a text on its path here.
#include "topo/read/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace railgauge::topo {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view white = " \t\r\n\v\f";

struct Signature {
  std::size_t at;
  std::string_view bytes, name, action;
};
// The order matters: UTF-32 begins like UTF-16.
constexpr auto signatures = std::to_array<Signature>({
    {0, "\x1f\x8b"sv, "compressed by gzip", "unpack it with `gunzip` first"},
    {0, "BZh"sv, "compressed by bzip2", "unpack it with `bunzip2` first"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "compressed by xz", "unpack it with `unxz` first"},
    {0, "\x28\xb5\x2f\xfd"sv, "compressed by zstd", "unpack it with `unzstd` first"},
    {0, "PK\x03\x04"sv, "a zip archive", "unpack it with `unzip` first"},
    {257, "ustar"sv, "a tar archive", "unpack it with `tar xf` first"},
    {0, "%PDF-"sv, "a PDF document", "give the text that is in it"},
    {0, "\x89PNG\r\n"sv, "a picture (PNG)", "give the text that it shows"},
    {0, "\xff\xd8\xff"sv, "a picture (JPEG)", "give the text that it shows"},
    {0, "\xff\xfe\0\0"sv, "text in UTF-32", "convert it with `iconv -f UTF-32 -t UTF-8`"},
    {0, "\0\0\xfe\xff"sv, "text in UTF-32", "convert it with `iconv -f UTF-32 -t UTF-8`"},
});

[[noreturn]] void refuse(const std::string& origin, const std::string& what) {
  throw Error(Fault::usage, fmt::format("{}: {}", origin, what));
}
[[noreturn]] void refuse(const std::string& origin, std::string_view before, const std::string& what) {
  refuse(fmt::format("{}:{}", origin, 1 + std::count(before.begin(), before.end(), '\n')), what);
}

void append_utf8(std::string& text, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0 | point >> 6U);
    put(0x80 | (point & 0x3fU));
  } else if (point < 0x10000) {
    put(0xe0 | point >> 12U);
    put(0x80 | (point >> 6U & 0x3fU));
    put(0x80 | (point & 0x3fU));
  } else {
    put(0xf0 | point >> 18U);
    put(0x80 | (point >> 12U & 0x3fU));
    put(0x80 | (point >> 6U & 0x3fU));
    put(0x80 | (point & 0x3fU));
  }
}

std::string from_utf16(std::string_view bytes, bool little, const std::string& origin) {
  std::string text;
  text.reserve(bytes.size());
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<std::uint32_t>(little ? first | second << 8U : first << 8U | second);
  };
  std::size_t at = 0;
  for (; at + 1 < bytes.size(); at += 2) {
    const std::uint32_t one = unit(at);
    if (one < 0xd800 || one > 0xdfff) {
      append_utf8(text, one);
      continue;
    }
    const std::uint32_t other = at + 3 < bytes.size() ? unit(at + 2) : 0;
    if (one > 0xdbff || other < 0xdc00 || other > 0xdfff)
      refuse(origin, text, "half a character of UTF-16 stands here: the file is cut or damaged");
    append_utf8(text, 0x10000 + ((one - 0xd800) << 10U) + (other - 0xdc00));
    at += 2;
  }
  if (at < bytes.size()) refuse(origin, text, "the file ends in the middle of a character of UTF-16: it was cut");
  return text;
}

enum class Encoding : std::uint8_t { utf8, utf16_little, utf16_big };

// By the byte order mark, else by zeros: in UTF-16 every other byte of plain text is one.
Encoding encoding_of(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe"sv)) return Encoding::utf16_little;
  if (bytes.starts_with("\xfe\xff"sv)) return Encoding::utf16_big;
  if (bytes.size() < 4) return Encoding::utf8;
  const std::string_view begin = bytes.substr(0, std::min<std::size_t>(bytes.size() / 2 * 2, 64));
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < begin.size(); ++i) zeros[i % 2] += begin[i] == '\0' ? 1 : 0;
  if (zeros[0] == 0 && zeros[1] * 2 == begin.size()) return Encoding::utf16_little;
  if (zeros[1] == 0 && zeros[0] * 2 == begin.size()) return Encoding::utf16_big;
  return Encoding::utf8;
}

// Calls each(line with its newline).
template <class Each>
void each_line(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    each(text.substr(0, end == std::string_view::npos ? end : end + 1));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

std::string_view without_blanks(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(white) == std::string_view::npos; }

// Takes one ">" and one blank from the front of each line; false where the text is not quoted.
bool unquote(std::string& text, const std::string& origin) {
  const std::size_t first = text.find_first_not_of(white);
  if (first == std::string::npos || text[first] != '>') return false;
  std::string plain;
  plain.reserve(text.size());
  each_line(text, [&](std::string_view line) {
    std::string_view rest = without_blanks(line);
    if (is_blank(line)) {
      plain += line;
      return;
    }
    if (rest.front() != '>')
      refuse(origin, plain, "the lines before are quoted with `>` and this one is not: quote all of them, or none");
    rest.remove_prefix(1);
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    plain += rest;
  });
  text = std::move(plain);
  return true;
}

}  // namespace

std::string plain_text(std::string bytes, const std::string& origin) {
  for (const Signature& it : signatures)
    if (bytes.size() >= it.at + it.bytes.size() && std::string_view(bytes).substr(it.at, it.bytes.size()) == it.bytes)
      refuse(origin, fmt::format("this file is {}: {}", it.name, it.action));
  const Encoding encoding = encoding_of(bytes);
  std::string text;
  if (encoding == Encoding::utf8) {
    text = std::move(bytes);
  } else {
    std::string_view rest = bytes;
    if (rest.starts_with("\xff\xfe"sv) || rest.starts_with("\xfe\xff"sv)) rest.remove_prefix(2);
    text = from_utf16(rest, encoding == Encoding::utf16_little, origin);
  }
  if (text.starts_with("\xef\xbb\xbf"sv)) text.erase(0, 3);
  if (is_blank(text)) refuse(origin, "the file is empty");
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos)
    refuse(origin, std::string_view(text).substr(0, nul), "this is no text: it has a zero byte");
  constexpr int deepest = 16;  // answers to answers
  for (int depth = 0; unquote(text, origin); ++depth)
    if (depth == deepest) refuse(origin, "this text is quoted more often than any mail");
  if (is_blank(text)) refuse(origin, "the file is empty");
  return text;
}

}  // namespace railgauge::topo
