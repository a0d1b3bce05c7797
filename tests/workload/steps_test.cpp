// Steps of small models on ranks that are threads: data is right, and times are those of the list.
#include "bench/workload/run/steps.hpp"

#include "bench/launch/thread_group.hpp"
#include "bench/workload/channels.hpp"
#include "bench/workload/matches.hpp"
#include "bench/workload/models/models.hpp"
#include "bench/workload/scale.hpp"
#include "tests/test.hpp"
#include "transports/registry/registry.hpp"

using namespace railgauge;

namespace {

RunResult run_small(const Workload& workload, const StepOptions& options, const Settings& settings = {}) {
  const auto known = known_transports({});
  const ChosenTransport transport = choose_transport(known, "memory", {{"memory", settings}});
  RunResult result;
  const auto thrown = run_as_threads(workload.ranks, Seconds(30), [&](Group& group) {
    RunResult its = run_steps(group, transport, workload, options, [](const StepRecord&) {});
    if (group.rank() == 0) result = std::move(its);
  });
  if (const auto cause = first_cause(thrown)) std::rethrow_exception(cause);
  return result;
}

Workload small_step(const char* name, const models::Options& options) {
  return scaled(models::make_workload(*models::find_model(name), options), 1e-4);
}

// Two ranks whose step is so many calls that are alike, one after the other.
Workload alike_calls(Collective collective, std::uint64_t elements, std::size_t calls) {
  Workload workload;
  workload.name = "made";
  workload.ranks = 2;
  workload.groups.push_back({"all", "", {0, 1}});
  WorkNode call;
  call.work = WorkKind::collective;
  call.name = "call";
  call.collective = collective;
  call.op = row(collective).reduces ? Op::sum : Op::none;
  call.elements = elements;
  workload.nodes.assign(2, std::vector<WorkNode>(calls, call));
  for (std::vector<WorkNode>& nodes : workload.nodes)
    for (std::uint32_t i = 1; i < nodes.size(); ++i) nodes[i].after = {i - 1};
  return workload;
}

}  // namespace

TEST_CASE("steps run, their data is right, and the timeline keeps the order of the list") {
  for (const auto& [name, options] : std::vector<std::pair<const char*, models::Options>>{
           {"resnet50", {.ranks = 3}},
           {"gpt3-175b", {.data = 2, .tensor = 2, .pipeline = 2, .micro_batches = 2, .zero = 1, .layers = 2}},
           {"mixtral-8x7b", {.ranks = 4, .expert = 2, .micro_batches = 1, .layers = 1}},
           {"dlrm", {.ranks = 3}}}) {
    CAPTURE(name);
    const Workload workload = small_step(name, options);
    const RunResult result = run_small(workload, {.computing = Computing::none, .steps = 2});
    CHECK(!result.wrong);
    REQUIRE(result.steps.size() == 2);
    CHECK(result.steps[0].seconds > 0);
    CHECK(result.steps[0].exposed <= result.steps[0].communicating);
    REQUIRE(result.timeline.size() == static_cast<std::size_t>(workload.ranks));
    for (std::size_t rank = 0; rank < result.timeline.size(); ++rank)
      for (std::size_t i = 0; i < result.timeline[rank].size(); ++i)
        for (const std::uint32_t before : workload.nodes[rank][i].after)
          CHECK(result.timeline[rank][i].start >= result.timeline[rank][before].end);
  }
}

TEST_CASE("blocks of a call may be of different sizes") {
  Workload workload;
  workload.name = "made";
  workload.ranks = 4;
  workload.groups.push_back({"all", "", {0, 1, 2, 3}});
  WorkNode call;
  call.work = WorkKind::collective;
  call.name = "call";
  call.elements = 6;
  for (const Collective collective : {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce}) {
    call.collective = collective;
    call.op = row(collective).reduces ? Op::sum : Op::none;
    workload.nodes.assign(4, {call});
    CAPTURE(name(collective));
    const RunResult result = run_small(workload, {.computing = Computing::none, .steps = 1});
    CHECK(!result.wrong);
  }
}

TEST_CASE("wrong data of a call is found, whichever comes behind it in the same buffers") {
  // Three of one channel. Its first run checks each of them, the other three of one step what the last left; a message whose byte
  // was inverted is none of those, or one of clocks and barriers.
  const Workload workload = alike_calls(Collective::all_gather, 6, 3);
  int found = 0;
  for (int transfer = 0; transfer < 40; ++transfer) {
    const RunResult result =
        run_small(workload, {.computing = Computing::none, .steps = 1},
                  {{"fault", "corrupt"}, {"rank", "0"}, {"transfer", std::to_string(transfer)}, {"seed", "3"}});
    if (result.wrong) ++found;
  }
  CHECK(found == 6);
}

TEST_CASE("a rank that begins the next call of a channel leaves the buffers of those that have not") {
  // A rank checks and fills its buffers while others are ahead of it.
  const RunResult result =
      run_small(alike_calls(Collective::all_reduce, 20'000, 2000), {.computing = Computing::none, .steps = 1});
  CHECK_FALSE(result.wrong);
}

TEST_CASE("calls that are alike share a channel, and all members are in it") {
  const Workload workload =
      small_step("llama3-70b", {.data = 2, .tensor = 2, .pipeline = 2, .micro_batches = 2, .zero = 1, .layers = 4});
  const Matches matches = matches_of(workload);
  const Channels channels = channels_of(workload, matches);
  CHECK(channels.all.size() < matches.all.size());
  for (const Match& match : matches.all) {
    const auto at = [&](const Match::Member& member) {
      return channels.of_node[static_cast<std::size_t>(member.rank)][member.node];
    };
    const int channel = at(match.members.front());
    REQUIRE(channel != no_channel);
    for (std::size_t m = 0; m < match.members.size(); ++m) {
      CHECK(at(match.members[m]) == channel);
      CHECK(channels.all[static_cast<std::size_t>(channel)].ranks[m] == match.members[m].rank);
    }
  }
}
