// Functions that the oldest library lacks, looked up in the one that is loaded: null where it has none.
#pragma once

#include <nccl.h>

#include <cstddef>

namespace railgauge::nccl {

// What ncclGroupSimulateEnd fills, whose header older libraries do not have.
struct Simulation {
  std::size_t size = sizeof(Simulation);
  unsigned magic = 0x74685283;
  unsigned version = NCCL_VERSION_CODE;  // of the header that it is laid out by
  float microseconds = -1;
};

struct Newer {
  ncclResult_t (*comm_register)(ncclComm_t, void*, size_t, void**) = nullptr;  // 2.19
  ncclResult_t (*comm_deregister)(ncclComm_t, void*) = nullptr;
  ncclResult_t (*memory_allocate)(void**, size_t) = nullptr;
  ncclResult_t (*memory_free)(void*) = nullptr;
  // 2.27; a window is a pointer to what older headers do not declare.
  ncclResult_t (*window_register)(ncclComm_t, void*, size_t, void**, int) = nullptr;
  ncclResult_t (*window_deregister)(ncclComm_t, void*) = nullptr;
  ncclResult_t (*simulate)(Simulation*) = nullptr;  // 2.22: in the place of ncclGroupEnd
  // 2.28. Input, output, elements of a block; of the latter two also the root.
  ncclResult_t (*all_to_all)(const void*, void*, size_t, ncclDataType_t, ncclComm_t, cudaStream_t) = nullptr;
  ncclResult_t (*gather)(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) = nullptr;
  ncclResult_t (*scatter)(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) = nullptr;
};

[[nodiscard]] const Newer& newer();

}  // namespace railgauge::nccl
