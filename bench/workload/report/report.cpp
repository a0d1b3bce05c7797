// Medians over the steps, and what the timeline of the median step says; bench/workload/report/report.hpp.
#include "bench/workload/report/report.hpp"

#include <fmt/format.h>

#include "bench/workload/analyse/figures.hpp"
#include "bench/workload/show/numbers.hpp"

namespace railgauge {
namespace {

std::string of_steps(const Workload& workload, const StepFigures& figures, bool predicted) {
  const Statistics& all = figures.step;
  std::string text =
      predicted
          ? fmt::format("step                 {}, predicted\n", seconds_text(all.median))
          : fmt::format("step                 {}, median of {}; {} {} to {}; {} to {} seen\n", seconds_text(all.median),
                        all.samples, all.ci_bounded ? "95 % interval" : "too few for an interval:", seconds_text(all.ci_low),
                        seconds_text(all.ci_high), seconds_text(all.min), seconds_text(all.max));
  if (figures.items_per_second > 0)
    text += fmt::format("                     {:.6g} {}s a second\n", figures.items_per_second, workload.item);
  text += fmt::format("computation          {} a rank (mean over ranks{})\n", seconds_text(figures.computing),
                      predicted ? "" : ", median over steps");
  text +=
      fmt::format("communication        {}, of which exposed {}: {} of the step; hidden share {}\n",
                  seconds_text(figures.communicating), seconds_text(figures.exposed), percent_text(figures.exposed, all.median),
                  percent_text(figures.communicating - figures.exposed, figures.communicating));
  text += fmt::format("alone                computation {}, communication {}", seconds_text(figures.alone_computation),
                      seconds_text(figures.alone_communication));
  if (figures.overlap_efficiency)
    text += fmt::format("; together {}: overlap efficiency {:.2f}", seconds_text(all.median), *figures.overlap_efficiency);
  return text + "\n";
}

std::string of_streams(const std::vector<StreamFigures>& streams) {
  std::string text = fmt::format("\n{:<8} {:<24} {:>14} {:>12} {:>8}   (mean over its ranks)\n", "stream", "groups",
                                 "communication", "exposed", "hidden");
  for (const StreamFigures& stream : streams) {
    const Exposure& its = stream.exposure;
    text += fmt::format("{:<8} {:<24} {:>14} {:>12} {:>8}\n", stream.stream, fmt::format("{}", fmt::join(stream.groups, ", ")),
                        seconds_text(its.communicating), seconds_text(its.exposed),
                        percent_text(its.communicating - its.exposed, its.communicating));
  }
  return text;
}

std::string of_groups(const std::vector<CallRates>& calls) {
  std::string text = fmt::format("\n{:<12} {:<15} {:>6} {:>6} {:>12} {:>12} {:>12} {:>12}\n", "group", "call", "ranks", "calls",
                                 "S", "transfer", "busbw", "waiting");
  for (const CallRates& rates : calls)
    text += fmt::format("{:<12} {:<15} {:>6} {:>6} {:>12} {:>12} {:>12} {:>12}\n", rates.group, rates.call, rates.ranks,
                        rates.calls, megabytes_text(rates.bytes), seconds_text(rates.seconds),
                        fmt::format("{:.3g} GB/s", rates.median_busbw / 1e9), seconds_text(rates.waiting));
  return text + "transfer: of all calls, each from when its last rank came; waiting: of all ranks until then\n";
}

std::string of_path(const Workload& workload, const CriticalPath& path) {
  std::string text =
      fmt::format("\ncritical path        {} computation, {} communication, {} neither; {} nodes, the longest:\n",
                  seconds_text(path.computing), seconds_text(path.communicating), seconds_text(path.gaps), path.nodes.size());
  for (const PathNode& its : longest_of(path, 5))
    text +=
        fmt::format("                     {} of rank {}, {}\n", workload.nodes[static_cast<std::size_t>(its.rank)][its.node].name,
                    its.rank, seconds_text(its.end - its.start));
  return text;
}

}  // namespace

std::string report_of(const Workload& workload, const RunResult& result, const std::string& how) {
  if (result.steps.empty()) return {};
  std::string text = fmt::format("{}: {}\n{}\n", workload.name, workload.source, how);
  for (const std::vector<std::string>& notes : {workload.notes, result.notes})
    for (const std::string& note : notes) text += "note: " + note + "\n";
  if (!result.algorithms.empty()) text += fmt::format("algorithms: {}\n", fmt::join(result.algorithms, ", "));
  text += "\n" + of_steps(workload, figures_of(workload, result.steps), result.predicted);
  if (result.timeline.empty()) return text;
  const TimelineFigures figures = figures_of(workload, matches_of(workload), result);
  text += result.predicted ? "\n" : fmt::format("\nof step {}, whose time is the median:\n", result.shown);
  text += fmt::format("exposed              {} waiting for other ranks, {} transferring\n", seconds_text(figures.waiting),
                      seconds_text(figures.transferring));
  text += fmt::format("without communication {} a step: {} less\n", seconds_text(figures.without_communication),
                      percent_text(figures.seconds - figures.without_communication, figures.seconds));
  text += of_streams(figures.streams);
  text += of_groups(figures.calls);
  return text + of_path(workload, figures.path);
}

}  // namespace railgauge
