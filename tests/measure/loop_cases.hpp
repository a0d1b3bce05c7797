// What loop.cpp and loop_failures.cpp share.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>
#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "bench/measure/batch_report.hpp"
#include "bench/measure/loop.hpp"
#include "tests/measure/alone.hpp"
#include "tests/test.hpp"

namespace railgauge::test::loop {

using namespace railgauge;
using namespace railgauge::test;
inline constexpr double reading = 20e-9;  // seconds that the scripted clock takes itself

// One rank's world: its clock moves only when it is read and when operations run.
struct World {
  double now = 100;
  std::string log;                               // R restore, B barrier, C check, digits: sets
  std::function<double(std::uint64_t)> seconds;  // of the n-th operation
  std::uint64_t operations = 0;

  [[nodiscard]] Clock clock() {
    return {[](void* world) { return Seconds{static_cast<World*>(world)->now += reading}; }, this};
  }
};

// Completes at the third test.
class Operation : public Runnable {
 public:
  Operation(World& world, char letter) : world_(world), letter_(letter) {}
  void start() override {
    world_.log += letter_;
    world_.now += letter_ == 'B' ? 5e-6 : world_.seconds(world_.operations++);
    tests_ = 0;
  }
  bool test() override { return ++tests_ >= 3; }

 private:
  World& world_;
  char letter_;
  int tests_ = 0;
};

class Stuck : public Runnable {
 public:
  explicit Stuck(World& world) : world_(world) {}
  void start() override {}
  bool test() override {
    world_.now += 1e-3;
    return false;
  }

 private:
  World& world_;
};

// A subject of `sets` operations in a world.
struct Bench {
  Bench(World& world, std::size_t sets) : barrier(world, 'B') {
    for (std::size_t s = 0; s < sets; ++s) operations.emplace_back(world, static_cast<char>('0' + s));
    for (Operation& operation : operations) runnables.push_back(&operation);
    subject.name = "all_reduce ring";
    subject.sets = runnables;
    subject.barrier = &barrier;
    subject.restore = [&world] { world.log += 'R'; };
    subject.check = [&world]() -> std::optional<Mistake> {
      world.log += 'C';
      return std::nullopt;
    };
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  Operation barrier;
  std::vector<Operation> operations;
  std::vector<Runnable*> runnables;
  MeasuredOperation subject;
};

inline Policy fixed(std::uint64_t iterations) {
  Policy policy;
  policy.iterations = iterations;
  return policy;
}

// Whether the log is this batch, over and over.
inline bool repeats(const std::string& log, const std::string& batch) {
  if (log.empty() || log.size() % batch.size() != 0) return false;
  for (std::size_t i = 0; i < log.size(); ++i)
    if (log[i] != batch[i % batch.size()]) return false;
  return true;
}

inline std::string letters(const std::string& text, std::uint64_t times) {
  std::string all;
  for (std::uint64_t i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace railgauge::test::loop
