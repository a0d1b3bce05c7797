// What walk.cpp and walk_failures.cpp share.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/plan/collective_spec.hpp"
#include "bench/plan/device_plan.hpp"
#include "tests/plan/drawn_blocks.hpp"
#include "tests/plan/host_blocks.hpp"
#include "tests/plan/late_compute.hpp"
#include "tests/plan/reference.hpp"
#include "tests/test.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge::walk_cases {

using namespace test;

inline constexpr Seconds deadline{40};

struct Trial {
  CollectiveSpec spec;
  BlockShape shape;
  bool carries_more = false;
  std::uint64_t seed = 1;
};

inline std::string describe(const Trial& trial) {
  const CollectiveSpec& spec = trial.spec;
  return std::string(name(spec.algorithm->collective)) + " " + std::string(spec.algorithm->name) + " ranks " +
         std::to_string(spec.shape.ranks) + " elements " + std::to_string(spec.elements) + " op " + std::string(name(spec.op)) +
         " root " + std::to_string(spec.shape.root) + " lanes " + std::to_string(spec.lanes) +
         (spec.in_place ? " in place" : " apart") + (trial.carries_more ? ", carries more" : "") + ", " +
         std::to_string(trial.shape.blocks) + " blocks of " + std::to_string(trial.shape.threads) + " threads, seed " +
         std::to_string(trial.seed);
}

// The memory transport's mapping, as if it were memory of a device.
class OnDevice final : public Endpoint {
 public:
  explicit OnDevice(std::unique_ptr<Endpoint> inner) : inner_(std::move(inner)) {}
  void attach(const Region& region) override {
    inner_->attach(region);
    mapping_ = *inner_->mapping();
    mapping_.on_device = true;
  }
  std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override {
    return inner_->prepare(lane, std::move(rounds));
  }
  const Mapping* mapping() const override { return &mapping_; }

 private:
  std::unique_ptr<Endpoint> inner_;
  Mapping mapping_;
};

// A device whose stream runs steps by blocks of threads.
class BlockCompute final : public Compute {
 public:
  BlockCompute(Type type, Op op, const BlockShape& shape) : type_(type), op_(op), shape_(shape) {}
  void copy(ConstBytes from, Bytes to) override { host_->copy(from, to); }
  void reduce(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale) override {
    host_->reduce(sources, targets, scale);
  }
  [[nodiscard]] void* stream() const override { return stream_.get(); }
  [[nodiscard]] std::uint64_t mark() override { return stream_->mark(); }
  [[nodiscard]] bool reached(std::uint64_t mark) override { return stream_->reached(mark); }
  [[nodiscard]] std::unique_ptr<StepRunner> prepare_steps(const StepProgram& program) override {
    const auto steps =
        std::make_shared<HostSteps>(program, device_->compute(type_, op_), bytes_of(type_), shape_,
                                    [](const std::byte* address, std::size_t) { return const_cast<std::byte*>(address); });
    return std::make_unique<HostStepRunner>(steps, stream_);
  }

 private:
  Type type_;
  Op op_;
  BlockShape shape_;
  std::unique_ptr<Device> device_ = make_host_device();
  std::unique_ptr<Compute> host_ = device_->compute(type_, op_);
  std::shared_ptr<LateStream> stream_ = std::make_shared<LateStream>();
};

inline void wait_for(Runnable& runnable, const Group& group, const Trial& trial) {
  const auto begin = std::chrono::steady_clock::now();
  for (unsigned look = 1; !runnable.test(); ++look) {
    group.check();
    rest(look);
    if (std::chrono::steady_clock::now() - begin > deadline) throw Error(Fault::lost, "stuck: " + describe(trial));
  }
}

struct Connection {
  Connection(Group& group, std::size_t lanes)
      : transport(find_transport(known_transports({}), "memory").table->open({})),
        memory(device->allocate(std::size_t{4} << 20, Sharing::own)),
        sequence(lanes, static_cast<std::size_t>(group.size())) {
    Place place;
    place.lanes.resize(lanes);
    endpoint = std::make_unique<OnDevice>(transport->connect(group, place));
    endpoint->attach(memory.region());
  }
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Device> device = make_host_device();
  Memory memory;
  std::unique_ptr<Endpoint> endpoint;
  MappedSequence sequence;
};

inline constexpr std::size_t most_lanes = 3;

// Runs the trials one after the other on one endpoint: each twice over two buffer sets, whose runs are in the stream together.
inline void run_rank(Group& group, const std::vector<Trial>& trials, std::vector<std::string>& mistakes, std::mutex& mutex) {
  Connection connection(group, most_lanes);
  std::byte* const buffers = connection.memory.region().address;
  for (const Trial& trial : trials) {
    CollectiveSpec spec = trial.spec;
    spec.shape.rank = group.rank();
    RankParts parts(spec);
    connection.sequence.share_cores(trial.carries_more);
    BlockShape shape = trial.shape;
    shape.seed = trial.seed * 64 + static_cast<std::uint64_t>(group.rank());
    BlockCompute compute(spec.type, spec.op, shape);
    const std::size_t set_bytes = parts.mine().set_bytes(spec.type);
    if (2 * set_bytes > connection.memory.region().bytes)
      throw std::length_error("the region is too small for " + describe(trial));
    std::vector<std::unique_ptr<Runnable>> sets;
    for (std::size_t set = 0; set < 2; ++set)
      sets.push_back(make_mapped_plan(parts, *connection.endpoint, compute, connection.sequence, 0, set));
    const Layout& layout = parts.mine().layout;
    const auto element = [&](std::size_t set, std::size_t index) {
      return buffers + set * set_bytes + index * sizeof(std::uint32_t);
    };
    for (std::uint64_t run = 0; run < 2; ++run) {
      for (std::size_t set = 0; set < 2; ++set) {
        std::memset(element(set, 0), 0xa5, set_bytes);
        const Values input = input_of(spec, trial.seed + run * 2 + set, group.rank(), layout.sizes());
        if (layout.sizes().has_input && !input.empty())
          std::memcpy(element(set, layout.input().begin), input.data(), input.size() * sizeof(std::uint32_t));
      }
      group.barrier();
      for (int repetition = 0; repetition < (spec.in_place ? 1 : 3); ++repetition)
        for (const auto& plan : sets) plan->start();
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

inline void run_all(int ranks, const std::vector<Trial>& trials) {
  std::vector<std::string> mistakes;
  std::mutex mutex;
  const auto errors = run_as_threads(ranks, deadline, [&](Group& group) { run_rank(group, trials, mistakes, mutex); });
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

inline std::vector<Trial> trials_for(int ranks, const std::vector<std::uint64_t>& sizes, std::size_t lanes,
                                     const std::vector<Op>& ops) {
  constexpr BlockShape shapes[] = {{1, 1}, {3, 1}, {2, 2}, {1, 3}, {4, 1}};
  std::vector<Trial> trials;
  std::uint64_t seed = static_cast<std::uint64_t>(ranks) * 1000 + lanes;
  for (const Algorithm& algorithm : catalog()) {
    Shape shape{ranks, 0, ranks > 1 ? ranks / 2 : 0, algorithm.name == "hierarchical" ? 2 : 1};
    if (!algorithm.refusal(shape).empty()) continue;
    for (const Op op : ops)
      for (const std::uint64_t elements : sizes)
        for (const bool in_place : {false, true}) {
          if (in_place && !algorithm.in_place) continue;
          if (op != Op::sum && !row(algorithm.collective).reduces) continue;
          Trial trial;
          trial.seed = seed++;
          trial.shape = shapes[(trial.seed * 2654435761U >> 7) % std::size(shapes)];
          trial.carries_more = std::popcount(trial.seed) % 2 == 1;
          trial.spec.algorithm = &algorithm;
          trial.spec.type = Type::uint32;
          trial.spec.op = row(algorithm.collective).reduces ? op : Op::none;
          trial.spec.shape = shape;
          const auto parts = static_cast<std::uint64_t>(ranks);
          const std::uint64_t whole = algorithm.equal_blocks ? (elements + parts - 1) / parts * parts : elements;
          trial.spec.elements = used_elements(algorithm.collective, ranks, whole);
          trial.spec.lanes = lanes;
          trial.spec.in_place = in_place;
          trials.push_back(trial);
        }
  }
  return trials;
}

}  // namespace railgauge::walk_cases
