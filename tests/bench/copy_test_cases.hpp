// What copy_test.cpp and copy_measure_test.cpp share.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>
#include "base/error.hpp"
#include "bench/copy/matrices.hpp"
#include "bench/copy/measure.hpp"
#include "bench/device/chase.hpp"
#include "bench/device/copy_pattern.hpp"
#include "bench/device/host/numa.hpp"
#include "bench/launch/thread_group.hpp"
#include "tests/test.hpp"

namespace railgauge::test::copy_cases {

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::WithinAbs;
// A device whose copies take 1 ms on its own clock, and break as they are told to.
struct Script {
  std::vector<CopyOrder> orders;
  std::vector<ChaseOrder> chases;
  std::string refusal;
  bool staged = false, clock = true, corrupt = false;
  int starts = 0;
};
inline Script script;

class ScriptedCopy final : public CopyJob {
 public:
  explicit ScriptedCopy(const CopyOrder& order) : order_(order), source_(order.bytes), target_(order.bytes) {
    copy_pattern::fill(source_, copy_pattern::seed_of(false), copy_pattern::right);
  }
  void start() override { ++script.starts; }
  bool test() override {
    target_ = source_;
    if (script.corrupt) target_[order_.bytes - 1] ^= std::byte{1};
    return true;
  }
  void restore() override { copy_pattern::fill(target_, copy_pattern::seed_of(false), copy_pattern::spoilt); }
  [[nodiscard]] std::optional<CopyMistake> check() override {
    auto mistake = copy_pattern::compare(target_, copy_pattern::seed_of(false));
    if (mistake) mistake->back = order_.both_ways;
    return mistake;
  }
  [[nodiscard]] std::optional<Seconds> device_time() override {
    return script.clock ? std::optional(Seconds{1e-3}) : std::nullopt;
  }

 private:
  CopyOrder order_;
  std::vector<std::byte> source_, target_;
};

// A walk whose steps take 500 ns on its device's clock.
class ScriptedChase final : public ChaseJob {
 public:
  explicit ScriptedChase(const ChaseOrder& order) : order_(order) {}
  void start() override { ++script.starts; }
  bool test() override { return true; }
  [[nodiscard]] std::optional<ChaseMistake> check() override {
    return script.corrupt ? std::optional(ChaseMistake{512, 768}) : std::nullopt;
  }
  [[nodiscard]] std::optional<Seconds> device_time() override {
    return script.clock ? std::optional(Seconds{500e-9 * static_cast<double>(order_.steps)}) : std::nullopt;
  }

 private:
  ChaseOrder order_;
};

inline std::unique_ptr<ChaseJob> chase_scripted(const ChaseOrder& order) {
  if (!script.refusal.empty()) throw Error(Fault::usage, script.refusal);
  script.chases.push_back(order);
  return std::make_unique<ScriptedChase>(order);
}

inline MadeCopy make_scripted(const CopyOrder& order) {
  if (!script.refusal.empty()) throw Error(Fault::usage, script.refusal);
  script.orders.push_back(order);
  return {std::make_unique<ScriptedCopy>(order), script.staged};
}

inline const CopyTable gpus{.name = "cuda",
                            .movers = {CopyMover::engine, CopyMover::kernel},
                            .memories = nullptr,
                            .make = make_scripted,
                            .chase = chase_scripted};

// Two NUMA nodes with GPUs 0 and 1 at the first and 2 at the second.
inline CopyPlaces places_of_a_machine() {
  CopyPlaces found;
  const int first = host::numa_nodes().front().number;
  for (int node = 0; node < 2; ++node)
    found.places.push_back(
        {{.name = "numa" + std::to_string(node), .summary = {}, .keys = {}, .node = first + node, .cache_bytes = 100},
         &host_copies(),
         -1});
  for (int gpu = 0; gpu < 3; ++gpu)
    found.places.push_back({{.name = "cuda:" + std::to_string(gpu),
                             .summary = "GPU " + std::to_string(gpu),
                             .keys = {},
                             .node = first + gpu / 2,
                             .cache_bytes = 2000},
                            &gpus,
                            gpu});
  return found;
}

inline std::string cells_of(const CopyPlaces& found, const CopyMatrix& matrix) {
  std::string text = matrix.way + " " + matrix.memory + ":";
  for (const CopyCell& cell : matrix.cells)
    text += " " + found.places[cell.from].memory.name + ">" + found.places[cell.to].memory.name;
  return text;
}

inline std::vector<std::string> texts_of(const CopyOptions& options, const CopyPlaces& found = places_of_a_machine()) {
  std::vector<std::string> texts;
  for (const CopyMatrix& matrix : copy_matrices(options, found)) texts.push_back(cells_of(found, matrix));
  return texts;
}

inline CopyOptions options(void (*change)(CopyOptions&)) {
  CopyOptions its;
  change(its);
  return its;
}

// One cell, measured alone.
inline Result measured(const CopyMatrix& matrix, const CopyCell& cell, const Policy& policy) {
  Result result;
  const CopyPlaces found = places_of_a_machine();
  const auto failures =
      run_as_threads(1, Seconds{10}, [&](Group& group) { result = measure_copy(group, found, matrix, cell, policy); });
  if (failures.front()) std::rethrow_exception(failures.front());
  return result;
}

inline CopyMatrix matrix_of(std::uint64_t bytes) {
  return {.table = &gpus,
          .mover = CopyMover::engine,
          .reads = true,
          .both_ways = false,
          .chase = false,
          .bytes = bytes,
          .way = "engine_read",
          .memory = "cuda",
          .cells = {}};
}

inline Policy policy_of(std::uint64_t iterations) {
  Policy policy;
  policy.iterations = iterations;
  return policy;
}

}  // namespace railgauge::test::copy_cases
