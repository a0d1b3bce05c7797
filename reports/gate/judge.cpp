// Cases beside their baselines, and the sentence that follows.
#include "reports/gate/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "base/statistics/ratio.hpp"
#include "reports/gate/sentence.hpp"

namespace railgauge::gate {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double log_of(Seconds time) { return time.count() > 0 && std::isfinite(time.count()) ? std::log(time.count()) : unknown; }

using History = std::vector<std::vector<double>>;  // by case, then by run

// The runs of all cases side by side, in any order: a gate does not ask for it where its window holds them all.
History beside_each_other(std::span<const Watched> cases, std::vector<Known> Watched::* runs) {
  std::map<std::string, std::size_t> places;
  for (const Watched& one : cases)
    for (const Known& known : one.*runs) places.try_emplace(known.run, places.size());
  History history(cases.size(), std::vector<double>(places.size(), unknown));
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const Known& known : cases[i].*runs) history[i][places.at(known.run)] = log_of(known.median);
  return history;
}

compare::Gate gate_of(std::span<const Watched> cases, compare::GateRule rule) {
  const History history = beside_each_other(cases, &Watched::baseline);
  rule.window = history.empty() ? 1 : std::max<std::size_t>(1, history.front().size());
  return {history, rule};
}

std::vector<double> now_of(std::span<const Watched> cases) {
  std::vector<double> now;
  for (const Watched& one : cases) now.push_back(measured(one.status) ? log_of(one.now) : unknown);
  return now;
}

// Each of the latest runs, this one last; none where there are not enough of them.
History latest_of(std::span<const Watched> cases) {
  std::vector<std::string> order;
  for (const Watched& one : cases)
    if (one.since.size() >= order.size()) {
      order.clear();
      for (const Known& known : one.since) order.push_back(known.run);
    }
  if (order.size() + 1 < latest_runs) return {};
  order.erase(order.begin(), order.end() - static_cast<std::ptrdiff_t>(latest_runs - 1));
  History runs;
  for (const std::string& run : order) {
    std::vector<double>& times = runs.emplace_back();
    for (const Watched& one : cases) {
      const auto known = std::find_if(one.since.begin(), one.since.end(), [&](const Known& it) { return it.run == run; });
      times.push_back(known == one.since.end() ? unknown : log_of(known->median));
    }
  }
  runs.push_back(now_of(cases));
  return runs;
}

std::optional<double> middle_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values.empty() ? std::nullopt : std::optional(compare::middle(std::move(values)));
}

// By its time.
bool is_judged(const Line& line) {
  return line.finding == Finding::as_before || line.finding == Finding::cleared || line.finding == Finding::faster ||
         line.finding == Finding::regressed;
}

bool has(std::span<const std::size_t> parts, std::size_t part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

}  // namespace

std::string_view name(Finding finding) noexcept {
  constexpr std::array<std::string_view, 10> names{"as before", "skipped", "learning",  "cleared", "faster",
                                                   "missing",   "unsure",  "regressed", "failed",  "wrong data"};
  return names[static_cast<std::size_t>(finding)];
}

Judge::Judge(std::vector<Watched> cases, const compare::GateRule& rule)
    : cases_(std::move(cases)), rule_(rule), gate_(gate_of(cases_, rule)), suspects_(gate_.suspects(now_of(cases_))) {}

void Judge::add_rerun(std::span<const Result> results) {
  std::vector<double>& times = reruns_.emplace_back(cases_.size(), unknown);
  for (const Result& result : results) {
    if (!measured(result.status)) continue;
    const compare::Key key = compare::key_of(result);
    for (std::size_t i = 0; i < cases_.size(); ++i)
      if (!(cases_[i].key < key) && !(key < cases_[i].key)) times[i] = log_of(result.summary.median);
  }
}

// Of the time of a case, as a logarithm; no number where nothing is known.
double Judge::change_of(std::size_t place) const {
  const Watched& one = cases_[place];
  std::vector<double> before, after;
  for (const Known& known : one.baseline) before.push_back(log_of(known.median));
  for (const std::vector<double>& rerun : reruns_) after.push_back(rerun[place]);
  const std::optional<double> centre = middle_of(std::move(before)), again = middle_of(std::move(after));
  const double now = measured(one.status) ? log_of(one.now) : unknown;
  return centre ? again.value_or(now) - *centre : unknown;
}

Line Judge::line_of(std::size_t place) const {
  const Watched& one = cases_[place];
  Line line;
  line.key = one.key;
  line.reason = one.reason;
  line.runs = one.baseline.size();
  std::vector<double> before;
  for (const Known& known : one.baseline) before.push_back(log_of(known.median));
  compare::GateRule all = rule_;
  all.window = std::max<std::size_t>(1, before.size());
  if (const auto baseline = compare::baseline_of(before, all)) line.spread = std::expm1(baseline->spread);
  if (const auto centre = middle_of(std::move(before))) line.expected = std::exp(*centre);
  if (measured(one.status) && std::isfinite(log_of(one.now))) line.now = one.now.count();
  if (const double change = change_of(place); std::isfinite(change)) line.change = std::expm1(change);

  const bool known = one.known || !one.baseline.empty();
  if (one.status == Status::wrong)
    line.finding = Finding::wrong;
  else if (one.status == Status::failed)
    line.finding = known ? Finding::failed : Finding::skipped;
  else if (!was_tried(one.status))
    line.finding = known ? Finding::missing : Finding::skipped;
  else if (one.baseline.size() < rule_.least_history)
    line.finding = Finding::learning;
  return line;
}

Judgement Judge::judge(std::span<const compare::Key> missing) const {
  Judgement judgement;
  judgement.needed = rule_.least_history;
  judgement.reruns = reruns_.size();
  const std::vector<std::size_t> confirmed = gate_.confirmed(suspects_, reruns_), faster = gate_.faster(latest_of(cases_));
  const auto settle = [&](Line& line, std::size_t part) {
    if (line.finding != Finding::as_before) return;
    if (has(confirmed, part))
      line.finding = Finding::regressed;
    else if (has(suspects_, part))
      line.finding = Finding::cleared;
    else if (has(faster, part))
      line.finding = Finding::faster;
  };
  Line whole;
  std::vector<double> changes;
  bool judged = false;
  for (std::size_t place = 0; place < cases_.size(); ++place) {
    Line line = line_of(place);
    judged = judged || line.finding == Finding::as_before;
    settle(line, place);
    judgement.learnt = std::max(judgement.learnt, line.runs);
    if (line.change) changes.push_back(std::log1p(*line.change));
    judgement.lines.push_back(std::move(line));
  }
  for (const compare::Key& key : missing) {
    Line line;
    line.key = key;
    line.finding = Finding::missing;
    line.reason = "the baseline has it, and this run does not";
    judgement.lines.push_back(std::move(line));
  }
  if (const auto change = middle_of(std::move(changes)); change && judged) {
    whole.change = std::expm1(*change);
    whole.runs = judgement.learnt;
    settle(whole, gate_.whole());
    judgement.whole = whole;
  }
  conclude(judgement);
  return judgement;
}

void conclude(Judgement& judgement) {
  judgement.finding = judgement.whole ? judgement.whole->finding : Finding::as_before;
  const bool judged = std::any_of(judgement.lines.begin(), judgement.lines.end(), is_judged);
  for (const Line& line : judgement.lines)
    if (!(line.finding == Finding::learning && judged)) judgement.finding = std::max(judgement.finding, line.finding);
  judgement.sentence = sentence_of(judgement);
}

int exit_code(const Judgement& judgement, bool strict) noexcept {
  switch (judgement.finding) {
    case Finding::wrong:
      return static_cast<int>(Fault::wrong_data);
    case Finding::failed:
    case Finding::regressed:
      return static_cast<int>(Fault::below_expectation);
    case Finding::missing:
    case Finding::unsure:
      return static_cast<int>(Fault::inconclusive);
    case Finding::learning:
      return strict ? static_cast<int>(Fault::inconclusive) : 0;
    case Finding::as_before:
    case Finding::skipped:
    case Finding::cleared:
    case Finding::faster:
      break;
  }
  return 0;
}

bool stops(const Judgement& judgement) noexcept {
  return judgement.finding == Finding::wrong || judgement.finding == Finding::failed || judgement.finding == Finding::regressed;
}

}  // namespace railgauge::gate
