// Kernels as C.
#pragma once

#include <map>
#include <string>

#include "tests/softgpu/translate/program.hpp"

namespace softgpu::translate {

// By the names of entries; those that are missing count as 32.
using Registers = std::map<std::string, std::uint32_t, std::less<>>;

// From what ptxas -v says.
[[nodiscard]] Registers registers_of(std::string_view ptxas_output);

// A translation unit that registers the kernels (machine/abi.h). `prefix` goes before the paths of source files that are
// shortened to what follows it in findings. Throws Unknown for an instruction that is not known.
[[nodiscard]] std::string emit(const Program& program, const Registers& registers, std::string_view prefix);

}  // namespace softgpu::translate
