// Looks kernels up, and puts launches into streams.
#include "tests/softgpu/calls/kernels.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/softgpu/engine/works.hpp"

namespace softgpu {
namespace {

constexpr std::uint32_t most_threads = 1024, most_shared = 48 * 1024;

struct Functions {
  std::mutex mutex;
  std::map<const void*, Function> by_host;
};
// Made by the first registration, which comes before this library's own constructors.
Functions& functions() {
  static auto* const all = new Functions;
  return *all;
}

std::vector<std::byte> collect(const Kernel& kernel, void** arguments) {
  std::vector<std::byte> parameters(kernel.parameter_bytes);
  for (std::uint32_t i = 0; i < kernel.parameter_count; ++i)
    std::memcpy(parameters.data() + kernel.parameters[i].offset, arguments[i], kernel.parameters[i].bytes);
  return parameters;
}

std::uint64_t volume(const dim3& extent) { return std::uint64_t{extent.x} * extent.y * extent.z; }

cudaError_t refusal(Gpu& gpu, const Kernel& kernel, const dim3& grid, const dim3& block, std::size_t dynamic_shared) {
  const std::uint64_t threads = volume(block);
  if (volume(grid) == 0 || threads == 0 || threads > most_threads || grid.y > 65535 || grid.z > 65535 || grid.x > 0x7fffffffU)
    return cudaErrorInvalidConfiguration;
  if (kernel.most_threads != 0 && threads > kernel.most_threads) return cudaErrorInvalidValue;
  if (kernel.shared_bytes + dynamic_shared > most_shared) return cudaErrorInvalidValue;
  const auto shared = static_cast<std::uint32_t>(dynamic_shared);
  if (gpu.device().blocks_of_multiprocessor(kernel, static_cast<std::uint32_t>(threads), shared) == 0)
    return cudaErrorLaunchOutOfResources;
  return cudaSuccess;
}

}  // namespace

void register_function(const void* host, const char* name) {
  const std::scoped_lock lock(functions().mutex);
  functions().by_host.insert_or_assign(host, Function{.name = name});
}

Function* find_function(const void* host) {
  const std::scoped_lock lock(functions().mutex);
  const auto found = functions().by_host.find(host);
  return found == functions().by_host.end() ? nullptr : &found->second;
}

const Kernel& kernel_of(Function& function) {
  if (function.kernel == nullptr) function.kernel = find_kernel(function.name);
  if (function.kernel == nullptr) {
    std::fprintf(stderr, "softgpu: the kernel %s was not translated\n", function.name.c_str());
    std::abort();
  }
  return *function.kernel;
}

cudaError_t launch(Function* function, dim3 grid, dim3 block, void** arguments, std::size_t dynamic_shared, cudaStream_t handle) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock& lock) -> cudaError_t {
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    Gpu& gpu = stream.gpu();
    if (gpu.number() != current().gpu) return cudaErrorInvalidResourceHandle;
    const Kernel& kernel = kernel_of(*function);
    if (const cudaError_t code = refusal(gpu, kernel, grid, block, dynamic_shared); code != cudaSuccess) return code;
    if (!stream.capture)
      if (const cudaError_t code = process.load(lock, gpu, kernel); code != cudaSuccess) return code;
    const KernelWork::Shape shape{.kernel = &kernel,
                                  .grid = {grid.x, grid.y, grid.z},
                                  .block = {block.x, block.y, block.z},
                                  .dynamic_shared = static_cast<std::uint32_t>(dynamic_shared),
                                  .checked = process.config.checked,
                                  .counts = process.config.counts};
    return process.put(lock, stream, [&gpu, shape, parameters = collect(kernel, arguments)] {
      return std::make_unique<KernelWork>(gpu.device(), shape, parameters);
    });
  });
}

cudaError_t occupancy(int* blocks, Function* function, int threads, std::size_t dynamic_shared) {
  return call_on_gpu([&](Process& process, Gpu& gpu, Lock& lock) -> cudaError_t {
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    if (blocks == nullptr || threads <= 0) return cudaErrorInvalidValue;
    const Kernel& kernel = kernel_of(*function);
    *blocks = static_cast<int>(gpu.device().blocks_of_multiprocessor(kernel, static_cast<std::uint32_t>(threads),
                                                                     static_cast<std::uint32_t>(dynamic_shared)));
    return process.load(lock, gpu, kernel);
  });
}

}  // namespace softgpu
