// A core that follows pointers.
#include "bench/device/chase.hpp"

#include <cstring>

#include "bench/device/host/numa.hpp"

namespace railgauge {
namespace {

class HostChase final : public ChaseJob {
 public:
  explicit HostChase(const ChaseOrder& order)
      : memory_(order.memory.host.first(order.bytes)),
        steps_(order.steps),
        walked_(order),
        bound_(host::core_on(order.reader.node)) {
    chain::write(memory_);
  }

  void start() override {
    walked_.start();
    const std::byte* const memory = memory_.data();
    std::uint64_t at = at_;
    for (std::uint64_t step = 0; step < steps_; ++step) std::memcpy(&at, memory + at, sizeof at);
    at_ = at;
  }
  bool test() override { return true; }
  [[nodiscard]] std::optional<ChaseMistake> check() override { return walked_.check(at_); }
  [[nodiscard]] std::optional<Seconds> device_time() override { return std::nullopt; }

 private:
  Bytes memory_;
  std::uint64_t steps_, at_ = 0;
  Walked walked_;
  host::OnCore bound_;
};

}  // namespace

std::unique_ptr<ChaseJob> host_chase(const ChaseOrder& order) { return std::make_unique<HostChase>(order); }

}  // namespace railgauge
