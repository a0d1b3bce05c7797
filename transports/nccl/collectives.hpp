// NCCL's own collectives.
#pragma once

#include "transports/collectives.hpp"

namespace railgauge::nccl {

extern const CollectiveTable collectives;

}  // namespace railgauge::nccl
