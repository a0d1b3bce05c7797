// The findings behind reports/gate/control.hpp.
#include "reports/gate/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/statistics/ratio.hpp"
#include "reports/record/result_text.hpp"

namespace railgauge::gate {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

using Member = std::vector<Result> LaunchPair::*;

std::vector<compare::LaunchResults> side_of(std::span<const LaunchPair> pairs, std::string LaunchPair::* file, Member results) {
  std::vector<compare::LaunchResults> all;
  for (const LaunchPair& pair : pairs) all.push_back({pair.*file, pair.*results});
  return all;
}

std::vector<std::string> purpose_of(std::span<const LaunchPair> pairs) {
  return compare::differing_on_purpose(side_of(pairs, &LaunchPair::control_file, &LaunchPair::control),
                                       side_of(pairs, &LaunchPair::next_file, &LaunchPair::next));
}

std::vector<compare::Difference> differences_of(std::span<const LaunchPair> pairs, const compare::Allowed& allowed) {
  compare::Side control(allowed), next(allowed);
  for (const LaunchPair& pair : pairs) {
    for (const Result& result : pair.control) control.add(pair.control_file, result);
    for (const Result& result : pair.next) next.add(pair.next_file, result);
  }
  return compare::differences(control, next);
}

// Of the history, when something else than it decides.
void tell_of_history(Judgement& judgement) {
  if (!judgement.whole || judgement.whole->finding == Finding::as_before) return;
  const double change = judgement.whole->change.value_or(0);
  judgement.notes.push_back(
      fmt::format("beside the history all cases together take {:.1f} % {} than the baseline of {}: that decides nothing here "
                  "(railgauge history "
                  "check)",
                  100 * std::fabs(change), change < 0 ? "less" : "longer", plural(judgement.whole->runs, "run")));
}

bool by_time(Finding finding) {
  return finding == Finding::as_before || finding == Finding::learning || finding == Finding::cleared ||
         finding == Finding::faster || finding == Finding::regressed;
}

}  // namespace

BesideControl::BesideControl(LaunchPair first, const compare::TurnRule& rule) : first_(rule.first), turns_(rule) {
  const std::span<const LaunchPair> pair(&first, 1);
  joined_ = compare::Allowed(purpose_of(pair));
  for (const compare::Difference& difference : differences_of(pair, joined_))
    if (!joined_.contains(difference.field))
      throw Error(Fault::not_comparable,
                  fmt::format("not comparable: {} is '{}' of the control and '{}' of the suite: both are to run in one place",
                              difference.field, difference.base, difference.next));
  for (const Result& result : first.next) places_.try_emplace(compare::key_of(result, joined_), places_.size());
  add(std::move(first));
  const auto times = [](const std::vector<Seen>& side) {
    return std::any_of(side.begin(), side.end(), [](const Seen& seen) { return std::isfinite(seen.seconds); });
  };
  if (times(made_.front().next) && !times(made_.front().control))
    throw Error(Fault::not_comparable, "not comparable: the control measured no case of the suite");
}

std::vector<BesideControl::Seen> BesideControl::seen_in(std::span<const Result> results) const {
  std::vector<Seen> seen(places_.size(), {unknown});
  for (const Result& result : results) {
    const auto place = places_.find(compare::key_of(result, joined_));
    if (place == places_.end()) continue;
    Seen& one = seen[place->second];
    one.wrong = one.wrong || result.status == Status::wrong;
    one.failed = one.failed || result.status == Status::failed;
    const double seconds = result.summary.median.count();
    if (measured(result.status) && seconds > 0) one.seconds = seconds;
  }
  return seen;
}

void BesideControl::add(LaunchPair pair) {
  const Turn& turn = made_.emplace_back(Turn{seen_in(pair.control), seen_in(pair.next)});
  compare::Pair logarithms;
  for (std::size_t i = 0; i < places_.size(); ++i) logarithms.push_back(std::log(turn.next[i].seconds / turn.control[i].seconds));
  turns_.add(std::move(logarithms));
  pairs_.push_back(std::move(pair));
}

// Seconds of a case in the middle of launches; nothing where none has it.
std::optional<double> BesideControl::middle_of(std::span<const Turn> turns, std::vector<Seen> Turn::* side, std::size_t place) {
  std::vector<double> times;
  for (const Turn& turn : turns)
    if (const double seconds = (turn.*side)[place].seconds; std::isfinite(seconds)) times.push_back(seconds);
  return times.empty() ? std::nullopt : std::optional(compare::middle(std::move(times)));
}

void BesideControl::settle(Line& line, std::size_t part) const {
  const compare::CaseChange& known = turns_.parts().at(part);
  line.runs = turns_.pairs();
  line.change = line.spread = line.chance = std::nullopt;
  if (std::isfinite(known.change)) {
    line.change = std::expm1(known.change);
    line.spread = std::expm1(known.spread);
    line.chance = known.chance;
  }
  line.finding = turns_.slower(part) ? Finding::regressed : turns_.suspected(part) ? Finding::cleared : Finding::as_before;
}

void BesideControl::settle_case(Line& line) const {
  compare::Key key = line.key;
  compare::blank(key, joined_);
  const auto found = places_.find(key);
  if (found == places_.end()) return;  // the history has it, and the suite does not
  const std::size_t place = found->second;
  const auto ever = [&](std::vector<Seen> Turn::* side, bool Seen::* what) {
    return std::any_of(made_.begin(), made_.end(), [&](const Turn& turn) { return (turn.*side)[place].*what; });
  };
  const bool known = middle_of(made_, &Turn::control, place).has_value();
  if (ever(&Turn::next, &Seen::wrong)) {
    line.finding = Finding::wrong;
  } else if (known && ever(&Turn::next, &Seen::failed) && !ever(&Turn::control, &Seen::failed)) {
    if (by_time(line.finding)) line.reason = "it failed in a later launch, and never in the control";
    line.finding = by_time(line.finding) ? Finding::unsure : Finding::failed;
  } else if (known && line.finding == Finding::skipped) {
    line.finding = Finding::missing;
  }
  line.expected = middle_of(deciding(), &Turn::control, place);
  line.change = line.spread = line.chance = std::nullopt;
  line.runs = 0;
  if (!by_time(line.finding)) return;
  if (!known) {
    line.finding = Finding::learning;
    line.reason = "the control does not have it";
    return;
  }
  settle(line, place);
  line.now = middle_of(deciding(), &Turn::next, place);
  for (const Turn& turn : deciding())
    if (const double ratio = turn.next[place].seconds / turn.control[place].seconds; std::isfinite(ratio))
      line.ratios.push_back(ratio);
}

void BesideControl::add_missing(Judgement& judgement) const {
  std::set<compare::Key> there;
  for (const Line& line : judgement.lines) {
    compare::Key key = line.key;
    compare::blank(key, joined_);
    there.insert(std::move(key));
  }
  for (const LaunchPair& pair : pairs_)
    for (const Result& result : pair.control) {
      if (!measured(result.status) || !there.insert(compare::key_of(result, joined_)).second) continue;
      Line line;
      line.key = compare::key_of(result);
      line.finding = Finding::missing;
      line.reason = "the control has it, and this run does not";
      judgement.lines.push_back(std::move(line));
    }
}

void BesideControl::add_notes(Judgement& judgement) const {
  const compare::Allowed allowed(purpose_of(pairs_));
  for (const compare::Difference& difference : differences_of(pairs_, allowed))
    if (allowed.contains(difference.field)) {
      const auto told = [](const std::string& value) { return value.empty() ? std::string("not there") : "'" + value + "'"; };
      judgement.notes.push_back(
          fmt::format("{} is {} in the control and {} here", difference.field, told(difference.base), told(difference.next)));
    }
}

Judgement BesideControl::judge(Judgement by_history, const std::string& name) const {
  Judgement judgement = std::move(by_history);
  tell_of_history(judgement);
  judgement.reruns = 0;
  judgement.control = Control{name, {}, first_, turns_.pairs()};
  for (Line& line : judgement.lines) settle_case(line);
  add_missing(judgement);
  Line whole;
  settle(whole, places_.size());
  for (const Turn& turn : deciding()) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (const double ratio = turn.next[i].seconds / turn.control[i].seconds; std::isfinite(ratio)) ratios.push_back(ratio);
    if (!ratios.empty()) whole.ratios.push_back(compare::middle(std::move(ratios)));
  }
  judgement.whole.reset();
  if (whole.change) judgement.whole = std::move(whole);
  add_notes(judgement);
  conclude(judgement);
  return judgement;
}

Judgement without_control(Judgement by_history, const std::string& name, const std::string& keep) {
  Judgement judgement = std::move(by_history);
  tell_of_history(judgement);
  judgement.control = Control{name, keep, 0, 0};
  judgement.whole.reset();
  for (Line& line : judgement.lines)
    if (by_time(line.finding)) line.finding = Finding::learning;
  conclude(judgement);
  return judgement;
}

}  // namespace railgauge::gate
