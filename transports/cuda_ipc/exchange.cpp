// Puts rounds into the stream.
#include "transports/cuda_ipc/exchange.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "transports/cuda_ipc/driver.hpp"

namespace railgauge::cuda_ipc {
namespace {

[[noreturn, gnu::cold]] void fail(CUresult code, const char* call, int peer) {
  throw Error(Fault::lost, fmt::format("{} for a message of rank {}: {}", call, peer, words_of(code)));
}

CUdeviceptr pointer(const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

void CudaIpcExchange::await(CUdeviceptr counter, std::uint64_t value, int peer) const {
  const CUresult code = driver().stream_wait_value(stream_, counter, value, CU_STREAM_WAIT_VALUE_GEQ);
  if (code != CUDA_SUCCESS) fail(code, "cuStreamWaitValue64", peer);
}

// What came before in the stream is seen by who sees the value: the driver's default.
void CudaIpcExchange::tell(CUdeviceptr counter, std::uint64_t value, int peer) const {
  const CUresult code = driver().stream_write_value(stream_, counter, value, CU_STREAM_WRITE_VALUE_DEFAULT);
  if (code != CUDA_SUCCESS) fail(code, "cuStreamWriteValue64", peer);
}

void CudaIpcExchange::post(std::size_t round) {
  const PreparedRound& work = rounds_[round];
  const int me = endpoint_.group().rank();
  for (const PreparedRound::Direction& to : work.sends) tell(endpoint_.ready(lane_, to.peer, me), to.messages, to.peer);
  for (const PreparedRound::Direction& from : work.receives) {
    await(endpoint_.ready(lane_, me, from.peer), from.messages, from.peer);
    if (from.last) tell(endpoint_.ready(lane_, me, from.peer), 0, from.peer);
    for (const PreparedRound::Block& block : from.blocks) {
      const CUresult code = driver().memcpy_async(pointer(block.target), pointer(block.source), block.bytes, stream_);
      if (code != CUDA_SUCCESS) fail(code, "cuMemcpyAsync", from.peer);
    }
    if (from.taken != 0) tell(endpoint_.taken(lane_, from.peer, me), from.taken, from.peer);
  }
  for (const PreparedRound::Direction& to : work.sends) {
    if (to.taken != 0) await(endpoint_.taken(lane_, me, to.peer), to.taken, to.peer);
    if (to.last) tell(endpoint_.taken(lane_, me, to.peer), 0, to.peer);
  }
}

// As post() makes them.
std::size_t CudaIpcExchange::operations(std::size_t round) const {
  const PreparedRound& work = rounds_[round];
  std::size_t sum = 0;
  for (const PreparedRound::Direction& to : work.sends) sum += 1U + (to.taken != 0) + to.last;
  for (const PreparedRound::Direction& from : work.receives) sum += 1U + from.last + from.blocks.size() + (from.taken != 0);
  return sum;
}

bool CudaIpcExchange::test(std::size_t) {
  constexpr std::uint32_t times_between_looks = 1024;
  if (++tests_ % times_between_looks == 0) endpoint_.group().check();
  return true;
}

}  // namespace railgauge::cuda_ipc
