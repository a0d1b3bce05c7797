// What a history knows of the cases of some results, as a page shows it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/history/history.hpp"
#include "reports/web/trend.hpp"

namespace railgauge::history {

// One for each of the series that has runs, with its baseline, and its steps where it is among the first 500. What of `now` is of
// a series and of a run that the history does not have yet stands at its end.
[[nodiscard]] std::vector<web::Trend> trends_of(std::span<const Series> series, std::span<const Entry> now);
// The same of the cases of these entries. `where` is what --history names. Throws Error(usage).
[[nodiscard]] std::vector<web::Trend> trends_of(const std::string& where, std::span<const Entry> now);

}  // namespace railgauge::history
