// What the verifier lets through must run right: mutants of the schedules under a scheduler that one seed decides.
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/plan/collective_spec.hpp"
#include "tests/plan/reference.hpp"
#include "tests/schedule/mutate.hpp"
#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge {
namespace {

using namespace test;

constexpr std::uint64_t mutants_seed = 20240607;  // the one of docs/schedules.md
const std::size_t mutants_made = usual_or_thorough(800U, 2000U);
constexpr std::size_t all_turns = 100;  // by each kind of plan; further sizes and ops, which change little, have fewer
constexpr std::size_t fewer_turns = 25;
constexpr std::size_t most_picks = 1'000'000;  // of one turn; some thousands are enough for any schedule that ends
constexpr Seconds deadline{60};

// Decides who goes next. The standard's distributions differ between libraries, so there are none.
class Scheduler {
 public:
  explicit Scheduler(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  bool coin() { return below(2) == 0; }

 private:
  std::mt19937_64 random_;
};

// Passes on what it is asked for when the scheduler likes, so that a rank can stand still between any two of its actions: before
// a round is posted, while it is in flight, and between the arrival of its messages and its locals.
class HesitantExchange final : public Exchange {
 public:
  HesitantExchange(std::unique_ptr<Exchange> inner, Scheduler& scheduler) : inner_(std::move(inner)), scheduler_(scheduler) {}
  void post(std::size_t) override { posted_ = false; }
  bool test(std::size_t round) override {
    if (scheduler_.coin()) return false;
    if (!posted_) inner_->post(round);
    posted_ = true;
    if (scheduler_.coin()) return false;
    return inner_->test(round) && scheduler_.coin();
  }

 private:
  std::unique_ptr<Exchange> inner_;
  Scheduler& scheduler_;
  bool posted_ = false;
};

class HesitantEndpoint final : public Endpoint {
 public:
  // Without `credits` nobody waits until a target is free, which is wrong and shows whether the scheduler finds out.
  HesitantEndpoint(Endpoint& inner, Scheduler& scheduler, bool credits)
      : inner_(inner), scheduler_(scheduler), credits_(credits) {}
  void attach(const Region& region) override { inner_.attach(region); }
  std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override {
    if (!credits_)
      for (std::vector<Message>& round : rounds)
        for (Message& message : round) message.elided = true;
    return std::make_unique<HesitantExchange>(inner_.prepare(lane, std::move(rounds)), scheduler_);
  }
  const Mapping* mapping() const override { return inner_.mapping(); }

 private:
  Endpoint& inner_;
  Scheduler& scheduler_;
  bool credits_;
};

struct Trial {
  const Mutant* mutant = nullptr;
  CollectiveSpec spec;
  bool mapped = false;
  bool credits = true;
  std::uint64_t seed = 1;
  std::size_t turns = all_turns;
};

std::string describe(const Trial& trial) {
  const CollectiveSpec& spec = trial.spec;
  return std::string(name(spec.algorithm->collective)) + " " + std::string(spec.algorithm->name) + ", " +
         std::to_string(spec.shape.ranks) + " ranks, root " + std::to_string(spec.shape.root) + ", " +
         std::to_string(spec.elements) + " elements, " + std::string(name(spec.op)) + (spec.in_place ? ", in place" : ", apart") +
         (trial.mapped ? ", mapped" : ", exchange") + ", seed " + std::to_string(trial.seed) + ", which " + trial.mutant->what;
}

constexpr std::size_t sets = 2;

// One rank of the trial in progress: made by the rank's thread, run by the thread of rank 0.
struct Stage {
  std::unique_ptr<RankParts> parts;
  std::unique_ptr<Compute> compute;
  std::vector<std::unique_ptr<Runnable>> plans;  // one a buffer set
  std::byte* memory = nullptr;
  std::size_t set_bytes = 0;
  std::byte* element(std::size_t set, std::size_t index) const { return memory + set * set_bytes + index * 4; }
};

void fill_input(const Stage& stage, std::size_t set, std::uint64_t seed) {
  const Layout& layout = stage.parts->mine().layout;
  const CollectiveSpec& spec = stage.parts->spec();
  const Values input = input_of(spec, seed, spec.shape.rank, layout.sizes());
  if (layout.sizes().has_input && !input.empty())
    std::memcpy(stage.element(set, layout.input().begin), input.data(), input.size() * 4);
}

bool right(const Stage& stage, std::size_t set, std::uint64_t seed) {
  const RankPart& part = stage.parts->mine();
  const Values expected = expected_output(stage.parts->spec(), seed, part.schedule.blocks);
  return expected.empty() ||
         std::memcmp(stage.element(set, part.layout.output().begin), expected.data(), expected.size() * 4) == 0;
}

// The data of each run of a turn: run r is on buffer set r % sets.
std::uint64_t seed_of(const Trial& trial, std::size_t turn, std::size_t run) { return trial.seed * 1000 + turn * 4 + run; }

// Each rank does its runs one after the other, and waits for nobody else in between. Ranks are of different speed, so that some
// are far ahead of others. Throws Error(lost) when they never end.
void run_turn(const Trial& trial, std::vector<Stage>& stages, std::size_t turn, std::size_t runs, Scheduler& scheduler) {
  struct Progress {
    std::size_t rank = 0, weight = 1, run = 0;
    bool started = false;
  };
  std::vector<Progress> active;
  for (std::size_t rank = 0; rank < stages.size(); ++rank)
    active.push_back({rank, std::size_t{1} << 2 * scheduler.below(4), 0, false});
  for (std::size_t picks = 0; !active.empty(); ++picks) {
    if (picks == most_picks) throw Error(Fault::lost, "never ends: " + describe(trial));
    std::size_t all = 0;
    for (const Progress& one : active) all += one.weight;
    std::size_t place = scheduler.below(all), pick = 0;
    while (place >= active[pick].weight) place -= active[pick++].weight;
    Progress& chosen = active[pick];
    const Stage& stage = stages[chosen.rank];
    Runnable& plan = *stage.plans[chosen.run % sets];
    if (!std::exchange(chosen.started, true)) {
      // Peers write to no input, so a rank may change its own without a barrier.
      if (chosen.run >= sets) fill_input(stage, chosen.run % sets, seed_of(trial, turn, chosen.run));
      plan.start();
    } else if (plan.test()) {
      chosen.started = false;
      if (++chosen.run == runs) active.erase(active.begin() + static_cast<std::ptrdiff_t>(pick));
    }
  }
}

// Empty when all turns are right.
std::string run_trial(const Trial& trial, std::vector<Stage>& stages, Scheduler& scheduler) {
  scheduler = Scheduler(trial.seed);
  for (std::size_t turn = 0; turn < trial.turns; ++turn) {
    for (const Stage& stage : stages)
      for (std::size_t set = 0; set < sets; ++set) {
        std::memset(stage.element(set, 0), 0xa5, stage.set_bytes);
        fill_input(stage, set, seed_of(trial, turn, set));
      }
    // In place, a second run would take the first one's output for its input.
    const std::size_t runs = trial.spec.in_place ? sets : sets * (1 + scheduler.below(2));
    run_turn(trial, stages, turn, runs, scheduler);
    for (std::size_t rank = 0; rank < stages.size(); ++rank)
      for (std::size_t run = runs - sets; run < runs; ++run)
        if (!right(stages[rank], run % sets, seed_of(trial, turn, run)))
          return "turn " + std::to_string(turn) + ", rank " + std::to_string(rank) + " is wrong: " + describe(trial);
  }
  return {};
}

// Makes this rank's plans of each trial; rank 0's thread then runs those of all ranks. One sentence for each trial, empty where
// nothing is wrong with it.
void run_rank(Group& group, const std::vector<Trial>& trials, std::vector<Stage>& stages, Scheduler& scheduler,
              std::vector<std::string>& mistakes) {
  const std::vector<KnownTransport> known = known_transports({});
  const auto transport = find_transport(known, "memory").table->open({});
  const auto device = make_host_device();
  const auto connected = transport->connect(group, Place{});
  const Memory memory = device->allocate(std::size_t{4} << 20, Sharing::own);
  connected->attach(memory.region());
  MappedSequence sequence(1, stages.size());
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const Trial& trial = trials[t];
    HesitantEndpoint endpoint(*connected, scheduler, trial.credits);
    CollectiveSpec spec = trial.spec;
    spec.shape.rank = group.rank();
    Stage stage;
    stage.parts = std::make_unique<RankParts>(
        spec, [&](const Shape& shape) { return trial.mutant->schedules[static_cast<std::size_t>(shape.rank)]; });
    stage.compute = device->compute(spec.type, spec.op);
    stage.memory = memory.region().address;
    stage.set_bytes = stage.parts->mine().set_bytes(spec.type);
    if (sets * stage.set_bytes > memory.region().bytes) throw Error(Fault::usage, "more memory is needed: " + describe(trial));
    for (std::size_t set = 0; set < sets; ++set)
      stage.plans.push_back(trial.mapped ? make_mapped_plan(*stage.parts, endpoint, *stage.compute, sequence, 0, set)
                                         : make_plan(*stage.parts, endpoint, *stage.compute, stage.element(set, 0)));
    stages[static_cast<std::size_t>(group.rank())] = std::move(stage);
    group.barrier();
    if (group.rank() == 0) mistakes[t] = run_trial(trial, stages, scheduler);
    group.barrier();
    stages[static_cast<std::size_t>(group.rank())] = {};
  }
}

std::vector<std::string> run_all(int ranks, const std::vector<Trial>& trials) {
  std::vector<std::string> mistakes(trials.size());
  std::vector<Stage> stages(static_cast<std::size_t>(ranks));
  Scheduler scheduler(0);
  const auto errors =
      run_as_threads(ranks, deadline, [&](Group& group) { run_rank(group, trials, stages, scheduler, mistakes); });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return mistakes;
}

Trial make_trial(const Mutant& mutant, Op op, std::uint64_t elements, bool mapped, std::uint64_t seed) {
  Trial trial;
  trial.mutant = &mutant;
  trial.mapped = mapped;
  trial.seed = seed;
  trial.spec.algorithm = mutant.algorithm;
  trial.spec.type = Type::uint32;
  trial.spec.op = op;
  trial.spec.shape = mutant.shape;
  const auto ranks = static_cast<std::uint64_t>(mutant.shape.ranks);
  const std::uint64_t whole = mutant.algorithm->equal_blocks ? (elements + ranks - 1) / ranks * ranks : elements;
  trial.spec.elements = used_elements(mutant.algorithm->collective, mutant.shape.ranks, whole);
  trial.spec.in_place = mutant.in_place;
  return trial;
}

// By both kinds of plan, with each op in which schedules matter differently.
void add_trials(std::map<int, std::vector<Trial>>& trials, const Mutant& mutant, const std::vector<std::uint64_t>& sizes) {
  std::vector<Trial>& its = trials[mutant.shape.ranks];
  const bool reduces = row(mutant.algorithm->collective).reduces;
  for (const Op op : reduces ? std::vector{Op::sum, Op::premulsum, Op::avg} : std::vector{Op::none})
    for (const std::uint64_t elements : sizes)
      for (const bool mapped : {false, true}) {
        const std::uint64_t seed = static_cast<std::uint64_t>(mutant.shape.ranks) * 100'000 + its.size();
        its.push_back(make_trial(mutant, op, elements, mapped, seed));
        if (elements != sizes.front() || (reduces && op != Op::sum)) its.back().turns = fewer_turns;
      }
}

TEST_CASE("what the verifier lets through runs right") {
  const std::vector<Mutant> made = mutants(mutants_seed, mutants_made);
  std::map<int, std::vector<Trial>> trials;
  std::size_t survivors = 0, runs = 0;
  for (const Mutant& mutant : made) {
    if (!verify(mutant).empty()) continue;
    ++survivors;
    add_trials(trials, mutant, {131, 5});
  }
  std::string mistakes;
  for (const auto& [ranks, its_trials] : trials) {
    for (const std::string& mistake : run_all(ranks, its_trials))
      if (!mistake.empty()) mistakes += mistake + "\n";
    for (const Trial& trial : its_trials) runs += trial.turns;
  }
  std::printf("%zu survivors of %zu mutants, %zu turns\n", survivors, made.size(), runs);
  INFO("seed " << mutants_seed << "\n" << mistakes);
  CHECK(survivors > mutants_made / 40);
  CHECK(mistakes.empty());
}

TEST_CASE("what the verifier catches runs wrong when a local is missing") {
  const std::vector<Mutant> made = mutants(mutants_seed, 300);
  std::map<int, std::vector<Trial>> trials;
  for (const Mutant& mutant : made)
    if (mutant.mutation == Mutation::drop_local) add_trials(trials, mutant, {1031});
  std::string unnoticed;
  for (const auto& [ranks, its_trials] : trials) {
    const std::vector<std::string> mistakes = run_all(ranks, its_trials);
    for (std::size_t t = 0; t < mistakes.size(); ++t)
      if (mistakes[t].empty()) unnoticed += describe(its_trials[t]) + "\n";
  }
  INFO("seed " << mutants_seed << "\n" << unnoticed);
  CHECK(trials.size() > 3);
  CHECK(unnoticed.empty());
}

// Those do that use a scratch slot twice in one run.
TEST_CASE("schedules run wrong without credits") {
  std::vector<Mutant> whole;  // nothing is changed in them
  for (const Algorithm& algorithm : catalog()) {
    Mutant unchanged;
    unchanged.algorithm = &algorithm;
    unchanged.shape = {8, 0, 0, 2};
    unchanged.schedules = build_all(algorithm, unchanged.shape);
    unchanged.what = "is unchanged";
    whole.push_back(std::move(unchanged));
  }
  std::vector<Trial> trials;
  for (const Mutant& one : whole) {
    trials.push_back(make_trial(one, row(one.algorithm->collective).reduces ? Op::sum : Op::none, 131, false, trials.size()));
    trials.back().credits = false;
    trials.back().turns = fewer_turns;
  }
  std::size_t wrong = 0;
  for (const std::string& mistake : run_all(8, trials)) wrong += mistake.empty() ? 0 : 1;
  std::printf("%zu of %zu schedules run wrong without credits\n", wrong, trials.size());
  CHECK(wrong > 4);
}

}  // namespace
}  // namespace railgauge
