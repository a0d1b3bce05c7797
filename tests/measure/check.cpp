// Every collective, done by hand from the inputs that the check filled, must pass it; everything else must not.
#include "bench/measure/check.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/device/element.hpp"
#include "bench/schedule/traffic.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

using Element = std::uint32_t;
using Elements = std::vector<Element>;
constexpr std::uint64_t seed = 7;
constexpr Type type = Type::uint32;

struct Rank {
  Shape shape;
  Layout layout;
  Check check;
  Elements memory;
  [[nodiscard]] Bytes bytes() { return std::as_writable_bytes(std::span(memory)); }
  [[nodiscard]] Elements input() const {
    return {memory.begin() + static_cast<std::ptrdiff_t>(layout.input().begin),
            memory.begin() + static_cast<std::ptrdiff_t>(layout.input().end)};
  }
};

Rank make_rank(Collective collective, int ranks, int rank, int root, std::uint64_t elements, bool in_place) {
  const Shape shape{ranks, rank, root, 1};
  const auto blocks = static_cast<std::uint32_t>(ranks);
  const std::vector<Schedule> lanes(1);
  Layout layout(collective, shape, divide(collective, shape, blocks, elements), lanes, in_place, 16);
  Check check(collective, type, Op::sum, shape, layout);
  Elements memory(layout.size());
  return {shape, std::move(layout), std::move(check), std::move(memory)};
}

std::size_t before(const std::vector<std::size_t>& sizes, int block) {
  std::size_t sum = 0;
  for (int b = 0; b < block; ++b) sum += sizes[static_cast<std::size_t>(b)];
  return sum;
}

void append(Elements& to, const Elements& from, std::size_t first, std::size_t count) {
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
  to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
}

// What `rank` must end with, from the inputs of all, by the definition of the collective.
Elements by_hand(Collective collective, const std::vector<Rank>& all, const std::vector<Elements>& inputs, int rank, int root) {
  const auto me = static_cast<std::size_t>(rank);
  const auto top = static_cast<std::size_t>(root);
  const BlockSizes& sizes = all[me].layout.sizes();
  Elements output;
  switch (collective) {
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::reduce_scatter: {
      Elements sum(inputs[0].size());
      for (const Elements& input : inputs)
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += input[i];
      if (collective == Collective::reduce_scatter)
        append(output, sum, before(sizes.input, rank), sizes.output[0]);
      else
        output = sum;
      break;
    }
    case Collective::broadcast:
      output = inputs[top];
      break;
    case Collective::scatter:
      append(output, inputs[top], before(sizes.input, rank), sizes.output[0]);
      break;
    case Collective::all_gather:
    case Collective::gather:
    case Collective::hypercube:
      for (const Elements& input : inputs) append(output, input, 0, input.size());
      break;
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      for (std::size_t from = 0; from < all.size(); ++from) {
        const auto& theirs = all[from].layout.sizes().input;
        append(output, inputs[from], before(theirs, rank), theirs[me]);
      }
      break;
    case Collective::send_receive:
      output = inputs[(me + all.size() - 1) % all.size()];
      break;
    case Collective::ping_pong:
      output = inputs[1 - me];
      break;
    case Collective::stream:
    case Collective::bidirectional:
    case Collective::incast:
    case Collective::outcast:
    case Collective::permutation:
    case Collective::bisection:
    case Collective::pairs:
      for (const auto& [peer, nth] : traffic(collective, all[me].shape).from) {
        const auto from = static_cast<std::size_t>(peer);
        const std::vector<Correspondence> to = traffic(collective, all[from].shape).to;
        const auto block = std::find(to.begin(), to.end(), Correspondence{rank, nth}) - to.begin();
        append(output, inputs[from], before(all[from].layout.sizes().input, static_cast<int>(block)), sizes.output[0]);
      }
      break;
    case Collective::barrier:
      break;
  }
  return output;
}

}  // namespace

TEST_CASE("what the definition of each collective gives passes, and each wrong element is named") {
  for (const CollectiveRow& collective : collectives())
    for (const int ranks : {1, 2, 3, 5, 8})
      for (const std::uint64_t elements : {0U, 1U, 7U, 1000U})
        for (const bool in_place : {false, true}) {
          if (in_place && !collective.in_place) continue;
          if (collective.collective == Collective::ping_pong && ranks != 2) continue;
          const int root = collective.rooted ? ranks - 1 : 0;
          INFO(collective.name << " ranks " << ranks << " elements " << elements << " in place " << in_place);
          std::vector<Rank> all;
          std::vector<Elements> inputs;
          for (int rank = 0; rank < ranks; ++rank) {
            all.push_back(make_rank(collective.collective, ranks, rank, root, elements, in_place));
            all.back().check.restore(all.back().bytes(), seed);
            inputs.push_back(all.back().input());
          }
          for (int rank = 0; rank < ranks; ++rank) {
            Rank& r = all[static_cast<std::size_t>(rank)];
            INFO("rank " << rank);
            if (r.layout.output().size() == 0) {
              CHECK_FALSE(r.check.check(r.bytes(), seed).has_value());
              continue;
            }
            const Elements output = by_hand(collective.collective, all, inputs, rank, root);
            REQUIRE(output.size() == r.layout.output().size());
            // In place alone, most collectives have nothing to do and the input is the output.
            if (!in_place) CHECK(r.check.check(r.bytes(), seed)->wrong == output.size());
            std::copy(output.begin(), output.end(), r.memory.begin() + static_cast<std::ptrdiff_t>(r.layout.output().begin));
            CHECK_FALSE(r.check.check(r.bytes(), seed).has_value());
            CHECK(r.check.check(r.bytes(), seed + 1)->wrong >= output.size() - 1);
            CHECK(r.check.checked() == output.size());
            const std::size_t victim = output.size() * 2 / 3;
            r.memory[r.layout.output().begin + victim] ^= 0x10U;
            const auto mistake = r.check.check(r.bytes(), seed);
            REQUIRE(mistake.has_value());
            CHECK(mistake->rank == rank);
            CHECK(mistake->index == victim);
            CHECK(mistake->wrong == 1);
            const Element bad = output[victim] ^ 0x10U;
            CHECK(mistake->expected == element_text(type, reinterpret_cast<const std::byte*>(&output[victim])));
            CHECK(mistake->got == element_text(type, reinterpret_cast<const std::byte*>(&bad)));
          }
        }
}

TEST_CASE("restoring poisons scratch and output and fills the same input again") {
  Rank rank = make_rank(Collective::all_gather, 4, 2, 0, 100, true);
  rank.check.restore(rank.bytes(), seed);
  const Elements first = rank.memory;
  CHECK(rank.memory.front() == 0xffffffffU);
  CHECK(rank.memory.back() == 0xffffffffU);
  std::fill(rank.memory.begin(), rank.memory.end(), 0U);
  rank.check.restore(rank.bytes(), seed);
  CHECK(rank.memory == first);
  rank.check.restore(rank.bytes(), seed + 1);
  CHECK(rank.memory != first);
  std::vector<std::byte> small(16);
  CHECK_THROWS_AS(rank.check.restore(small, seed), std::length_error);
}

TEST_CASE("sets and epochs have seeds of their own") {
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t base = 0; base < 4; ++base)
    for (std::uint64_t set = 0; set < 20; ++set)
      for (std::uint64_t epoch = 0; epoch < 20; ++epoch) seeds.push_back(seed_of(base, set, epoch));
  std::sort(seeds.begin(), seeds.end());
  CHECK(std::adjacent_find(seeds.begin(), seeds.end()) == seeds.end());
}

TEST_CASE("a mistake is one sentence") {
  CHECK(sentence({3, 42, "1.5 (0x3fc00000)", "0 (0x00000000)", 17}) ==
        "rank 3 has 17 wrong elements; the first is element 42 of its output: expected 1.5 (0x3fc00000), got 0 (0x00000000)");
}
