// A libnccl.so.2 for machines without a GPU: the functions that railgauge calls, as nccl.h declares them, between processes of
// one host, in the order of a LateStream. FAKE_NCCL in the environment is a fault: "version" (too old), "init" (refused),
// "init_hangs", "group_hangs" (its third group never comes back, unless it is aborted), "async" (an error after the third group).
#include <nccl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "tests/transports/nccl/fake/communicator.hpp"

namespace {

using fake_nccl::Half;
using fake_nccl::Mesh;
using fake_nccl::refuse;
using fake_nccl::stream_of;

bool fault(std::string_view name) {
  const char* const chosen = std::getenv("FAKE_NCCL");
  return chosen != nullptr && name == chosen;
}

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
  ncclComm_t communicator = nullptr;
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
bool advance(ncclComm& communicator, std::vector<Operation>& operations, const railgauge::test::LateStream& stream) {
  if (communicator.aborted) return true;
  if (communicator.later != ncclSuccess) return false;
  try {
    bool all = true;
    std::vector<bool> waits(static_cast<std::size_t>(communicator.mesh->size()) * 2);
    for (Operation& one : operations) {
      const std::size_t way = static_cast<std::size_t>(one.peer) * 2 + (one.sends ? 1 : 0);
      if (one.done || waits[way]) continue;
      one.half.bytes = stream.reach(one.address, one.bytes);
      one.half.size = one.bytes;
      one.done = one.sends ? communicator.mesh->send(one.peer, one.half) : communicator.mesh->receive(one.peer, one.half);
      waits[way] = !one.done;
      all = all && one.done;
    }
    return all;
  } catch (const std::exception& error) {
    last_words = error.what();
    communicator.later = ncclRemoteError;
    return false;
  }
}

ncclResult_t add(const void* address, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                 cudaStream_t stream, bool sends) {
  if (type != ncclUint8) return refuse(ncclInvalidArgument, "the fake knows bytes only");
  if (peer < 0 || peer >= communicator->mesh->size()) return refuse(ncclInvalidArgument, "no such peer");
  if (group.depth == 0) return refuse(ncclInvalidUsage, "the fake knows groups only");
  group.communicator = communicator;
  group.stream = &stream_of(stream);
  group.operations.push_back({peer, const_cast<std::byte*>(static_cast<const std::byte*>(address)), count, sends});
  return ncclSuccess;
}

}  // namespace

bool fake_nccl::keeps_collective() {
  if (group.depth == 0) return false;
  group.has_collective = true;
  return true;
}

ncclResult_t fake_nccl::refuse(ncclResult_t code, const std::string& words) {
  last_words = words;
  return code;
}

#pragma GCC visibility push(default)
extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = fault("version") ? 21700 : 22809;
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
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int size, ncclUniqueId id, int rank) {
  if (fault("init")) return refuse(ncclSystemError, "no interface\nfound");
  while (fault("init_hangs")) sleep(1);
  try {
    auto made = std::make_unique<ncclComm>();
    made->mesh = std::make_unique<Mesh>(id.internal, listener, rank, size);
    if (rank == 0) close(listener);
    fake_nccl::meet_profiler(size, rank);
    *communicator = made.release();
    return ncclSuccess;
  } catch (const std::exception& error) { return refuse(ncclSystemError, error.what()); }
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  delete communicator;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  communicator->aborted = true;  // kept: a stream may still hold what was put into it
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* later) {
  *later = communicator->later;
  return ncclSuccess;
}

ncclResult_t ncclCommRegister(ncclComm_t, void*, size_t, void** handle) {
  *handle = new int;
  return ncclSuccess;
}
ncclResult_t ncclCommDeregister(ncclComm_t, void* handle) {
  delete static_cast<int*>(handle);
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
  ncclComm& communicator = *group.communicator;
  ++communicator.groups;
  while (fault("group_hangs") && communicator.groups >= 3) {
    if (communicator.aborted) return refuse(ncclInternalError, "aborted");
    usleep(1000);
  }
  if (fault("async") && communicator.groups == 3) communicator.later = ncclRemoteError;
  railgauge::test::LateStream& stream = *group.stream;
  stream.push([&communicator, &stream, operations = std::move(group.operations), own = false]() mutable {
    if (!own) copy_own(operations, communicator.mesh->rank(), stream);
    own = true;
    return advance(communicator, operations, stream);
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
