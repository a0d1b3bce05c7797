// What the work of a process is done on: the memory of its GPUs, what is known of it, and what was found wrong.
#pragma once

#include <cstddef>

#include "tests/softgpu/machine/finding.hpp"
#include "tests/softgpu/machine/memory.hpp"
#include "tests/softgpu/machine/order.hpp"
#include "tests/softgpu/machine/world.hpp"

namespace softgpu {

struct Machine {
  explicit Machine(std::byte* segment) : world(segment), memory(world, findings) {}
  World world;
  Findings findings;
  Memory memory;
};

}  // namespace softgpu
