// Makes the plans of a point, one for each buffer set; chooses the data path once.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/plan/collective_spec.hpp"
#include "bench/plan/native.hpp"
#include "bench/session/connection.hpp"
#include "reports/result.hpp"

namespace railgauge {

// The plans of one point. Must be destroyed before the factory.
struct PointPlans {
  std::unique_ptr<Compute> compute;
  std::unique_ptr<LaneQueues> queues;            // null where lanes have no streams of their own
  std::vector<std::unique_ptr<Runnable>> plans;  // one for each buffer set
  CollectiveRunnable* native = nullptr;          // the last of them where they are the library's
  std::optional<KernelUse> kernel;               // where they run on a device
};

class PlanFactory {
 public:
  // The connection and the options must outlive it.
  PlanFactory(Connection& connection, const SessionOptions& options);

  // Collective. `parts` are of the point's spec.
  [[nodiscard]] PointPlans make(RankParts& parts, const CollectiveSpec& spec, std::size_t sets);
  // Collective: a barrier over the transport itself, owned by the factory.
  [[nodiscard]] Runnable& barrier();

  // As Case::path has it.
  [[nodiscard]] std::string_view path_of(const Algorithm& algorithm) const;

 private:
  [[nodiscard]] Seconds launch(Compute& compute);

  Connection& connection_;
  const SessionOptions& options_;
  MappedSequence sequence_;
  std::unique_ptr<Compute> barrier_compute_;
  std::unique_ptr<Runnable> barrier_;
  std::optional<Seconds> launch_;  // as KernelUse, once it was measured
};

}  // namespace railgauge
