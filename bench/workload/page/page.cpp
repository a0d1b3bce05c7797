// Puts the page together; bench/workload/page/page.hpp. What it does when used stands in web/.
#include "bench/workload/page/page.hpp"

#include <fmt/format.h>

#include <optional>
#include <ranges>

#include "base/output/markup.hpp"
#include "base/page/files.hpp"
#include "base/page/page.hpp"
#include "base/version.hpp"
#include "bench/workload/page/parts.hpp"

namespace railgauge {
namespace {

using topo::escaped;

std::string tools_of(const Workload& workload, std::size_t ranks) {
  std::string out =
      "<div class=\"tools\" role=\"region\" aria-label=\"Zoom, choice and kinds\">"
      "<span><button id=\"in\" title=\"Zoom in (+)\" aria-label=\"Zoom in\">+</button> <button id=\"out\" title=\"Zoom out (-)\" "
      "aria-label=\"Zoom out\">&#8722;</button> <button id=\"left\" title=\"Earlier (arrow left)\" aria-label=\"Earlier\">"
      "&#8592;</button> <button id=\"right\" title=\"Later (arrow right)\" aria-label=\"Later\">&#8594;</button> "
      "<button id=\"fit\" title=\"Show the whole step (0)\">Whole step</button></span>\n"
      "<label>Show <select id=\"only\"><option value=\"\">all ranks</option>"
      "<option value=\"low\">all ranks, a row each</option>";
  for (std::size_t rank = 0; rank < std::min(ranks, step_page::most_rows); ++rank)
    out += fmt::format("<option value=\"{0}\">rank {0}</option>", rank);
  out += "</select></label>\n<div class=\"legend\">\n";
  const auto kind = [&](std::string_view what, std::string_view colour, std::string_view words) {
    out += fmt::format(
        "<label><input type=\"checkbox\" checked data-kind=\"{}\"><span class=\"swatch {}\" aria-hidden=\"true\"></span>{}"
        "</label>\n",
        what, colour, words);
  };
  kind("compute", "computing", "computation");
  const std::vector<std::string> labels = step_page::labels_of(workload);
  for (std::size_t i = 0; i < labels.size(); ++i)
    kind(fmt::format("{}", i), fmt::format("g{}", i % step_page::colours), escaped(labels[i]));
  out += "<span class=\"key\"><span class=\"swatch pale\" aria-hidden=\"true\"></span>pale: waits for its last rank</span>\n";
  kind("exposed", "exposed", "exposed");
  kind("path", "path", "critical path");
  return out + "</div></div>\n";
}

}  // namespace

std::string page_of_step(const Workload& workload, const RunResult& result, const std::string& how,
                         std::span<const Comparison> comparisons) {
  page::Document document;
  document.title = escaped(workload.name) + ": a training step";
  document.heading = document.title;
  document.lines = {escaped(workload.source)};
  for (const auto line : std::views::split(how, '\n')) document.lines.push_back(escaped(std::string(line.begin(), line.end())));
  document.tools = "<button id=\"theme\">Light or dark</button> <button id=\"print\">Print</button>";
  if (result.wrong)
    document.before = fmt::format(
        "<section aria-label=\"Wrong data\"><p class=\"fault\"><strong>Wrong data:</strong> rank {}: {}</p></section>\n",
        result.wrong->rank, escaped(result.wrong->sentence));
  const bool whole = !result.timeline.empty();
  const Matches matches = whole ? matches_of(workload) : Matches();
  const std::optional<TimelineFigures> figures = whole ? std::optional(figures_of(workload, matches, result)) : std::nullopt;
  document.before += step_page::headline_of(workload, result, figures ? &*figures : nullptr);
  for (std::size_t i = 0; i < comparisons.size(); ++i) document.before += step_page::comparison_of(comparisons[i], i);
  std::string notes;
  for (const std::vector<std::string>& list : {workload.notes, result.notes})
    for (const std::string& note : list) notes += fmt::format("<li>{}</li>\n", escaped(note));
  if (!result.algorithms.empty())
    notes += fmt::format("<li>algorithms: {}</li>\n", escaped(fmt::format("{}", fmt::join(result.algorithms, ", "))));
  if (figures) {
    document.skip = "To the timeline";
    const std::size_t ranks = step_page::drawn_ranks(workload, result.timeline);
    document.before += fmt::format(
        "<section id=\"step\" aria-labelledby=\"step-title\"><h2 id=\"step-title\">Timeline of {}</h2>\n{}<noscript><p>The "
        "timeline is drawn by a "
        "script, which does not run here. The figures need none.</p></noscript></section>\n",
        step_page::step_shown(result),
        ranks < result.timeline.size() ? fmt::format("<p>The first {} of {} ranks are drawn.</p>", ranks, result.timeline.size())
                                       : "");
    document.before += tools_of(workload, ranks);
    document.main =
        "<div id=\"view\" tabindex=\"0\" role=\"group\" aria-label=\"Timeline\"><div id=\"sheet\"><canvas role=\"img\" "
        "aria-label=\"Bars of the nodes of each rank and stream over time\"></canvas></div></div>\n"
        "<aside aria-live=\"polite\" aria-label=\"What is pointed at\" tabindex=\"0\"><div id=\"facts\"><p>Point at a bar to "
        "read what it is; a click keeps it. Drag to move; the "
        "wheel, + and - zoom.</p><p>With the timeline in focus, n and p go to the next node and the one before, c goes along the "
        "critical path, and Escape lets go.</p></div></aside>\n";
    document.after = step_page::tables_of(workload, result, *figures);
    document.data = step_page::data_of(workload, matches, result, figures->path);
  } else {
    document.skip = "To the notes";
    document.main =
        "<section><p>There is no timeline: the run ended early. The figures are those of the finished steps.</p></section>\n";
    document.data = "{}";
  }
  if (!notes.empty())
    document.after += "<section id=\"notes\" aria-labelledby=\"notes-title\"><h2 id=\"notes-title\">Notes</h2><ul>\n" + notes +
                      "</ul></section>\n";
  document.program = fmt::format("railgauge {}", version());
  const std::string style = fmt::format("{}{}", page::zoom_css, step_page::web::step_css);
  document.style = style;
  document.script = fmt::format("<script>\n{}{}</script>", step_page::web::timeline_js, step_page::web::facts_js);
  document.policy = "'unsafe-inline'";
  return page::text_of(document);
}

}  // namespace railgauge
