// Schedules as text.
#include "bench/schedule/show.hpp"

#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::vector<Schedule> ring_of_two() { return build_all(*find_algorithm(Collective::all_reduce, "ring"), {2, 0, 0, 1}); }

}  // namespace

TEST_CASE("a schedule is shown round by round, ranks side by side") {
  CHECK(show(ring_of_two()) ==
        "          rank 0                            rank 1\n"
        "round 0   send input 1 -> 1                 send input 0 -> 0\n"
        "          receive scratch 0 (0) <- 1        receive scratch 0 (1) <- 0\n"
        "          copy input 0 -> output 0          copy input 1 -> output 1\n"
        "          reduce scratch 0 (0) -> output 0  reduce scratch 0 (1) -> output 1\n"
        "round 1   send output 0 -> 1                send output 1 -> 0\n"
        "          receive output 1 <- 1             receive output 0 <- 0\n");
}

TEST_CASE("one rank is shown line by line") {
  const Schedule barrier = find_algorithm(Collective::barrier, "dissemination")->build({2, 1, 0, 1});
  CHECK(show(barrier, 1) ==
        "rank 1: 1 rounds, 0 blocks, 0 scratch slots\n"
        "round 0\n"
        "  send nothing -> 0\n"
        "  receive nothing <- 0\n");
  const Schedule gather = find_algorithm(Collective::all_gather, "recursive_doubling")->build({4, 0, 0, 1});
  CHECK_THAT(show(gather, 0), ContainsSubstring("  send output 0-1 -> 2\n  receive output 2-3 <- 2\n"));
}

TEST_CASE("GOAL text has bytes, tags and what waits for what") {
  const std::string text = goal(Collective::all_reduce, ring_of_two(), {2, 0, 0, 1}, 100);
  CHECK_THAT(text, ContainsSubstring("num_ranks 2\n\nrank 0 {\n"
                                     "l1: send 50b to 1 tag 0\n"
                                     "l2: recv 50b from 1 tag 0\n"
                                     "l3: calc 50\n"
                                     "l3 requires l1\n"
                                     "l3 requires l2\n"
                                     "l4: calc 50\n"
                                     "l4 requires l3\n"
                                     "l5: send 50b to 1 tag 1\n"
                                     "l5 requires l4\n"
                                     "l6: recv 50b from 1 tag 1\n"
                                     "l6 requires l4\n"
                                     "}\n"));
}
