// The credit rule in the verifier: broken credits are caught, and those of bench/schedule/verify/credits.hpp are proved with
// their elisions.
#include <cstdio>
#include <random>

#include "tests/schedule/mutate.hpp"
#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

VerifyOptions options_for(const Algorithm& algorithm) {
  VerifyOptions options;
  if (algorithm.equal_blocks) options.sizes = Sizes::equal;
  return options;
}

Findings verify_with(const Algorithm& algorithm, const Shape& shape, CreditRule rule) {
  VerifyOptions options = options_for(algorithm);
  options.credits = std::move(rule);
  return verify(algorithm.collective, build_all(algorithm, shape), shape, options);
}

std::vector<Credit> nobody_waits(const ResolvedSchedule& receiver, std::int32_t receiver_rank, const ResolvedSchedule& sender,
                                 std::int32_t sender_rank) {
  std::vector<Credit> all = credits(receiver, receiver_rank, sender, sender_rank);
  for (Credit& credit : all) credit = {true, 0};
  return all;
}

std::vector<Credit> given_at_once(const ResolvedSchedule& receiver, std::int32_t receiver_rank, const ResolvedSchedule& sender,
                                  std::int32_t sender_rank) {
  std::vector<Credit> all = credits(receiver, receiver_rank, sender, sender_rank);
  for (Credit& credit : all) credit = {false, 0};
  return all;
}

}  // namespace

TEST_CASE("writing without credits is found to be wrong, but for ping-pong") {
  const Algorithm& ring = *find_algorithm(Collective::all_reduce, "ring");
  const Findings findings = verify_with(ring, {4, 0, 0, 1}, nobody_waits);
  REQUIRE_FALSE(findings.empty());
  CHECK_THAT(findings.front(), ContainsSubstring("may land while"));
  CHECK_FALSE(verify_with(*find_algorithm(Collective::broadcast, "direct"), {3, 0, 0, 1}, nobody_waits).empty());
  CHECK(verify_with(*find_algorithm(Collective::ping_pong, "ping_pong"), {2, 0, 0, 1}, nobody_waits).empty());
}

TEST_CASE("credits given before the target is free are found to be wrong") {
  CHECK_FALSE(verify_with(*find_algorithm(Collective::all_reduce, "ring"), {5, 0, 0, 1}, given_at_once).empty());
  // Where each target is used once, giving all credits at the start is right.
  CHECK(verify_with(*find_algorithm(Collective::all_gather, "ring"), {5, 0, 0, 1}, given_at_once).empty());
}

TEST_CASE("ping-pong needs no credit at all") {
  const Algorithm& algorithm = *find_algorithm(Collective::ping_pong, "ping_pong");
  bool all_elided = true;
  const auto rule = [&](const ResolvedSchedule& receiver, std::int32_t r, const ResolvedSchedule& sender, std::int32_t s) {
    std::vector<Credit> all = credits(receiver, r, sender, s);
    for (const Credit& credit : all) all_elided = all_elided && credit.elided;
    return all;
  };
  CHECK(verify_with(algorithm, {2, 0, 0, 1}, rule).empty());
  CHECK(all_elided);
}

TEST_CASE("where buffers are touched between two calls, a message of the call before proves nothing") {
  const auto touched = [](const Algorithm& algorithm, const Shape& shape, CreditRule rule) {
    VerifyOptions options = options_for(algorithm);
    options.credits = std::move(rule);
    options.touched_between = true;
    return verify(algorithm.collective, build_all(algorithm, shape), shape, options);
  };
  int wrong = 0;
  for (const Algorithm& algorithm : catalog())
    for (std::int32_t ranks = 2; ranks <= 9; ++ranks)
      for (const Shape& shape : shapes_of(algorithm, ranks)) {
        CAPTURE(algorithm.name, name(algorithm.collective), ranks);
        CHECK(touched(algorithm, shape, credits_of_calls).empty());
        if (!touched(algorithm, shape, credits).empty()) ++wrong;
      }
  CHECK(wrong > 0);
}

TEST_CASE("the verifier catches broken credits") {
  constexpr std::uint64_t seed = 77;
  std::mt19937_64 random(seed);
  int made = 0, caught = 0, messages = 0, elided = 0;
  for (const Algorithm& algorithm : catalog()) {
    for (std::int32_t ranks = 2; ranks <= 9; ++ranks) {
      for (const Shape& shape : shapes_of(algorithm, ranks)) {
        // One pass counts the credits, the second breaks one of them.
        int needed = 0;
        const auto count = [&](const ResolvedSchedule& receiver, std::int32_t r, const ResolvedSchedule& sender, std::int32_t s) {
          std::vector<Credit> all = credits(receiver, r, sender, s);
          for (const Credit& credit : all) {
            ++messages;
            (credit.elided ? elided : needed) += 1;
          }
          return all;
        };
        CHECK(verify_with(algorithm, shape, count).empty());
        if (needed == 0) continue;
        int skip_first = static_cast<int>(random() % static_cast<std::uint64_t>(needed));
        const auto broken = [&](const ResolvedSchedule& receiver, std::int32_t r, const ResolvedSchedule& sender,
                                std::int32_t s) {
          std::vector<Credit> all = credits(receiver, r, sender, s);
          for (Credit& credit : all)
            if (!credit.elided && skip_first-- == 0) credit = {true, 0};
          return all;
        };
        ++made;
        if (!verify_with(algorithm, shape, broken).empty()) ++caught;
      }
    }
  }
  std::printf("seed %llu: of %d messages, %d need no credit; with one credit left out, %d of %d schedules were found wrong\n",
              static_cast<unsigned long long>(seed), messages, elided, caught, made);
  INFO("seed " << seed);
  CHECK(elided > 0);
  // The others are safe without it, by what the sender hears from third ranks.
  CHECK(caught * 2 > made);
}
