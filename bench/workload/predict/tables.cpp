// Columns; bench/workload/predict/tables.hpp.
#include "bench/workload/predict/tables.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/workload/analyse/figures.hpp"
#include "bench/workload/report/records.hpp"
#include "bench/workload/show/numbers.hpp"

namespace railgauge {

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

}  // namespace railgauge
