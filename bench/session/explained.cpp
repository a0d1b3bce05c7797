// Asks the witness.
#include "bench/session/explained.hpp"

#include <string>

#include "base/error.hpp"
#include "transports/failure_diagnostics.hpp"

namespace railgauge {

void explained(const Group& group, Endpoint& endpoint, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    auto* const witness = dynamic_cast<FailureDiagnostics*>(&endpoint);
    if (error.fault() != Fault::lost || witness == nullptr) throw;
    group.check();
    throw Error(Fault::lost, error.what() + witness->testimony());
  }
}

}  // namespace railgauge
