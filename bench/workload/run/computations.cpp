// Pauses and kernels; bench/workload/run/computations.hpp.
#include "bench/workload/run/computations.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include "base/error.hpp"
#include "bench/device/busy.hpp"

namespace railgauge {
namespace {

class Nothing final : public Computations {
 public:
  void begin(std::size_t, Seconds) override {}
  bool done(std::size_t) override { return true; }
  Seconds left(std::size_t) override { return Seconds(0); }
};

class Pauses final : public Computations {
 public:
  Pauses(std::size_t streams, Clock clock) : ends_(streams), clock_(clock) {}
  void begin(std::size_t stream, Seconds duration) override { ends_[stream] = clock_.now() + duration; }
  bool done(std::size_t stream) override { return clock_.now() >= ends_[stream]; }
  Seconds left(std::size_t stream) override { return ends_[stream] - clock_.now(); }

 private:
  std::vector<Seconds> ends_;
  Clock clock_;
};

// So many passes over an array that a core's own cache holds, about 20 us each.
class Kernel {
 public:
  void pass() {
    for (float& value : values_) value = value * 0.999F + 1e-3F;
  }
  // The shortest of several: what others do at the same time must not count.
  [[nodiscard]] Seconds calibrate(Clock clock) {
    Seconds least{std::numeric_limits<double>::infinity()};
    for (int sample = 0; sample < 20; ++sample) {
      const Seconds begin = clock.now();
      for (int i = 0; i < passes_a_sample; ++i) pass();
      least = std::min(least, (clock.now() - begin) / passes_a_sample);
    }
    return least;
  }

 private:
  static constexpr int passes_a_sample = 10;
  std::array<float, std::size_t{1} << 15> values_{};
};

// A thread for each stream, which sleeps while there is nothing to do.
class Kernels final : public Computations {
 public:
  Kernels(std::size_t streams, Clock clock) {
    const Seconds pass = std::make_unique<Kernel>()->calibrate(clock);
    for (std::size_t i = 0; i < streams; ++i) workers_.push_back(std::make_unique<Worker>(pass));
  }
  void begin(std::size_t stream, Seconds duration) override { workers_[stream]->begin(duration); }
  bool done(std::size_t stream) override { return workers_[stream]->done(); }
  Seconds left(std::size_t) override { return Seconds(0); }

 private:
  class Worker {
   public:
    explicit Worker(Seconds pass) : pass_(pass), thread_([this] { work(); }) {}
    ~Worker() {
      {
        const std::lock_guard guard(lock_);
        over_ = true;
      }
      wake_.notify_one();
      thread_.join();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void begin(Seconds duration) {
      {
        const std::lock_guard guard(lock_);
        passes_ = std::max<std::int64_t>(1, std::llround(duration / pass_));
        done_.store(false, std::memory_order_relaxed);
      }
      wake_.notify_one();
    }
    [[nodiscard]] bool done() const { return done_.load(std::memory_order_acquire); }

   private:
    void work() {
      const auto kernel = std::make_unique<Kernel>();
      std::unique_lock guard(lock_);
      while (true) {
        wake_.wait(guard, [&] { return over_ || passes_ != 0; });
        if (over_) return;
        const std::int64_t passes = std::exchange(passes_, 0);
        guard.unlock();
        for (std::int64_t i = 0; i < passes; ++i) kernel->pass();
        done_.store(true, std::memory_order_release);
        guard.lock();
      }
    }

    Seconds pass_;
    std::mutex lock_;
    std::condition_variable wake_;
    std::int64_t passes_ = 0;
    bool over_ = false;
    std::atomic<bool> done_{true};
    std::thread thread_;  // last: it uses the others
  };

  std::vector<std::unique_ptr<Worker>> workers_;
};

// A line through the times of short and long kernels, each the shortest of several: what others do at the same time must not
// count.
struct KernelTimes {
  Seconds launch{0}, pass{0};
};

KernelTimes time_kernels(BusyKernel& kernel, Clock clock) {
  constexpr std::uint64_t few = 8, many = 64;
  constexpr Seconds patience{60};
  const auto shortest = [&](std::uint64_t passes) {
    Seconds least{std::numeric_limits<double>::infinity()};
    for (int sample = 0; sample < 6; ++sample) {
      const Seconds begin = clock.now();
      kernel.enqueue(passes);
      while (!kernel.done()) {
        if (clock.now() - begin > patience) throw Error(Fault::lost, "the device did not end a kernel that computes within 60 s");
        std::this_thread::yield();
      }
      if (sample != 0) least = std::min(least, clock.now() - begin);  // the first loads the kernel
    }
    return least;
  };
  const Seconds short_one = shortest(few), long_one = shortest(many);
  KernelTimes times;
  times.pass = std::max((long_one - short_one) / static_cast<double>(many - few), Seconds(1e-9));
  times.launch = std::max(Seconds(0), short_one - times.pass * static_cast<double>(few));
  return times;
}

// A stream of the device for each of the workload.
class DeviceKernels final : public Computations {
 public:
  DeviceKernels(std::size_t streams, Clock clock, BusyKernels& device, std::size_t first_stream) {
    for (std::size_t i = 0; i < streams; ++i) kernels_.push_back(device.make_busy_kernel(first_stream + i));
    if (!kernels_.empty()) times_ = time_kernels(*kernels_.front(), clock);
  }
  void begin(std::size_t stream, Seconds duration) override {
    kernels_[stream]->enqueue(
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, std::llround((duration - times_.launch) / times_.pass))));
  }
  bool done(std::size_t stream) override { return kernels_[stream]->done(); }
  Seconds left(std::size_t) override { return Seconds(0); }

 private:
  std::vector<std::unique_ptr<BusyKernel>> kernels_;
  KernelTimes times_;
};

}  // namespace

bool takes_cores(Computing computing, const Device& device) {
  return computing == Computing::kernel && dynamic_cast<const BusyKernels*>(&device) == nullptr;
}

std::unique_ptr<Computations> make_computations(Computing computing, std::size_t streams, Clock clock, Device& device,
                                                std::size_t first_stream) {
  auto* const kernels = dynamic_cast<BusyKernels*>(&device);
  if (computing == Computing::kernel && kernels != nullptr)
    return std::make_unique<DeviceKernels>(streams, clock, *kernels, first_stream);
  if (computing == Computing::pause) return std::make_unique<Pauses>(streams, clock);
  if (computing == Computing::kernel) return std::make_unique<Kernels>(streams, clock);
  return std::make_unique<Nothing>();
}

}  // namespace railgauge
