// Adds the diagnostics of the transport's library to errors.
#pragma once

#include <functional>

#include "transports/group.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// Calls `work`. When it throws Error(lost) while no rank is known to be lost, and the endpoint is a FailureDiagnostics, rethrows
// with its testimony appended: the library may know the missing ranks.
void explained(const Group& group, Endpoint& endpoint, const std::function<void()>& work);

}  // namespace railgauge
