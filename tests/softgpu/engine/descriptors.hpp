// Descriptors of other processes.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <string>

#include "base/descriptor.hpp"

namespace softgpu {

using railgauge::Descriptor;

// What `process` has under this number, opened anew; none where it has nothing there, or is gone.
[[nodiscard]] inline Descriptor open_of(pid_t process, int number) {
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(number);
  return Descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
}

}  // namespace softgpu
