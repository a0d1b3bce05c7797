// Results made for the tests of the page.
#pragma once

#include <string>
#include <vector>

#include "reports/result.hpp"
#include "reports/web/gather.hpp"

namespace railgauge::test {

// all_reduce of 4 ranks on 2 hosts, measured and right, with an interval of a percent.
[[nodiscard]] Result made_result(const std::string& algorithm, std::uint64_t bytes, double median, double busbw);

// The same with a ceiling of bus bandwidth.
[[nodiscard]] Result made_result(const std::string& algorithm, std::uint64_t bytes, double median, double busbw, double expected);

// `ranks` hosts, of which the last one, if `slow`, sends and receives ten times slower.
[[nodiscard]] std::vector<Result> made_pairs(int ranks, bool slow);

// The page without its data and its script, which are no markup.
[[nodiscard]] std::string markup_of(const std::string& page);

[[nodiscard]] web::Contents gathered(const std::vector<Result>& results, const std::string& file = "a.jsonl");

}  // namespace railgauge::test
