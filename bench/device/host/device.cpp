// The CPU as a Device: kernels chosen for the instruction set, streaming chosen by size.
#include "bench/device/device.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>

#include "bench/device/host/available.hpp"
#include "bench/device/host/caches.hpp"
#include "bench/device/host/kernel.hpp"
#include "bench/device/host/memory.hpp"

namespace railgauge {
namespace {

// A streaming store saves reading the target's line before it is overwritten, but leaves the result in no cache. It is used where
// the result could not stay in the cache anyway: when all sources and targets together are larger than this CPU's share of the
// last-level cache. There it takes about 0.7 of the time, for copies too (docs/measured/host-kernels.md). In place it saves
// nothing, since the line was read as a source, and was slower.
class HostCompute final : public Compute {
 public:
  HostCompute(host::Kernel kernel, Op op, std::size_t cache) : kernel_(kernel), keeps_first_(op == Op::none), cache_(cache) {}

  void copy(ConstBytes from, Bytes to) override {
    if (from.size() > cache_ / 2) {
      copy_(std::span(&from, 1), std::span(&to, 1), {}, true);
      hwy::FlushStream();
    } else if (!from.empty()) {
      std::memcpy(to.data(), from.data(), from.size());
    }
  }

  void reduce(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale) override {
    if (keeps_first_) sources = sources.first(1);
    const std::size_t bytes = targets[0].size();
    if (sources.size() == 1 && scale.factors.empty() && scale.divisor <= 1) {
      for (const Bytes& target : targets) {
        if (target.data() != sources[0].data()) copy(sources[0], target);
      }
      return;
    }
    const bool stream = bytes > cache_ / (sources.size() + targets.size()) && !in_place(sources, targets);
    kernel_(sources, targets, scale, stream);
    if (stream) hwy::FlushStream();
  }

  [[nodiscard]] void* stream() const override { return nullptr; }
  [[nodiscard]] std::uint64_t mark() override { return 0; }
  [[nodiscard]] bool reached(std::uint64_t) override { return true; }

 private:
  static bool in_place(std::span<const ConstBytes> sources, std::span<const Bytes> targets) {
    for (const Bytes& target : targets) {
      for (const ConstBytes& source : sources) {
        if (source.data() == target.data()) return true;
      }
    }
    return false;
  }

  host::Kernel kernel_;
  host::Kernel copy_ = host::find_kernel(Type::uint8, Op::sum);  // of one source: a copy that can stream
  bool keeps_first_;
  std::size_t cache_;
};

class HostDevice final : public Device {
 public:
  [[nodiscard]] std::string_view name() const override { return "host"; }
  [[nodiscard]] Memory allocate(std::size_t bytes, Sharing sharing) override {
    return host::allocate(bytes, sharing, [] { return host::available_memory(); });
  }
  [[nodiscard]] Memory pin(const Region& host) override { return {host, nullptr}; }
  [[nodiscard]] std::unique_ptr<Compute> compute(Type type, Op op) override {
    return std::make_unique<HostCompute>(host::find_kernel(type, op), op, cache_);
  }

 private:
  std::size_t cache_ = host::last_level_share();
};

}  // namespace

std::unique_ptr<Device> make_host_device() { return std::make_unique<HostDevice>(); }

}  // namespace railgauge
