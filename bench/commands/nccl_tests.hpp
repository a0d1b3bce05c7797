// The programs of nccl-tests, which are other names of this one.
#pragma once

#include <string_view>

#include "bench/commands/command.hpp"

namespace railgauge {

// Whether `path`, the name under which the program was started, is one of them.
[[nodiscard]] bool is_nccl_tests(std::string_view path) noexcept;

// Does all of it: parses, runs, says what is wrong on standard error. Returns an exit code of nccl-tests.
[[nodiscard]] int run_nccl_tests(int argc, char** argv, const Invocation& invocation);

}  // namespace railgauge
