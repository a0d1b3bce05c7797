// A libcuda.so.1 for machines without a driver: as much of it as the nccl transport asks for. FAKE_CUDA_MAJOR in the environment
// is the first number of the GPU's compute capability, 9 where it is not there.
#include <cstdlib>

#pragma GCC visibility push(default)
extern "C" {
int cuCtxGetCurrent(void** context) {
  *context = nullptr;
  return 0;
}
int cuCtxSetCurrent(void*) { return 0; }
int cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  if (attribute != 75) return 1;
  const char* const major = std::getenv("FAKE_CUDA_MAJOR");
  *value = major != nullptr ? std::atoi(major) : 9;
  return 0;
}
}
#pragma GCC visibility pop
