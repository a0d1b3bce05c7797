// What counts as one launch of one case, and which conditions must not differ.
#include "reports/compare/side.hpp"

#include <functional>
#include <limits>

#include "base/error.hpp"
#include "tests/reports/compare/results.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::compare;
using railgauge::test::ContainsSubstring;
using railgauge::test::launch_result;

namespace {

// The differences of two launches, the second changed.
std::vector<Difference> changed(const std::function<void(Result&)>& change) {
  Draws draws(1);
  Side base{Allowed{}}, next{Allowed{}};
  base.add("a.jsonl", launch_result("a", 8, 1e-6, draws));
  Result result = launch_result("b", 8, 1e-6, draws);
  change(result);
  next.add("b.jsonl", result);
  return differences(base, next);
}

}  // namespace

TEST_CASE("a launch is what has one run: passes of it are one launch, runs of one file are several") {
  Draws draws(2);
  Side side{Allowed{}};
  side.add("a.jsonl", launch_result("first", 8, 1e-6, draws));
  side.add("a.jsonl", launch_result("first", 8, 2e-6, draws));
  side.add("a.jsonl", launch_result("second", 8, 1e-6, draws));
  side.add("a.jsonl", launch_result("second", 16, 1e-6, draws));
  REQUIRE(side.cases().size() == 2);
  const auto& launches = side.cases().begin()->second;
  REQUIRE(launches.size() == 2);
  CHECK(launches[0].seconds.size() == 200);
  CHECK(launches[0].effective == 200);
  CHECK(launches[1].seconds.size() == 100);
  CHECK(side.runs().size() == 2);
  CHECK_THROWS_WITH(side.add("b.jsonl", launch_result("first", 8, 1e-6, draws)),
                    ContainsSubstring("run first is in a.jsonl and in b.jsonl"));
}

TEST_CASE("each condition that differs is told, by the name that results have for it") {
  CHECK(changed([](Result&) {}).empty());
  struct Row {
    std::string field;
    std::function<void(Result&)> change;
  };
  const std::vector<Row> rows{
      {"host", [](Result& r) { r.host.name = "node2"; }},
      {"cpu", [](Result& r) { r.host.cpu = "Another"; }},
      {"kernel", [](Result& r) { r.host.kernel = "Linux 6.2"; }},
      {"path", [](Result& r) { r.point.path = "mapped"; }},
      {"nodes", [](Result& r) { r.point.nodes = 2; }},
      {"cache", [](Result& r) { r.summary.cache = "cold"; }},
      {"versions.railgauge", [](Result& r) { r.versions = {{"railgauge", "0.2.0"}}; }},
      {"versions.ucx", [](Result& r) { r.versions.emplace_back("ucx", "1.18"); }},
      {"settings.ucx.tls", [](Result& r) { r.settings = {{"ucx.tls", "tcp"}}; }},
      {"environment.UCX_TLS", [](Result& r) { r.environment = {{"UCX_TLS", "tcp"}}; }},
  };
  for (const Row& row : rows) {
    INFO(row.field);
    const auto found = changed(row.change);
    REQUIRE(found.size() == 1);
    CHECK(found[0].field == row.field);
    CHECK(Allowed({row.field}).contains(row.field));
  }
  CHECK(changed([](Result& r) { r.expected = Expectation{24, "ring"}; }).empty());  // known once alone
  CHECK(changed([](Result& r) { r.topology = "0123456789abcdef"; }).empty());
  CHECK(Allowed({"environment"}).contains("environment.UCX_TLS"));
  CHECK_FALSE(Allowed({"environment.UCX_TLS"}).contains("environment.NCCL_ALGO"));
}

TEST_CASE("hosts that are made of something else are told where both are known") {
  Draws draws(1);
  Side base{Allowed()}, next{Allowed()};
  Result one = launch_result("first", 8, 1e-6, draws), other = launch_result("second", 8, 1e-6, draws);
  one.topology = "0123456789abcdef";
  other.topology = "0123456789abcdee";
  base.add("a", one);
  next.add("b", other);
  const auto found = differences(base, next);
  REQUIRE(found.size() == 1);
  CHECK(found[0].field == "topology");
}

TEST_CASE("launches of one side must agree too, and what was not measured has no conditions") {
  Draws draws(3);
  Side base{Allowed{}}, next{Allowed{}};
  base.add("a.jsonl", launch_result("a", 8, 1e-6, draws));
  Result skipped = launch_result("s", 8, 1e-6, draws);
  skipped.status = Status::skipped;
  skipped.samples.clear();
  skipped.summary = {};
  skipped.summary.effective_samples = std::numeric_limits<double>::quiet_NaN();
  skipped.summary.cache = "cold";
  base.add("s.jsonl", skipped);
  next.add("n.jsonl", launch_result("n", 8, 1e-6, draws));
  CHECK(differences(base, next).empty());
  CHECK_FALSE(launch_of(base.cases().begin()->second[1]));
  Result other = launch_result("b", 8, 1e-6, draws);
  other.host.kernel = "Linux 5";
  base.add("b.jsonl", other);
  REQUIRE(differences(base, next).size() == 1);
  CHECK(differences(base, next)[0].field == "kernel");
}

TEST_CASE("what may differ: names, parts of versions and settings, and nothing else") {
  const Allowed allowed({"versions", "settings.ucx.tls", "transport"});
  CHECK(allowed.contains("versions.ucx"));
  CHECK(allowed.contains("settings.ucx.tls"));
  CHECK_FALSE(allowed.contains("settings.ucx.devices"));
  CHECK_FALSE(allowed.contains("host"));
  for (const char* const name : {"", "hosts", "cpu.model", "ranks", "versions-x"}) {
    INFO(name);
    CHECK_THROWS_WITH(Allowed({name}), ContainsSubstring("choose of"));
  }
}

TEST_CASE("transports are compared where they may differ, unless a launch has several") {
  Draws draws(4);
  const Allowed allowed({"transport"});
  Side base(allowed), next(allowed);
  base.add("a.jsonl", launch_result("a", 8, 1e-6, draws));
  Result other = launch_result("b", 8, 1e-6, draws);
  other.point.transport = "ucx";
  next.add("b.jsonl", other);
  REQUIRE(differences(base, next).size() == 1);
  CHECK(differences(base, next)[0].field == "transport");
  CHECK(base.cases().begin()->first.point.transport.empty());
  Result third = launch_result("b", 8, 1e-6, draws);
  CHECK_THROWS_WITH(next.add("b.jsonl", third), ContainsSubstring("transport 'ucx' and 'shm'"));
}

TEST_CASE("the words of a case are those that say something") {
  Draws draws(5);
  Result result = launch_result("a", 4096, 1e-6, draws);
  Key key{result.point};
  CHECK(line_of(key) == "all_reduce, 4 KiB, float32, sum, ring, shm, host, ranks 2, back-to-back");
  key.point.window = 16;
  key.point.in_place = true;
  CHECK_THAT(line_of(key), ContainsSubstring("window 16"));
}
