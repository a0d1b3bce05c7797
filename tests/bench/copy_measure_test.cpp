#include <cmath>

#include "tests/bench/copy_test_cases.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::WithinAbs;
using namespace railgauge::test::copy_cases;

TEST_CASE("a cell has the times of the device's own clock, and the host's beside them") {
  script = {};
  const Result result = measured(matrix_of(1 << 20), {2, 4}, policy_of(1024));
  CHECK(result.status == Status::ok);
  CHECK(result.reason.empty());
  CHECK(result.point.collective == "copy");
  CHECK(result.point.algorithm == "one_way");
  CHECK(result.point.transport == "engine_read");
  CHECK(result.point.device == "cuda");
  CHECK(result.point.path == "direct");
  CHECK(result.point.ranks == 5);
  CHECK(result.point.from == 2);
  CHECK(result.point.to == 4);
  CHECK(result.point.from_node == "cuda:0");
  CHECK(result.point.to_node == "cuda:2");
  CHECK(result.point.bytes == 1 << 20);
  REQUIRE(script.orders.size() == 1);
  CHECK(script.orders.front().from.device == 0);
  CHECK(script.orders.front().to.device == 2);
  CHECK(script.orders.front().reads);
  CHECK(script.orders.front().copies == 64);
  CHECK(result.summary.samples == 16);  // of 64 copies each
  CHECK(result.summary.batch == 64);
  CHECK(result.summary.cache == "cold");
  CHECK(result.summary.checked > 0);
  CHECK_THAT(result.summary.median.count(), WithinAbs(1e-3 / 64, 1e-12));
  CHECK_THAT(result.summary.busbw, WithinAbs((1 << 20) / 1e9 / (1e-3 / 64), 1e-6));
  CHECK(result.summary.algbw == result.summary.busbw);
  CHECK(result.samples.size() == 16);
  CHECK(result.host_samples.size() == 16);
  std::map<std::string, std::string> versions(result.versions.begin(), result.versions.end());
  CHECK(versions["cuda:0"] == "GPU 0");
  CHECK(versions["cuda:2"] == "GPU 2");
}

CopyMatrix chase_of(std::uint64_t bytes) {
  CopyMatrix matrix = matrix_of(bytes);
  matrix.mover = CopyMover::kernel;
  matrix.chase = true;
  matrix.way = "kernel_read";
  return matrix;
}

TEST_CASE("a chase has the time of a load, and no bandwidth") {
  script = {};
  Result result = measured(chase_of(8192), {2, 4}, policy_of(16 * 4097));
  CHECK(result.status == Status::ok);
  CHECK(result.point.collective == "copy");
  CHECK(result.point.algorithm == "chase");
  CHECK(result.point.transport == "kernel_read");
  CHECK(result.point.from_node == "cuda:0");
  CHECK(result.point.to_node == "cuda:2");
  REQUIRE(script.chases.size() == 1);
  CHECK(script.chases.front().memory.device == 0);
  CHECK(script.chases.front().reader.device == 2);
  CHECK(script.chases.front().bytes == 8192);
  CHECK(script.chases.front().steps % 2 == 1);
  CHECK(result.summary.batch == script.chases.front().steps);
  CHECK(result.summary.samples == 16);
  CHECK(result.summary.cache == "cold");
  CHECK(result.host_samples.size() == 16);
  CHECK_THAT(result.summary.median.count(), WithinAbs(500e-9, 1e-15));
  CHECK(result.summary.busbw == 0);
  CHECK(result.summary.algbw == 0);
  CHECK(measured(chase_of(2048), {2, 4}, policy_of(1)).summary.cache == "warm");  // twice the cache is 4000
  script.refusal = "cuda:2 cannot reach cuda:0";
  result = measured(chase_of(8192), {2, 4}, policy_of(1));
  CHECK(result.status == Status::skipped);
  CHECK(result.reason == script.refusal);
}

TEST_CASE("a chase of a GPU through memory of the host, and of a core of the host") {
  script = {};
  const int node = host::numa_nodes().front().number;
  (void)measured(chase_of(8192), {0, 3}, policy_of(1));
  REQUIRE(script.chases.size() == 1);
  CHECK(script.chases.front().memory.device == -1);
  CHECK(script.chases.front().memory.node == node);
  CHECK(script.chases.front().memory.host.size() == 8192);
  CHECK(script.chases.front().reader.device == 1);
  CopyMatrix within_host = chase_of(1 << 20);
  within_host.table = &host_copies();
  within_host.memory = "host";
  const Result result = measured(within_host, {0, 0}, policy_of(100'000));
  CHECK(result.status == Status::ok);
  CHECK(result.summary.median.count() > 0);
  CHECK(result.host_samples.empty());
}

TEST_CASE("a chase that ends elsewhere is wrong data") {
  script = {};
  script.corrupt = true;
  const Result result = measured(chase_of(4096), {2, 4}, policy_of(1'000'000));
  CHECK(result.status == Status::wrong);
  CHECK(result.reason == "cuda:2 followed pointers in memory of cuda:0 to byte 768, and byte 512 is where they lead");
  CHECK(script.starts < 1000);
}

TEST_CASE("both directions count twice, and small copies are warm") {
  script = {};
  CopyMatrix matrix = matrix_of(1000);
  matrix.both_ways = true;
  const Result result = measured(matrix, {2, 3}, policy_of(1));
  CHECK(result.point.algorithm == "two_way");
  CHECK(result.summary.cache == "warm");
  CHECK_THAT(result.summary.algbw, WithinAbs(2 * result.summary.busbw, 1e-12));
  CHECK(script.orders.front().both_ways);
}

TEST_CASE("without a clock of the device it is the host's") {
  script = {};
  script.clock = false;
  const Result result = measured(matrix_of(64), {2, 4}, policy_of(64));
  CHECK(result.summary.samples > 0);
  CHECK(result.host_samples.empty());
  CHECK(result.summary.median.count() > 0);
  CHECK(std::abs(result.summary.median.count() - 1e-3 / 64) > 1e-12);  // what the scripted clock of the device would have said
}

TEST_CASE("wrong data is named with place, byte and values, and nothing is measured on") {
  script = {};
  script.corrupt = true;
  CopyMatrix matrix = matrix_of(300);
  Result result = measured(matrix, {2, 4}, policy_of(1'000'000));
  CHECK(result.status == Status::wrong);
  CHECK(result.summary.wrong >= 1);
  const std::byte expected = copy_pattern::byte_of(copy_pattern::seed_of(false), 299);
  const auto text = [](std::byte byte) {
    char digits[8];
    std::snprintf(digits, sizeof digits, "0x%02x", std::to_integer<unsigned>(byte));
    return std::string(digits);
  };
  CHECK(result.reason == "1 of 300 bytes that were copied to cuda:2 are wrong; the first is byte 299: expected " +
                             text(expected) + ", got " + text(expected ^ std::byte{1}));
  CHECK(script.starts < 1000);
  matrix.both_ways = true;
  result = measured(matrix, {2, 4}, policy_of(10));
  CHECK_THAT(result.reason, ContainsSubstring("copied to cuda:0 are wrong"));
}

TEST_CASE("what a device refuses is skipped with its sentence, and a path through the host is said") {
  script = {};
  script.refusal = "cudaMalloc of 1 MiB on cuda:2: out of memory";
  const Result refused = measured(matrix_of(1 << 20), {2, 4}, policy_of(1));
  CHECK(refused.status == Status::skipped);
  CHECK(refused.reason == script.refusal);
  CHECK(refused.summary.samples == 0);
  script = {};
  script.staged = true;
  CHECK(measured(matrix_of(64), {2, 4}, policy_of(1)).point.path == "staged");
}

TEST_CASE("memory of the host is given to the device, one buffer for each direction") {
  script = {};
  CopyMatrix matrix = matrix_of(5000);
  matrix.both_ways = true;
  const int node = host::numa_nodes().front().number;
  (void)measured(matrix, {0, 2}, policy_of(1));
  REQUIRE(script.orders.size() == 1);
  CHECK(script.orders.front().from.device == -1);
  CHECK(script.orders.front().from.node == node);
  CHECK(script.orders.front().from.host.size() == 2 * 8192);
  CHECK(script.orders.front().to.host.empty());
}
