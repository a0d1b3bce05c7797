// Notes a plan, and replays it.
#include "bench/plan/graph_plan.hpp"

#include <utility>

#include "base/error.hpp"

namespace railgauge {
namespace {

class GraphPlan final : public Runnable, public Queued {
 public:
  GraphPlan(std::unique_ptr<Runnable> plan, Recordable& its, std::unique_ptr<Recording> recording, Compute& compute)
      : plan_(std::move(plan)), its_(its), recording_(std::move(recording)), compute_(compute) {}
  void start() override {
    recording_->replay();
    end_ = compute_.mark();
  }
  bool begin() override {
    recording_->replay();
    return true;
  }
  void look() override { its_.look(); }
  bool test() override {
    const bool over = compute_.reached(end_);
    its_.look();
    return over;
  }

 private:
  std::unique_ptr<Runnable> plan_;
  Recordable& its_;  // the same
  std::unique_ptr<Recording> recording_;
  Compute& compute_;
  std::uint64_t end_ = 0;
};

}  // namespace

std::unique_ptr<Runnable> make_graph_plan(std::unique_ptr<Runnable> plan, Compute& compute) {
  auto* const its = dynamic_cast<Recordable*>(plan.get());
  if (its == nullptr) throw Error(Fault::usage, "--graph: the plan does not work in a device's stream alone");
  std::unique_ptr<Recording> recording = compute.record([&] { its->put_all(); });
  if (recording == nullptr) throw Error(Fault::usage, "--graph: this device cannot note what is put into its stream");
  return std::make_unique<GraphPlan>(std::move(plan), *its, std::move(recording), compute);
}

}  // namespace railgauge
