// Sums and sentences of energy and clocks.
#include "reports/power/power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/output/text.hpp"

namespace railgauge {
namespace {

bool holds_down(const Throttle& throttle) {
  if (!throttle.suspect) return false;
  return throttle.before || throttle.after || throttle.events.value_or(0) > 0 || throttle.time.value_or(Seconds(0)) > Seconds(0);
}

bool is_worse(const Throttle& a, const Throttle& b) {
  if (a.time != b.time) return a.time > b.time;
  return a.events > b.events;
}

std::string extent_of(const Throttle& throttle, Seconds span) {
  if (throttle.time.value_or(Seconds(0)) > Seconds(0))
    return fmt::format("for {} of {}", format_seconds(*throttle.time), format_seconds(span));
  if (throttle.events.value_or(0) > 0) return fmt::format("{} time{}", *throttle.events, *throttle.events == 1 ? "" : "s");
  return throttle.before && throttle.after ? "when the point began and when it ended"
         : throttle.before                 ? "when the point began"
                                           : "when the point ended";
}

std::string with_others(const std::vector<std::string>& nodes) {
  if (nodes.empty()) return "nobody";
  std::string text = printable(nodes.front());
  if (nodes.size() > 1) text += fmt::format(" and {} other{}", nodes.size() - 1, nodes.size() == 2 ? "" : "s");
  return text;
}

// One for each, and of a great many only how many more there are.
std::vector<std::string> absence_sentences(const std::vector<Absence>& absences) {
  constexpr std::size_t most = 8;
  std::vector<std::string> all;
  for (std::size_t i = 0; i < std::min(most, absences.size()); ++i)
    all.push_back(
        fmt::format("{} on {}: {}", printable(absences[i].what), with_others(absences[i].nodes), printable(absences[i].reason)));
  if (absences.size() > most) all.push_back(fmt::format("and {} more", absences.size() - most));
  return all;
}

// What they are of, in a few words: the reasons of several are longer than anybody reads under a table.
std::string names_of(const std::vector<Absence>& absences) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  for (const Absence& absence : absences)
    if (std::string name = printable(absence.what); std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (text.empty() ? "" : ", ") + names[i];
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

}  // namespace

std::optional<double> joules_of(const Power& power) {
  if (power.energy.empty()) return std::nullopt;
  double joules = 0;
  for (const EnergyUse& use : power.energy) joules += use.joules;
  return joules;
}

std::optional<double> joules_per_gigabyte(const Power& power) {
  const std::optional<double> joules = joules_of(power);
  if (!joules || !(power.gigabytes > 0)) return std::nullopt;
  return *joules / power.gigabytes;
}

std::optional<bool> throttled(const Power& power) {
  if (!power.tells_throttling) return std::nullopt;
  return std::any_of(power.throttles.begin(), power.throttles.end(), holds_down);
}

std::string remark_of(const Power& power) {
  std::string text;
  std::vector<std::string_view> told;
  for (const Throttle& throttle : power.throttles) {
    if (!holds_down(throttle) || std::find(told.begin(), told.end(), throttle.cause) != told.end()) continue;
    told.push_back(throttle.cause);
    const Throttle* worst = &throttle;
    std::size_t others = 0;
    for (const Throttle& other : power.throttles) {
      if (&other == &throttle || other.cause != throttle.cause || !holds_down(other)) continue;
      ++others;
      if (is_worse(other, *worst)) worst = &other;
    }
    text += fmt::format("{}{} of {}{}: clocks were throttled by {} {}", text.empty() ? "" : "; ", printable(worst->source),
                        printable(worst->node), others == 0 ? "" : fmt::format(", and {} more", others), printable(worst->cause),
                        extent_of(*worst, power.span));
  }
  return text;
}

std::string absences_of(const Power& power) {
  std::string text;
  for (const std::string& sentence : absence_sentences(power.absent)) text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

void add_absence(std::vector<Absence>& absences, const std::string& node, const std::string& what, const std::string& reason) {
  auto found =
      std::find_if(absences.begin(), absences.end(), [&](const Absence& it) { return it.what == what && it.reason == reason; });
  if (found == absences.end()) found = absences.insert(found, {what, reason, {}});
  if (std::find(found->nodes.begin(), found->nodes.end(), node) == found->nodes.end()) found->nodes.push_back(node);
}

void PowerSum::add(const Result& result) {
  if (!result.power) return;
  ++results_;
  const Power& power = *result.power;
  read_ = read_ || power.tells_throttling || !power.energy.empty() || !power.clocks.empty() || !power.throttles.empty();
  if (throttled(*result.power).value_or(false)) ++throttled_;
  if (const std::optional<double> joules = joules_of(*result.power)) joules_ = joules_.value_or(0) + *joules;
  for (const Absence& absence : result.power->absent)
    for (const std::string& node : absence.nodes) add_absence(absent_, node, absence.what, absence.reason);
}

std::vector<std::string> PowerSum::sentences() const {
  std::vector<std::string> all;
  if (joules_) all.push_back(fmt::format("energy: {:.4g} J in all", *joules_));
  if (throttled_ != 0)
    all.push_back(fmt::format("clocks were throttled in {} of {} result{}: all samples there are suspect", throttled_, results_,
                              results_ == 1 ? "" : "s"));
  if (read_ && absent_.size() == 1)
    all.push_back("not read: " + absence_sentences(absent_).front());
  else if (read_ && !absent_.empty())
    all.push_back("not read: " + names_of(absent_) + "; why: power_absent of the results (docs/power.md)");
  return all;
}

}  // namespace railgauge
