// Devices: a Device allocates buffers, and its Compute copies and reduces elements of one type with one op.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/words.hpp"
#include "bench/device/steps.hpp"
#include "transports/transport.hpp"

namespace railgauge {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

// premulsum: source i is multiplied by factors[i] when it is read (empty: by 1). avg: the result is divided by divisor when it is
// written (integers after the sum, truncated towards zero).
struct Scale {
  std::span<const double> factors;
  std::uint32_t divisor = 1;
};

// The factor of rank r's input in premulsum: 1 and 2 alternately.
[[nodiscard]] constexpr double premulsum_factor(std::int32_t rank) noexcept { return rank % 2 == 0 ? 1.0 : 2.0; }

// A recorded sequence of operations of a stream, which can be enqueued again as a whole.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual void replay() = 0;
};

// Runs its operations in order: within the call or, where it has a stream, asynchronously.
class Compute {
 public:
  virtual ~Compute() = default;
  virtual void copy(ConstBytes from, Bytes to) = 0;  // same size, no overlap
  // Element j of every target = op over element j of all sources, in the order of the sources. At least one source and one
  // target, all of the same size, any alignment. A target may be exactly one of the sources (in place); else nothing overlaps.
  // Halves, bfloat16 and float8 are reduced in float32 and rounded to nearest even once, when the result is written. Never
  // allocates. One source without a scale is copied as it is, whatever NaNs it has.
  virtual void reduce(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale) = 0;
  // The device's queue that it works in (a CUDA stream), for transports that put their transfers into it; null where copy and
  // reduce return when they are done.
  [[nodiscard]] virtual void* stream() const = 0;
  // mark() returns a number for all operations begun so far; reached() returns whether they are complete and visible to the host
  // and to transports. Without a stream they always are. Neither waits, except mark() when very many marks have not been
  // reached.
  [[nodiscard]] virtual std::uint64_t mark() = 0;
  [[nodiscard]] virtual bool reached(std::uint64_t mark) = 0;
  // Records the operations that `enqueue` puts into the stream instead of running them; mark() and reached() must not be called
  // meanwhile. Null where the device cannot record.
  [[nodiscard]] virtual std::unique_ptr<Recording> record(const std::function<void()>& /*enqueue*/) { return nullptr; }
  // Prepares a plan over mapped peers whose flags lie in the device's memory, and which the device runs itself; null where the
  // host runs plans. Throws Error(usage).
  [[nodiscard]] virtual std::unique_ptr<StepRunner> prepare_steps(const StepProgram&) { return nullptr; }
};

// Waits until all that was begun is done. Throws Error(lost) when that takes longer than a minute.
void fence(Compute& compute);

// Memory of a Device, freed with the object.
class Memory {
 public:
  Memory(Region region, std::function<void(const Region&)> release) : region_(region), release_(std::move(release)) {}
  Memory(Memory&& other) noexcept : region_(other.region_), release_(std::move(other.release_)) { other.release_ = nullptr; }
  Memory& operator=(Memory&&) = delete;
  ~Memory() {
    if (release_) release_(region_);
  }
  [[nodiscard]] const Region& region() const { return region_; }

 private:
  Region region_;
  std::function<void(const Region&)> release_;
};

// The processes that may map memory: this process alone; other processes that receive its descriptor (Region::fd, or a handle of
// the GPU's driver); also the GPUs of other hosts, over the fabric between them.
enum class Sharing : std::uint8_t { own, processes, hosts };

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Page-aligned, zeroed and touched by the caller's thread, in huge pages where the system has them. Throws Error(usage) that
  // names the size when there is not enough.
  [[nodiscard]] virtual Memory allocate(std::size_t bytes, Sharing sharing) = 0;
  // Pins that host memory for fast copies to and from this device while the answer lives; the answer does not own the memory.
  // Throws Error(usage).
  [[nodiscard]] virtual Memory pin(const Region& host) = 0;
  // All Computes of a device use its one stream, stream(), if it has one. The device must outlive them.
  [[nodiscard]] virtual std::unique_ptr<Compute> compute(Type type, Op op) = 0;
  [[nodiscard]] virtual void* stream() const { return nullptr; }
  // Names it among all devices of all hosts, as a GPU's UUID does; empty where the host is the device.
  [[nodiscard]] virtual std::string key() const { return {}; }
  // Where it is on its host's PCI, as the kernel writes it: "0000:1b:00.0"; empty where the host is the device.
  [[nodiscard]] virtual std::string address() const { return {}; }
};

// The CPU, with SIMD kernels chosen when it runs.
[[nodiscard]] std::unique_ptr<Device> make_host_device();

}  // namespace railgauge
