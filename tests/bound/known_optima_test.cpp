// Graphs whose best throughput is known: from ForestColl (Zhao et al., arXiv 2402.06787), its published code, and by hand.
#include <fmt/format.h>

#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "tests/bound/wired.hpp"
#include "tests/test.hpp"
#include "topo/bound/bound.hpp"

using namespace railgauge;
using namespace railgauge::test;
using topo::Bound;
using topo::Bounds;
using topo::fraction;
using topo::Network;
using topo::network_of;

namespace {

std::vector<Wire> ring(const std::vector<double>& links) {
  std::vector<Wire> wires;
  for (unsigned i = 0; i < links.size(); ++i) wires.push_back({i, (i + 1) % static_cast<unsigned>(links.size()), links[i]});
  return wires;
}

std::vector<Wire> star(const std::vector<double>& links) {
  std::vector<Wire> wires;
  for (unsigned i = 0; i < links.size(); ++i) wires.push_back({i, static_cast<unsigned>(links.size()), links[i]});
  return wires;
}

std::vector<Wire> cube_mesh(bool whole) {
  constexpr std::array<std::array<unsigned, 3>, 16> links{{{0, 1, 1},
                                                           {0, 2, 1},
                                                           {0, 3, 2},
                                                           {0, 4, 2},
                                                           {1, 2, 2},
                                                           {1, 3, 1},
                                                           {1, 5, 2},
                                                           {2, 3, 2},
                                                           {2, 6, 1},
                                                           {3, 7, 1},
                                                           {4, 5, 1},
                                                           {4, 6, 1},
                                                           {4, 7, 2},
                                                           {5, 6, 2},
                                                           {5, 7, 1},
                                                           {6, 7, 2}}};
  std::vector<Wire> wires;
  for (const auto& [a, b, count] : links)
    if (whole || a != 0 || b != 3) wires.push_back({a, b, 25.0 * count});
  return wires;
}

// Hosts with an NVSwitch each, and rails: GPU k of each host on switch k % planes, with a NIC of its own.
std::vector<Wire> hosts(unsigned number, unsigned gpus, unsigned planes, double nvlink, double nic, double first_nic) {
  std::vector<Wire> wires;
  const unsigned ranks = number * gpus;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    wires.push_back({rank, ranks + rank / gpus, nvlink});
    wires.push_back({rank, ranks + number + rank % gpus % planes, rank == 0 ? first_nic : nic});
  }
  return wires;
}

// The links between the 16 dies of eight MI250, 50 GB/s each: a row for each die.
constexpr std::array<std::string_view, 16> mi250{"0400200010000000", "4000010001100000", "0004001001100000", "0040000200010000",
                                                 "2000041000000000", "0100401100000000", "0010110400000000", "0002014000000000",
                                                 "1000000004002000", "0110000040000100", "0110000000040010", "0001000000400002",
                                                 "0000000020000410", "0000000001004011", "0000000000101104", "0000000000020140"};

std::vector<Wire> mi250_hosts(unsigned number, double nic) {
  std::vector<Wire> wires;
  const auto dies = static_cast<unsigned>(mi250.size());
  for (unsigned host = 0; host < number; ++host)
    for (unsigned a = 0; a < dies; ++a) {
      for (unsigned b = a + 1; b < dies; ++b)
        if (mi250[a][b] != '0') wires.push_back({host * dies + a, host * dies + b, 50.0 * (mi250[a][b] - '0')});
      if (number > 1) wires.push_back({host * dies + a, number * dies, nic});
    }
  return wires;
}

struct Known {
  std::string graph;
  topo::Graph wired;
  topo::Fraction megabytes;         // per second, of all-gather
  std::vector<std::int32_t> apart;  // ranks on the smaller side of the worst cut; empty where several cuts are as bad
};

std::vector<Known> known() {
  const auto two_leaves = [](double uplink) {
    std::vector<Wire> wires{{8, 9, uplink}};
    for (unsigned rank = 0; rank < 8; ++rank) wires.push_back({rank, 8 + rank / 4, 100});
    return wired(8, 2, wires);
  };
  return {{"ring of 4", wired(4, 0, ring({10, 10, 10, 10})), fraction(80000, 3), {}},
          {"ring of 4 with a slow link", wired(4, 0, ring({10, 10, 10, 1})), fraction(44000, 3), {}},
          {"path of 4", wired(4, 0, {{0, 1, 10}, {1, 2, 10}, {2, 3, 10}}), fraction(40000, 3), {}},
          {"2 x 2 mesh", wired(4, 0, {{0, 1, 10}, {2, 3, 10}, {0, 2, 10}, {1, 3, 10}}), fraction(80000, 3), {}},
          {"star of 5", wired(5, 1, star({25, 25, 25, 25, 25})), fraction(125000, 4), {}},
          {"star of 5 with a slow host", wired(5, 1, star({25, 25, 5, 25, 25})), fraction(25000, 4), {2}},
          {"DGX-1 V100", wired(8, 0, cube_mesh(true)), fraction(1200000, 7), {}},
          {"DGX-1 V100 without a link", wired(8, 0, cube_mesh(false)), fraction(800000, 7), {}},
          {"8 A100", wired(8, 1, star(std::vector<double>(8, 300))), fraction(2400000, 7), {}},
          {"2 x 8 A100, two planes", wired(16, 4, hosts(2, 8, 2, 300, 25, 25)), fraction(1040000, 3), {}},
          {"16 dies of MI250", wired(16, 0, mi250_hosts(1, 0)), fraction(2400000, 7), {}},
          {"2 x 16 dies of MI250", wired(32, 1, mi250_hosts(2, 16)), fraction(1062400, 3), {}},
          {"2 x 4 GPUs with rails", wired(8, 6, hosts(2, 4, 4, 450, 50, 50)), fraction(400000, 1), {}},
          {"2 x 8 GPUs with rails", wired(16, 10, hosts(2, 8, 8, 450, 50, 50)), fraction(1600000, 3), {}},
          {"2 x 8 GPUs, a NIC at half", wired(16, 10, hosts(2, 8, 8, 450, 50, 25)), fraction(1520000, 3), {0}},
          {"4 x 8 GPUs with rails", wired(32, 12, hosts(4, 8, 8, 450, 50, 50)), fraction(16000000, 31), {}},
          {"two leaves", two_leaves(400), fraction(800000, 7), {}},
          {"two leaves, 2:1", two_leaves(200), fraction(800000, 7), {}},
          {"two leaves, 4:1", two_leaves(100), fraction(800000, 7), {}}};
}

}  // namespace

TEST_CASE("bound: graphs whose best all-gather is known") {
  for (const Known& it : known()) {
    const Network network = network_of(it.wired, {});
    Bounds bounds(network);
    const Bound gather = bounds.of(Collective::all_gather);
    INFO(it.graph << ": " << gather.algbw() << " GB/s, " << gather.time.denominator << "/" << gather.time.numerator << " MB/s");
    CHECK(fraction(gather.time.denominator, gather.time.numerator) == it.megabytes);
    CHECK(gather.reached == gather.time);
    if (!it.apart.empty()) CHECK(gather.cut.ranks == it.apart);
    CHECK(bounds.of(Collective::reduce_scatter).time == gather.time);
    const Bound reduce = bounds.of(Collective::all_reduce);
    REQUIRE(reduce.reached.has_value());
    CHECK(reduce.reached == fraction(2 * gather.time.numerator, gather.time.denominator));
    CHECK(!(*reduce.reached < reduce.time));
    CHECK(!(reduce.time < gather.time));
  }
}

TEST_CASE("bound: what a message takes, algbw and busbw of 8 A100") {
  const topo::Graph graph = wired(8, 1, star(std::vector<double>(8, 300)));
  const Network network = network_of(graph, {});
  Bounds bounds(network);
  const Bound gather = bounds.of(Collective::all_gather);
  CHECK_THAT(gather.busbw(), WithinAbs(300, 1e-9));
  CHECK_THAT(gather.seconds(2.4e12 / 7), WithinAbs(1, 1e-9));
  const Bound reduce = bounds.of(Collective::all_reduce);
  CHECK_THAT(reduce.reached_busbw(), WithinAbs(300, 1e-9));
  CHECK_THAT(reduce.algbw(), WithinAbs(300, 1e-9));  // a GPU sends its inputs once and receives the sum once
  const Bound broadcast = bounds.of(Collective::broadcast, 3);
  CHECK_THAT(broadcast.busbw(), WithinAbs(300, 1e-9));
  const Bound exchange = bounds.of(Collective::all_to_all);
  CHECK_THAT(exchange.busbw(), WithinAbs(300, 1e-9));
  CHECK(!exchange.reached);
}

TEST_CASE("bound: the cut names its ranks and links, and the direction of the data") {
  const topo::Graph graph = wired(5, 1, star({25, 25, 5, 25, 25}));
  const Network network = network_of(graph, {});
  Bounds bounds(network);
  const Bound gather = bounds.of(Collective::all_gather);
  CHECK(gather.cut.into);
  CHECK(gather.cut.links == std::vector<std::size_t>{2});
  CHECK(gather.cut.capacity == 5000);
  CHECK(to_text(graph, gather) ==
        "bound         busbw at most 5 GB/s (algbw 6.25), whatever the algorithm; pipelined trees reach it\n"
        "  the cut that causes it: from the other 4 to rank 2, 5 GB/s over 1 link\n"
        "  - NVLink from GPU 2 (g2) to s0: 5 GB/s\n");
  const Bound scatter = bounds.of(Collective::reduce_scatter);
  CHECK(!scatter.cut.into);
  CHECK(scatter.cut.ranks == std::vector<std::int32_t>{2});
  const topo::Graph rails = wired(8, 6, hosts(2, 4, 4, 450, 50, 50));
  const Network network_of_rails = network_of(rails, {});
  CHECK(Bounds(network_of_rails).of(Collective::all_gather).cut.links.size() == 4);  // the NICs of a host
  CHECK_THAT(to_text(graph, bounds.of(Collective::all_to_all)), ContainsSubstring("what can be reached is unknown"));
  CHECK_THAT(to_json(graph, bounds.of(Collective::all_reduce)), ContainsSubstring("\"seconds_per_megabyte\": [\n"));
}

TEST_CASE("bound: oversubscribed leaves are seen by all-to-all, and not by trees that copy") {
  std::vector<Wire> wires{{8, 9, 100}};
  for (unsigned rank = 0; rank < 8; ++rank) wires.push_back({rank, 8 + rank / 4, 100});
  const topo::Graph graph = wired(8, 2, wires);
  const Network network = network_of(graph, {});
  Bounds bounds(network);
  CHECK_THAT(bounds.of(Collective::all_gather).busbw(), WithinAbs(100, 1e-9));
  const Bound exchange = bounds.of(Collective::all_to_all);
  CHECK_THAT(exchange.algbw(), WithinAbs(50, 1e-9));  // 4 x 4 of 8 blocks over 100
  CHECK(exchange.cut.ranks == std::vector<std::int32_t>{0, 1, 2, 3});

  // Of more ranks than are parted in every manner.
  std::vector<Wire> more{{16, 17, 100}};
  for (unsigned rank = 0; rank < 16; ++rank) more.push_back({rank, 16 + rank / 8, 100});
  const topo::Graph wide = wired(16, 2, more);
  const Network network_of_wide = network_of(wide, {});
  CHECK_THAT(Bounds(network_of_wide).of(Collective::all_to_all).algbw(), WithinAbs(25, 1e-9));  // 8 x 8 of 16 blocks over 100
}

TEST_CASE("bound: a collective without one, one rank, and a root that is not there get a sentence") {
  const topo::Graph graph = wired(2, 0, {{0, 1, 10}});
  const Network two = network_of(graph, {});
  const Network one = network_of(graph, {1, {}});
  const auto said = [](const Network& network, Collective collective, std::uint32_t root) -> std::string {
    try {
      (void)Bounds(network).of(collective, root);
    } catch (const Error& error) { return error.what(); }
    return "no error";
  };
  CHECK(said(two, Collective::ping_pong, 0) == "no bound of ping_pong is known");
  CHECK(said(one, Collective::all_gather, 0) == "one rank alone sends nothing: a bound needs at least two");
  CHECK(said(two, Collective::broadcast, 2) == "there is no rank 2 for the root: there are 2");
}
