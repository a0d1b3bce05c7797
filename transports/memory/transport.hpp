// The memory transport: all ranks are threads of one process, and a send is a copy into the peer's memory (docs/transports.md).
#pragma once

#include "transports/table.hpp"

namespace railgauge {

[[nodiscard]] const TransportTable& memory_transport();

}  // namespace railgauge
