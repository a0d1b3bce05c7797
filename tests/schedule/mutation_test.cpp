// How many random mutants of the schedules, and of the credits, the verifier catches.
#include <array>
#include <cstdio>
#include <string>

#include "tests/schedule/mutate.hpp"
#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

constexpr std::uint64_t seed = 20240607;

struct Score {
  int caught = 0, made = 0;
  void count(bool is_caught) {
    ++made;
    caught += is_caught ? 1 : 0;
  }
  void print(const char* kind) const {
    std::printf("| %s | %d | %d | %.1f %% |\n", kind, made, caught, made == 0 ? 0.0 : 100.0 * caught / made);
  }
};

}  // namespace

TEST_CASE("the verifier catches mutants") {
  std::array<Score, mutation_count> scores;
  Score total;
  std::string survivors;
  for (const Mutant& mutant : mutants(seed, 2000)) {
    const bool caught = !verify(mutant).empty();
    scores[static_cast<std::size_t>(mutant.mutation)].count(caught);
    total.count(caught);
    if (!caught)
      survivors += std::string(name(mutant.algorithm->collective)) + " " + std::string(mutant.algorithm->name) + ", " +
                   std::to_string(mutant.shape.ranks) + " ranks" + (mutant.in_place ? ", in place" : "") + ": " + mutant.what +
                   "\n";
  }
  std::printf("seed %llu\n| mutation | made | caught | share |\n|---|---|---|---|\n", static_cast<unsigned long long>(seed));
  for (std::size_t i = 0; i < mutation_count; ++i) scores[i].print(std::string(name(static_cast<Mutation>(i))).c_str());
  total.print("all");
  std::printf("survivors, which must also run right:\n%s", survivors.c_str());
  // An end without its counterpart is never right.
  INFO("seed " << seed);
  for (const Mutation mutation : {Mutation::drop_end, Mutation::retarget_peer, Mutation::duplicate_end}) {
    const Score& score = scores[static_cast<std::size_t>(mutation)];
    CHECK(score.made > 100);
    CHECK(score.caught == score.made);
  }
}
