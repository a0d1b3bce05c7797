// Differences of counters of one host.
#include "bench/watch/wire_watch.hpp"

#include "tests/test.hpp"

using namespace railgauge;
using topo::PortCounters;

TEST_CASE("what grew between two readings is told of planned ports, of those that sent, and of those with errors") {
  const std::vector<PortCounters> before{{"eth0", 1000, 2000, {{"rx_errors", 5}}},
                                         {"mlx5_0/1", 100, 200, {{"symbol_error", 7}, {"link_downed", 1}}},
                                         {"mlx5_1/1", 10, 20, {}},
                                         {"mlx5_2/1", 10, 20, {{"symbol_error", 0}}},
                                         {"mlx5_3/1", std::nullopt, std::nullopt, {}}};
  const std::vector<PortCounters> after{{"eth0", 1900, 2900, {{"rx_errors", 5}}},
                                        {"mlx5_0/1", 5100, 300, {{"symbol_error", 9}, {"link_downed", 1}}},
                                        {"mlx5_1/1", 1010, 21, {}},
                                        {"mlx5_2/1", 11, 21, {{"symbol_error", 4}}},
                                        {"mlx5_3/1", std::nullopt, std::nullopt, {}},
                                        {"mlx5_4/1", 50, 50, {}}};
  const std::vector<PortTraffic> found = traffic_between("a", before, after, {"mlx5_0/1", "mlx5_3/1"}, 1000);
  REQUIRE(found.size() == 4);
  CHECK(found[0].node == "a");
  CHECK(found[0].port == "mlx5_0/1");
  CHECK(found[0].planned);
  CHECK(found[0].sent == 5000U);
  CHECK(found[0].received == 100U);
  CHECK(found[0].errors == std::map<std::string, std::uint64_t>{{"symbol_error", 2}});
  CHECK(found[1].port == "mlx5_1/1");
  CHECK_FALSE(found[1].planned);
  CHECK(found[1].sent == 1000U);
  CHECK(found[2].port == "mlx5_2/1");
  CHECK(found[2].errors.at("symbol_error") == 4);
  CHECK(found[3].port == "mlx5_3/1");
  CHECK_FALSE(found[3].sent.has_value());
}

TEST_CASE("counters that were reset meanwhile count from there") {
  const auto found = traffic_between("a", {{"mlx5_0/1", 1'000'000, 5, {}}}, {{"mlx5_0/1", 300, 4, {}}}, {"mlx5_0/1"}, 1);
  REQUIRE(found.size() == 1);
  CHECK(found[0].sent == 300U);
  CHECK(found[0].received == 4U);
}
