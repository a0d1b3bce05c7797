// Sentences about what did not come through, with what the transport's library knows about it.
#pragma once

#include <functional>

#include "transports/group.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// Does `work`. Where that throws Error(lost) while no rank is known to be lost, and the endpoint is a FailureDiagnostics, its
// testimony is added to the sentence: a library may know who is missing.
void explained(const Group& group, Endpoint& endpoint, const std::function<void()>& work);

}  // namespace railgauge
