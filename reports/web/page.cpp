// Which sections there are, in which order.
#include "reports/web/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "reports/web/data.hpp"
#include "reports/web/frame.hpp"
#include "reports/web/inert.hpp"
#include "reports/web/sections.hpp"
#include "reports/web/trend_section.hpp"
#include "reports/web/verdict.hpp"

namespace railgauge::web {
namespace {

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
  body += charts ? "<p>Curves have eight colours after Okabe and Ito, and heat maps five steps of one hue: readers who see red "
                   "and green "
                   "alike can tell them apart; each curve also has a dash pattern and a mark of its own. Every chart is also a "
                   "table.</p>\n"
                 : "<p>This railgauge was built without charts, which need npm at build time: the tables hold all of it.</p>\n";
  return {"reading", "How to read this", std::move(body)};
}

}  // namespace

std::string page_of(const Contents& contents, const PageOptions& options) {
  const bool charts = has_charts();
  const PageVerdict verdict = verdict_of(contents);
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

  Frame frame;
  frame.title = html(title_of(contents)) + ": railgauge report";
  frame.heading = html(title_of(contents));
  frame.what = html_of_sentence(verdict.what);
  frame.program = html(options.program);
  frame.data = charts ? chart_data(contents, drawn) : "{}";
  return framed(frame, sections);
}

}  // namespace railgauge::web
