// Kernels that the program has registered, and their launches.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "tests/softgpu/engine/process.hpp"

namespace softgpu {

// A kernel as the host knows it: by the address of a function of the host.
struct Function {
  std::string name;                // mangled
  const Kernel* kernel = nullptr;  // null until it is looked for
};

// As objects of nvcc do it before main.
void register_function(const void* host, const char* name);
// Null where no kernel was registered under it.
[[nodiscard]] Function* find_function(const void* host);
// Ends the process with its name where the kernel was not translated.
[[nodiscard]] const Kernel& kernel_of(Function& function);

cudaError_t launch(Function* function, dim3 grid, dim3 block, void** arguments, std::size_t dynamic_shared, cudaStream_t stream);
cudaError_t occupancy(int* blocks, Function* function, int threads, std::size_t dynamic_shared);

}  // namespace softgpu
