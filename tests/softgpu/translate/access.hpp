// What instructions that access memory or wait mean: ld, st, atom, red, bar.
#pragma once

#include <optional>
#include <string>

#include "tests/softgpu/machine/abi.h"
#include "tests/softgpu/translate/program.hpp"

namespace softgpu::translate {

enum Space : std::uint8_t { generic_space, global_space, shared_space, parameter_space };

struct MemoryAccess {
  std::uint8_t kind = SG_LOAD, order = SG_WEAK, scope = SG_SYSTEM, space = generic_space;
  unsigned elements = 1, bytes = 0;  // bytes of one
  std::string type;                  // "u32"
  std::uint8_t operation = SG_ADD;   // of atom and red
  bool has_result = true;            // red has none, nor bar but bar.red
  bool of_warp = false;              // bar.warp
};

// Nothing for other instructions. `unknown` is set to the modifier that is not known.
[[nodiscard]] std::optional<MemoryAccess> access_of(const Instruction& instruction, std::string& unknown);

}  // namespace softgpu::translate
