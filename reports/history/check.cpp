// The judgement behind reports/history/check.hpp.
#include "reports/history/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "base/statistics/ratio.hpp"
#include "reports/history/drift.hpp"
#include "reports/record/result_text.hpp"

namespace railgauge::history {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

const Point* point_of(const Series& series, const std::string& run) {
  const auto found = std::find_if(series.points.begin(), series.points.end(), [&](const Point& one) { return one.run == run; });
  return found == series.points.end() ? nullptr : &*found;
}

// The number of the run; beyond all others where it is not added yet.
std::int64_t number_of(std::span<const Series> series, const std::string& run) {
  for (const Series& one : series)
    if (const Point* const point = point_of(one, run)) return point->number;
  return std::numeric_limits<std::int64_t>::max();
}

// Those points of its baseline that lie before a run.
std::vector<const Point*> baseline_before(const Series& series, std::int64_t number) {
  std::vector<const Point*> points;
  for (const std::size_t member : baseline_of(series))
    if (series.points[member].number < number) points.push_back(&series.points[member]);
  return points;
}

// The one series that differs from `identity` in one condition only and is newest.
void find_before(Young& young, std::span<const Head> heads) {
  for (const Head& head : heads) {  // oldest first
    const compare::Key &a = head.identity.key, &b = young.identity.key;
    if (a < b || b < a) continue;
    std::set<std::string> fields;
    const auto look = [&](const Conditions& from, const Conditions& to) {
      for (const auto& [name, value] : from)
        if (const auto other = to.find(name); other == to.end() || other->second != value) fields.insert(name);
    };
    look(head.identity.conditions, young.identity.conditions);
    look(young.identity.conditions, head.identity.conditions);
    if (fields.size() != 1) continue;
    const auto value = [&](const Conditions& of) {
      const auto found = of.find(*fields.begin());
      return found == of.end() ? std::string() : found->second;
    };
    young.before = head;
    young.field = *fields.begin();
    young.was = value(head.identity.conditions);
    young.is = value(young.identity.conditions);
  }
}

// The medians of the run, by series.
std::map<std::string, std::vector<double>> medians_of(std::span<const Entry> entries) {
  std::map<std::string, std::vector<double>> medians;
  for (const Entry& entry : entries)
    if (entry.measured) medians[text_of(entry.identity)].push_back(entry.median.count());
  return medians;
}

void judge(Check& result, const Asked& asked, const compare::GateRule& rule, std::int64_t number) {
  auto medians = medians_of(asked.entries);
  struct Case {
    const Series* series;
    std::vector<const Point*> baseline;
    double value;
  };
  std::vector<Case> cases;
  std::map<std::int64_t, std::size_t> columns;  // runs of all baselines
  for (const Series& one : asked.series) {
    std::vector<const Point*> baseline = baseline_before(one, number);
    if (baseline.size() < rule.least_history) {
      Young young{one.identity, baseline.size(), std::nullopt, {}, {}, {}};
      find_before(young, asked.heads);
      result.young.push_back(std::move(young));
      continue;
    }
    for (const Point* const point : baseline) columns[point->number] = 0;
    const double median = compare::middle(medians.at(text_of(one.identity)));
    cases.push_back({&one, std::move(baseline), std::log(median)});
  }
  if (cases.empty()) return;
  std::size_t count = 0;
  for (auto& [run, column] : columns) column = count++;
  std::vector<std::vector<double>> history;
  std::vector<double> values, offs;
  for (const Case& one : cases) {
    std::vector<double>& row = history.emplace_back(count, unknown);
    std::vector<double> known;
    for (const Point* const point : one.baseline) {
      row[columns.at(point->number)] = std::log(point->median.count());
      known.push_back(row[columns.at(point->number)]);
    }
    const std::size_t runs = known.size();
    const double centre = compare::middle(std::move(known));
    values.push_back(one.value);
    offs.push_back(one.value - centre);
    result.cases.push_back({one.series->identity, Seconds(std::exp(one.value)), Seconds(std::exp(centre)), runs, false});
  }
  compare::GateRule all = rule;
  all.window = std::max(rule.window, count);  // baselines may have been accepted at different runs
  const compare::Gate gate(history, all);
  for (const std::size_t part : gate.suspects(values)) {
    if (part == gate.whole())
      result.whole_suspected = true;
    else
      result.cases[part].suspected = true;
  }
  if (cases.size() >= rule.least_cases || result.whole_suspected) result.whole = std::expm1(compare::middle(std::move(offs)));
}

void find_lost(Check& result, const Asked& asked) {
  std::set<compare::Key> measured, told;
  for (const Entry& entry : asked.entries)
    if (entry.measured) measured.insert(entry.identity.key);
  std::set<compare::Key> before;
  for (const Head& head : asked.heads) before.insert(head.identity.key);
  const auto lose = [&](const compare::Key& key, std::string why, bool failed) {
    if (!measured.contains(key) && told.insert(key).second) result.lost.push_back({key, std::move(why), failed});
  };
  for (const Entry& entry : asked.entries) {
    const bool failed = entry.status == Status::failed || entry.status == Status::wrong;
    if (!entry.measured && failed && before.contains(entry.identity.key))
      lose(entry.identity.key, fmt::format("{}: {}", railgauge::name(entry.status), entry.reason), true);
  }
  for (const Entry& entry : asked.previous) {
    if (!entry.measured) continue;
    const auto now = std::find_if(asked.entries.begin(), asked.entries.end(), [&](const Entry& other) {
      return !(other.identity.key < entry.identity.key) && !(entry.identity.key < other.identity.key);
    });
    lose(entry.identity.key,
         now == asked.entries.end() ? "not there" : fmt::format("{}: {}", railgauge::name(now->status), now->reason), false);
  }
}

// A step up right where a baseline begins, give or take, is what it was accepted for.
void find_hidden(Check& result, std::span<const Series> series, const compare::GateRule& rule, std::int64_t number) {
  constexpr std::ptrdiff_t margin = 4;
  for (Drift& drift : result.drifts) {
    if (drift.change < rule.least_effect) continue;
    for (const Series& one : series) {
      if (drift.identity && !(one.identity == *drift.identity)) continue;
      const std::vector<const Point*> baseline = baseline_before(one, number);
      const auto at =
          std::find_if(baseline.begin(), baseline.end(), [&](const Point* const point) { return point->run == drift.run; });
      if (at != baseline.end() && at - baseline.begin() >= margin) ++drift.within_baselines;
    }
  }
}

void conclude(Check& result, const compare::GateRule& rule) {
  const auto say = [&](int code, std::string because) {
    result.exit_code = code;
    result.because = std::move(because);
  };
  const auto failed =
      static_cast<std::size_t>(std::count_if(result.lost.begin(), result.lost.end(), [](const Lost& one) { return one.failed; }));
  const auto suspected = static_cast<std::size_t>(
      std::count_if(result.cases.begin(), result.cases.end(), [](const Judged& one) { return one.suspected; }));
  std::size_t hidden = 0;
  for (const Drift& drift : result.drifts)
    hidden = drift.identity ? hidden + drift.within_baselines : std::max(hidden, drift.within_baselines);
  hidden = std::min(hidden, result.cases.size() + result.young.size());
  if (failed > 0)
    say(static_cast<int>(Fault::below_expectation),
        fmt::format("{} that was measured before failed", failed == 1 ? "a case" : plural(failed, "case")));
  else if (result.whole_suspected || suspected > 0)
    say(static_cast<int>(Fault::inconclusive),
        fmt::format("suspected, not confirmed: {}; measure again, several launches at once, before anything is concluded",
                    result.whole_suspected
                        ? fmt::format("the run as a whole is {:.1f} % slower than its baseline", 100 * result.whole.value_or(0))
                        : fmt::format("{} of {} slower than usual", plural(suspected, "case"), result.cases.size())));
  else if (hidden > 0)
    say(static_cast<int>(Fault::inconclusive), fmt::format("a change point to a slower level lies within the baseline of {}: "
                                                           "what is slow there is not seen; accept --from the run of the "
                                                           "step if it is right, else find its cause",
                                                           plural(hidden, "case")));
  else if (!result.lost.empty())
    say(static_cast<int>(Fault::inconclusive),
        fmt::format("{} of the run before missing",
                    result.lost.size() == 1 ? "a case is" : plural(result.lost.size(), "case") + " are"));
  else if (result.cases.empty())
    say(static_cast<int>(Fault::inconclusive),
        fmt::format("no case has a baseline yet: {} runs of it are needed", rule.least_history));
  else
    say(0, fmt::format("nothing is suspected in {}", plural(result.cases.size(), "case")) +
               (result.young.empty() ? "" : fmt::format("; {} without a baseline yet", plural(result.young.size(), "case"))));
}

}  // namespace

std::vector<Identity> identities_of(std::span<const Entry> entries) {
  std::vector<Identity> identities;
  std::set<std::string> known;
  for (const Entry& entry : entries)
    if (entry.measured && known.insert(text_of(entry.identity)).second) identities.push_back(entry.identity);
  return identities;
}

std::string previous_run(std::span<const Series> series, const std::string& run) {
  const std::int64_t number = number_of(series, run);
  const Point* newest = nullptr;
  for (const Series& one : series)
    for (const Point& point : one.points)
      if (point.number < number && point.state == State::counted && (newest == nullptr || point.number > newest->number))
        newest = &point;
  return newest == nullptr ? std::string() : newest->run;
}

Check check(const Asked& asked, const compare::GateRule& rule) {
  Check result;
  result.run = asked.run;
  const std::int64_t number = number_of(asked.series, asked.run);
  judge(result, asked, rule, number);
  find_lost(result, asked);
  result.drifts = drifts_of(asked.series, rule.least_cases, number);
  find_hidden(result, asked.series, rule, number);
  conclude(result, rule);
  return result;
}

Check check_run(const History& history, const std::string& run, const Filter& filter) {
  const auto fitting = [&](std::vector<Entry> entries) {
    std::erase_if(entries, [&](const Entry& entry) { return !filter.fits(entry.identity); });
    return entries;
  };
  const std::vector<Entry> entries = fitting(history.entries_of(run));
  if (entries.empty()) throw Error(Fault::usage, fmt::format("run {} has no case that fits", printable(run)));
  const std::vector<Series> series = history.series_of(identities_of(entries));
  const std::string before = previous_run(series, run);
  const std::vector<Entry> previous = before.empty() ? std::vector<Entry>() : fitting(history.entries_of(before));
  const std::vector<Head> heads = history.heads();
  return check({run, entries, series, previous, heads});
}

}  // namespace railgauge::history
