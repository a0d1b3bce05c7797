// Which kernel runs here: nodes that a launcher names apart may be containers or namespaces of one machine.
#pragma once

#include <string>

namespace railgauge {

// The kernel's name for its boot, a UUID; the same in all containers of a machine. Empty where it does not tell.
[[nodiscard]] std::string boot_of_kernel();

}  // namespace railgauge
