// One place of the world for each process.
#include "tests/softgpu/engine/hosts.hpp"

#include <algorithm>
#include <stdexcept>

#include "tests/softgpu/machine/abi.h"

namespace softgpu {

Hosts::Hosts(World& world, Directory& directory) : world_(world), directory_(directory), place_(world.new_place()) {
  const std::uint32_t slot = directory_.count++;
  if (slot >= most) throw std::length_error("softgpu: more processes than a run can have");
  directory_.place[slot] = place_;
}

void Hosts::tell(const Actor& host) { world_.leave(place_, SG_SYSTEM, 0, host.release().known()); }

void Hosts::hear(Actor& host) {
  const std::size_t count = std::min<std::size_t>(directory_.count, most);
  for (std::size_t slot = 0; slot < count; ++slot) {
    const std::uint32_t place = directory_.place[slot];
    if (place == 0 || place == place_) continue;
    const std::uint32_t version = world_.version(place);
    if (version == heard_[slot]) continue;
    heard_[slot] = version;
    host.acquire(Knowledge(world_.left(place).known));
  }
}

}  // namespace softgpu
