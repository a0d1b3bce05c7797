// The sentence about starts: sums over results, and nothing where nothing is known.
#include "reports/record/starts.hpp"

#include "tests/reports/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;

TEST_CASE("starts are summed up over the results that know them") {
  Starts starts;
  CHECK(starts.sentence().empty());
  for (const Result& result : test::sample_results()) starts.add(result);
  CHECK(starts.sentence().empty());
  Result result;
  result.summary.samples = 10;
  result.arrival = Arrival{10, Seconds(2e-6), Seconds(9e-6), Seconds(1e-7), 0, {1, 9}, {8, 2}};
  starts.add(result);
  result.arrival = Arrival{10, Seconds(4e-6), Seconds(5e-6), Seconds(3e-7), 0, {2, 8}, {7, 3}};
  starts.add(result);
  CHECK(starts.sentence() ==
        "starts of a sample: up to 4.00 us apart in the median of a point, each known within 300 ns; last to start: rank 1 in 85 "
        "%; "
        "slowest: rank 0 in 75 %");
  result.point.mode = "window";
  result.arrival->late_starts = 3;
  starts.add(result);
  CHECK(starts.sentence().ends_with("; 3 of 30 started late"));
}
