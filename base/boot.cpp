#include "base/boot.hpp"

#include <fstream>

namespace railgauge {

std::string boot_of_kernel() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  return boot;
}

}  // namespace railgauge
