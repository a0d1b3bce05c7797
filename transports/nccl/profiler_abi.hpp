// The parts of NCCL's profiler interface that are used here, versions 4 (NCCL 2.27) and 5 (2.28). Events are only read, up to
// what is declared.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>

namespace railgauge::nccl {

inline constexpr int collective_event = 1 << 1;  // of the mask, and an event's type

struct CollectiveEvent {
  std::uint64_t sequence;
  const char* function;
  const void* input;
  void* output;
  std::size_t count;
  int root;
  const char* type;
  std::uint8_t channels, warps;
  const char *algorithm, *protocol;
};

// `Type` is an unsigned number of 8 bits in version 4, of 64 in version 5.
template <class Type>
struct ProfilerEvent {
  Type type;
  void* parent;
  int rank;
  CollectiveEvent collective;  // one of several kinds, by `type`
};
static_assert(offsetof(ProfilerEvent<std::uint8_t>, collective) == 24 &&
              offsetof(ProfilerEvent<std::uint64_t>, collective) == 24);

using ProfilerLog = void (*)(int level, unsigned long flags, const char* file, int line, const char* format, ...);

template <class Type, class Init>
struct Profiler {
  const char* name;
  Init init;
  ncclResult_t (*start)(void* context, void** event, ProfilerEvent<Type>* what);
  ncclResult_t (*stop)(void* event);
  ncclResult_t (*state)(void* event, int state, void* more);
  ncclResult_t (*finalize)(void* context);
};
using ProfilerV4 = Profiler<std::uint8_t, ncclResult_t (*)(void** context, int* mask, const char* name, std::uint64_t id,
                                                           int nodes, int ranks, int rank, ProfilerLog log)>;
using ProfilerV5 = Profiler<std::uint64_t, ncclResult_t (*)(void** context, std::uint64_t id, int* mask, const char* name,
                                                            int nodes, int ranks, int rank, ProfilerLog log)>;

}  // namespace railgauge::nccl
