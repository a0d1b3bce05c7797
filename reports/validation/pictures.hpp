// The two pictures behind reports/validation/picture.hpp.
#pragma once

#include "reports/validation/picture.hpp"

namespace railgauge::validation {

[[nodiscard]] MapPicture draw_fabric(const Validation& validation);  // where switches are known
[[nodiscard]] MapPicture draw_grid(const Validation& validation);

}  // namespace railgauge::validation
