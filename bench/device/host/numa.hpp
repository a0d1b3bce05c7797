// The NUMA nodes of this machine: memory on one of them, and threads on their cores.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "bench/device/device.hpp"

namespace railgauge::host {

struct NumaNode {
  int number = 0;
  std::uint64_t bytes = 0;  // of its memory; 0 where the kernel does not say
  std::vector<int> cores;   // threads of its cores that this process may use, in order; often none of a node of memory alone
};

// Those that have memory, in the order of their numbers. One node 0 with all cores where the kernel tells of none. `root` is
// where /sys is.
[[nodiscard]] std::vector<NumaNode> numa_nodes(const std::filesystem::path& root = "/");

// The first of those threads that is not `taken` (-1: none is). Throws Error(usage) that says why there is none.
[[nodiscard]] int core_on(int node, int taken = -1);

// As Device::allocate, all of it on that node: by the kernel's policy, or, where a container may not set that, because a core of
// the node touches it first. Throws Error(usage) with the size when the node has not so much free, and where neither is possible.
// On a machine with one node there is nothing to choose.
[[nodiscard]] Memory allocate_on(int node, std::size_t bytes);

// This thread runs on that core for as long as the object lives, and where it did before after that. Throws Error(usage).
class OnCore {
 public:
  explicit OnCore(int core);
  OnCore(const OnCore&) = delete;
  OnCore& operator=(const OnCore&) = delete;
  ~OnCore();

 private:
  cpu_set_t before_{};
};

}  // namespace railgauge::host
