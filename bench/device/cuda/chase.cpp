// A kernel of one thread between two events, in a stream that is held back until all three are in it.
#include "bench/device/cuda/chase.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "bench/device/cuda/chase_kernel.hpp"
#include "bench/device/cuda/copy_parts.hpp"
#include "bench/device/cuda/handles.hpp"
#include "bench/device/cuda/names.hpp"

namespace railgauge::cuda {
namespace {

class CudaChase final : public ChaseJob {
 public:
  explicit CudaChase(const ChaseOrder& order)
      : reader_(order.reader.device), steps_(order.steps), walked_(order), gate_(std::make_unique<Gate>()) {
    const CopyEnd& memory = order.memory;
    if (memory.device >= 0 && memory.device != reader_) {
      use(memory.device);
      owned_ = allocate(order.bytes, memory.device);
    }
    use(reader_);
    if (memory.device < 0) {
      chain::write(memory.host.first(order.bytes));
      pinned_ = pin(memory.host, memory.node, reader_);
      pointers_ = mapped(memory.host.data(), reader_);
    } else {
      if (!owned_) owned_ = allocate(order.bytes, reader_);
      pointers_ = owned_.get();
    }
    stream_ = make_stream(reader_);
    begin_ = make_event(reader_, Timing::on);
    end_ = make_event(reader_, Timing::on);
    place_ = allocate(sizeof(std::uint64_t), reader_);
    expect(cudaMemsetAsync(place_.get(), 0, sizeof(std::uint64_t), stream_.get()), "cudaMemsetAsync", reader_);
    if (memory.device >= 0)
      expect(launch_chain(pointers_, order.bytes, stream_.get()), "the launch of a kernel that writes pointers", reader_);
    // Of no step: its kernel is loaded now, which a stream that is held back would wait for.
    follow(0);
    expect(cudaEventRecord(end_.get(), stream_.get()), "cudaEventRecord", reader_);
    await(end_.get(), "write its pointers", reader_);
  }
  CudaChase(const CudaChase&) = delete;
  CudaChase& operator=(const CudaChase&) = delete;
  // What is under way when a run fails stays until the process ends: to free it would wait, however long.
  ~CudaChase() override {
    gate_->open();
    if (!running_) return;
    (void)owned_.release();
    (void)pinned_.release();
    (void)place_.release();
    (void)gate_.release();
    (void)stream_.release();
    (void)begin_.release();
    (void)end_.release();
  }

  void start() override {
    running_ = true;
    walked_.start();
    gate_->close();
    try {
      reuse(reader_);
      expect(cudaLaunchHostFunc(stream_.get(), Gate::await_open, gate_.get()), "cudaLaunchHostFunc", reader_);
      expect(cudaEventRecord(begin_.get(), stream_.get()), "cudaEventRecord", reader_);
      follow(steps_);
      expect(cudaEventRecord(end_.get(), stream_.get()), "cudaEventRecord", reader_);
    } catch (...) {
      gate_->open();
      throw;
    }
    gate_->open();
  }
  bool test() override {
    const cudaError_t code = cudaEventQuery(end_.get());
    if (code == cudaErrorNotReady) return false;
    expect(code, "cudaEventQuery", reader_);
    running_ = false;
    return true;
  }

  [[nodiscard]] std::optional<ChaseMistake> check() override {
    std::uint64_t at = 0;
    reuse(reader_);
    expect(cudaMemcpy(&at, place_.get(), sizeof at, cudaMemcpyDeviceToHost), "cudaMemcpy", reader_);
    return walked_.check(at);
  }
  [[nodiscard]] std::optional<Seconds> device_time() override {
    float milliseconds = 0;
    expect(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "cudaEventElapsedTime", reader_);
    return Seconds{static_cast<double>(milliseconds) / 1e3};
  }

 private:
  void follow(std::uint64_t steps) const {
    expect(launch_chase(pointers_, reinterpret_cast<std::uint64_t*>(place_.get()), steps, stream_.get()),
           "the launch of a kernel that follows pointers", reader_);
  }

  int reader_;
  std::uint64_t steps_;
  Walked walked_;
  std::byte* pointers_ = nullptr;  // as the reader's kernels call them
  Pinned pinned_;
  DeviceMemory owned_, place_;
  std::unique_ptr<Gate> gate_;
  Stream stream_;
  Event begin_, end_;
  bool running_ = false;
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
