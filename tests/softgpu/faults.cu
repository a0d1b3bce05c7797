// Kernels that are right, and have one fault where `fault` is set: what the machine must find, and where (faults_test.cpp looks
// for the line of each mark behind an @).
#include <cuda/atomic>

#include <cstdint>

namespace {

using Word = unsigned long long;

__device__ auto system_wide(Word& word) { return ::cuda::atomic_ref<Word, ::cuda::thread_scope_system>(word); }
__device__ auto device_wide(Word& word) { return ::cuda::atomic_ref<Word, ::cuda::thread_scope_device>(word); }

}  // namespace

// Each thread gives its neighbour a number through shared memory.
extern "C" __global__ void neighbours(std::uint32_t* to, int fault) {
  __shared__ std::uint32_t numbers[256];
  numbers[threadIdx.x] = threadIdx.x;
  if (fault == 0) __syncthreads();
  to[blockIdx.x * blockDim.x + threadIdx.x] = numbers[(threadIdx.x + 1) % blockDim.x];  // @dropped barrier
}

// A block writes data and sets a flag; another waits for the flag and reads. fault 1: the flag is relaxed; 2: it holds for one
// device only; 3: it is set before the data.
extern "C" __global__ void give(std::uint32_t* data, Word* flag, int fault) {
  if (fault == 3 && threadIdx.x == 0) system_wide(*flag).store(1, ::cuda::memory_order_release);
  data[threadIdx.x] = 7 * threadIdx.x;  // @data
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (fault == 0) system_wide(*flag).store(1, ::cuda::memory_order_release);
  if (fault == 1) system_wide(*flag).store(1, ::cuda::memory_order_relaxed);
  if (fault == 2) device_wide(*flag).store(1, ::cuda::memory_order_release);  // @one device
}
extern "C" __global__ void take(const std::uint32_t* data, Word* flag, std::uint32_t* to) {
  if (threadIdx.x == 0) {
    while (system_wide(*flag).load(::cuda::memory_order_acquire) == 0) {}
  }
  __syncthreads();
  to[threadIdx.x] = data[threadIdx.x] + 1;  // @taken
}

// fault: one element too many.
extern "C" __global__ void double_all(std::uint32_t* data, std::uint32_t count, int fault) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count + fault) data[i] *= 2;  // @tail
}

// fault: words of 16 bytes from an address that is no multiple of 16.
extern "C" __global__ void copy_words(const std::byte* from, uint4* to, std::uint32_t words) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) to[i] = reinterpret_cast<const uint4*>(from)[i];  // @misaligned
}

// All blocks of the grid meet, which they can where all are resident.
extern "C" __global__ void meet(Word* arrived) {
  if (threadIdx.x == 0) {
    device_wide(*arrived).fetch_add(1, ::cuda::memory_order_acq_rel);
    while (device_wide(*arrived).load(::cuda::memory_order_acquire) < gridDim.x) {  // @meeting
    }
  }
  __syncthreads();
}

// Threads of a block that wait at different barriers.
extern "C" __global__ void part_ways(std::uint32_t* to, int fault) {
  if (fault != 0 && threadIdx.x < 32)
    asm volatile("bar.sync 1;" ::: "memory");  // @apart
  else
    __syncthreads();
  to[threadIdx.x] = 1;
}
