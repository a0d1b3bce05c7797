// What a user picks of a history.
#include "base/error.hpp"
#include "tests/reports/history/runs.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::history;
using namespace railgauge::test;

TEST_CASE("a filter takes what fits all its words") {
  compare::Draws draws(1);
  Result result = launch_result("run", 4096, 1e-6, draws);
  result.point.in_place = true;
  result.topology = "abc";
  result.settings = {{"ucx.tls", "tcp=x"}};
  const Identity identity = entry_of(result).identity;
  const auto fits = [&](const std::vector<std::string>& words) { return Filter(words).fits(identity); };
  CHECK(fits({}));
  CHECK(fits({"all_reduce"}));
  CHECK(fits({"4 KiB", "ring"}));
  CHECK(fits({"size=4K", "transport=shm", "ranks=2", "memory=host", "in_place=yes"}));
  CHECK(fits({"cpu=A processor", "topology=abc", "versions.railgauge=0.1.0", "settings.ucx.tls=tcp=x", "path=exchange"}));
  CHECK(fits({"versions.ucx="}));  // has none
  CHECK(!fits({"all_gather"}));
  CHECK(!fits({"all_reduce", "size=8K"}));
  CHECK(!fits({"type=ring"}));
  CHECK(!fits({"versions.railgauge="}));
  CHECK(!fits({"all_reduc"}));
  CHECK(!fits({"cpu=A"}));
  CHECK(!fits({"seed=1"}));
  CHECK(!fits({""}));
}

TEST_CASE("a filter by what there is not is refused") {
  CHECK_THROWS_WITH(Filter({"colour=red"}), ContainsSubstring("there is no 'colour' to choose by; there are collective, size"));
  CHECK_THROWS_WITH(Filter({"=x"}), ContainsSubstring("there is no ''"));
  CHECK_THROWS_WITH(Filter({"size=much"}), ContainsSubstring("much"));
}
