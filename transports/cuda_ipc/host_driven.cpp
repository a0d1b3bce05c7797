// Copies what lies ready, and says so when the event behind it has passed.
#include "transports/cuda_ipc/host_driven.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/backoff.hpp"
#include "base/error.hpp"
#include "transports/cuda_ipc/driver.hpp"
#include "transports/gather.hpp"
#include "transports/shm/agreement.hpp"

namespace railgauge::cuda_ipc {
namespace {

constexpr std::chrono::seconds parting{2};

[[noreturn, gnu::cold]] void fail(CUresult code, const char* call, int peer) {
  throw Error(Fault::lost, fmt::format("{} for a message of rank {}: {}", call, peer, words_of(code)));
}

CUdeviceptr pointer(const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address); }

// Where a rank has a region.
struct Heard {
  std::uint64_t address = 0, bytes = 0;
};

}  // namespace

void DestroyStream::operator()(CUstream stream) const noexcept { (void)driver().stream_destroy(stream); }
void DestroyEvent::operator()(CUevent event) const noexcept { (void)driver().event_destroy(event); }

HostDrivenEndpoint::HostDrivenEndpoint(Group& group, const Place& place, const Options& options)
    : peers_(group, place, options),
      words_(group, place.lanes.size(), shm::ShmSettings{.mapped = false}),
      shown_(static_cast<std::size_t>(group.size())) {
  for (std::size_t lane = 0; lane < place.lanes.size(); ++lane) {
    CUstream made = nullptr;
    check(driver().stream_create(&made, CU_STREAM_NON_BLOCKING), Fault::usage, "cuStreamCreate on " + peers_.party(group.rank()));
    streams_.emplace_back(made);
  }
}

void HostDrivenEndpoint::attach(const Region& region) {
  expect_gpu_memory(region);
  const std::vector<std::byte*> addresses = peers_.share(region.address, region.bytes);
  const std::vector<Heard> told = gather(peers_.group(), Heard{reinterpret_cast<std::uintptr_t>(region.address), region.bytes});
  for (std::size_t rank = 0; rank < told.size(); ++rank)
    shown_[rank].push_back({told[rank].address, told[rank].bytes, addresses[rank]});
  // Without a descriptor it is not mapped, and nobody touches it: blocks are only found in it.
  words_.attach({.address = region.address, .bytes = region.bytes});
}

// The sender has found the block in one of its regions.
const std::byte* HostDrivenEndpoint::reach(int rank, const shm::Block& block) const {
  if (block.bytes == 0) return nullptr;
  const auto at = reinterpret_cast<std::uintptr_t>(block.source);
  for (const Shown& region : shown_[static_cast<std::size_t>(rank)])
    if (at >= region.there && at - region.there <= region.bytes && block.bytes <= region.bytes - (at - region.there))
      return region.here + (at - region.there);
  throw Error(Fault::usage, fmt::format("{} sends {} bytes that it has shown to nobody", peers_.party(rank), block.bytes));
}

std::unique_ptr<Exchange> HostDrivenEndpoint::prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) {
  if (lane >= streams_.size()) throw Error(Fault::usage, fmt::format("lane {}: the endpoint has {}", lane, streams_.size()));
  shm::PreparedRounds prepared = shm::agree(words_, lane, rounds);
  for (const shm::RoundWork& round : prepared.rounds)
    for (const shm::RoundWork::Burst& burst : round.bursts)
      for (std::size_t i = burst.first; i != burst.last; ++i)
        prepared.blocks[i].source = reach(prepared.incoming[burst.direction].peer, prepared.blocks[i]);
  return std::make_unique<HostDrivenExchange>(std::move(prepared), peers_.group(), streams_[lane].get());
}

HostDrivenExchange::HostDrivenExchange(shm::PreparedRounds prepared, const Group& group, CUstream stream)
    : prepared_(std::move(prepared)), group_(group), stream_(stream), copies_(prepared_.incoming.size()) {
  for (Copies& copies : copies_) {
    CUevent made = nullptr;
    check(driver().event_create(&made, CU_EVENT_DISABLE_TIMING), Fault::usage, "cuEventCreate");
    copies.done.reset(made);
  }
}

HostDrivenExchange::~HostDrivenExchange() {
  const auto deadline = std::chrono::steady_clock::now() + parting;
  Backoff backoff;
  for (const Copies& copies : copies_)
    while (copies.under_way && driver().event_query(copies.done.get()) == CUDA_ERROR_NOT_READY &&
           std::chrono::steady_clock::now() < deadline)
      backoff.pause();
}

void HostDrivenExchange::post(std::size_t round) {
  if (round == 0) ++run_;
  shm::RoundWork& work = prepared_.rounds[round];
  for (const shm::RoundWork::Count& send : work.sends) {
    const shm::Direction& to = prepared_.outgoing[send.direction];
    to.ready->store(run_ * to.messages + send.count, std::memory_order_release);
  }
  for (shm::RoundWork::Burst& burst : work.bursts) burst.next = burst.first;
}

bool HostDrivenExchange::test(std::size_t round) {
  shm::RoundWork& work = prepared_.rounds[round];
  bool complete = true;
  for (shm::RoundWork::Burst& burst : work.bursts) complete = advance(burst) && complete;
  for (const shm::RoundWork::Count& send : work.sends) {
    const shm::Direction& to = prepared_.outgoing[send.direction];
    if (to.taken->load(std::memory_order_acquire) < run_ * to.messages + send.count) complete = false;
  }
  if (!complete) group_.check();
  return complete;
}

// Begins to take what lies ready of the burst, or sees whether what was begun is done; true when all is taken.
bool HostDrivenExchange::advance(shm::RoundWork::Burst& burst) {
  const shm::Direction& from = prepared_.incoming[burst.direction];
  Copies& copies = copies_[burst.direction];
  const std::uint64_t start = run_ * from.messages + burst.before;
  while (burst.next != burst.last) {
    if (!copies.under_way) {
      const std::uint64_t ready = from.ready->load(std::memory_order_acquire);
      if (ready <= start + (burst.next - burst.first)) return false;
      copies.end = burst.first + static_cast<std::size_t>(std::min<std::uint64_t>(ready - start, burst.last - burst.first));
      copies.under_way = begin(from, burst.next, copies);
    }
    if (copies.under_way && !is_done(copies, from.peer)) return false;
    copies.under_way = false;
    burst.next = copies.end;
    from.taken->store(start + (burst.next - burst.first), std::memory_order_release);
  }
  return true;
}

// Whether there was anything to copy.
bool HostDrivenExchange::begin(const shm::Direction& from, std::size_t first, Copies& copies) {
  bool any = false;
  for (std::size_t i = first; i != copies.end; ++i) {
    const shm::Block& block = prepared_.blocks[i];
    if (block.bytes == 0) continue;
    any = true;
    const CUresult code = driver().memcpy_async(pointer(block.target), pointer(block.source), block.bytes, stream_);
    if (code != CUDA_SUCCESS) fail(code, "cuMemcpyAsync", from.peer);
  }
  if (!any) return false;
  const CUresult code = driver().event_record(copies.done.get(), stream_);
  if (code != CUDA_SUCCESS) fail(code, "cuEventRecord", from.peer);
  return true;
}

bool HostDrivenExchange::is_done(const Copies& copies, int peer) const {
  const CUresult code = driver().event_query(copies.done.get());
  if (code == CUDA_ERROR_NOT_READY) return false;
  if (code != CUDA_SUCCESS) fail(code, "cuEventQuery", peer);
  return true;
}

}  // namespace railgauge::cuda_ipc
