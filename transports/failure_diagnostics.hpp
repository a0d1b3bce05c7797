// What a transport's library reports when an operation does not complete.
#pragma once

#include <string>

namespace railgauge {

// An Endpoint whose library can report missing or late ranks also derives from this class.
class FailureDiagnostics {
 public:
  virtual ~FailureDiagnostics() = default;
  // A clause that is appended to a sentence ("; NCCL's RAS service says: ..."); empty where the library knows nothing. Not
  // collective; takes a few seconds at most.
  [[nodiscard]] virtual std::string testimony() = 0;
};

}  // namespace railgauge
