// A plan over mapped peers whose flags lie in memory of a device: the device runs the steps itself, and the host only enqueues
// runs in its stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/device/steps.hpp"
#include "bench/plan/graph_plan.hpp"
#include "bench/plan/mapped.hpp"

namespace railgauge {

// The lanes of this rank with their flags resolved, and joins where blocks of one lane must wait for each other. What a rank
// counts for itself of a pair lies behind the word of its own table in which that peer says what it has taken. Throws
// Error(usage) when the mapping has too few flags.
[[nodiscard]] StepProgram resolve_steps(const std::vector<MappedLane>& lanes, const Mapping& mapping, std::int32_t rank,
                                        const MappedSequence& sequence);

// "LL" where all messages are packets, "Simple" where none is, "LL, Simple"; empty where there are none. The names are NCCL's.
[[nodiscard]] std::string protocol_of(const StepProgram& program);

class DevicePlan final : public Runnable, public Recordable {
 public:
  // `compute` outlives the plan.
  DevicePlan(std::unique_ptr<StepRunner> runner, std::string protocol, Compute& compute)
      : runner_(std::move(runner)), protocol_(std::move(protocol)), compute_(compute) {}
  [[nodiscard]] const std::string& protocol() const { return protocol_; }
  [[nodiscard]] std::uint32_t multiprocessors() const { return runner_->multiprocessors(); }
  void start() override {
    put_all();
    end_ = compute_.mark();
  }
  bool test() override {
    if (!compute_.reached(end_)) return false;
    runner_->check();
    return true;
  }
  // How far each pair has come is counted in the device's memory, so a run that is replayed is like any other.
  void put_all() override { runner_->enqueue(); }
  bool begin() override {
    put_all();
    return true;
  }
  void look() override { runner_->check(); }

 private:
  std::unique_ptr<StepRunner> runner_;
  std::string protocol_;
  Compute& compute_;
  std::uint64_t end_ = 0;
};

}  // namespace railgauge
