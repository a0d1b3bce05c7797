// Runs one point: makes its plans, measures them, checks their data, and reads ports, energy and clocks before and after.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "bench/measure/fixed.hpp"
#include "bench/measure/loop.hpp"
#include "bench/session/clocks.hpp"
#include "bench/session/connection.hpp"
#include "bench/session/plan_factory.hpp"
#include "bench/watch/watches.hpp"
#include "reports/result.hpp"

namespace railgauge {

// The measurement of a point, and its buffer sets.
struct MeasuredPoint {
  Measurement measurement;
  std::optional<FixedMeasurement> fixed;  // in its place
  BufferSets sets;
  Watched watched;
  std::optional<LibraryChoice> library;
  std::optional<KernelUse> kernel;
};

struct RunOptions {
  bool keep_ranks = false;  // the times of each rank
  bool watched = true;      // ports, energy and clocks are read before and after it
};

class PointRunner {
 public:
  // Collective. All arguments must outlive it.
  PointRunner(Connection& connection, PlanFactory& factory, const SessionOptions& options);

  // Collective. Throws Error(lost) when a rank is lost.
  [[nodiscard]] MeasuredPoint run(const Point& point, const Policy& policy, const RunOptions& how);

  // The ranks' clocks; null where a rank is alone, or the run is fixed.
  [[nodiscard]] const std::vector<ClockLine>* lines() const { return clocks_ ? &clocks_->lines() : nullptr; }

 private:
  [[nodiscard]] std::uint64_t sent_by_ports(const RankPart& mine) const;
  [[nodiscard]] LibraryChoice choice_of(CollectiveRunnable& native, const MeasuredOperation& operation) const;

  Connection& connection_;
  PlanFactory& factory_;
  const SessionOptions& options_;
  std::uint64_t seed_ = 1;
  std::unique_ptr<QueueClock> queue_clock_;  // null where plans are not in the device's stream
  Watches watches_;
  std::unique_ptr<Clocks> clocks_;
};

}  // namespace railgauge
