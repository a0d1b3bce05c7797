// How messages travel between ranks that map each other's memory.
#include "bench/plan/delivery.hpp"

#include <algorithm>
#include <map>

#include "bench/plan/collective_spec.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

CollectiveSpec recipe_of(const Algorithm& algorithm, int ranks, std::uint64_t elements, bool in_place) {
  CollectiveSpec spec;
  spec.algorithm = &algorithm;
  spec.type = Type::uint32;
  spec.op = row(algorithm.collective).reduces ? Op::sum : Op::none;
  spec.shape = {ranks, 0, 0, ranks};
  spec.elements = used_elements(algorithm.collective, ranks, elements);
  spec.in_place = in_place;
  return spec;
}

MappedSide side_of(RankParts& parts, std::int32_t rank) {
  const RankPart& part = parts.of(rank);
  return {part.lanes.front(), rank, std::max(part.layout.input().end, part.layout.output().end)};
}

std::size_t count(const std::vector<Delivery>& deliveries, Delivery kind) {
  return static_cast<std::size_t>(std::count(deliveries.begin(), deliveries.end(), kind));
}

}  // namespace

TEST_CASE("delivery: each message travels by one delivery, which keeps its conditions") {
  for (const Algorithm& algorithm : catalog())
    for (const int ranks : {2, 3, 4, 7, 8})
      for (const std::uint64_t elements : {std::uint64_t{1}, std::uint64_t{40}, std::uint64_t{1000}})
        for (const bool in_place : {false, true}) {
          const Shape shape{ranks, 0, 0, ranks};
          const bool divides = !algorithm.equal_blocks || elements % static_cast<std::uint64_t>(ranks) == 0;
          if (!algorithm.refusal(shape).empty() || !divides || (in_place && !algorithm.in_place)) continue;
          CAPTURE(algorithm.name, ranks, elements, in_place);
          RankParts parts(recipe_of(algorithm, ranks, elements, in_place));
          for (std::int32_t from = 0; from < ranks; ++from)
            for (std::int32_t to = 0; to < ranks; ++to) {
              if (from == to) continue;
              const MappedSide sender = side_of(parts, from), receiver = side_of(parts, to);
              const std::vector<Delivery> found = deliveries(sender, receiver, 4);
              std::size_t n = 0;
              for (std::size_t r = 0; r < sender.schedule.size(); ++r) {
                std::size_t inline_data = 0;
                for (const ResolvedMessage& message : sender.schedule[r].messages) {
                  if (message.kind != Transfer::Kind::send || message.peer != to) continue;
                  REQUIRE(n < found.size());
                  const Delivery delivery = found[n++];
                  if (delivery == Delivery::inline_data) {
                    CHECK(message.range.size() * 4 <= inline_bytes);
                    ++inline_data;
                  }
                  if (delivery == Delivery::put) {
                    const auto written = written_in(sender.schedule, r, message.range);
                    REQUIRE(written.has_value());
                    CHECK(*written < r);
                  }
                }
                CHECK(inline_data <= inline_a_round);
              }
              CHECK(n == found.size());
              const std::vector<std::uint64_t> taken = taken_before(sender, receiver);
              CHECK(taken.size() == found.size());
              CHECK(std::is_sorted(taken.begin(), taken.end()));
            }
        }
}

TEST_CASE("delivery: the results of an all-reduce in two shots are stored at those who want them") {
  const Algorithm& two_shot = *find_algorithm(Collective::all_reduce, "two_shot");
  for (const int ranks : {2, 3, 8}) {
    RankParts apart(recipe_of(two_shot, ranks, 10000, false));
    const std::vector<Delivery> found = deliveries(side_of(apart, 0), side_of(apart, 1), 4);
    REQUIRE(found.size() == 2);
    CHECK(found[0] == Delivery::get);
    CHECK(found[1] == Delivery::put);
    // In place it lands where the sender alone has read the peer's input.
    RankParts together(recipe_of(two_shot, ranks, 10000, true));
    CHECK(count(deliveries(side_of(together, 0), side_of(together, 1), 4), Delivery::put) == 1);
    RankParts small(recipe_of(two_shot, ranks, static_cast<std::uint64_t>(ranks), false));
    CHECK(count(deliveries(side_of(small, 0), side_of(small, 1), 4), Delivery::inline_data) == 2);
  }
}

TEST_CASE("delivery: what is only passed on is never put") {
  const Algorithm& ring = *find_algorithm(Collective::all_gather, "ring");
  RankParts parts(recipe_of(ring, 5, 10000, false));
  CHECK(count(deliveries(side_of(parts, 0), side_of(parts, 1), 4), Delivery::get) == 4);
}

}  // namespace railgauge
