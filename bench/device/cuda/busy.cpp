// Launches, each with an event behind it.
#include "bench/device/cuda/busy.hpp"

#include <utility>

#include "bench/device/cuda/busy_kernel.hpp"
#include "bench/device/cuda/call.hpp"
#include "bench/device/cuda/copy_parts.hpp"
#include "bench/device/cuda/handles.hpp"
#include "bench/device/cuda/names.hpp"

namespace railgauge::cuda {
namespace {

class CudaBusyKernel final : public BusyKernel {
 public:
  CudaBusyKernel(int number, int multiprocessors, cudaStream_t stream, std::function<bool()> at_rest)
      : number_(number),
        blocks_(static_cast<unsigned>(multiprocessors)),
        stream_(stream),
        at_rest_(std::move(at_rest)),
        values_(allocate(blocks_ * busy_floats * sizeof(float), number)),
        end_(make_event(number)) {
    check(cudaMemset(values_.get(), 0, blocks_ * busy_floats * sizeof(float)), "cudaMemset on " + name_of(number));
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize on " + name_of(number));
  }
  ~CudaBusyKernel() override {
    if (!at_rest_()) (void)values_.release();
  }
  CudaBusyKernel(const CudaBusyKernel&) = delete;
  CudaBusyKernel& operator=(const CudaBusyKernel&) = delete;

  void enqueue(std::uint64_t passes) override {
    expect(launch_busy(reinterpret_cast<float*>(values_.get()), passes, blocks_, stream_), "the launch of a kernel that computes",
           number_);
    expect(cudaEventRecord(end_.get(), stream_), "cudaEventRecord", number_);
  }

  [[nodiscard]] bool done() override {
    const cudaError_t code = cudaEventQuery(end_.get());
    if (code == cudaErrorNotReady) return false;
    expect(code, "cudaEventQuery", number_);
    return true;
  }

 private:
  int number_;
  unsigned blocks_;
  cudaStream_t stream_;
  std::function<bool()> at_rest_;
  DeviceMemory values_;
  Event end_;
};

}  // namespace

std::unique_ptr<BusyKernel> make_busy_kernel(int number, int multiprocessors, cudaStream_t stream,
                                             std::function<bool()> at_rest) {
  return std::make_unique<CudaBusyKernel>(number, multiprocessors, stream, std::move(at_rest));
}

}  // namespace railgauge::cuda
