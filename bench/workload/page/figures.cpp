// The figures of the page: what a step takes, where it goes, and tables of streams, calls, ranks and the critical path.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/output/markup.hpp"
#include "base/units.hpp"
#include "bench/workload/page/parts.hpp"
#include "bench/workload/show/numbers.hpp"

namespace railgauge::step_page {
namespace {

using topo::escaped;

// Four digits, in groups of three: "1,512,000".
std::string rate(double value) {
  if (value < 1000) return significant(value, 4);
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return grouped(static_cast<std::uint64_t>(std::llround(std::round(value / unit) * unit)));
}

std::string card(std::string_view name, const std::string& value, const std::string& more) {
  return fmt::format("<div class=\"card\"><dt>{}</dt><dd><strong>{}</strong> <span>{}</span></dd></div>\n", name, value, more);
}

// Where the time of a rank goes, in the mean: parts that add up to the step.
std::string bar_of(const TimelineFigures& figures, const std::string& step) {
  struct Part {
    const char *kind, *words;
    double seconds;
  };
  const double exposed = figures.waiting + figures.transferring;
  const Part parts[] = {{"computing", "computes", figures.computing},
                        {"waiting", "exposed: waits for other ranks", figures.waiting},
                        {"transferring", "exposed: transfers", figures.transferring},
                        {"neither", "neither", std::max(0.0, figures.seconds - figures.computing - exposed)}};
  std::string bar = "<div class=\"bar\" aria-hidden=\"true\">", list = "<ul class=\"parts\">";
  for (const Part& part : parts) {
    if (figures.seconds > 0 && part.seconds > 0)
      bar += fmt::format("<span class=\"{}\" style=\"width:{:.3f}%\"></span>", part.kind, 100 * part.seconds / figures.seconds);
    list += fmt::format("<li><span class=\"swatch {}\" aria-hidden=\"true\"></span>{} <strong>{}</strong> ({})</li>", part.kind,
                        part.words, seconds_text(part.seconds), percent_text(part.seconds, figures.seconds));
  }
  return fmt::format("<h2>Where the time of {} goes, mean over the ranks</h2>\n", step) + bar + "</div>\n" + list + "</ul>\n";
}

std::string streams_of(const TimelineFigures& figures) {
  std::string rows;
  for (const StreamFigures& stream : figures.streams) {
    const Exposure& its = stream.exposure;
    rows += row(fmt::format("{}", stream.stream),
                {escaped(fmt::format("{}", fmt::join(stream.groups, ", "))), fmt::format("{}", stream.ranks),
                 seconds_text(its.communicating), seconds_text(its.exposed), percent_text(its.exposed, figures.seconds),
                 percent_text(its.communicating - its.exposed, its.communicating)});
  }
  return table("streams", "Streams",
               "Means over the ranks of a stream. Streams that overlap each other add up to more than the total.",
               {"stream", "groups", "ranks", "communication", "exposed", "of the step", "hidden"}, rows);
}

std::string calls_of(const TimelineFigures& figures) {
  std::string rows;
  for (const CallRates& rates : figures.calls)
    rows += row(escaped(rates.group),
                {escaped(rates.call), fmt::format("{}", rates.ranks), fmt::format("{}", rates.calls), megabytes_text(rates.bytes),
                 seconds_text(rates.seconds), fmt::format("{:.3g} GB/s", rates.median_busbw / 1e9), seconds_text(rates.waiting)});
  return table("calls", "Groups",
               "Transfer: of all calls, each from when its last rank came to its last end. busbw: the median over the calls. "
               "Waiting: of all ranks together, from their call until the last rank came.",
               {"group", "call", "ranks", "calls", "S", "transfer", "busbw", "waiting"}, rows);
}

std::string ranks_of(const TimelineFigures& figures) {
  std::string rows;
  const std::size_t count = std::min(figures.ranks.size(), most_rows);
  for (std::size_t rank = 0; rank < count; ++rank) {
    const RankFigures& its = figures.ranks[rank];
    rows += row(fmt::format("{}", rank),
                {seconds_text(its.computing), seconds_text(its.exposure.communicating), seconds_text(its.exposure.exposed),
                 seconds_text(its.waiting), fmt::format("{}", its.last), seconds_text(its.keeps_waiting)});
  }
  std::string words =
      "A rank that computes or waits unlike the others shows here: the ones that it keeps waiting are exposed, not itself.";
  if (count < figures.ranks.size()) words += fmt::format(" The first {} of {} ranks.", count, figures.ranks.size());
  return table(
      "ranks", "Ranks", words,
      {"rank", "computation", "communication", "exposed", "of it waiting", "came last to calls", "kept others waiting, added up"},
      rows);
}

std::string path_of(const Workload& workload, const CriticalPath& path) {
  const std::vector<PathNode> longest = longest_of(path, 20);
  std::string rows;
  for (const PathNode& its : longest) {
    const WorkNode& node = workload.nodes[static_cast<std::size_t>(its.rank)][its.node];
    const std::string what =
        node.communicates() ? workload.groups[static_cast<std::size_t>(node.group)].label() : std::string("computation");
    rows += row(escaped(node.name),
                {fmt::format("{}", its.rank), fmt::format("{}", node.stream), escaped(what), seconds_text(its.start),
                 fmt::format("{} <span data-path=\"{},{}\"></span>", seconds_text(its.end - its.start), its.rank,
                             std::llround(its.start * 1e9))});
  }
  const std::string words = fmt::format(
      "From the last node back, each time to what ended last of all that it waited for; a call counts from its last rank. "
      "Computation {}, communication {}, neither {}. {} of its {} nodes, the longest first.",
      seconds_text(path.computing), seconds_text(path.communicating), seconds_text(path.gaps), longest.size(), path.nodes.size());
  return table("path", "Critical path", words, {"node", "rank", "stream", "kind", "begins at", "takes"}, rows);
}

}  // namespace

std::string table(std::string_view id, std::string_view title, std::string_view words, const std::vector<std::string>& columns,
                  const std::string& rows) {
  std::string text = fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>\n<p>{2}</p>\n<div class=\"scroll\" "
      "tabindex=\"0\" role=\"region\" aria-label=\"Table: {1}\"><table><thead><tr>",
      id, title, words);
  for (const std::string& column : columns) text += fmt::format("<th scope=\"col\">{}</th>", column);
  return text + "</tr></thead><tbody>\n" + rows + "</tbody></table></div></section>\n";
}

std::string row(const std::string& head, const std::vector<std::string>& cells) {
  std::string text = fmt::format("<tr><th scope=\"row\">{}</th>", head);
  for (const std::string& cell : cells) text += fmt::format("<td>{}</td>", cell);
  return text + "</tr>\n";
}

std::string step_shown(const RunResult& result) {
  return result.predicted ? std::string("the predicted step") : fmt::format("step {}, whose time is the median", result.shown);
}

std::string headline_of(const Workload& workload, const RunResult& result, const TimelineFigures* figures) {
  const StepFigures steps = figures_of(workload, result.steps);
  const Statistics& all = steps.step;
  std::string text = "<section id=\"figures\" aria-label=\"Figures\"><dl>\n";
  text +=
      card("Time per step", seconds_text(all.median),
           result.predicted ? std::string("predicted: nothing ran")
                            : fmt::format("{} {} to {}; median of {}, {} to {} seen",
                                          all.ci_bounded ? "95 % interval" : "too few for an interval:", seconds_text(all.ci_low),
                                          seconds_text(all.ci_high), all.samples, seconds_text(all.min), seconds_text(all.max)));
  if (steps.items_per_second > 0)
    text += card("Throughput", rate(steps.items_per_second),
                 fmt::format("{}s a second, of all ranks, at that time per step", escaped(workload.item)));
  text += card("Exposed communication", percent_text(steps.exposed, all.median),
               fmt::format("of the step: {} beside no computation; {} of communication is hidden", seconds_text(steps.exposed),
                           percent_text(steps.communicating - steps.exposed, steps.communicating)));
  if (figures != nullptr)
    text += card("Without communication", seconds_text(figures->without_communication),
                 fmt::format("a step with a perfect network: {} less",
                             percent_text(figures->seconds - figures->without_communication, figures->seconds)));
  const std::string alone = fmt::format("1: the shorter is hidden; alone computation {}, communication {}",
                                        seconds_text(steps.alone_computation), seconds_text(steps.alone_communication));
  text += card("Overlap efficiency",
               steps.overlap_efficiency ? fmt::format("{:.2f}", *steps.overlap_efficiency) : std::string("-"), alone);
  if (figures != nullptr) {
    const CriticalPath& path = figures->path;
    text += card("Critical path", percent_text(path.communicating, path.computing + path.communicating + path.gaps),
                 fmt::format("of it communication: {}; computation {}, neither {}", seconds_text(path.communicating),
                             seconds_text(path.computing), seconds_text(path.gaps)));
  }
  text += "</dl>\n";
  if (figures != nullptr) text += bar_of(*figures, step_shown(result));
  return text + "</section>\n";
}

std::string tables_of(const Workload& workload, const RunResult& result, const TimelineFigures& figures) {
  return fmt::format("<section aria-label=\"Of which step\"><p>All below is of {}.</p></section>\n", step_shown(result)) +
         calls_of(figures) + streams_of(figures) + ranks_of(figures) + path_of(workload, figures.path);
}

}  // namespace railgauge::step_page
