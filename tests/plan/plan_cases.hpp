// What plan.cpp and plan_streams.cpp share.
#pragma once

#include <bit>
#include <chrono>
#include <cstring>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/backoff.hpp"
#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/plan/collective_spec.hpp"
#include "bench/plan/stream_plan.hpp"
#include "tests/plan/late_compute.hpp"
#include "tests/plan/reference.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge::plan_cases {

using namespace test;

inline constexpr Seconds deadline{20};

struct Trial {
  CollectiveSpec spec;
  bool mapped = false;
  bool shares_cores = false;
  bool late = false;    // what is computed goes on after the call, as on a GPU
  bool staged = false;  // the transport cannot reach the buffers
  std::uint64_t seed = 1;
};

inline std::string describe(const Trial& trial) {
  const CollectiveSpec& spec = trial.spec;
  return std::string(name(spec.algorithm->collective)) + " " + std::string(spec.algorithm->name) + " ranks " +
         std::to_string(spec.shape.ranks) + " elements " + std::to_string(spec.elements) + " op " + std::string(name(spec.op)) +
         " root " + std::to_string(spec.shape.root) + " lanes " + std::to_string(spec.lanes) +
         (spec.counts.empty() ? "" : " counts given") + (spec.in_place ? " in place" : " apart") +
         (trial.mapped ? " mapped" : " exchange") + (trial.shares_cores ? ", cores shared" : "") + (trial.late ? ", late" : "") +
         (trial.staged ? ", staged" : "") + " seed " + std::to_string(trial.seed);
}

inline void wait_for(Runnable& runnable, const Group& group, const Trial& trial) {
  const auto begin = std::chrono::steady_clock::now();
  runnable.start();
  Backoff backoff;
  for (int spins = 0; !runnable.test(); ++spins)
    if (spins % 4 == 3) {
      group.check();
      backoff.pause();
      if (std::chrono::steady_clock::now() - begin > deadline) throw Error(Fault::lost, "stuck: " + describe(trial));
    }
}

// Runs the trials one after the other on one connected endpoint of this rank, each three times over two buffer sets: several
// times in a row without a barrier where that gives the same.
inline void run_rank(Group& group, const std::string& name, const std::vector<Trial>& trials, std::vector<std::string>& mistakes,
                     std::mutex& mutex) {
  const std::vector<KnownTransport> known = known_transports({});
  const auto transport = find_transport(known, name).table->open({});
  const auto device = make_host_device();
  constexpr std::size_t most_lanes = 3;
  Place place;
  place.lanes.resize(most_lanes);
  const auto endpoint = transport->connect(group, place);
  const Memory memory =
      device->allocate(std::size_t{16} << 20, transport->abilities().shares ? Sharing::processes : Sharing::own);
  endpoint->attach(memory.region());
  MappedSequence sequence(most_lanes, static_cast<std::size_t>(group.size()));
  for (const Trial& trial : trials) {
    CollectiveSpec spec = trial.spec;
    spec.shape.rank = group.rank();
    RankParts parts(spec);
    sequence.share_cores(trial.shares_cores);
    std::unique_ptr<Compute> compute = device->compute(spec.type, spec.op);
    if (trial.late) compute = std::make_unique<LateCompute>(std::move(compute));
    const std::size_t set_bytes = parts.mine().set_bytes(spec.type);
    // Catch2's assertions belong to one thread; this is one of several.
    if (2 * set_bytes > memory.region().bytes) throw std::length_error("the region is too small for " + describe(trial));
    std::vector<std::byte> unreachable(trial.staged ? 2 * set_bytes : 0);
    std::byte* const buffers = trial.staged ? unreachable.data() : memory.region().address;
    std::vector<std::unique_ptr<Runnable>> sets;
    for (std::size_t set = 0; set < 2; ++set) {
      DataPath data_path;
      if (trial.staged) data_path.mirror = memory.region().address + set * set_bytes;
      sets.push_back(trial.mapped ? make_mapped_plan(parts, *endpoint, *compute, sequence, 0, set)
                                  : make_plan(parts, *endpoint, *compute, buffers + set * set_bytes, data_path));
    }
    const Layout& layout = parts.mine().layout;
    for (std::uint64_t run = 0; run < 3; ++run) {
      const auto element = [&](std::size_t set, std::size_t index) {
        return buffers + set * set_bytes + index * sizeof(std::uint32_t);
      };
      for (std::size_t set = 0; set < 2; ++set) {
        std::memset(element(set, 0), 0xa5, set_bytes);
        const Values input = input_of(spec, trial.seed + run * 2 + set, group.rank(), layout.sizes());
        if (layout.sizes().has_input && !input.empty())
          std::memcpy(element(set, layout.input().begin), input.data(), input.size() * sizeof(std::uint32_t));
      }
      // What was not copied into the mirror is wrong.
      if (trial.staged) std::memset(memory.region().address, 0x5a, 2 * set_bytes);
      group.barrier();
      for (int repetition = 0; repetition < (spec.in_place ? 1 : 4); ++repetition)
        for (const auto& plan : sets) wait_for(*plan, group, trial);
      group.barrier();
      for (std::size_t set = 0; set < 2; ++set) {
        const Values expected = expected_output(spec, trial.seed + run * 2 + set, parts.mine().schedule.blocks);
        if (!expected.empty() && std::memcmp(element(set, layout.output().begin), expected.data(), expected.size() * 4) != 0) {
          const std::scoped_lock lock(mutex);
          mistakes.push_back("rank " + std::to_string(group.rank()) + " run " + std::to_string(run) + ": " + describe(trial));
        }
      }
      group.barrier();
    }
  }
}

inline void run_all(int ranks, const std::vector<Trial>& trials, const std::string& transport = "memory") {
  std::vector<std::string> mistakes;
  std::mutex mutex;
  const auto errors = run_as_threads(ranks, deadline, [&](Group& group) { run_rank(group, transport, trials, mistakes, mutex); });
  for (std::size_t rank = 0; rank < errors.size(); ++rank) {
    if (!errors[rank]) continue;
    try {
      std::rethrow_exception(errors[rank]);
    } catch (const std::exception& error) { mistakes.push_back("rank " + std::to_string(rank) + " threw: " + error.what()); }
  }
  std::string text;
  for (const std::string& mistake : mistakes) text += mistake + "\n";
  INFO(text);
  CHECK(mistakes.empty());
}

inline std::vector<Trial> trials_for(int ranks, bool mapped, const std::vector<std::uint64_t>& sizes, std::size_t lanes) {
  std::vector<Trial> trials;
  std::uint64_t seed = static_cast<std::uint64_t>(ranks) * 1000;
  for (const Algorithm& algorithm : catalog()) {
    for (const int ranks_per_node : {1, 2, 3}) {
      Shape shape{ranks, 0, ranks > 1 ? ranks / 2 : 0, ranks_per_node};
      if (ranks_per_node != 1 && algorithm.name != "hierarchical") continue;
      if (!algorithm.refusal(shape).empty()) continue;
      for (const std::uint64_t elements : sizes)
        for (const bool in_place : {false, true}) {
          if (in_place && !algorithm.in_place) continue;
          Trial trial;
          trial.mapped = mapped;
          trial.seed = seed++;
          trial.shares_cores = std::popcount(trial.seed) % 2 == 1;  // evenly, beside all that alternates
          trial.spec.algorithm = &algorithm;
          trial.spec.type = Type::uint32;
          trial.spec.op = row(algorithm.collective).reduces ? Op::sum : Op::none;
          trial.spec.shape = shape;
          const auto parts = static_cast<std::uint64_t>(ranks);
          const std::uint64_t whole = algorithm.equal_blocks ? (elements + parts - 1) / parts * parts : elements;
          trial.spec.elements = used_elements(algorithm.collective, ranks, whole);
          trial.spec.lanes = lanes;
          trial.spec.in_place = in_place;
          trials.push_back(trial);
          if (algorithm.collective != Collective::all_to_all_v) continue;
          // The same with counts that are given: many of them 0.
          trial.seed = seed++;
          std::mt19937_64 draw(trial.seed);
          trial.spec.counts.resize(parts * parts);
          for (std::uint64_t& count : trial.spec.counts) count = draw() % 2 == 0 ? 0 : draw() % (elements + 1);
          trial.spec.elements = elements_of(trial.spec.counts, ranks);
          trials.push_back(trial);
        }
    }
  }
  return trials;
}

// Races and accesses beyond an end show at these too: sanitizers make all of it up to twenty times as slow.
const std::vector<int> some_ranks = test::sanitized ? std::vector{1, 2, 3, 5, 8} : std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9};
const std::vector<std::uint64_t> some_counts =
    test::sanitized ? std::vector<std::uint64_t>{0, 1, 131} : std::vector<std::uint64_t>{0, 1, 5, 37, 128, 1031};

}  // namespace railgauge::plan_cases
