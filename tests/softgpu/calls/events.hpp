// Events, as the runtime and the driver offer them.
#pragma once

#include <cuda_runtime_api.h>

#include "tests/softgpu/engine/process.hpp"

namespace softgpu {

cudaError_t create_event(cudaEvent_t* made, bool timed);
cudaError_t destroy_event(cudaEvent_t handle);
cudaError_t record_event(cudaEvent_t handle, cudaStream_t stream);
cudaError_t query_event(cudaEvent_t handle);
cudaError_t elapsed_between(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);
// The stream goes on when what the event was recorded behind is over.
cudaError_t make_wait(cudaStream_t handle, cudaEvent_t event);

}  // namespace softgpu
