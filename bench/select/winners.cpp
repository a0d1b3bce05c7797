// Tables of rankings (bench/select/choose.hpp).
#include "bench/select/winners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/output/text.hpp"
#include "base/units.hpp"
#include "bench/select/choose.hpp"
#include "reports/record/result_text.hpp"

namespace railgauge {
namespace {

std::string table_name(const Case& point) { return fmt::format("{}, over {}", heading_of(point), printable(point.transport)); }

std::string behind_text(double first, double second) {
  const double percent = 100 * (second / first - 1);
  return percent < 999.5 ? fmt::format("{:.{}f}%", percent, percent < 9.95 ? 1 : 0) : fmt::format("{:.0f}x", second / first);
}

std::string line_of(const Ranking& ranking) {
  const Ranking::Place& first = ranking.places.front();
  std::string line = fmt::format("{:>10}  {:<18} {:>7}", format_bytes(ranking.point.bytes), printable(first.algorithm),
                                 time_text(Seconds(first.seconds)));
  if (ranking.places.size() > 1) {
    const Ranking::Place& second = ranking.places[1];
    line += fmt::format("  {:<18} {:>6}", printable(second.algorithm), behind_text(first.seconds, second.seconds));
  }
  return line + "\n";
}

// Sizes that were skipped and never measured, by table and reason.
std::map<std::pair<std::string, std::string>, std::set<std::uint64_t>> unmeasured(const std::vector<Result>& results) {
  std::map<std::string, std::set<std::uint64_t>> measured;
  std::map<std::pair<std::string, std::string>, std::set<std::uint64_t>> left;
  for (const Result& result : results)
    if (was_tried(result.status)) measured[table_name(result.point)].insert(result.point.bytes);
  for (const Result& result : results)
    if (const std::string table = table_name(result.point);
        result.status == Status::skipped && !measured[table].contains(result.point.bytes))
      left[{table, printable(result.reason)}].insert(result.point.bytes);
  return left;
}

}  // namespace

std::string winners_text(const std::vector<Result>& results, std::size_t passes) {
  std::map<std::string, std::vector<Ranking>> tables;
  std::size_t sizes = 0, hasty = 0;
  for (Ranking& ranking : rank(results)) {
    ++sizes;
    if (ranking.passes < passes) ++hasty;
    std::vector<Ranking>& table = tables[table_name(ranking.point)];
    table.push_back(std::move(ranking));
  }
  std::string text;
  for (auto& [name, table] : tables) {
    std::sort(table.begin(), table.end(), [](const Ranking& a, const Ranking& b) { return a.point.bytes < b.point.bytes; });
    text += fmt::format("\nfastest of {}\n", name);
    text += fmt::format("{:>10}  {:<18} {:>7}  {:<18} {:>6}\n", "size", "algorithm", "time", "runner-up", "behind");
    for (const Ranking& ranking : table) text += line_of(ranking);
  }
  if (hasty != 0)
    text += fmt::format("\n{} of {} were measured in fewer than {} passes: their margins are less certain\n", hasty,
                        plural(sizes, "size"), passes);
  for (const auto& [what, left] : unmeasured(results)) {
    std::string listed;
    for (const std::uint64_t bytes : left) listed += (listed.empty() ? "" : ", ") + format_bytes(bytes);
    text += fmt::format("\nnot measured: {}: {}: {}\n", what.first, listed, what.second);
  }
  return text;
}

}  // namespace railgauge
