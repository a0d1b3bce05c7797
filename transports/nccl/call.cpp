// The words of codes.
#include "transports/nccl/call.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railgauge::nccl {

std::string version_text(int version) {
  // Before 2.9 there were two digits less; those are too old anyway, but are named.
  return version >= 10000 ? fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100)
                          : fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100);
}

std::string words_of(ncclResult_t code, ncclComm_t communicator) {
  std::string words = ncclGetErrorString(code);
  const char* const last = code == ncclSuccess ? nullptr : ncclGetLastError(communicator);
  std::string more = last == nullptr ? "" : last;
  std::replace_if(more.begin(), more.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  while (!more.empty() && more.back() == ' ') more.pop_back();
  return more.empty() ? words : fmt::format("{} ({})", words, more);
}

}  // namespace railgauge::nccl
