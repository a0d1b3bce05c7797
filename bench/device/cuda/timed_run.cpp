// The gate, and the two events behind it.
#include "bench/device/cuda/timed_run.hpp"

#include <sched.h>

#include <chrono>

#include "bench/device/cuda/copy_parts.hpp"

namespace railgauge::cuda {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds gate_patience{10};  // of a stream for the host, which opens the gate microseconds later

}  // namespace

void Gate::await_open(void* gate) {
  const auto& its = static_cast<Gate*>(gate)->open_;
  const auto deadline = steady_clock::now() + gate_patience;
  while (!its.load(std::memory_order_acquire) && steady_clock::now() < deadline) sched_yield();
}

void TimedRun::prepare(int number) {
  device_ = number;
  begin_ = make_event(number, Timing::on);
  end_ = make_event(number, Timing::on);
}

void TimedRun::start(cudaStream_t stream, const std::function<void()>& put) {
  running_ = true;
  gate_.close();
  try {
    reuse(device_);
    expect(cudaLaunchHostFunc(stream, Gate::await_open, &gate_), "cudaLaunchHostFunc", device_);
    expect(cudaEventRecord(begin_.get(), stream), "cudaEventRecord", device_);
    put();
    expect(cudaEventRecord(end_.get(), stream), "cudaEventRecord", device_);
  } catch (...) {
    gate_.open();
    throw;
  }
  gate_.open();
}

bool TimedRun::test() {
  const cudaError_t code = cudaEventQuery(end_.get());
  if (code == cudaErrorNotReady) return false;
  expect(code, "cudaEventQuery", device_);
  running_ = false;
  return true;
}

Seconds TimedRun::time() const {
  float milliseconds = 0;
  expect(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "cudaEventElapsedTime", device_);
  return Seconds{static_cast<double>(milliseconds) / 1e3};
}

}  // namespace railgauge::cuda
