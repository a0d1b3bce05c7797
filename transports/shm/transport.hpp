// The shm transport: ranks are processes of one host that map each other's memory (docs/transports.md).
#pragma once

#include "transports/table.hpp"

namespace railgauge {

[[nodiscard]] const TransportTable& shm_transport();

}  // namespace railgauge
