// What the GPUs say of themselves.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "tests/softgpu/engine/process.hpp"

namespace softgpu {

cudaError_t count_gpus(int* count);
// Makes it the current one of this thread.
cudaError_t choose_gpu(int number);
cudaError_t current_gpu(int* number);
// Numbers are those of the driver's enumeration, which the runtime's agrees with.
cudaError_t attribute_of(int* value, CUdevice_attribute attribute, int number);
cudaError_t properties_of(cudaDeviceProp* properties, int number);
cudaError_t uuid_of(CUuuid* uuid, int number);
cudaError_t can_reach(int* answer, int number, int peer);
cudaError_t reach(int peer);

}  // namespace softgpu
