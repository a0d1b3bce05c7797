// What the parts of the fake NCCL share.
#pragma once

#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tests/plan/late_stream.hpp"
#include "tests/transports/nccl/fake/mesh.hpp"

namespace fake_nccl {

// Behind a communicator's handle, and what is in a stream of it: that may outlive the handle, which ncclCommDestroy and
// ncclCommAbort free.
struct State {
  std::unique_ptr<Mesh> mesh;
  std::atomic<bool> aborted = false;
  std::atomic<ncclResult_t> later = ncclSuccess;
  int groups = 0;
  int large_begun = 0;                      // of its groups with messages of a kilobyte and more
  std::map<int, double> factors;            // of reductions that ncclRedOpCreatePreMulSum made, by their numbers
  std::map<std::byte*, std::size_t> known;  // memory that was registered or is a window, by its address
};

inline railgauge::test::LateStream& stream_of(cudaStream_t stream) {
  return *reinterpret_cast<railgauge::test::LateStream*>(stream);
}

// Whether FAKE_NCCL in the environment is that fault.
bool fault(std::string_view name);
// Adds a line to the file that FAKE_NCCL_HANGS in the environment names, if any: a test may wait for it.
void note_that_it_hangs();

// With FAKE_NCCL_KNOWN in the environment NCCL works on nothing that it does not know (State::known), messages without bytes
// aside.
bool may_use(const State& state, const void* address, std::size_t bytes);

// Between ncclGroupStart and its end a collective is kept, and only ncclGroupSimulateEnd knows what to do with it.
bool keeps_collective();
// What NCCL makes of sends and receives stays in its communicator where it was only simulated, and goes out with the next group,
// while the ranks think of other things. Ends the process between ncclGroupStart and its end.
void expect_no_group();

// A profiler that the environment names, told as NCCL tells it.
void meet_profiler(int size, int rank);
void begin_collective(const char* what, std::size_t count, int rank);

// As NCCL does with its first communicator: starts to answer at NCCL_RAS_ADDR, where FAKE_RAS is in the environment: the number
// of the rank that is said to be missing.
void start_ras();

// Keeps `words` for ncclGetLastError.
ncclResult_t refuse(ncclResult_t code, const std::string& words);

}  // namespace fake_nccl

struct ncclComm {
  std::shared_ptr<fake_nccl::State> state;
};
