#include "base/version.hpp"

namespace railgauge {

std::string_view version() noexcept { return RAILGAUGE_VERSION; }

}  // namespace railgauge
