// The sentence of reports/gate/sentence.hpp.
#include "reports/gate/sentence.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "reports/record/result_text.hpp"

namespace railgauge::gate {
namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * std::fabs(share)); }

std::string cases_text(std::size_t count) { return plural(count, "case"); }

}  // namespace

std::string sentence_of(const Judgement& judgement) {
  std::map<Finding, std::size_t> counts;
  for (const Line& line : judgement.lines) ++counts[line.finding];
  const std::size_t all = judgement.lines.size();
  const bool together = judgement.whole && judgement.whole->finding == judgement.finding;
  const auto share = [&](const char* than) {
    std::string text;
    if (together) text = fmt::format("all cases together take {} {}", percent(judgement.whole->change.value_or(0)), than);
    if (const std::size_t count = counts[judgement.finding]; count > 0)
      text += !together ? fmt::format("{} of {} {} {}", count, cases_text(all), count == 1 ? "takes" : "take", than)
              : judgement.control  // its cases are not parted from the whole
                  ? fmt::format(" ({} of {} by {})", count, cases_text(all), count == 1 ? "itself" : "themselves")
                  : fmt::format(", and beside that {} of {} {} still {}", count, cases_text(all), count == 1 ? "takes" : "take",
                                than);
    return text;
  };
  const std::string ruler = judgement.control ? "the control" : "the baseline";
  switch (judgement.finding) {
    case Finding::wrong:
      return fmt::format("WRONG DATA in {} of {}", counts[Finding::wrong], cases_text(all));
    case Finding::failed:
      return fmt::format("{} of {} failed that {} has", counts[Finding::failed], cases_text(all), ruler);
    case Finding::regressed:
      if (judgement.control)
        return fmt::format("{} than the control, in {} of interleaved launches", share("longer"),
                           plural(judgement.control->pairs, "pair"));
      return fmt::format("{} than the baseline, by the median of {} re-runs", share("longer"), judgement.reruns);
    case Finding::unsure:
      return fmt::format("{} came through once and failed in a later launch", cases_text(counts[Finding::unsure]));
    case Finding::missing:
      return fmt::format("{} that {} has {} not measured", cases_text(counts[Finding::missing]), ruler,
                         counts[Finding::missing] == 1 ? "was" : "were");
    case Finding::faster:
      return fmt::format(
          "{} than the baseline in the latest {} runs: to judge by the new level, railgauge history accept --reason "
          "'...'",
          share("less"), latest_runs);
    case Finding::learning:
      if (judgement.control)
        return judgement.control->keep.empty()
                   ? "learning: the control has no case of this run"
                   : fmt::format("learning: there is no control yet at {}: once this build is accepted, keep it as one: {}",
                                 judgement.control->name, judgement.control->keep);
      return fmt::format("learning: {} of {} runs; nothing is judged before that", judgement.learnt, judgement.needed);
    case Finding::as_before:
    case Finding::cleared:
    case Finding::skipped:
      break;
  }
  const std::size_t cleared = counts[Finding::cleared], learning = counts[Finding::learning];
  const bool suspected = cleared > 0 || (judgement.whole && judgement.whole->finding == Finding::cleared);
  std::string text = "as before";
  if (judgement.control)
    text = fmt::format("as the control in {} of interleaved launches", plural(judgement.control->pairs, "pair"));
  if (suspected && judgement.control)
    text += fmt::format(": what looked slow in {} before was not shown to be", plural(judgement.control->first, "pair"));
  else if (suspected)
    text += fmt::format(": what looked slow was measured again {} times, and was not", judgement.reruns);
  if (learning > 0 && judgement.control)
    text += fmt::format("; {} of {} not in the control", learning, cases_text(all));
  else if (learning > 0)
    text += fmt::format("; {} of {} still learning", learning, cases_text(all));
  return text;
}

}  // namespace railgauge::gate
