// What a transport's library knows when something does not come through.
#pragma once

#include <string>

namespace railgauge {

// An Endpoint whose library can be asked which ranks are missing or behind is one of these too.
class FailureDiagnostics {
 public:
  virtual ~FailureDiagnostics() = default;
  // A clause to be put behind a sentence ("; NCCL's RAS service says: ..."); empty where nothing is known. Not collective; takes
  // a few seconds at most.
  [[nodiscard]] virtual std::string testimony() = 0;
};

}  // namespace railgauge
