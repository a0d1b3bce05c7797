// The words of reports/record/result_text.hpp.
#include "reports/record/result_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/output/text.hpp"
#include "base/units.hpp"
#include "reports/pairs/pair_text.hpp"

namespace railgauge {

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string heading_of(const Case& point) {
  const bool copy = point.collective == "copy";
  std::string text = fmt::format("{}: {}", point.collective,
                                 plural(static_cast<std::size_t>(std::max(point.ranks, 0)), copy ? "place" : "rank"));
  if (point.nodes > 1) text += fmt::format(" on {} nodes", point.nodes);
  text += fmt::format(", {} memory{}, {}", point.device, point.path == "staged" && !copy ? ", staged" : "", point.mode);
  if (point.root >= 0) text += fmt::format(", root {}", point.root);
  if (point.in_place) text += ", in place";
  if (point.lanes > 1) text += fmt::format(", {} lanes", point.lanes);
  return printable(text);
}

std::string point_name(const Case& point) {
  std::string text = format_bytes(point.bytes);
  if (!point.type.empty()) text += " of " + point.type;
  if (point.op != "none" && !point.op.empty()) text += ", " + point.op;
  text += fmt::format(", {} over {}", point.algorithm, point.transport);
  if (point.window != 0) text += fmt::format(", window {}", point.window);
  if (point.from >= 0) text += ", " + pair_name(point);
  return printable(text);
}

std::string time_text(Seconds time) { return std::isfinite(time.count()) ? format_seconds(time) : "-"; }

std::string interval_text(const Summary& summary) {
  const double half = (summary.ci_high - summary.ci_low).count() / 2;
  const double percent = 100 * half / summary.median.count();
  if (!std::isfinite(percent)) return "-";
  if (percent >= 999.5e2) return "wide";
  if (percent >= 999.5) return fmt::format("{:.0f}x", percent / 100);
  return fmt::format("{:.{}f}%", percent, percent < 9.95 ? 1 : 0);
}

std::string share_text(double busbw, double expected) {
  return fmt::format("{:.{}f}%", 100 * busbw / expected, busbw < expected / 10 ? 1 : 0);
}

std::size_t Tally::all() const { return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0}); }

std::string Tally::sentence() const {
  std::string text = plural(all(), "point");
  if (of(Status::ok) == all() && of(Standing::below) + of(Standing::unknown) == 0)
    return text + (all() == 1 ? ", ok" : ", all ok");
  std::string parts;
  const auto add = [&](auto kind, std::string_view words) {
    if (of(kind) != 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", of(kind), words);
  };
  add(Status::wrong, "with WRONG DATA");
  add(Status::failed, "failed");
  add(Standing::below, "below expectation");
  add(Status::not_converged, "not converged");
  add(Status::predicted, "only predicted");
  add(Status::skipped, "skipped");
  add(Standing::unknown, "of unknown expectation");
  return text + ": " + parts;
}

}  // namespace railgauge
