// Whether a point reaches the share of expected that was asked for, and what is said of it.
#include "reports/record/standing.hpp"

#include <limits>
#include <string>

#include "reports/record/result_text.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;

namespace {

Result measured(double busbw, double expected, double share) {
  Result result;
  result.summary.samples = 3;
  result.summary.busbw = busbw;
  result.expected = Expectation{expected, "ring: r = 20"};
  result.expected_share = share;
  return result;
}

}  // namespace

TEST_CASE("a point meets, is below, or it is unknown, and the share itself is enough") {
  CHECK(standing_of(measured(16, 20, 0.8)) == Standing::meets);
  CHECK(standing_of(measured(15.999, 20, 0.8)) == Standing::below);
  CHECK(standing_of(measured(25, 20, 1)) == Standing::meets);
  CHECK(standing_of(measured(15, 0, 0.8)) == Standing::unknown);
  CHECK(standing_of(measured(std::numeric_limits<double>::quiet_NaN(), 20, 0.8)) == Standing::unknown);
  Result result = measured(1, 20, 0.8);
  result.expected.reset();
  CHECK(standing_of(result) == Standing::unknown);
  CHECK_THAT(standing_sentence(result), ContainsSubstring("no reference") && ContainsSubstring("80%"));
}

TEST_CASE("where no share was asked for, or no right data came in time, there is no verdict") {
  Result result = measured(1, 20, 0.8);
  result.expected_share.reset();
  CHECK_FALSE(standing_of(result));
  CHECK(standing_sentence(result).empty());
  for (const Status status : {Status::wrong, Status::failed, Status::skipped}) {
    result = measured(1, 20, 0.8);
    result.status = status;
    CHECK_FALSE(standing_of(result));
  }
  result = measured(1, 20, 0.8);
  result.status = Status::not_converged;
  CHECK(standing_of(result) == Standing::below);
  result.summary.samples = 0;
  CHECK_FALSE(standing_of(result));
}

TEST_CASE("the sentence has both bandwidths, the share and the formula") {
  const std::string sentence = standing_sentence(measured(10, 20, 0.8));
  CHECK(sentence == "busbw 10.00 GB/s is 50% of the 20.00 GB/s that the links allow (ring: r = 20), and 80% were asked for");
  CHECK(standing_sentence(measured(20, 20, 0.8)).empty());
}

TEST_CASE("a tally of points below is not all ok") {
  Tally tally;
  tally.add(Status::ok, Standing::meets);
  CHECK(tally.sentence() == "1 point, ok");
  tally.add(Status::ok, Standing::below);
  tally.add(Status::ok, Standing::unknown);
  tally.add(Status::skipped);
  CHECK(tally.sentence() == "4 points: 1 below expectation, 1 skipped, 1 of unknown expectation");
}
