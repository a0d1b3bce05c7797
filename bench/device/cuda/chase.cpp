// A kernel of one thread between two events, in a stream that is held back until all three are in it.
#include "bench/device/cuda/chase.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "bench/device/cuda/chase_kernel.hpp"
#include "bench/device/cuda/copy_parts.hpp"
#include "bench/device/cuda/handles.hpp"
#include "bench/device/cuda/names.hpp"
#include "bench/device/cuda/timed_run.hpp"

namespace railgauge::cuda {
namespace {

// What a walk works with.
struct ChaseParts {
  Pinned pinned;
  DeviceMemory owned, place;
  Stream stream;
  TimedRun run;
};

class CudaChase final : public ChaseJob {
 public:
  explicit CudaChase(const ChaseOrder& order) : reader_(order.reader.device), steps_(order.steps), walked_(order) {
    const CopyEnd& memory = order.memory;
    if (memory.device >= 0 && memory.device != reader_) {
      use(memory.device);
      parts_->owned = allocate(order.bytes, memory.device);
    }
    use(reader_);
    if (memory.device < 0) {
      chain::write(memory.host.first(order.bytes));
      parts_->pinned = pin(memory.host, memory.node, reader_);
      pointers_ = mapped(memory.host.data(), reader_);
    } else {
      if (!parts_->owned) parts_->owned = allocate(order.bytes, reader_);
      pointers_ = parts_->owned.get();
    }
    parts_->stream = make_stream(reader_);
    parts_->run.prepare(reader_);
    parts_->place = allocate(sizeof(std::uint64_t), reader_);
    const cudaStream_t stream = parts_->stream.get();
    expect(cudaMemsetAsync(parts_->place.get(), 0, sizeof(std::uint64_t), stream), "cudaMemsetAsync", reader_);
    if (memory.device >= 0)
      expect(launch_chain(pointers_, order.bytes, stream), "the launch of a kernel that writes pointers", reader_);
    // Of no step: its kernel is loaded now, which a stream that is held back would wait for.
    follow(0);
    const Event written = make_event(reader_);
    expect(cudaEventRecord(written.get(), stream), "cudaEventRecord", reader_);
    await(written.get(), "write its pointers", reader_);
  }

  void start() override {
    walked_.start();
    parts_->run.start(parts_->stream.get(), [this] { follow(steps_); });
  }
  bool test() override { return parts_->run.test(); }

  [[nodiscard]] std::optional<ChaseMistake> check() override {
    std::uint64_t at = 0;
    reuse(reader_);
    expect(cudaMemcpy(&at, parts_->place.get(), sizeof at, cudaMemcpyDeviceToHost), "cudaMemcpy", reader_);
    return walked_.check(at);
  }
  [[nodiscard]] std::optional<Seconds> device_time() override { return parts_->run.time(); }

 private:
  void follow(std::uint64_t steps) const {
    expect(launch_chase(pointers_, reinterpret_cast<std::uint64_t*>(parts_->place.get()), steps, parts_->stream.get()),
           "the launch of a kernel that follows pointers", reader_);
  }

  int reader_;
  std::uint64_t steps_;
  Walked walked_;
  std::byte* pointers_ = nullptr;  // as the reader's kernels call them
  Lasting<ChaseParts> parts_;
};

}  // namespace

std::unique_ptr<ChaseJob> chase(const ChaseOrder& order) {
  const int owner = order.memory.device, reader = order.reader.device;
  if (reader < 0) throw Error(Fault::usage, "who follows pointers here is a GPU, and no core of the host");
  if (owner >= 0 && owner != reader) {
    if (!can_reach(reader, owner))
      throw Error(Fault::usage, fmt::format("{} cannot reach the memory of {} (cudaDeviceCanAccessPeer says no), so that none of "
                                            "its kernels can follow pointers there",
                                            name_of(reader), name_of(owner)));
    reach(reader, owner);
  }
  return std::make_unique<CudaChase>(order);
}

}  // namespace railgauge::cuda
