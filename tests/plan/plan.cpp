// Every algorithm of the catalog, run by the executor and over mapped peers, on transports that threads can use, with random
// data.
#include "tests/plan/plan_cases.hpp"

namespace railgauge {
namespace {

using namespace test;
using namespace plan_cases;

TEST_CASE("every algorithm is right when run by transfers") {
  for (const int ranks : some_ranks) run_all(ranks, trials_for(ranks, false, some_counts, 1));
  run_all(16, trials_for(16, false, {1, 131}, 1));
}

TEST_CASE("every algorithm is right over mapped peers") {
  for (const int ranks : some_ranks) run_all(ranks, trials_for(ranks, true, some_counts, 1));
  run_all(16, trials_for(16, true, {1, 131}, 1));
}

TEST_CASE("every algorithm is right over shared memory") {
  for (const bool mapped : {false, true})
    for (const int ranks : {2, 3, 5}) run_all(ranks, trials_for(ranks, mapped, {1, 37, 1031}, mapped ? 2 : 1), "shm");
}

TEST_CASE("every algorithm is right when what it computes is done later") {
  for (const bool mapped : {false, true})
    for (const int ranks : {1, 2, 3, 4, 7}) {
      std::vector<Trial> trials = trials_for(ranks, mapped, {1, 37, 131}, 2);
      for (Trial& trial : trials) trial.late = true;
      run_all(ranks, trials);
    }
}

TEST_CASE("every algorithm is right when its messages pass through a mirror") {
  for (const bool late : {false, true})
    for (const int ranks : {1, 2, 3, 4, 7}) {
      std::vector<Trial> trials = trials_for(ranks, false, {1, 37, 131}, late ? 2 : 1);
      for (Trial& trial : trials) {
        trial.late = late;
        trial.staged = true;
      }
      run_all(ranks, trials);
    }
}

}  // namespace
}  // namespace railgauge
