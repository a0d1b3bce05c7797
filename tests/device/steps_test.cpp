// How many blocks of a device run a lane of a mapped plan.
#include "bench/device/steps.hpp"

#include "base/error.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

using test::ContainsSubstring;

StepProgram program_of(std::size_t lanes, std::uint64_t busiest_work, std::uint32_t chosen = 0, std::uint32_t sharers = 1) {
  StepProgram program;
  program.lanes.resize(lanes);
  if (lanes != 0) program.lanes.back().busiest_work = busiest_work;
  program.blocks = chosen;
  program.sharers = sharers;
  return program;
}

// 132 multiprocessors with two blocks each.
constexpr BlockRoom large{.at_once = 264, .multiprocessors = 132};

TEST_CASE("steps: blocks are as many as the work is worth, and half of the multiprocessors at most") {
  constexpr std::uint64_t worth = 16384;
  CHECK(blocks_of_lane(program_of(1, 0), large, "cuda:0") == 1);
  CHECK(blocks_of_lane(program_of(1, worth), large, "cuda:0") == 1);
  CHECK(blocks_of_lane(program_of(1, worth + 1), large, "cuda:0") == 2);
  CHECK(blocks_of_lane(program_of(1, std::uint64_t{1} << 40), large, "cuda:0") == 66);
  CHECK(blocks_of_lane(program_of(4, std::uint64_t{1} << 40), large, "cuda:0") == 16);
  CHECK(blocks_of_lane(program_of(100, std::uint64_t{1} << 40), large, "cuda:0") == 1);
  CHECK(blocks_of_lane(program_of(0, 0), large, "cuda:0") == 1);
  CHECK(blocks_of_lane(program_of(1, std::uint64_t{1} << 40), {.at_once = 3, .multiprocessors = 132}, "cuda:0") == 3);
}

TEST_CASE("steps: all blocks of all lanes are on the device at once, however many they are") {
  for (const std::size_t at_once : {1U, 2U, 7U, 64U, 264U})
    for (std::size_t lanes = 1; lanes <= at_once; ++lanes)
      for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{100'000}, ~std::uint64_t{0} / 2}) {
        const std::uint32_t blocks = blocks_of_lane(program_of(lanes, bytes), {.at_once = at_once, .multiprocessors = 132}, "");
        CHECK(blocks >= 1);
        CHECK(blocks * lanes <= at_once);
      }
}

TEST_CASE("steps: streams of a rank share its room") {
  StepProgram program = program_of(1, std::uint64_t{1} << 40, 0, 2);
  program.streams = 4;
  constexpr BlockRoom room{.at_once = 396, .multiprocessors = 132};
  CHECK(blocks_of_lane(program, room, "cuda:0") == 49);
  program.streams = 199;
  CHECK_THROWS_WITH((void)blocks_of_lane(program, room, "cuda:0"),
                    ContainsSubstring("runs 0 blocks at once for each of the 2 ranks that share it and each of 199 streams"));
  program.sharers = 1;
  program.streams = 400;
  CHECK_THROWS_WITH((void)blocks_of_lane(program, room, "cuda:0"),
                    ContainsSubstring("runs 0 blocks at once for each of 400 streams"));
}

TEST_CASE("steps: ranks that share a device share its room") {
  constexpr std::uint64_t much = std::uint64_t{1} << 40;
  constexpr BlockRoom roomy{.at_once = 396, .multiprocessors = 132};
  CHECK(blocks_of_lane(program_of(1, much, 0, 2), roomy, "cuda:0") == 66);
  CHECK(blocks_of_lane(program_of(1, much, 0, 8), roomy, "cuda:0") == 49);
  CHECK(blocks_of_lane(program_of(4, much, 0, 8), roomy, "cuda:0") == 12);
  CHECK(blocks_of_lane(program_of(1, much, 0, 396), roomy, "cuda:0") == 1);
  CHECK(blocks_of_lane(program_of(1, 0, 49, 8), roomy, "cuda:0") == 49);
  CHECK_THROWS_WITH((void)blocks_of_lane(program_of(1, 0, 50, 8), roomy, "cuda:0"),
                    ContainsSubstring("runs 49 at once for each of the 8 ranks that share it") &&
                        ContainsSubstring("choose 49 or fewer for each lane"));
  CHECK_THROWS_WITH((void)blocks_of_lane(program_of(1, much, 0, 397), roomy, "cuda:0"),
                    ContainsSubstring("1 lane on cuda:0, which runs 0 blocks at once for each of the 397 ranks that share it, "
                                      "one for each lane: choose fewer --lanes, or fewer ranks for it"));
}

TEST_CASE("steps: blocks that were chosen are taken, or refused where they have no room") {
  CHECK(blocks_of_lane(program_of(1, 0, 264), large, "cuda:0") == 264);
  CHECK(blocks_of_lane(program_of(2, std::uint64_t{1} << 40, 3), large, "cuda:0") == 3);
  CHECK_THROWS_WITH((void)blocks_of_lane(program_of(1, 0, 265), large, "cuda:1"),
                    ContainsSubstring("265 blocks for each of 1 lane on cuda:1, which runs 264 at once") &&
                        ContainsSubstring("choose 264 or fewer for each lane"));
  CHECK_THROWS_WITH((void)blocks_of_lane(program_of(3, 0, 89), large, "cuda:1"), ContainsSubstring("choose 88 or fewer"));
  CHECK_THROWS_WITH((void)blocks_of_lane(program_of(1, 0, ~std::uint32_t{0}), large, "cuda:1"), ContainsSubstring("at once"));
  CHECK_THROWS_WITH(
      (void)blocks_of_lane(program_of(265, 0), large, "cuda:1"),
      ContainsSubstring("265 lanes on cuda:1, which runs 264 blocks at once") && ContainsSubstring("fewer --lanes"));
}

}  // namespace
}  // namespace railgauge
