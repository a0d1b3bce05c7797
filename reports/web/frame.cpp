// Puts sections, style, data and script into the skeleton.
#include "reports/web/frame.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string_view>

#include "reports/web/web.hpp"

namespace railgauge::web {
namespace {

constexpr std::size_t shortest_digest = 40;  // of SHA-256 in base64: 44 characters

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

}  // namespace

bool has_charts() noexcept { return report_js_sha256.size() > shortest_digest; }

std::string framed(const Frame& frame, const std::vector<Section>& sections) {
  const bool charts = has_charts();
  std::string links, body;
  for (const Section& section : sections) {
    links += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, section.title);
    body += fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
                        section.id, section.title, section.body);
  }
  std::string digest(report_js_sha256);
  while (!digest.empty() && (digest.back() == '\n' || digest.back() == ' ')) digest.pop_back();
  return filled(page_html, {{"title", frame.title},
                            {"heading", frame.heading},
                            {"what", frame.what},
                            {"policy", charts ? fmt::format("'sha256-{}'", digest) : "'none'"},
                            {"style", std::string(page_css) + std::string(frame.style)},
                            {"links", links},
                            {"body", body},
                            {"program", frame.program},
                            {"data", charts ? frame.data : "{}"},
                            {"script", charts ? fmt::format("<script>{}</script>", report_js) : std::string()}});
}

}  // namespace railgauge::web
