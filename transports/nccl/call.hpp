// What NCCL answers, in sentences.
#pragma once

#include <nccl.h>

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace railgauge::nccl {

// The oldest library that serves: ncclCommInitRankConfig and what it needs came a little before, functions that are newer than
// this are looked up when the program runs (newer.hpp).
inline constexpr int oldest_version = NCCL_VERSION(2, 18, 1);

// "2.28.9"
[[nodiscard]] std::string version_text(int version);

// "unhandled system error (socketPollConnect: connection refused)": the code's words, and where it has any more the library's own
// last ones about it. `communicator` may be null.
[[nodiscard]] std::string words_of(ncclResult_t code, ncclComm_t communicator);

// Throws Error(fault) "<call>: <words>" unless the code says that all is well.
inline void check(ncclResult_t code, Fault fault, const std::string& call, ncclComm_t communicator = nullptr) {
  if (code != ncclSuccess) throw Error(fault, call + ": " + words_of(code, communicator));
}

}  // namespace railgauge::nccl
