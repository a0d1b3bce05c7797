// A history as text for people, and as JSON and CSV for programs (docs/history.md). Pure functions; each text ends with a
// newline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "reports/history/check.hpp"
#include "reports/history/history.hpp"

namespace railgauge::history {

[[nodiscard]] std::string time_text(std::int64_t at);            // "2026-11-23 12:00:05", UTC
[[nodiscard]] std::int64_t parse_time(const std::string& text);  // that, with T and Z too, a date alone, or seconds since 1970

[[nodiscard]] std::string list_text(std::span<const RunRow> runs);
[[nodiscard]] std::string list_json(std::span<const RunRow> runs);

// Levels of the medians of its last runs, one sign each.
[[nodiscard]] std::string sparkline(std::span<const double> values);
// Each series with its last runs; many series with one line each.
[[nodiscard]] std::string show_text(std::span<const Series> series, std::size_t last);
[[nodiscard]] std::string show_json(std::span<const Series> series);
[[nodiscard]] std::string show_csv(std::span<const Series> series);  // a line for each point

[[nodiscard]] std::string check_text(const Check& check);
[[nodiscard]] std::string check_json(const Check& check);

}  // namespace railgauge::history
