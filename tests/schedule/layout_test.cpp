// Blocks to bytes: how sizes divide, where buffers lie, and that lanes share every block out exactly.
#include <algorithm>
#include <numeric>

#include "bench/schedule/layout.hpp"
#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::size_t sum(const std::vector<std::size_t>& sizes) { return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}); }

const std::vector<std::uint64_t> some_sizes{0, 1, 2, 3, 7, 12, 13, 97, 1009, 4096};

}  // namespace

TEST_CASE("whatever the size, the blocks add up to it") {
  for (const std::int32_t ranks : {1, 2, 3, 7, 8, 13}) {
    for (const std::uint64_t elements : some_sizes) {
      std::vector<BlockSizes> v;
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        const Shape shape{ranks, rank, 0, 1};
        INFO(ranks << " ranks, " << elements << " elements, rank " << rank);
        CHECK(sum(divide(Collective::all_reduce, shape, 5, elements).input) == elements);
        CHECK(sum(divide(Collective::reduce_scatter, shape, 0, elements).input) == elements);
        CHECK(sum(divide(Collective::all_gather, shape, 0, elements).output) == elements);
        const BlockSizes exchanged = divide(Collective::all_to_all, shape, 0, elements);
        CHECK(sum(exchanged.input) == used_elements(Collective::all_to_all, ranks, elements));
        CHECK(exchanged.input == exchanged.output);
        v.push_back(divide(Collective::all_to_all_v, shape, 0, elements));
        // The own block of the larger buffer is the smaller buffer.
        const auto me = static_cast<std::size_t>(rank);
        const BlockSizes gathered = divide(Collective::gather, shape, 0, elements);
        CHECK(gathered.input.front() == gathered.output[me]);
        const BlockSizes scattered = divide(Collective::scatter, shape, 0, elements);
        CHECK(scattered.output.front() == scattered.input[me]);
      }
      std::size_t heaviest = 0;
      for (std::size_t from = 0; from < v.size(); ++from) {
        heaviest = std::max(heaviest, sum(v[from].input));
        for (std::size_t to = 0; to < v.size(); ++to) CHECK(v[from].input[to] == v[to].output[from]);
      }
      CHECK(heaviest == used_elements(Collective::all_to_all_v, ranks, elements));
    }
  }
}

TEST_CASE("all_to_all_v takes its blocks from counts that are given") {
  const std::vector<std::uint64_t> counts = {1, 0, 7, 2, 3, 0, 0, 0, 5};  // row by row
  const auto of = [&](std::int32_t rank) { return divide(Collective::all_to_all_v, {3, rank, 0, 1}, 3, 8, counts); };
  CHECK(of(0).input == std::vector<std::size_t>{1, 0, 7});
  CHECK(of(0).output == std::vector<std::size_t>{1, 2, 0});
  CHECK(of(2).input == std::vector<std::size_t>{0, 0, 5});
  CHECK(of(2).output == std::vector<std::size_t>{7, 0, 5});
  CHECK(elements_of(counts, 3) == 8);
  CHECK(elements_of(std::vector<std::uint64_t>(4), 2) == 0);
  CHECK_THROWS_WITH(elements_of(counts, 2), "2 ranks exchange 4 blocks with all_to_all_v, and 9 counts are given");
  const std::vector<std::uint64_t> giant = {0, ~std::uint64_t{0}, ~std::uint64_t{0}, 0};
  CHECK_THROWS_WITH(elements_of(giant, 2), "rank 0 would exchange 2^40 elements or more with all_to_all_v");
}

TEST_CASE("all_to_all divides the block of each rank in parts") {
  // 13 elements of 3 ranks: 4 for each, of which the first part has the odd ones.
  CHECK(divide(Collective::all_to_all, {3, 1, 0, 1}, 9, 13).input == std::vector<std::size_t>{2, 1, 1, 2, 1, 1, 2, 1, 1});
  CHECK(divide(Collective::all_to_all, {3, 1, 0, 1}, 3, 13).output == std::vector<std::size_t>{4, 4, 4});
}

TEST_CASE("sizes that do not divide differ by one, the first blocks being larger") {
  const std::vector<std::size_t> sizes = divide(Collective::all_reduce, {3, 0, 0, 1}, 4, 11).input;
  CHECK(sizes == std::vector<std::size_t>{3, 3, 3, 2});
  CHECK(divide(Collective::all_reduce, {3, 0, 0, 1}, 4, 1).input == std::vector<std::size_t>{1, 0, 0, 0});
}

TEST_CASE("only the root has what only the root needs") {
  for (const std::int32_t rank : {0, 1, 2}) {
    const Shape shape{3, rank, 1, 1};
    const bool root = rank == 1;
    CHECK(divide(Collective::broadcast, shape, 1, 8).has_input == root);
    CHECK(divide(Collective::scatter, shape, 3, 8).has_input == root);
    CHECK(divide(Collective::reduce, shape, 1, 8).has_output == root);
    CHECK(divide(Collective::gather, shape, 3, 8).has_output == root);
    CHECK(divide(Collective::gather, shape, 3, 8).has_input);
  }
}

TEST_CASE("in place, input and output share storage as the collective says") {
  const Schedule schedule{4, 0, {}};
  const Shape shape{4, 2, 2, 1};
  const auto layout = [&](Collective collective) {
    return Layout(collective, shape, divide(collective, shape, 4, 14), {&schedule, 1}, true, 8);  // blocks of 4, 4, 3, 3
  };
  for (const Collective same : {Collective::all_reduce, Collective::reduce, Collective::broadcast}) {
    CHECK(layout(same).input() == Range{0, 14});
    CHECK(layout(same).output() == Range{0, 14});
    CHECK(layout(same).size() == 14);
  }
  for (const Collective larger_input : {Collective::reduce_scatter, Collective::scatter}) {
    CHECK(layout(larger_input).input() == Range{0, 14});
    CHECK(layout(larger_input).output() == Range{8, 11});
  }
  for (const Collective larger_output : {Collective::all_gather, Collective::gather, Collective::hypercube}) {
    CHECK(layout(larger_output).output() == Range{0, 14});
    CHECK(layout(larger_output).input() == Range{8, 11});
  }
  // A rank that has only one of the two has it for itself.
  const Shape other{4, 1, 2, 1};
  const Layout leaf(Collective::gather, other, divide(Collective::gather, other, 4, 14), {&schedule, 1}, true, 8);
  CHECK(leaf.input() == Range{0, 4});
  CHECK(leaf.output().size() == 0);
}

TEST_CASE("lanes share out every block exactly, and have scratch of their own") {
  for (const std::uint64_t elements : some_sizes) {
    for (const std::size_t lanes : {1U, 2U, 3U, 5U}) {
      Schedule schedule{4, 2, {}};
      const std::vector<Schedule> all(lanes, schedule);
      const Shape shape{4, 1, 0, 1};
      const Layout layout(Collective::all_reduce, shape, divide(Collective::all_reduce, shape, 4, elements), all, false, 16);
      INFO(elements << " elements, " << lanes << " lanes");
      std::vector<int> owners(layout.size());
      std::size_t used = 0;
      const auto take = [&](std::size_t lane, const Blocks& blocks) {
        for (const Range& range : layout.resolve(lane, blocks)) {
          REQUIRE(range.end <= layout.size());
          for (std::size_t i = range.begin; i < range.end; ++i) ++owners[i];
          used += range.size();
        }
      };
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        take(lane, {Buffer::input, 0, 4, 0});
        for (std::uint32_t block = 0; block < 4; ++block) take(lane, {Buffer::output, block, 1, 0});
      }
      CHECK(used == 2 * elements);
      // Slots hold any block.
      for (std::size_t lane = 0; lane < lanes; ++lane)
        for (std::uint32_t slot = 0; slot < 2; ++slot) take(lane, {Buffer::scratch, 0, 1, slot});
      CHECK(std::all_of(owners.begin(), owners.end(), [](int count) { return count <= 1; }));
    }
  }
}

TEST_CASE("blocks that do not exist are refused") {
  const Schedule schedule{4, 2, {}};
  const Shape shape{4, 1, 0, 1};
  const Layout layout(Collective::reduce, shape, divide(Collective::reduce, shape, 4, 14), {&schedule, 1}, false, 8);
  CHECK_NOTHROW(layout.resolve(0, {Buffer::input, 3, 1, 0}));
  CHECK_THROWS_AS(layout.resolve(0, {Buffer::input, 3, 2, 0}), std::out_of_range);
  CHECK_THROWS_AS(layout.resolve(0, {Buffer::output, 0, 1, 0}), std::out_of_range);
  CHECK_THROWS_AS(layout.resolve(0, {Buffer::scratch, 0, 1, 2}), std::out_of_range);
  CHECK_THROWS_AS(layout.resolve(0, {Buffer::scratch, 0, 3, 0}), std::out_of_range);
  CHECK_THROWS_AS(layout.resolve(1, {Buffer::input, 0, 1, 0}), std::out_of_range);
}
