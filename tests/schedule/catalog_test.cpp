// The rows of the catalog: costs against the schedules, refusals, names.
#include <algorithm>
#include <set>

#include "bench/schedule/layout.hpp"
#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

// What the built schedules cost: the maximum over ranks of rounds with transfers, and of units sent divided by S.
Cost measure(const Algorithm& algorithm, Shape shape) {
  Cost cost;
  for (shape.rank = 0; shape.rank < shape.ranks; ++shape.rank) {
    const Schedule schedule = algorithm.build(shape);
    // Divides by every rank count and block number up to 33, and by the weights of all_to_all_v.
    const std::uint64_t whole = used_elements(algorithm.collective, shape.ranks, std::uint64_t{1} << 40);
    const BlockSizes sizes = divide(algorithm.collective, shape, schedule.blocks, whole);
    const Layout layout(algorithm.collective, shape, sizes, {&schedule, 1}, false, 1);
    double rounds = 0, units = 0;
    for (const Round& round : schedule.rounds) {
      rounds += round.transfers.empty() ? 0 : 1;
      for (const Transfer& transfer : round.transfers)
        if (transfer.kind == Transfer::Kind::send)
          for (const Range& range : layout.resolve(0, transfer.blocks)) units += static_cast<double>(range.size());
    }
    cost.rounds = std::max(cost.rounds, rounds);
    if (whole != 0) cost.bytes = std::max(cost.bytes, units / static_cast<double>(whole));
  }
  return cost;
}

}  // namespace

TEST_CASE("costs are what the schedules do") {
  for (const Algorithm& algorithm : catalog()) {
    for (std::int32_t ranks = 1; ranks <= 33; ++ranks) {
      for (const Shape& shape : shapes_of(algorithm, ranks)) {
        const Cost expected = algorithm.cost(shape);
        const Cost got = measure(algorithm, shape);
        INFO(name(algorithm.collective) << " " << algorithm.name << ", " << ranks << " ranks, root " << shape.root);
        CHECK(expected.rounds == got.rounds);
        CHECK_THAT(expected.bytes, WithinAbs(got.bytes, 1e-6));
      }
    }
  }
}

TEST_CASE("every collective has a default and no name stands twice") {
  std::set<std::pair<Collective, std::string_view>> seen;
  auto last = Collective::all_reduce;
  for (const Algorithm& algorithm : catalog()) {
    CHECK(algorithm.collective >= last);
    last = algorithm.collective;
    CHECK(seen.emplace(algorithm.collective, algorithm.name).second);
    CHECK(find_algorithm(algorithm.collective, algorithm.name) == &algorithm);
    CHECK_FALSE(algorithm.summary.empty());
    CHECK_FALSE(algorithm.paper.empty());
    CHECK((!algorithm.in_place || row(algorithm.collective).in_place));
  }
  for (const CollectiveRow& collective : collectives())
    CHECK(std::any_of(catalog().begin(), catalog().end(),
                      [&](const Algorithm& algorithm) { return algorithm.collective == collective.collective; }));
  CHECK(find_algorithm(Collective::barrier, "ring") == nullptr);
}

TEST_CASE("shapes that an algorithm cannot serve are refused with the reason") {
  const auto refusal = [](Collective collective, std::string_view name, const Shape& shape) {
    return find_algorithm(collective, name)->refusal(shape);
  };
  CHECK(refusal(Collective::hypercube, "hypercube", {6, 0, 0, 1}) == "needs a power of two of ranks, and 6 is none");
  CHECK(refusal(Collective::all_gather, "recursive_doubling", {12, 0, 0, 1}) == "needs a power of two of ranks, and 12 is none");
  CHECK(refusal(Collective::reduce_scatter, "recursive_halving", {8, 0, 0, 1}).empty());
  CHECK(refusal(Collective::ping_pong, "ping_pong", {1, 0, 0, 1}) == "needs at least 2 ranks, and there is 1");
  CHECK(refusal(Collective::all_reduce, "hierarchical", {8, 0, 0, 1}) == "needs at least 2 ranks on each node, and there is 1");
  CHECK(refusal(Collective::all_reduce, "hierarchical", {8, 0, 0, 3}) == "3 ranks a node do not divide 8 ranks");
  CHECK(refusal(Collective::all_reduce, "hierarchical", {8, 0, 0, 8}) == "needs more than one node, and all 8 ranks are on one");
  CHECK(refusal(Collective::all_reduce, "hierarchical", {8, 0, 0, 4}).empty());
}

TEST_CASE("with one rank every algorithm that serves it only copies") {
  for (const Algorithm& algorithm : catalog()) {
    if (!algorithm.refusal({}).empty()) continue;
    INFO(name(algorithm.collective) << " " << algorithm.name);
    const Schedule schedule = algorithm.build({});
    std::size_t locals = 0;
    for (const Round& round : schedule.rounds) {
      CHECK(round.transfers.empty());
      locals += round.locals.size();
    }
    CHECK(locals == (algorithm.collective == Collective::barrier ? 0 : 1));
    CHECK(schedule.slots == 0);
  }
}
