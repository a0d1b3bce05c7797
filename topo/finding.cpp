// Sentences about findings that every output shares.
#include "topo/finding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topo/words.hpp"

namespace railgauge::topo {
namespace {

std::string upper(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return all;
}

}  // namespace

std::string_view word(Severity severity) noexcept {
  constexpr std::string_view words[] = {"fault", "warning", "note"};
  return words[static_cast<std::size_t>(severity)];
}

std::string ends_of(const Finding& finding) {
  return finding.b.name.empty() ? finding.a.name : finding.a.name + " to " + finding.b.name;
}

std::string headline(const Finding& finding) {
  std::string text = fmt::format("{} {}: {}: {}", upper(word(finding.severity)), finding.rule, ends_of(finding), finding.found);
  if (!finding.expected.empty()) text += "; expected " + finding.expected;
  return printable(text + '.');
}

std::string summary(const Diagnosis& diagnosis) {
  std::size_t counts[3] = {};
  for (const Finding& finding : diagnosis.findings) ++counts[static_cast<std::size_t>(finding.severity)];
  std::string found;
  for (const Severity severity : {Severity::fault, Severity::warning, Severity::note})
    if (const std::size_t count = counts[static_cast<std::size_t>(severity)]; count != 0)
      found += (found.empty() ? "" : ", ") + counted(count, word(severity), std::string(word(severity)) + "s");
  std::string text;
  for (const Coverage::Count& it : diagnosis.coverage.checked)
    text += (text.empty() ? "" : ", ") + counted(it.count, it.one, it.many);
  if (!text.empty())
    text += " checked: " + (found.empty() ? "nothing found" : found);
  else
    text = found.empty() ? "Nothing to check" : found;
  std::string gaps;
  for (const Coverage::Gap& it : diagnosis.coverage.not_checked)
    gaps += fmt::format("{}{} ({})", gaps.empty() ? "" : ", ", it.what, it.reason);
  return text + (gaps.empty() ? "." : "; not checked: " + gaps + ".");
}

}  // namespace railgauge::topo
