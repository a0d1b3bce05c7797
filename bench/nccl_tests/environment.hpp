// The environment variables of the programs of nccl-tests: theirs, and railgauge's own.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "bench/nccl_tests/options.hpp"

namespace railgauge::nccl_tests {

using Variables = std::map<std::string, std::string, std::less<>>;

struct Variable {
  std::string_view name, meaning;
};
// All variables that are read, and those of nccl-tests that are refused; --help and docs/nccl-tests.md list the same.
[[nodiscard]] std::span<const Variable> known_variables() noexcept;

// Empty where the variable is not set.
[[nodiscard]] std::string value_of(const Variables& variables, std::string_view name);

// Sets `options` from the variables, except the buffers. Throws Error(usage) for an invalid value, and NotImplemented for a
// variable of nccl-tests that would change the measurement and is not supported.
void read_variables(const Variables& variables, Options& options);

// The GPUs that NCCL_TESTS_DEVICE names for `ranks` ranks of a process; empty where it is not set. Throws Error(usage).
[[nodiscard]] std::vector<std::string> devices_of(const Variables& variables, int ranks);

// Sentences about variables that are set and have no effect: those of GPUs where buffers are in host memory, and unknown
// NCCL_TESTS_*.
[[nodiscard]] std::vector<std::string> without_meaning(const Variables& variables, bool gpus);

}  // namespace railgauge::nccl_tests
