// Steps of a matrix of pairs, and whose samples are whose.
#include "bench/session/pairs.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "tests/test.hpp"

using namespace railgauge;

TEST_CASE("the steps of a matrix have every ordered pair once, in rounds and one after the other") {
  for (const char* name : {"one_way", "two_way"}) {
    const Algorithm& algorithm = *find_algorithm(Collective::pairs, name);
    for (const PairOrder order : {PairOrder::together, PairOrder::alone})
      for (int ranks = 2; ranks <= 33; ++ranks) {
        // Rank r's sample is r + 1 seconds, so a pair's is that of the higher rank.
        std::vector<std::vector<Seconds>> by_rank;
        for (int rank = 0; rank < ranks; ++rank) by_rank.push_back({Seconds(rank + 1), Seconds(0)});
        std::set<std::pair<int, int>> seen;
        std::size_t count = 0;
        bool right = true;
        for (const PairStep& step : pair_steps(algorithm, ranks, order)) {
          std::set<int> busy;
          for (const PairSamples& pair : pair_samples(step, by_rank)) {
            seen.emplace(pair.from, pair.to);
            ++count;
            busy.insert(pair.from);
            right = right && pair.seconds == std::vector<double>{std::max(pair.from, pair.to) + 1.0, 0.0};
          }
          const auto pairs_of_a_round = static_cast<std::size_t>(order == PairOrder::alone ? 1 : ranks / 2);
          right = right && busy.size() == (step.directions == Directions::both ? 2 * pairs_of_a_round : pairs_of_a_round);
        }
        INFO(name << ", " << ranks << " ranks");
        CHECK(right);
        CHECK(count == seen.size());
        CHECK(count == static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks - 1));
      }
  }
}

TEST_CASE("pairs of ranks that wait for a core are measured one after the other, unless they are many") {
  CHECK(pair_order(false, 4) == PairOrder::together);
  CHECK(pair_order(true, 4) == PairOrder::alone);
  CHECK(pair_order(true, 200) == PairOrder::together);
}
