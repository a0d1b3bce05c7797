// Streams and events of the CUDA runtime that end with their owner.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

namespace railgauge::cuda {

struct DestroyStream {
  void operator()(cudaStream_t stream) const noexcept { cudaStreamDestroy(stream); }
};
using Stream = std::unique_ptr<CUstream_st, DestroyStream>;

struct DestroyEvent {
  void operator()(cudaEvent_t event) const noexcept { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;

enum class Timing : bool { off, on };

// Of device `number`, which must be the current one. Both throw Error(usage). The stream waits for no other one.
[[nodiscard]] Stream make_stream(int number);
[[nodiscard]] Event make_event(int number, Timing timing = Timing::off);

}  // namespace railgauge::cuda
