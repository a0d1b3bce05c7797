// A file of a folder of algorithms that cannot be read, or is not right.
#pragma once

#include <string>

namespace railgauge {

struct RefusedFile {
  std::string path, reason;
};

}  // namespace railgauge
