// A GPU: how many blocks it holds at once, shared by all grids of all processes that run on it.
#pragma once

#include <cstdint>

#include "tests/softgpu/machine/kernel.hpp"
#include "tests/softgpu/machine/memory.hpp"

namespace softgpu {

// Of one multiprocessor, but for their number. The defaults are an H100's.
struct Limits {
  std::uint32_t multiprocessors = 132;
  std::uint32_t blocks = 32, threads = 2048, registers = 65536;
  std::uint32_t shared_bytes = 233472, shared_bytes_of_block = 232448;
};

class Device {
 public:
  // `number` is the same in all processes that use this GPU. Throws std::invalid_argument for one that World does not have, and
  // for no multiprocessors or more of them.
  Device(World& world, Memory& memory, std::uint32_t number, const Limits& limits);

  // As cudaOccupancyMaxActiveBlocksPerMultiprocessor answers.
  [[nodiscard]] std::uint32_t blocks_of_multiprocessor(const Kernel& kernel, std::uint32_t threads,
                                                       std::uint32_t dynamic_shared) const;

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] Memory& memory() const { return memory_; }
  [[nodiscard]] World& world() const { return world_; }

  // What a block of this kernel takes, in the units in which a multiprocessor gives.
  [[nodiscard]] World::Resident resources(const Kernel& kernel, std::uint32_t threads, std::uint32_t dynamic_shared) const;
  // The multiprocessor that took it, tried from `first` on; limits().multiprocessors when none has room.
  [[nodiscard]] std::uint32_t admit(const World::Resident& block, std::uint32_t first);
  void leave(std::uint32_t multiprocessor, const World::Resident& block);

 private:
  World& world_;
  Memory& memory_;
  std::uint32_t number_;
  Limits limits_;
};

}  // namespace softgpu
