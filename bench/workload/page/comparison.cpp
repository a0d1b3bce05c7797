// A step beside another: before and after a change, or predicted and measured.
#include <fmt/format.h>

#include <algorithm>

#include "base/output/markup.hpp"
#include "bench/workload/page/parts.hpp"
#include "bench/workload/show/numbers.hpp"

namespace railgauge::step_page {
namespace {

using topo::escaped;

// Bars of both, of which the longest of the rows is as wide as the column.
std::string rows_of(const Comparison& comparison, const std::vector<ComparedTime>& times) {
  double longest = 0;
  for (const ComparedTime& time : times) longest = std::max({longest, time.first, time.second});
  std::string rows;
  for (const ComparedTime& time : times) {
    const auto bar = [&](const char* which, double seconds) {
      return fmt::format("<span class=\"{}\" style=\"width:{:.2f}%\"></span>", which, longest > 0 ? 100 * seconds / longest : 0);
    };
    rows += row(escaped(time.what),
                {seconds_text(time.first), seconds_text(time.second), difference_text(comparison.difference(time)),
                 fmt::format("<div class=\"pair\" aria-hidden=\"true\">{}{}</div>", bar("first", time.first),
                             bar("second", time.second))});
  }
  return rows;
}

}  // namespace

std::string comparison_of(const Comparison& comparison, std::size_t number) {
  const std::string first = escaped(comparison.first), second = escaped(comparison.second);
  const std::string key = fmt::format(
      "<span class=\"key\"><span class=\"swatch first\" aria-hidden=\"true\"></span>{}</span> <span class=\"key\"><span "
      "class=\"swatch second\" aria-hidden=\"true\"></span>{}</span>",
      first, second);
  const auto section = [&](const char* what, const std::string& title, const std::string& words,
                           const std::vector<ComparedTime>& times) {
    return times.empty() ? std::string()
                         : table(fmt::format("{}-{}", what, number), title, words,
                                 {what, first, second, comparison.difference_name(), key}, rows_of(comparison, times));
  };
  const std::string title = escaped(comparison.title);
  return section("time", fmt::format("The step, {}", title),
                 fmt::format("The {} is a share of what was {}.", comparison.difference_name(),
                             comparison.against_second ? second : first),
                 comparison.step) +
         section("calls", fmt::format("Its calls, {}", title),
                 "All calls of a kind together, each from when its last rank came to its end.", comparison.calls);
}

}  // namespace railgauge::step_page
