#include "tests/softgpu/machine/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace softgpu {
namespace {

constexpr std::uint32_t warp = 32;

std::uint32_t round_up(std::uint32_t value, std::uint32_t to) { return (value + to - 1) / to * to; }

}  // namespace

Device::Device(World& world, Memory& memory, std::uint32_t number, const Limits& limits)
    : world_(world), memory_(memory), number_(number), limits_(limits) {
  if (number >= World::devices)
    throw std::invalid_argument(fmt::format("softgpu: device {} of at most {}", number, World::devices));
  if (limits.multiprocessors == 0 || limits.multiprocessors > World::multiprocessors)
    throw std::invalid_argument(
        fmt::format("softgpu: {} multiprocessors, where 1 to {} can be", limits.multiprocessors, World::multiprocessors));
}

// Registers are given to warps, 256 at a time; shared memory to blocks, 128 bytes at a time and 1 KiB of the system's own.
World::Resident Device::resources(const Kernel& kernel, std::uint32_t threads, std::uint32_t dynamic_shared) const {
  constexpr std::uint32_t register_unit = 256, shared_unit = 128, shared_of_system = 1024;
  const std::uint32_t warps = round_up(threads, warp) / warp;
  return {1, warps * warp, warps * round_up(kernel.registers * warp, register_unit),
          round_up(kernel.shared_bytes + dynamic_shared, shared_unit) + shared_of_system};
}

std::uint32_t Device::blocks_of_multiprocessor(const Kernel& kernel, std::uint32_t threads, std::uint32_t dynamic_shared) const {
  if (threads == 0 || kernel.shared_bytes + dynamic_shared > limits_.shared_bytes_of_block) return 0;
  const World::Resident one = resources(kernel, threads, dynamic_shared);
  return std::min({limits_.blocks, limits_.threads / one.threads,
                   one.registers == 0 ? limits_.blocks : limits_.registers / one.registers,
                   limits_.shared_bytes / one.shared_bytes});
}

std::uint32_t Device::admit(const World::Resident& block, std::uint32_t first) {
  const World::Resident most{limits_.blocks, limits_.threads, limits_.registers, limits_.shared_bytes};
  for (std::uint32_t i = 0; i < limits_.multiprocessors; ++i) {
    const std::uint32_t multiprocessor = (first + i) % limits_.multiprocessors;
    if (world_.admit(number_, multiprocessor, block, most)) return multiprocessor;
  }
  return limits_.multiprocessors;
}

void Device::leave(std::uint32_t multiprocessor, const World::Resident& block) {
  world_.withdraw(number_, multiprocessor, block);
}

}  // namespace softgpu
