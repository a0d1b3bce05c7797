// What would be taken for markup.
#include "base/output/escape.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstddef>

#include "base/output/text.hpp"

namespace railgauge {
namespace {

// Only the percent sign is left to escape: printable text has no line ends. In a property a comma and a colon would end it.
std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (const char character : printable(text)) {
    if (character == '%')
      result += "%25";
    else if (property && character == ':')
      result += "%3A";
    else if (property && character == ',')
      result += "%2C";
    else
      result += character;
  }
  return result;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result = printable(text);
  for (const std::string_view never : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (std::size_t at = 0; (at = result.find(never, at)) != std::string::npos;)
      result.replace(at, never.size(), "\xef\xbf\xbd");
  return result;
}

std::string markdown_text(std::string_view text) {
  const std::string safe = printable(text);
  const auto is_word = [&](std::size_t at) {
    return at < safe.size() && std::isalnum(static_cast<unsigned char>(safe[at])) != 0;
  };
  std::string result;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const char character = safe[i];
    if (character == '<') {
      result += "&lt;";
    } else if (character == '&') {
      result += "&amp;";
    } else {
      // Within a word an underscore is one.
      const bool within = character == '_' && i != 0 && is_word(i - 1) && is_word(i + 1);
      if (!within && std::string_view("\\`*_[]#+|~>$").find(character) != std::string_view::npos) result += '\\';
      result += character;
    }
  }
  return result;
}

std::string workflow_command(std::string_view level, std::string_view title, std::string_view message) {
  return fmt::format("::{} title={}::{}\n", level, escaped(title, true), escaped(message, false));
}

}  // namespace railgauge
