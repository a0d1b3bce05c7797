// What a page says first: whether anything is wrong, in a sentence, and what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/web/gather.hpp"

namespace railgauge::web {

// Of its best size. What healthy systems reach of the ceilings: docs/verdicts.md.
inline constexpr double least_share = 0.75;

enum class Level : std::uint8_t { good, warning, fault };
[[nodiscard]] constexpr const char* name(Level level) noexcept {
  return level == Level::good ? "good" : level == Level::warning ? "warning" : "fault";
}

struct Finding {
  Level level = Level::good;
  std::string text;
};

struct PageVerdict {
  Level level = Level::good;       // the most severe of what was found
  bool measured = true;            // false: all of it is predicted, and nothing is judged
  std::string what;                // what was run, on what: "all_reduce by 3 algorithms over ucx, 4 ranks: 24 points"
  std::string sentence;            // what of it is wrong, by severity
  std::string figures;             // the most bus bandwidth of each operation, and by what; empty where nothing was measured
  std::vector<Finding> findings;   // one by one, by severity, those that are no trouble last; at most 8 of a kind, and how many
                                   // more there are
  std::vector<std::string> notes;  // that change nothing of the level: intervals that are wider than was asked for
};

// A curve is below expectation when even its best size reaches less than least_share: small messages never fill a link.
[[nodiscard]] PageVerdict verdict_of(const Contents& contents);

}  // namespace railgauge::web
