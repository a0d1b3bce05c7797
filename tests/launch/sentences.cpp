// How ranks are named in sentences.
#include "bench/launch/sentences.hpp"

#include <limits>

#include "tests/test.hpp"

namespace railgauge {

TEST_CASE("ranks are named in few words") {
  CHECK(name_ranks({3}) == "rank 3");
  CHECK(name_ranks({1, 3}) == "ranks 1 and 3");
  CHECK(name_ranks({1, 2}) == "ranks 1 and 2");
  CHECK(name_ranks({0, 1, 2}) == "ranks 0 to 2");
  CHECK(name_ranks({0, 1, 2, 5, 7}) == "ranks 0 to 2, 5 and 7");
  std::vector<int> odd;
  for (int rank = 1; rank < 256; rank += 2) odd.push_back(rank);
  CHECK(name_ranks(odd) == "ranks 1, 3, 5, 7, 9, 11, 13, 15 and 120 more");
}

TEST_CASE("who is absent is named with the call and the deadline") {
  CHECK(absent_sentence({1, 3}, "barrier", Seconds{10}) == "ranks 1 and 3 did not come to the barrier within 10 s");
  CHECK(absent_sentence({0}, "split", Seconds{0.05}) == "rank 0 did not come to the split within 0.05 s");
}

TEST_CASE("an endless deadline lies ahead") {
  const auto now = std::chrono::steady_clock::now();
  CHECK(moment_after(Seconds{std::numeric_limits<double>::infinity()}) > now + std::chrono::hours(1));
  CHECK(moment_after(Seconds{1e300}) > now + std::chrono::hours(1));
  CHECK(moment_after(Seconds{-5}) >= now);
}

}  // namespace railgauge
