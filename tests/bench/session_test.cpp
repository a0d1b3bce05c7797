// How many buffer sets a point takes, and whether they are cold.
#include "bench/session/session.hpp"

#include <limits>

#include "base/error.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t budget = 256 * mebibyte;

}  // namespace

TEST_CASE("warm is one buffer set, whatever the size") {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{1} << 40}) {
    const BufferSets sets = choose_sets(bytes, Cache::warm, 32 * mebibyte, budget);
    CHECK(sets.count == 1);
    CHECK_FALSE(sets.cold);
  }
}

TEST_CASE("cold sets together are at least twice the cache") {
  for (const std::uint64_t bytes :
       {std::uint64_t{700'001}, std::uint64_t{mebibyte}, std::uint64_t{64 * mebibyte}, std::uint64_t{1} << 32}) {
    const BufferSets sets = choose_sets(bytes, Cache::cold, 32 * mebibyte, budget);
    CHECK(sets.cold);
    CHECK(sets.count * bytes >= 64 * mebibyte);
    CHECK((sets.count - 1) * bytes < 64 * mebibyte);
  }
}

TEST_CASE("cold sets that would take too much are refused") {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{4096}}) {
    try {
      (void)choose_sets(bytes, Cache::cold, 32 * mebibyte, budget);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      CHECK_THAT(error.what(), ContainsSubstring("--cache cold"));
    }
  }
}

TEST_CASE("automatic is cold where that is cheap, else several warm sets") {
  BufferSets sets = choose_sets(mebibyte, Cache::automatic, 16 * mebibyte, budget);
  CHECK(sets.cold);
  CHECK(sets.count == 32);
  sets = choose_sets(8, Cache::automatic, 16 * mebibyte, budget);
  CHECK_FALSE(sets.cold);
  CHECK(sets.count == 16);
  // One set exceeds the budget and the cache alike.
  sets = choose_sets(std::uint64_t{1} << 32, Cache::automatic, 16 * mebibyte, budget);
  CHECK(sets.cold);
  CHECK(sets.count == 1);
  // Two would be needed, and one can be paid.
  sets = choose_sets(200 * mebibyte, Cache::automatic, 150 * mebibyte, budget);
  CHECK_FALSE(sets.cold);
  CHECK(sets.count == 1);
}

TEST_CASE("there is always a buffer set") {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  for (const Cache cache : {Cache::automatic, Cache::warm, Cache::cold})
    for (const std::uint64_t bytes : {std::uint64_t{1}, largest / 3, largest / 3 + 1, largest / 2, largest - 1, largest})
      for (const std::size_t last_level : {std::size_t{0}, std::size_t{1}, mebibyte}) {
        if (cache == Cache::cold && bytes == 1 && last_level == mebibyte) continue;  // refused, as above
        const BufferSets sets = choose_sets(bytes, cache, last_level, budget);
        INFO("bytes " << bytes << " cache " << last_level);
        CHECK(sets.count >= 1);
        CHECK(sets.count <= 16);
      }
}

TEST_CASE("fixed runs take as many buffer sets as the largest size holds, and as they have operations") {
  FixedRun run;
  run.warm_up = 5;
  run.iterations = 100;
  const auto sets = [&run](std::uint64_t bytes, std::uint64_t rotation) {
    run.rotation = rotation;
    return rotating_sets(bytes, run, 32 * mebibyte);
  };
  CHECK(sets(mebibyte, mebibyte).count == 1);
  CHECK(sets(mebibyte, 4 * mebibyte).count == 4);
  CHECK(sets(mebibyte, 4 * mebibyte - 1).count == 3);
  CHECK(sets(8, mebibyte).count == 64);
  CHECK(sets(0, mebibyte).count == 64);
  CHECK(sets(mebibyte, 0).count == 1);
  CHECK_FALSE(sets(mebibyte, 64 * mebibyte).cold);
  CHECK(sets(2 * mebibyte, 128 * mebibyte).cold);
  run.warm_up = 1;
  run.iterations = 3;
  CHECK(sets(8, mebibyte).count == 5);
  CHECK(sets(mebibyte, 4 * mebibyte).count == 4);
  run.aggregated = 4;
  CHECK(sets(8, mebibyte).count == 20);
  run.warm_up = run.iterations = run.aggregated = ~std::uint64_t{0};
  CHECK(sets(8, mebibyte).count == 64);
}
