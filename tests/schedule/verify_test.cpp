// One broken schedule for each rule of the verifier, and the sentence that it gets.
#include "bench/schedule/verify/verify.hpp"

#include "bench/schedule/algorithms/phases.hpp"
#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::phases;

namespace {

std::string first_finding(Collective collective, const std::vector<Schedule>& schedules, const VerifyOptions& options = {}) {
  const Shape shape{static_cast<std::int32_t>(schedules.size()), 0, 0, 1};
  const Findings findings = verify(collective, schedules, shape, options);
  return findings.empty() ? "nothing" : findings.front();
}

std::vector<Schedule> built(Collective collective, const char* name, std::int32_t ranks) {
  return build_all(*find_algorithm(collective, name), {ranks, 0, 0, 1});
}

}  // namespace

TEST_CASE("rounds that wait for each other never end") {
  std::vector<Schedule> schedules = built(Collective::send_receive, "ring_shift", 2);
  for (Schedule& schedule : schedules) {
    const std::vector<Transfer> both = schedule.rounds[0].transfers;
    schedule.rounds = {{{both[0]}, {}}, {{both[1]}, {}}};  // both send first
  }
  CHECK(first_finding(Collective::send_receive, schedules) == "rank 0, round 0: waits for ever when nothing is buffered");
}

TEST_CASE("ends without a counterpart") {
  std::vector<Schedule> schedules = built(Collective::broadcast, "direct", 3);
  schedules[2].rounds.clear();
  CHECK(first_finding(Collective::broadcast, schedules) == "rank 0, round 0: sends to rank 2, which has no receive for it");
  schedules = built(Collective::broadcast, "direct", 3);
  schedules[0].rounds[0].transfers.pop_back();
  CHECK(first_finding(Collective::broadcast, schedules) == "rank 2, round 0: waits for rank 0, which has no send for it");
  schedules[0].rounds[0].transfers.push_back(send(3, input(0)));
  CHECK(first_finding(Collective::broadcast, schedules) == "rank 0, round 0: names rank 3, which does not exist");
  schedules[0].rounds[0].transfers.back().peer = 0;
  CHECK(first_finding(Collective::broadcast, schedules) == "rank 0, round 0: sends to or receives from itself");
}

TEST_CASE("as many blocks but other bytes, and blocks that do not exist") {
  std::vector<Schedule> schedules = built(Collective::all_gather, "ring", 3);
  schedules[0].rounds[1].transfers[0].blocks = output(0);
  CHECK_THAT(first_finding(Collective::all_gather, schedules), ContainsSubstring("to rank 1, which receives"));
  schedules[0].rounds[1].transfers[0].blocks = output(3);
  CHECK_THAT(first_finding(Collective::all_gather, schedules), ContainsSubstring("output blocks 3+1 slot 0 do not exist"));
}

TEST_CASE("reading what was never written, and writing what is to be kept") {
  std::vector<Schedule> schedules = built(Collective::all_gather, "ring", 3);
  schedules[1].rounds[0].transfers[0].blocks = output(1);
  CHECK(first_finding(Collective::all_gather, schedules) == "rank 1, round 0: sends what was never written");
  CHECK(first_finding(Collective::all_gather, schedules, {.in_place = true}) == "nothing");

  schedules = built(Collective::reduce, "direct", 2);
  std::swap(schedules[0].rounds[0].locals[0], schedules[0].rounds[0].locals[1]);
  CHECK(first_finding(Collective::reduce, schedules) == "rank 0, round 0: local 0 reads what was never written");
  schedules[0].rounds[0].locals = {reduce(scratch(0, 0), input(0)), copy(input(0), output(0))};
  CHECK(first_finding(Collective::reduce, schedules) == "rank 0, round 0: writes to its input");
}

TEST_CASE("contributions that are missing, double or of another element") {
  std::vector<Schedule> schedules = built(Collective::all_reduce, "one_shot", 3);
  std::vector<Local>& locals = schedules[1].rounds[0].locals;
  const Local last = locals.back();
  locals.pop_back();
  CHECK(first_finding(Collective::all_reduce, schedules) ==
        "rank 1: unit 0 of the output ends with the contributions of ranks 1, 2 instead of ranks 0, 1, 2");
  locals.push_back(last);
  locals.push_back(last);
  CHECK(first_finding(Collective::all_reduce, schedules) ==
        "rank 1, round 0: local 3 reduces contributions of rank 0 with ranks 0, 1, 2, so that some count twice");
  schedules = built(Collective::reduce_scatter, "ring", 2);
  schedules[0].rounds[0].transfers[0].blocks = input(0);
  schedules[0].rounds[0].locals[0].source = input(1);
  CHECK_FALSE(first_finding(Collective::reduce_scatter, schedules) == "nothing");
  CHECK_THAT(first_finding(Collective::reduce_scatter, schedules, {.sizes = Sizes::equal}),
             ContainsSubstring("reduces two different elements"));
}

TEST_CASE("receives that overlap, and barriers that let ranks go early") {
  std::vector<Schedule> schedules = built(Collective::gather, "direct", 3);
  for (Transfer& transfer : schedules[0].rounds[0].transfers) transfer.blocks = output(1);
  CHECK(first_finding(Collective::gather, schedules) == "rank 0, round 0: a receive overlaps another transfer of the round");

  schedules = built(Collective::barrier, "dissemination", 4);
  for (Schedule& schedule : schedules) schedule.rounds.pop_back();
  CHECK_THAT(first_finding(Collective::barrier, schedules),
             ContainsSubstring("leaves the barrier before all ranks have entered"));
}

TEST_CASE("ranks that do not agree how the data is divided") {
  std::vector<Schedule> schedules = built(Collective::all_reduce, "one_shot", 2);
  schedules[1].blocks = 2;
  CHECK(first_finding(Collective::all_reduce, schedules) == "rank 1: divides the data into 2 blocks, and rank 0 into 1");
}
