// The texts behind reports/gate/report.hpp.
#include "reports/gate/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/output/escape.hpp"
#include "base/output/text.hpp"
#include "reports/formats/junit_file.hpp"
#include "reports/record/result_text.hpp"

namespace railgauge::gate {
namespace {

constexpr std::size_t most_findings = 40;  // of a text for people

bool to_be_said(Finding finding) {
  return finding != Finding::as_before && finding != Finding::skipped && finding != Finding::learning;
}
bool is_trouble(Finding finding) { return finding >= Finding::missing; }

std::string change_text(const Line& line) { return line.change ? fmt::format("{:+.1f} %", 100 * *line.change) : std::string(); }
std::string time_text_of(const std::optional<double>& seconds) { return seconds ? time_text(Seconds(*seconds)) : std::string(); }

std::string case_text(const Line* line) { return line == nullptr ? "all cases together" : compare::line_of(line->key); }

// What a change was told by.
std::string how_text(const Line& line, const Judgement& judgement) {
  if (judgement.control)
    return fmt::format(" (median of {}{})", plural(line.runs, "pair"),
                       line.spread ? fmt::format(" ± {:.1f} %", 100 * *line.spread) : std::string());
  return judgement.reruns > 0 ? fmt::format(" (median of {} re-runs)", judgement.reruns) : std::string();
}

// What is known of a case in words, without its name.
std::string facts_of(const Line& line, const Judgement& judgement) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (line.now) add(time_text_of(line.now));
  const bool beside = judgement.control.has_value();
  if (line.expected)
    add(fmt::format("{} {}{}{}", beside ? "control" : "baseline", time_text_of(line.expected),
                    line.spread && !beside ? fmt::format(" ± {:.1f} %", 100 * *line.spread) : std::string(),
                    beside ? std::string() : fmt::format(" of {}", plural(line.runs, "run"))));
  if (line.change) add(change_text(line) + how_text(line, judgement));
  if (line.finding == Finding::learning && !beside) add(fmt::format("learning: {} of {} runs", line.runs, judgement.needed));
  if (!line.reason.empty()) add(printable(line.reason));
  return text;
}

std::string heading_of(const Run& run) {
  std::string text = "run " + printable(run.id);
  if (!run.label.empty()) text += " of " + printable(run.label);
  if (!run.host.empty()) text += " on " + printable(run.host);
  return text + fmt::format(", {:.0f} s", run.took.count());
}

// What is to be said one by one, all cases together first; by severity.
std::vector<std::pair<const Line*, std::string>> said(const Judgement& judgement) {
  std::vector<std::pair<const Line*, std::string>> lines;
  if (judgement.whole && to_be_said(judgement.whole->finding)) lines.emplace_back(&*judgement.whole, case_text(nullptr));
  std::vector<const Line*> cases;
  for (const Line& line : judgement.lines)
    if (to_be_said(line.finding)) cases.push_back(&line);
  std::stable_sort(cases.begin(), cases.end(), [](const Line* a, const Line* b) { return a->finding > b->finding; });
  for (const Line* line : cases) lines.emplace_back(line, case_text(line));
  return lines;
}

}  // namespace

const char* verdict_word(const Judgement& judgement) noexcept {
  if (stops(judgement)) return "stopped";
  return is_trouble(judgement.finding) ? "inconclusive" : "passed";
}

std::string to_text(const Run& run, const Judgement& judgement) {
  std::string text = fmt::format("gate: {}: {}\n", plural(judgement.lines.size(), "case"), heading_of(run));
  const auto lines = said(judgement);
  for (std::size_t i = 0; i < std::min(lines.size(), most_findings); ++i)
    text +=
        fmt::format("  {:<10}  {}: {}\n", name(lines[i].first->finding), lines[i].second, facts_of(*lines[i].first, judgement));
  if (lines.size() > most_findings) text += fmt::format("  and {} more\n", lines.size() - most_findings);
  for (const std::string& note : judgement.notes) text += printable(note) + "\n";
  return text + fmt::format("{}: {}\n", verdict_word(judgement), judgement.sentence);
}

std::string to_markdown(const Run& run, const Judgement& judgement) {
  std::string text = fmt::format("**railgauge gate {}: {}**\n\n{}\n", verdict_word(judgement), markdown_text(judgement.sentence),
                                 markdown_text(heading_of(run)));
  for (const std::string& note : judgement.notes) text += "\n- " + markdown_text(note);
  if (!judgement.notes.empty()) text += "\n";
  text += fmt::format("\n| case | time | {} | ± | change | |\n|---|---:|---:|---:|---:|---|\n",
                      judgement.control ? "control" : "baseline");
  const auto row = [&](const Line& line, const std::string& what) {
    const std::string finding =
        std::string(name(line.finding)) + (line.finding == Finding::learning && !judgement.control
                                               ? fmt::format(": {} of {} runs", line.runs, judgement.needed)
                                               : "");
    text += fmt::format("| {} | {} | {} | {} | {} | {}{} |\n", markdown_text(what), time_text_of(line.now),
                        time_text_of(line.expected), line.spread ? fmt::format("{:.1f} %", 100 * *line.spread) : "",
                        change_text(line), is_trouble(line.finding) ? "**" + finding + "**" : finding,
                        line.reason.empty() ? "" : ": " + markdown_text(line.reason));
  };
  if (judgement.whole) row(*judgement.whole, case_text(nullptr));
  for (const Line& line : judgement.lines) row(line, case_text(&line));
  if (judgement.control && judgement.control->keep.empty())
    text += fmt::format("\nTimes and changes are medians over {} of interleaved launches with the control, {}.\n",
                        plural(judgement.control->pairs, "pair"), markdown_text(judgement.control->name));
  if (judgement.reruns > 0) text += fmt::format("\nChanges are of the median of {} re-runs.\n", judgement.reruns);
  return text;
}

std::string to_junit(const Run& run, const Judgement& judgement) {
  junit::Suite suite{"railgauge gate " + (run.label.empty() ? run.id : run.label), run.host, run.took, {}};
  const auto test = [&](const Line& line, const std::string& what, const std::string& group) {
    junit::Case one{"railgauge.gate." + group, what, Seconds(line.now.value_or(0)), {}, {}, std::string(name(line.finding)), {}};
    const std::string facts = facts_of(line, judgement), said = fmt::format("{}: {}", one.type, facts);
    if (line.finding == Finding::regressed || line.finding == Finding::wrong)
      one.result = junit::Result::failure;
    else if (is_trouble(line.finding))
      one.result = junit::Result::error;
    else if (line.finding == Finding::skipped)
      one.result = junit::Result::skipped;
    if (one.result != junit::Result::passed)
      one.message = said;
    else if (!facts.empty())
      one.output = said;
    suite.cases.push_back(std::move(one));
  };
  if (judgement.whole) test(*judgement.whole, case_text(nullptr), "all");
  for (const Line& line : judgement.lines) test(line, case_text(&line), line.key.point.collective);
  return junit::text_of("railgauge gate", run.took, {suite});
}

std::string to_github(const Judgement& judgement) {
  std::string text;
  for (const auto& [line, what] : said(judgement)) {
    const char* const level = is_trouble(line->finding) ? "error" : line->finding == Finding::faster ? "notice" : "warning";
    text += workflow_command(level, name(line->finding), what + ": " + facts_of(*line, judgement));
  }
  return text + workflow_command("notice", "railgauge gate", fmt::format("{}: {}", verdict_word(judgement), judgement.sentence));
}

}  // namespace railgauge::gate
