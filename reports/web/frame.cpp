// Sections, and the charts with their data and policy, as a page.
#include "reports/web/frame.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "base/page/page.hpp"
#include "reports/web/web.hpp"

namespace railgauge::web {
namespace {

constexpr std::size_t shortest_digest = 40;  // of SHA-256 in base64: 44 characters

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
  const std::string style = std::string(page_css) + std::string(frame.style);
  page::Document document;
  document.title = frame.title;
  document.heading = frame.heading;
  document.lines = {frame.what + '.'};
  document.skip = "To the verdict";
  document.before = fmt::format("<nav aria-label=\"Parts of this page\">\n<ul>\n{}</ul>\n</nav>\n", links);
  document.main = body;
  document.program = frame.program;
  document.style = style;
  document.data = charts ? frame.data : "{}";
  document.script = charts ? fmt::format("<script>{}</script>", report_js) : std::string();
  document.policy = charts ? fmt::format("'sha256-{}'", digest) : "'none'";
  return page::text_of(document);
}

}  // namespace railgauge::web
