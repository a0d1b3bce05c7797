// Columns; bench/workload/predict/tables.hpp.
#include "bench/workload/predict/tables.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/workload/analyse/figures.hpp"
#include "bench/workload/report/records.hpp"
#include "bench/workload/show/numbers.hpp"

namespace railgauge {
namespace {

// The difference in percent; "-" where there is nothing to compare with.
std::string difference(double first, double second, int against) {
  const double base = against == 0 ? first : second, other = against == 0 ? second : first;
  return base > 0 ? fmt::format("{:+.1f} %", 100 * (other - base) / base) : "-";
}

}  // namespace

CurvePoint point_of(const Workload& workload, const RunResult& result, int ranks) {
  return {ranks, result.steps.front(), figures_of(workload, result.steps).items_per_second, workload.item};
}

std::string curve_text(const std::vector<CurvePoint>& points) {
  const std::string item = points.empty() || points.front().item.empty() ? "item" : points.front().item;
  std::string text = fmt::format("{:>8} {:>12} {:>12} {:>12} {:>9} {:>16} {:>14} {:>11}\n", "ranks", "step", "computation",
                                 "exposed", "of step", item + "s/s", "a rank", "efficiency");
  for (const CurvePoint& point : points) {
    const StepRecord& its = point.record;
    text += fmt::format("{:>8} {:>12} {:>12} {:>12} {:>9} {:>16.6g} {:>14.5g} {:>11.3f}\n", point.ranks,
                        seconds_text(its.seconds), seconds_text(its.alone_computation), seconds_text(its.exposed),
                        percent_text(its.exposed, its.seconds), point.items, point.items / point.ranks, point.efficiency());
  }
  return text +
         "computation: alone, of the rank that computes longest; exposed: communication beside no computation, mean over ranks;\n"
         "efficiency: computation alone / step\n";
}

std::string curve_line(const CurvePoint& point) {
  nlohmann::json json = to_json(point.record);
  json["ranks"] = point.ranks;
  json["predicted"] = true;
  json["items_per_second"] = point.items;
  json["item"] = point.item;
  json["efficiency"] = point.efficiency();
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string comparison_text(const Workload& workload, const RunResult& first, const RunResult& second,
                            const std::string& first_name, const std::string& second_name, int against) {
  std::string text = fmt::format("{:<34} {:>14} {:>14} {:>10}\n", "", first_name, second_name, against == 0 ? "change" : "error");
  const auto row = [&](const std::string& what, double a, double b) {
    text += fmt::format("{:<34} {:>14} {:>14} {:>10}\n", what, seconds_text(a), seconds_text(b), difference(a, b, against));
  };
  if (!first.steps.empty() && !second.steps.empty()) {
    const StepFigures a = figures_of(workload, first.steps), b = figures_of(workload, second.steps);
    row("step", a.step.median, b.step.median);
    row("exposed communication", a.exposed, b.exposed);
    row("communication", a.communicating, b.communicating);
    row("computation", a.computing, b.computing);
    row("communication alone", a.alone_communication, b.alone_communication);
    row("computation alone", a.alone_computation, b.alone_computation);
  }
  if (first.timeline.empty() || second.timeline.empty()) return text;
  const Matches matches = matches_of(workload);
  const std::vector<CallRates> before = rates_of(workload, matches, first.timeline);
  const std::vector<CallRates> after = rates_of(workload, matches, second.timeline);
  for (std::size_t i = 0; i < before.size(); ++i)  // the same calls, in the same order
    row(fmt::format("{} {} x {}", before[i].group, before[i].call, before[i].calls), before[i].seconds, after[i].seconds);
  return text + "calls: all together, each from when its last rank came to its end\n";
}

}  // namespace railgauge
