// Events that are recorded one after the other.
#include "bench/device/cuda/queue_clock.hpp"

#include <array>

#include "bench/device/cuda/copy_parts.hpp"
#include "bench/device/cuda/handles.hpp"

namespace railgauge::cuda {
namespace {

class CudaQueueClock final : public QueueClock {
 public:
  CudaQueueClock(int number, cudaStream_t stream) : number_(number), stream_(stream) {
    for (Event& event : events_) event = make_event(number, Timing::on);
  }

  // As CUDA's documentation has it of cudaEventElapsedTime.
  [[nodiscard]] Seconds resolution() const override { return Seconds{0.5e-6}; }

  std::uint64_t stamp() override {
    ++stamps_;
    expect(cudaEventRecord(event_of(stamps_), stream_), "cudaEventRecord", number_);
    return stamps_;
  }

  // The stream comes by them in order.
  [[nodiscard]] bool reached(std::uint64_t stamp) override {
    if (stamp <= passed_) return true;
    const cudaError_t code = cudaEventQuery(event_of(stamp));
    if (code == cudaErrorNotReady) return false;
    expect(code, "cudaEventQuery", number_);
    passed_ = stamp;
    return true;
  }

  [[nodiscard]] Seconds between(std::uint64_t from, std::uint64_t to) override {
    float milliseconds = 0;
    expect(cudaEventElapsedTime(&milliseconds, event_of(from), event_of(to)), "cudaEventElapsedTime", number_);
    return Seconds{static_cast<double>(milliseconds) / 1e3};
  }

 private:
  [[nodiscard]] cudaEvent_t event_of(std::uint64_t stamp) const { return events_[stamp % events_.size()].get(); }

  int number_;
  cudaStream_t stream_;
  std::array<Event, kept_stamps> events_;
  std::uint64_t stamps_ = 0, passed_ = 0;
};

}  // namespace

std::unique_ptr<QueueClock> make_queue_clock(int number, cudaStream_t stream) {
  return std::make_unique<CudaQueueClock>(number, stream);
}

}  // namespace railgauge::cuda
