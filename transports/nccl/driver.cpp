// Looks the driver up.
#include "transports/nccl/driver.hpp"

#include <dlfcn.h>

namespace railgauge::nccl {
namespace {

struct Driver {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  std::string missing;
  int (*get)(void**) = nullptr;
  int (*set)(void*) = nullptr;
  int (*device)(int*) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;

  Driver() {
    if (library == nullptr) {
      const char* const reason = dlerror();
      missing = reason != nullptr ? reason : "libcuda.so.1 cannot be loaded";
      return;
    }
    get = reinterpret_cast<int (*)(void**)>(dlsym(library, "cuCtxGetCurrent"));
    set = reinterpret_cast<int (*)(void*)>(dlsym(library, "cuCtxSetCurrent"));
    device = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuCtxGetDevice"));
    attribute = reinterpret_cast<int (*)(int*, int, int)>(dlsym(library, "cuDeviceGetAttribute"));
  }
};

const Driver& driver() {
  static const Driver found;
  return found;
}

}  // namespace

std::string missing_driver() { return driver().missing; }

void* current_context() {
  void* context = nullptr;
  if (driver().get != nullptr) driver().get(&context);
  return context;
}

void make_current(void* context) {
  if (driver().set != nullptr && context != nullptr) driver().set(context);
}

int compute_capability() {
  constexpr int major_of_capability = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
  int device = 0, major = 0;
  if (driver().device == nullptr || driver().attribute == nullptr || driver().device(&device) != 0) return 0;
  return driver().attribute(&major, major_of_capability, device) == 0 ? major : 0;
}

}  // namespace railgauge::nccl
