// What NCCL tells a profiler about the collectives that it begins: the plugin is its own profiler (NCCL_PROFILER_PLUGIN), for
// NCCL 2.27 and later.
#pragma once

#include <string>

namespace railgauge::nccl {

// How a collective was begun, in NCCL's words; empty and 0 where it did not tell.
struct Begun {
  std::string algorithm, protocol;
  int channels = 0;
};

// Names this plugin to the NCCL of this process as its profiler, unless the environment names another. Before the first
// communicator.
void offer_profiler();

// From now on what NCCL begins is noted, which costs it time; or not, as at first.
void watch_collectives(bool on) noexcept;
// The last collective since watch_collectives(true).
[[nodiscard]] Begun last_begun();

}  // namespace railgauge::nccl
