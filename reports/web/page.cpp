// Puts sections, style, data and script into the skeleton.
#include "reports/web/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/web/data.hpp"
#include "reports/web/inert.hpp"
#include "reports/web/sections.hpp"
#include "reports/web/trend_section.hpp"
#include "reports/web/verdict.hpp"
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

std::string title_of(const Contents& contents) {
  std::string title;
  for (const std::string& collective : contents.collectives) {
    if (title.size() > 60) return title + " and more";
    title += (title.empty() ? "" : ", ") + collective;
  }
  return title.empty() ? "no results" : title;
}

Section topology_section(const Drawing& drawing) {
  return {
      "topology", "Topology",
      fmt::format("<figure class=\"topology\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Picture of the "
                  "topology\">{}</div><figcaption>{}</figcaption></figure>\n",
                  drawing.svg, html(drawing.caption))};
}

// The verdict, then what led to it.
Section gate_section(const std::vector<std::string>& lines) {
  std::string body = fmt::format("<p><strong>{}</strong></p>\n<ul>\n", html(lines.back()));
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) body += fmt::format("<li>{}</li>\n", html(lines[i]));
  return {"gate", "Gate", body + "</ul>\n"};
}

Section reading_section(bool charts) {
  std::string body =
      "<p>The formulas of bandwidths are in docs/bandwidth.md of railgauge, how a time is measured in docs/measuring.md, who "
      "counts as slow "
      "in docs/pairs.md, and what the links allow in docs/verdicts.md.</p>\n";
  body += charts ? "<p>Curves have eight colours after Okabe and Ito, and the heat map those of cividis: readers who see red and "
                   "green alike can tell "
                   "them apart; each curve also has a dash pattern and a mark of its own. Every chart is also a table.</p>\n"
                 : "<p>This railgauge was built without charts, which need npm at build time: the tables hold all of it.</p>\n";
  return {"reading", "How to read this", std::move(body)};
}

}  // namespace

bool has_charts() noexcept { return report_js_sha256.size() > shortest_digest; }

std::string page_of(const Contents& contents, const PageOptions& options) {
  const bool charts = has_charts();
  const Verdict verdict = verdict_of(contents);
  std::vector<Section> sections{verdict_section(verdict)};
  for (Section& section : sections_of(contents, charts)) sections.push_back(std::move(section));
  const std::vector<Trend> drawn = drawn_trends(options.trends);
  if (!drawn.empty())
    sections.insert(sections.begin() +
                        static_cast<std::ptrdiff_t>(std::min<std::size_t>(sections.size() - 1, contents.curves.empty() ? 1 : 3)),
                    trend_section(options.trends, drawn, charts));
  if (!options.judged.empty()) sections.insert(sections.begin() + 1, gate_section(options.judged));
  if (!options.topology.svg.empty()) sections.insert(sections.end() - 1, topology_section(options.topology));
  sections.push_back(reading_section(charts));

  std::string links, body;
  for (const Section& section : sections) {
    links += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, section.title);
    body += fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
                        section.id, section.title, section.body);
  }
  std::string digest(report_js_sha256);
  while (!digest.empty() && (digest.back() == '\n' || digest.back() == ' ')) digest.pop_back();
  return filled(page_html, {{"title", html(title_of(contents))},
                            {"what", html_of_sentence(verdict.what)},
                            {"policy", charts ? fmt::format("'sha256-{}'", digest) : "'none'"},
                            {"style", std::string(page_css)},
                            {"links", links},
                            {"body", body},
                            {"program", html(options.program)},
                            {"data", charts ? chart_data(contents, drawn) : "{}"},
                            {"script", charts ? fmt::format("<script>{}</script>", report_js) : std::string()}});
}

}  // namespace railgauge::web
