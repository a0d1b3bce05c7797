// Puts texts into the skeleton.
#include "base/page/page.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>

#include "base/page/files.hpp"

namespace railgauge::page {
namespace {

// Each "@word@" of `skeleton` becomes the text of that name. What is put in is not looked at again.
std::string filled(std::string_view skeleton, const std::map<std::string_view, std::string>& texts) {
  std::string out;
  while (!skeleton.empty()) {
    const std::size_t begin = skeleton.find('@');
    out += skeleton.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = skeleton.find('@', begin + 1);
    const auto text = end == std::string_view::npos ? texts.end() : texts.find(skeleton.substr(begin + 1, end - begin - 1));
    if (text == texts.end()) {
      out += '@';
      skeleton.remove_prefix(begin + 1);
    } else {
      out += text->second;
      skeleton.remove_prefix(end + 1);
    }
  }
  return out;
}

// The same JSON, in which nothing can end the script element.
std::string without_tags(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

}  // namespace

std::string text_of(const Document& document) {
  std::string lines;
  for (const std::string& line : document.lines) lines += fmt::format("<p>{}</p>\n", line);
  return filled(page_html, {{"title", document.title},
                            {"heading", document.heading},
                            {"lines", lines},
                            {"tools", document.tools},
                            {"skip", document.skip},
                            {"before", document.before},
                            {"main_attributes", document.main_attributes},
                            {"main", document.main},
                            {"after", document.after},
                            {"class", document.colours.empty() ? "" : fmt::format(" class=\"{}\"", document.colours)},
                            {"program", document.program},
                            {"policy", document.policy},
                            {"style", fmt::format("{}{}", page_css, document.style)},
                            {"data", without_tags(document.data)},
                            {"script", document.script}});
}

}  // namespace railgauge::page
