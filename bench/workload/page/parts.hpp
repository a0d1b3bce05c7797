// Parts of bench/workload/page/page.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workload/analyse/comparison.hpp"
#include "bench/workload/analyse/figures.hpp"
#include "bench/workload/matches.hpp"
#include "bench/workload/step_record.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge::step_page {

inline constexpr std::size_t most_drawn = 200'000;  // nodes of a timeline
inline constexpr std::size_t most_rows = 512;       // of a table of ranks, and choices of one
inline constexpr std::size_t colours = 8;

// "step 3, whose time is the median".
[[nodiscard]] std::string step_shown(const RunResult& result);

// HTML, with what is not ours escaped. `figures` is null where there is no timeline.
[[nodiscard]] std::string headline_of(const Workload& workload, const RunResult& result, const TimelineFigures* figures);
[[nodiscard]] std::string tables_of(const Workload& workload, const RunResult& result, const TimelineFigures& figures);

// Two columns of times, with bars beside each other; `number` is for its place in the page.
[[nodiscard]] std::string comparison_of(const Comparison& comparison, std::size_t number);

// A section with a heading, words below it and a table; rows are those of row(). All is HTML.
[[nodiscard]] std::string table(std::string_view id, std::string_view title, std::string_view words,
                                const std::vector<std::string>& columns, const std::string& rows);
[[nodiscard]] std::string row(const std::string& head, const std::vector<std::string>& cells);

// The labels of groups that communicate, in the order of their names; the n-th has the colour n modulo `colours`.
[[nodiscard]] std::vector<std::string> labels_of(const Workload& workload);

// How many ranks, from rank 0 on, are drawn: all, or as many as have at most `most` nodes together; at least one.
[[nodiscard]] std::size_t drawn_ranks(const Workload& workload, const Timeline& timeline, std::size_t most = most_drawn);

// The timeline as JSON for the script (web/timeline.js says what it reads).
[[nodiscard]] std::string data_of(const Workload& workload, const Matches& matches, const RunResult& result,
                                  const CriticalPath& path);

namespace web {

// The files of bench/workload/page/web as strings, which the build makes.
extern const std::string_view step_css;
extern const std::string_view timeline_js;  // draws, zooms; before facts_js
extern const std::string_view facts_js;     // what is pointed at

}  // namespace web

}  // namespace railgauge::step_page
