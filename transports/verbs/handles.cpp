// Errors of system calls as sentences.
#include "transports/verbs/handles.hpp"

#include <fmt/format.h>

#include <cstring>

namespace railgauge::verbs {

Error failure(std::string_view call, std::string_view where, int number, Fault fault, std::string_view hint) {
  return {fault, fmt::format("{} on {}: {}{}", call, where, std::strerror(number), hint)};
}

}  // namespace railgauge::verbs
