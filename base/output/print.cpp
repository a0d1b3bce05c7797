#include "base/output/print.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "base/error.hpp"

namespace railgauge {

void print(std::string_view text, std::FILE* to) {
  if (std::fwrite(text.data(), 1, text.size(), to) != text.size() || std::fflush(to) != 0)
    throw Error(Fault::usage, fmt::format("cannot write to {}: {}", to == stderr ? "standard error" : "standard output",
                                          std::generic_category().message(errno)));
}

}  // namespace railgauge
