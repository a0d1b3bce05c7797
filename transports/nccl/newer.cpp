// Looks them up.
#include "transports/nccl/newer.hpp"

#include <dlfcn.h>

namespace railgauge::nccl {
namespace {

// Beside a function that every version has: the plugin was loaded apart from the program's own symbols.
template <class Function>
void look_up(Function*& function, const char* name) {
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&ncclGetVersion), &library) == 0) return;
  void* const handle = dlopen(library.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle != nullptr) function = reinterpret_cast<Function*>(dlsym(handle, name));
}

}  // namespace

const Newer& newer() {
  static const Newer found = [] {
    Newer those;
    look_up(those.comm_register, "ncclCommRegister");
    look_up(those.comm_deregister, "ncclCommDeregister");
    look_up(those.memory_allocate, "ncclMemAlloc");
    look_up(those.memory_free, "ncclMemFree");
    look_up(those.window_register, "ncclCommWindowRegister");
    look_up(those.window_deregister, "ncclCommWindowDeregister");
    look_up(those.simulate, "ncclGroupSimulateEnd");
    look_up(those.all_to_all, "ncclAlltoAll");
    look_up(those.gather, "ncclGather");
    look_up(those.scatter, "ncclScatter");
    return those;
  }();
  return found;
}

}  // namespace railgauge::nccl
