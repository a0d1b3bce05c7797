// Ports near the cores of a rank, dealt out.
#include "bench/places.hpp"

#include "bench/launch/thread_group.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using Ports = std::vector<topo::ComputePort>;
using Names = std::vector<std::string>;

namespace {

const Ports two_sockets{{"a/1", "numa0"}, {"b/1", "numa0"}, {"c/1", "numa1"}, {"d/1", "numa1"}};

}  // namespace

TEST_CASE("ranks that are bound to a socket take its ports in turn") {
  const std::vector<Names> nodes{{"numa0"}, {"numa1"}, {"numa0"}, {"numa1"}, {"numa0"}};
  CHECK(nearest_ports(two_sockets, nodes, 0) == Names{"a/1", "b/1"});
  CHECK(nearest_ports(two_sockets, nodes, 1) == Names{"c/1", "d/1"});
  CHECK(nearest_ports(two_sockets, nodes, 2) == Names{"b/1", "a/1"});
  CHECK(nearest_ports(two_sockets, nodes, 3) == Names{"d/1", "c/1"});
  CHECK(nearest_ports(two_sockets, nodes, 4) == Names{"a/1", "b/1"});
}

TEST_CASE("ranks that may run anywhere, or have no port near, share all") {
  const std::vector<Names> anywhere{{"numa0", "numa1"}, {"numa0", "numa1"}, {}, {"numa7"}};
  CHECK(nearest_ports(two_sockets, anywhere, 0) == Names{"a/1", "b/1", "c/1", "d/1"});
  CHECK(nearest_ports(two_sockets, anywhere, 1) == Names{"b/1", "c/1", "d/1", "a/1"});
  CHECK(nearest_ports(two_sockets, anywhere, 2) == Names{"c/1", "d/1", "a/1", "b/1"});
  CHECK(nearest_ports(two_sockets, anywhere, 3) == Names{"d/1", "a/1", "b/1", "c/1"});
}

TEST_CASE("without ports there is nothing to deal out") { CHECK(nearest_ports({}, {{"numa0"}}, 0).empty()); }

TEST_CASE("every rank of a host gets an answer, also where there is no RDMA device") {
  std::vector<Names> found(3);
  const auto errors =
      run_as_threads(3, Seconds{60}, [&](Group& group) { found[static_cast<std::size_t>(group.rank())] = ports_of_rank(group); });
  for (const auto& error : errors) CHECK_FALSE(error);
  for (const Names& names : found) CHECK(names.size() == found[0].size());
}
