// Captures of streams, and graphs.
#pragma once

#include <cuda_runtime_api.h>

#include "tests/softgpu/engine/process.hpp"

namespace softgpu {

cudaError_t begin_capture(cudaStream_t handle, cudaStreamCaptureMode mode);
cudaError_t end_capture(cudaStream_t handle, cudaGraph_t* made);
cudaError_t instantiate(cudaGraphExec_t* made, cudaGraph_t graph);
cudaError_t upload(cudaGraphExec_t exec, cudaStream_t handle);
cudaError_t launch_graph(cudaGraphExec_t exec, cudaStream_t handle);
cudaError_t destroy_graph(cudaGraph_t graph);
cudaError_t destroy_exec(cudaGraphExec_t exec);

}  // namespace softgpu
