// What people read of a history: reports/history/text.hpp. programs.cpp has what programs read.
#include "reports/history/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "base/statistics/ratio.hpp"
#include "reports/history/drift.hpp"
#include "reports/record/result_text.hpp"

namespace railgauge::history {
namespace {

constexpr std::size_t most_tables = 8;  // with more series each gets one line
constexpr std::size_t spark_runs = 40;
constexpr double least_spread = 0.05;  // of a sparkline: what differs by less looks flat

using Cells = std::vector<std::string>;

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Columns, the last one open to the right; `left` are flush left, all others right.
std::string table(const std::vector<Cells>& rows, std::size_t left, const std::string& indent) {
  std::vector<std::size_t> widths;
  for (const Cells& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], width(row[i]));
    }
  std::string text;
  for (const Cells& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string fill(widths[i] - width(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (i < left || i + 1 == row.size() ? row[i] + fill : fill + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string change_text(double ratio) { return std::isfinite(ratio) ? fmt::format("{:+.1f} %", 100 * ratio) : "-"; }

std::string half_interval(const Point& point) {
  const double half = (point.ci_high.count() - point.ci_low.count()) / 2 / point.median.count();
  return std::isfinite(half) ? fmt::format("±{:.1f} %", 100 * half) : "-";
}

double baseline_median(const Series& series) {
  std::vector<double> values;
  for (const std::size_t member : baseline_of(series)) values.push_back(series.points[member].median.count());
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : compare::middle(std::move(values));
}

std::vector<double> medians_of(const Series& series) {
  std::vector<double> values;
  for (const Point& point : series.points) values.push_back(point.median.count());
  return values;
}

std::string conditions_text(const Conditions& conditions) {
  std::string text;
  for (const auto& [name, value] : conditions) text += fmt::format("{}{} {}", text.empty() ? "" : "; ", name, printable(value));
  return text;
}

std::string drift_text(const Drift& drift) {
  return fmt::format("{} at run {}{} ({})", change_text(drift.change), printable(drift.run),
                     drift.label.text.empty() ? "" : ", " + printable(drift.label.text), time_text(drift.label.at)) +
         (drift.within_baselines > 0 ? ", within the baseline" : "");
}

std::string baseline_text(const Series& series) {
  const std::vector<std::size_t> members = baseline_of(series);
  std::string text = members.empty()
                         ? "no run of the baseline yet"
                         : fmt::format("baseline {} of {}, from run {}", railgauge::time_text(Seconds(baseline_median(series))),
                                       plural(members.size(), "run"), printable(series.points[members.front()].run));
  if (!series.accepts.empty()) {
    const Accept& accept = series.accepts.back();
    text += fmt::format("; accepted by {} on {}: {}", printable(accept.who), time_text(accept.at), printable(accept.reason));
  }
  return text;
}

std::string one_series(const Series& series, std::size_t last) {
  const std::vector<double> medians = medians_of(series);
  std::string text = compare::line_of(series.identity.key) + "\n  " + conditions_text(series.identity.conditions) + "\n  " +
                     sparkline(medians) + "  " + baseline_text(series) + "\n";
  const double baseline = baseline_median(series);
  const std::vector<Drift> drifts = drifts_of(std::span(&series, 1), 2, std::numeric_limits<std::int64_t>::max());
  const std::vector<std::size_t> members = baseline_of(series);
  std::vector<Cells> rows{{"time", "label", "run", "median", "interval", "of baseline", ""}};
  const std::size_t begin = series.points.size() - std::min(last, series.points.size());
  for (std::size_t i = begin; i < series.points.size(); ++i) {
    const Point& point = series.points[i];
    std::string marks;
    const auto mark = [&](const std::string& words) { marks += (marks.empty() ? "" : ", ") + words; };
    if (std::find(members.begin(), members.end(), i) != members.end()) mark("baseline");
    if (point.state == State::refused) mark("refused");
    if (point.status == Status::not_converged) mark("not converged");
    for (const Drift& drift : drifts)
      if (drift.run == point.run) mark("change point " + change_text(drift.change));
    for (const Accept& accept : series.accepts)
      if (accept.from_run == point.run) mark("accepted from here: " + printable(accept.reason));
    rows.push_back({time_text(point.label.at), printable(point.label.text), printable(point.run),
                    railgauge::time_text(point.median), half_interval(point), change_text(point.median.count() / baseline - 1),
                    marks});
  }
  text += table(rows, 3, "  ");
  if (begin > 0) text += fmt::format("  and {} before (--last {} shows all)\n", plural(begin, "run"), series.points.size());
  return text;
}

}  // namespace

std::string time_text(std::int64_t at) {
  const std::time_t time = at;
  std::tm utc{};
  std::array<char, 64> text{};
  if (gmtime_r(&time, &utc) == nullptr || std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &utc) == 0)
    return std::to_string(at);
  return text.data();
}

std::int64_t parse_time(const std::string& text) {
  constexpr const char* forms[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d"};
  constexpr std::int64_t last = 253402300799;  // of the year 9999
  if (!text.empty() && text.size() <= 12 && text.find_first_not_of("0123456789") == std::string::npos)
    if (const std::int64_t seconds = std::stoll(text); seconds <= last) return seconds;
  for (const char* const form : forms) {
    std::tm utc{};
    const char* const end = strptime(text.c_str(), form, &utc);
    if (end == nullptr || *end != '\0') continue;
    std::tm normal = utc;
    const std::int64_t seconds = timegm(&normal);
    if (normal.tm_mday == utc.tm_mday && normal.tm_mon == utc.tm_mon && seconds >= 0 && seconds <= last) return seconds;
  }
  throw Error(Fault::usage, fmt::format("'{}' is no time: write 2026-11-23, 2026-11-23T12:00:05Z (UTC) or seconds since 1970",
                                        printable(text)));
}

std::string list_text(std::span<const RunRow> runs) {
  if (runs.empty()) return "no runs yet\n";
  std::vector<Cells> rows{{"run", "label", "time", "state", "results", "measured"}};
  for (const RunRow& run : runs)
    rows.push_back({printable(run.run), printable(run.label.text), time_text(run.label.at), std::string(name(run.state)),
                    std::to_string(run.results), std::to_string(run.measured)});
  return table(rows, 4, "");
}

std::string sparkline(std::span<const double> values) {
  constexpr std::array signs{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<double> known;
  const std::span<const double> latest = values.last(std::min(spark_runs, values.size()));
  for (const double value : latest)
    if (std::isfinite(value)) known.push_back(value);
  if (known.empty()) return {};
  const auto [low, high] = std::minmax_element(known.begin(), known.end());
  const double spread = std::max(*high - *low, least_spread * *high);
  std::string text;
  for (const double value : latest) {
    const double level = spread > 0 ? (value - *low) / spread * static_cast<double>(signs.size()) : 0;
    text += std::isfinite(value) ? signs.at(std::min(signs.size() - 1, static_cast<std::size_t>(std::max(0.0, level)))) : " ";
  }
  return text;
}

std::string show_text(std::span<const Series> series, std::size_t last) {
  if (series.empty()) return "no case fits\n";
  std::string text;
  if (series.size() <= most_tables) {
    for (const Series& one : series) text += (text.empty() ? "" : "\n") + one_series(one, last);
    return text;
  }
  std::vector<Cells> rows{{"case", "runs", "newest", "of baseline", "over time"}};
  for (const Series& one : series) {
    if (one.points.empty()) continue;
    const Seconds newest = one.points.back().median;
    rows.push_back({compare::line_of(one.identity.key), std::to_string(one.points.size()), railgauge::time_text(newest),
                    change_text(newest.count() / baseline_median(one) - 1), sparkline(medians_of(one))});
  }
  return table(rows, 1, "") + fmt::format("{}: choose {} or fewer by words such as size=4K to see their runs\n",
                                          plural(series.size(), "case"), most_tables);
}

std::string check_text(const Check& check) {
  std::string text = fmt::format("run {}: {} with a baseline, {} without\n", printable(check.run),
                                 plural(check.cases.size(), "case"), check.young.size());
  if (check.whole)
    text += fmt::format("all cases together: {} of the baseline{}\n", change_text(*check.whole),
                        check.whole_suspected ? ", suspected" : "");
  std::vector<Cells> rows{{"suspected", "time", "baseline", "", "runs"}};
  for (const Judged& one : check.cases)
    if (one.suspected)
      rows.push_back({compare::line_of(one.identity.key), railgauge::time_text(one.time), railgauge::time_text(one.baseline),
                      change_text(one.time / one.baseline - 1), std::to_string(one.runs)});
  if (rows.size() > 1) text += table(rows, 1, "");
  for (const Lost& one : check.lost)
    text += fmt::format("{}: {}: {}\n", one.failed ? "failed" : "missing", compare::line_of(one.key), printable(one.why));
  // Cases that lack a baseline for the same reason are one line.
  std::vector<std::pair<std::string, std::size_t>> reasons;
  for (const Young& one : check.young) {
    std::string reason =
        one.runs == 0 ? "no run before"
                      : fmt::format("{} before, and {} are needed", plural(one.runs, "run"), compare::GateRule{}.least_history);
    if (one.before && one.runs < compare::GateRule{}.least_history)
      reason += fmt::format(
          "; up to run {}{} {} was {}, now it is {}", printable(one.before->last_run),
          one.before->last_label.text.empty() ? "" : fmt::format(" ({})", printable(one.before->last_label.text)), one.field,
          one.was.empty() ? "not there" : "'" + one.was + "'", one.is.empty() ? "not there" : "'" + one.is + "'");
    const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& other) { return other.first == reason; });
    if (known == reasons.end())
      reasons.emplace_back(std::move(reason), 1);
    else
      ++known->second;
  }
  for (const auto& [reason, count] : reasons) text += fmt::format("no baseline for {}: {}\n", plural(count, "case"), reason);
  for (const Drift& drift : check.drifts)
    text += fmt::format("change point: {}: {}\n", drift.identity ? compare::line_of(drift.identity->key) : "all cases together",
                        drift_text(drift));
  constexpr std::array words{"passed", "worse", "", "", "inconclusive"};
  return text + fmt::format("{}: {}\n", words.at(static_cast<std::size_t>(check.exit_code)), check.because);
}

}  // namespace railgauge::history
