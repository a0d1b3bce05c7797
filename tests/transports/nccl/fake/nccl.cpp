// A libnccl.so.2 for machines without a GPU: the functions that railgauge calls, as nccl.h declares them, between processes of
// one host, in the order of a LateStream. FAKE_NCCL in the environment is a fault: "version" (too old), "init" (refused),
// "init_hangs", "group_hangs" (its third group never comes back, unless it is aborted), "async" (an error after the third group),
// "stuck" (the same, and what is in the stream never ends, not even when it is aborted), "endless" (its third group does not end
// by itself), "together" (the n-th large group of a
// communicator ends when that of all others of the process has begun), "old" (a version before ncclCommRegister, for the library
// without it).
#include <fcntl.h>
#include <nccl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/transports/nccl/fake/communicator.hpp"

namespace {

using fake_nccl::fault;
using fake_nccl::Half;
using fake_nccl::Mesh;
using fake_nccl::refuse;
using fake_nccl::State;
using fake_nccl::stream_of;

constexpr std::size_t large = 1024;  // bytes of a message

// All that there are in this process.
std::vector<std::weak_ptr<State>> states;

// Rank 0's socket waits here from ncclGetUniqueId to its ncclCommInitRank.
int listener = -1;
thread_local std::string last_words;

struct Operation {
  int peer;
  std::byte* address;
  std::size_t bytes;
  bool sends;
  Half half{};
  bool done = false;
};
struct Group {
  int depth = 0;
  bool has_collective = false;
  std::vector<Operation> operations;
  std::shared_ptr<State> state;
  railgauge::test::LateStream* stream = nullptr;
};
thread_local Group group;

// What a rank sends to itself meets what it receives from itself, in order.
void copy_own(std::vector<Operation>& operations, int rank, const railgauge::test::LateStream& stream) {
  auto source = operations.begin();
  for (Operation& target : operations) {
    if (target.peer != rank || target.sends) continue;
    while (source != operations.end() && (source->peer != rank || !source->sends)) ++source;
    if (source == operations.end() || source->bytes != target.bytes) std::abort();
    std::memcpy(stream.reach(target.address, target.bytes), stream.reach(source->address, source->bytes), target.bytes);
    source->done = target.done = true;
    ++source;
  }
}

// One step of a group: what is first between two ranks goes first.
bool advance(State& state, std::vector<Operation>& operations, const railgauge::test::LateStream& stream) {
  if (state.aborted) return true;
  if (state.later != ncclSuccess) return false;
  try {
    bool all = true;
    std::vector<bool> waits(static_cast<std::size_t>(state.mesh->size()) * 2);
    for (Operation& one : operations) {
      const std::size_t direction = static_cast<std::size_t>(one.peer) * 2 + (one.sends ? 1 : 0);
      if (one.done || waits[direction]) continue;
      one.half.bytes = stream.reach(one.address, one.bytes);
      one.half.size = one.bytes;
      one.done = one.sends ? state.mesh->send(one.peer, one.half) : state.mesh->receive(one.peer, one.half);
      waits[direction] = !one.done;
      all = all && one.done;
    }
    return all;
  } catch (const std::exception& error) {
    last_words = error.what();
    state.later = ncclRemoteError;
    return false;
  }
}

bool is_large(const std::vector<Operation>& operations) {
  return std::any_of(operations.begin(), operations.end(), [](const Operation& one) { return one.bytes >= large; });
}

bool others_have_begun(int number) {
  return std::all_of(states.begin(), states.end(), [&](const std::weak_ptr<State>& weak) {
    const std::shared_ptr<State> state = weak.lock();
    return state == nullptr || state->large_begun >= number;
  });
}

ncclResult_t add(const void* address, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                 cudaStream_t stream, bool sends) {
  if (type != ncclUint8) return refuse(ncclInvalidArgument, "the fake knows bytes only");
  if (peer < 0 || peer >= communicator->state->mesh->size()) return refuse(ncclInvalidArgument, "no such peer");
  if (group.depth == 0) return refuse(ncclInvalidUsage, "the fake knows groups only");
  if (!may_use(*communicator->state, address, count)) return refuse(ncclInvalidArgument, "a buffer that NCCL does not know");
  group.state = communicator->state;
  group.stream = &stream_of(stream);
  group.operations.push_back({peer, const_cast<std::byte*>(static_cast<const std::byte*>(address)), count, sends});
  return ncclSuccess;
}

}  // namespace

bool fake_nccl::fault(std::string_view name) {
  const char* const chosen = std::getenv("FAKE_NCCL");
  return chosen != nullptr && name == chosen;
}
void fake_nccl::note_that_it_hangs() {
  const char* const path = std::getenv("FAKE_NCCL_HANGS");
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  (void)!write(file, "x\n", 2);
  close(file);
}

bool fake_nccl::may_use(const State& state, const void* address, std::size_t bytes) {
  if (bytes == 0 || std::getenv("FAKE_NCCL_KNOWN") == nullptr) return true;
  auto* const begin = static_cast<std::byte*>(const_cast<void*>(address));
  auto after = state.known.upper_bound(begin);
  if (after == state.known.begin()) return false;
  const auto& [first, size] = *--after;
  return begin + bytes <= first + size;
}

bool fake_nccl::keeps_collective() {
  if (group.depth == 0) return false;
  group.has_collective = true;
  return true;
}

void fake_nccl::expect_no_group() {
  if (group.depth != 0) std::abort();
}

ncclResult_t fake_nccl::refuse(ncclResult_t code, const std::string& words) {
  last_words = words;
  return code;
}

#pragma GCC visibility push(default)
extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = fault("version") ? 21700 : fault("old") ? 21805 : 22809;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t code) {
  return code == ncclSuccess       ? "no error"
         : code == ncclRemoteError ? "remote process exited or there was a network error"
                                   : "fake error";
}
const char* ncclGetLastError(ncclComm_t) { return last_words.c_str(); }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::string name;
  listener = Mesh::listen(name);
  std::memset(id, 0, sizeof *id);
  std::memcpy(id->internal, name.data(), name.size());
  fake_nccl::start_ras();
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int size, ncclUniqueId id, int rank) {
  if (fault("init")) return refuse(ncclSystemError, "no interface\nfound");
  fake_nccl::start_ras();
  if (fault("init_hangs")) fake_nccl::note_that_it_hangs();
  while (fault("init_hangs")) sleep(1);
  try {
    auto made = std::make_unique<ncclComm>();
    made->state = std::make_shared<State>();
    made->state->mesh = std::make_unique<Mesh>(id.internal, listener, rank, size);
    if (rank == 0) close(listener);
    fake_nccl::meet_profiler(size, rank);
    states.push_back(made->state);
    *communicator = made.release();
    return ncclSuccess;
  } catch (const std::exception& error) { return refuse(ncclSystemError, error.what()); }
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  delete communicator;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  communicator->state->aborted = true;
  delete communicator;
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* later) {
  *later = communicator->state->later;
  return ncclSuccess;
}

ncclResult_t ncclSend(const void* address, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
  return add(address, count, type, peer, communicator, stream, true);
}
ncclResult_t ncclRecv(void* address, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator, cudaStream_t stream) {
  return add(address, count, type, peer, communicator, stream, false);
}

ncclResult_t ncclGroupStart() {
  ++group.depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (group.has_collective) std::abort();  // it knows none but for simulations
  if (--group.depth != 0 || group.operations.empty()) return ncclSuccess;
  const std::shared_ptr<State> state = std::move(group.state);
  ++state->groups;
  if (fault("group_hangs") && state->groups == 3) fake_nccl::note_that_it_hangs();
  while (fault("group_hangs") && state->groups >= 3) {
    if (state->aborted) return refuse(ncclInternalError, "aborted");
    usleep(1000);
  }
  if ((fault("async") || fault("stuck")) && state->groups == 3) state->later = ncclRemoteError;
  railgauge::test::LateStream& stream = *group.stream;
  const bool stuck = fault("stuck") && state->groups >= 3, endless = fault("endless") && state->groups >= 3;
  const bool joins = fault("together") && is_large(group.operations);
  stream.push(
      [state, &stream, operations = std::move(group.operations), stuck, endless, joins, begun = false, number = 0]() mutable {
        if (stuck) return false;
        if (endless && !state->aborted) {
          usleep(1000);  // who waits for half a minute is not to keep a core busy meanwhile
          return false;
        }
        if (!begun) {
          copy_own(operations, state->mesh->rank(), stream);
          if (joins) number = ++state->large_begun;
        }
        begun = true;
        return advance(*state, operations, stream) && (!joins || state->aborted || others_have_begun(number));
      });
  group.operations.clear();
  return ncclSuccess;
}

ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t* information) {
  const bool all = --group.depth == 0 && group.has_collective && group.operations.empty();
  group.has_collective = false;
  if (!all || information->magic != 0x74685283 || information->size < sizeof *information)
    return refuse(ncclInvalidArgument, "nothing to simulate, or no ncclSimInfo_t");
  information->estimatedTime = 12.5;
  return ncclSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
