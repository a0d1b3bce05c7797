// Which histories are drawn, a table of all, and one of the runs of each that is drawn.
#include "reports/web/trend_section.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "base/units.hpp"
#include "reports/web/inert.hpp"
#include "reports/web/table.hpp"

namespace railgauge::web {
namespace {

constexpr std::size_t most_rows = 500;                 // of the table of all histories
constexpr std::size_t most_named = 3;                  // steps, in the sentence on top
constexpr std::int64_t last_second = 253'402'300'799;  // of the year 9999

std::string seconds(double value) { return std::isfinite(value) ? format_seconds(Seconds(value)) : "-"; }

std::string day_of(std::int64_t at) {
  if (at <= 0 || at > last_second) return "-";
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(static_cast<std::time_t>(at)));
}

std::string change_of(double change) {
  if (!std::isfinite(change)) return "-";
  return fmt::format("{:.1f} % {}", 100 * std::abs(change), change < 0 ? "faster" : "slower");
}

std::string interval(const TrendPoint& point) {
  const double half = (point.high - point.low) / point.value / 2;
  return std::isfinite(half) ? fmt::format("{:.1f} %", 100 * half) : "-";
}

const TrendPoint* last_measured(const Trend& trend) {
  const auto found = std::find_if(trend.points.rbegin(), trend.points.rend(),
                                  [](const TrendPoint& point) { return std::isfinite(point.value); });
  return found == trend.points.rend() ? nullptr : &*found;
}

std::string table_of_all(std::span<const Trend> trends) {
  HtmlTable table("Histories",
                  {"case", "runs", "last time", "baseline", "last beside baseline", "steps", "last step at", "change"}, 1);
  for (const Trend& trend : trends) {
    if (table.rows() == most_rows) break;
    const TrendPoint* const last = last_measured(trend);
    const double value = last == nullptr ? std::nan("") : last->value;
    const double beside = trend.baseline ? value / trend.baseline->value - 1 : std::nan("");
    const TrendStep* const step = trend.steps.empty() ? nullptr : &trend.steps.back();
    table.row({shown(trend.title), fmt::format("{}", trend.points.size()), seconds(value),
               trend.baseline ? seconds(trend.baseline->value) : "-", change_of(beside), fmt::format("{}", trend.steps.size()),
               step == nullptr ? "-" : shown(trend.points[step->at].label), step == nullptr ? "-" : change_of(step->change)});
  }
  return table.text();
}

std::string table_of(const Trend& trend) {
  HtmlTable table(shown(trend.title), {"run", "when (UTC)", "time", "± 95 %", "beside baseline", "what"}, 2);
  for (std::size_t i = trend.points.size(); i-- > 0;) {
    const TrendPoint& point = trend.points[i];
    std::string what;
    const auto add = [&](const std::string& words) { what += (what.empty() ? "" : "; ") + words; };
    for (const TrendStep& step : trend.steps)
      if (step.at == i) add("step: " + change_of(step.change));
    if (point.refused) add("stopped by the gate");
    if (trend.baseline && trend.baseline->first <= i && i <= trend.baseline->last && !point.refused) add("baseline");
    table.row({point.label, day_of(point.at), seconds(point.value), interval(point),
               trend.baseline ? change_of(point.value / trend.baseline->value - 1) : "-", what});
  }
  return table.text();
}

struct Stepped {
  const Trend* trend;
  const TrendStep* step;
};

std::string sentence_of(std::span<const Trend> trends) {
  std::vector<Stepped> stepped;
  for (const Trend& trend : trends)
    if (!trend.steps.empty()) stepped.push_back({&trend, &trend.steps.back()});
  const std::string all = fmt::format("{} {}", trends.size(), trends.size() == 1 ? "case" : "cases");
  if (stepped.empty()) return fmt::format("None of {} has a change point.", all);
  std::stable_sort(stepped.begin(), stepped.end(),
                   [](const Stepped& a, const Stepped& b) { return a.step->change > b.step->change; });
  std::string text = fmt::format("{} of {} have change points", stepped.size(), all);
  for (std::size_t i = 0; i < std::min(most_named, stepped.size()); ++i)
    text += fmt::format("{} {}, last at {}: {}", i == 0 ? ":" : ";", shown(stepped[i].trend->title),
                        shown(stepped[i].trend->points[stepped[i].step->at].label), change_of(stepped[i].step->change));
  return text + (stepped.size() > most_named ? fmt::format("; and {} more.", stepped.size() - most_named) : ".");
}

// Without what names no point.
Trend sound(const Trend& trend) {
  Trend result = trend;
  std::erase_if(result.steps,
                [&](const TrendStep& step) { return step.at >= trend.points.size() || !std::isfinite(step.change); });
  if (const auto& it = result.baseline; it && (!(it->value > 0) || !std::isfinite(it->value) || it->last >= trend.points.size()))
    result.baseline.reset();
  return result;
}

}  // namespace

std::vector<Trend> drawn_trends(std::span<const Trend> trends) {
  std::vector<Trend> drawn;
  for (const bool stepped : {true, false})
    for (const Trend& trend : trends) {
      if (drawn.size() == most_trends) return drawn;
      if (trend.points.empty() || sound(trend).steps.empty() == stepped) continue;
      Trend& kept = drawn.emplace_back(sound(trend));
      kept.title = shown(trend.title);
      const std::size_t cut = kept.points.size() > most_trend_points ? kept.points.size() - most_trend_points : 0;
      kept.points.erase(kept.points.begin(), kept.points.begin() + static_cast<std::ptrdiff_t>(cut));
      for (TrendPoint& point : kept.points) point.label = shown(point.label);
      std::erase_if(kept.steps, [&](const TrendStep& step) { return step.at < cut; });
      for (TrendStep& step : kept.steps) step.at -= cut;
      if (kept.baseline && kept.baseline->last < cut) {
        kept.baseline->first = 1;
        kept.baseline->last = 0;
        continue;
      }
      if (kept.baseline) {
        kept.baseline->first = std::max(kept.baseline->first, cut) - cut;
        kept.baseline->last -= cut;
      }
    }
  return drawn;
}

Section trend_section(std::span<const Trend> trends, std::span<const Trend> drawn, bool charts) {
  std::vector<Trend> all;
  for (const Trend& trend : trends)
    if (!trend.points.empty()) all.push_back(sound(trend));
  std::string body = fmt::format("<p>{}</p>\n", html_of_sentence(sentence_of(all)));
  body +=
      "<p>Each run is one launch. The grey band is the baseline, two robust standard deviations to either side of its median; an "
      "upright line stands at a change point, with the run "
      "that "
      "began the new one; a triangle is a run that the gate stopped. How steps are found is in docs/compare.md.</p>\n"
      "<div class=\"chart\" data-chart=\"trends\" data-label=\"Time from run to run\"></div>\n";
  const auto note = [](std::size_t some, std::size_t of, std::string_view what) {
    return some < of ? fmt::format("<p class=\"note\">The first {} of {} {}.</p>\n", some, of, what) : std::string();
  };
  body += note(drawn.size(), all.size(), "histories are drawn, those with change points before the others");
  body += folded("All histories as a table",
                 note(std::min(all.size(), most_rows), all.size(), "histories are listed") + table_of_all(all), !charts);
  for (const Trend& trend : drawn) body += folded(trend.title, table_of(trend), !charts);
  return {"history", "History", std::move(body)};
}

}  // namespace railgauge::web
