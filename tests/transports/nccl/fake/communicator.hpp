// What the parts of the fake NCCL share.
#pragma once

#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "tests/plan/late_stream.hpp"
#include "tests/transports/nccl/fake/mesh.hpp"

struct ncclComm {
  std::unique_ptr<fake_nccl::Mesh> mesh;
  std::atomic<bool> aborted = false;
  std::atomic<ncclResult_t> later = ncclSuccess;
  int groups = 0;
  std::map<int, double> factors;  // of reductions that ncclRedOpCreatePreMulSum made, by their numbers
};

namespace fake_nccl {

inline railgauge::test::LateStream& stream_of(cudaStream_t stream) {
  return *reinterpret_cast<railgauge::test::LateStream*>(stream);
}

// Between ncclGroupStart and its end a collective is kept, and only ncclGroupSimulateEnd knows what to do with it.
bool keeps_collective();

// A profiler that the environment names, told as NCCL tells it.
void meet_profiler(int size, int rank);
void begin_collective(const char* what, std::size_t count, int rank);

// Keeps `words` for ncclGetLastError.
ncclResult_t refuse(ncclResult_t code, const std::string& words);

}  // namespace fake_nccl
