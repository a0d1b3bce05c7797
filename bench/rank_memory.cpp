// Copies between buffers and their mirror.
#include "bench/rank_memory.hpp"

#include <algorithm>
#include <cstring>

namespace railgauge {
namespace {

bool reaches(const Abilities& transport, MemoryKind kind) {
  return std::find(transport.memory.begin(), transport.memory.end(), kind) != transport.memory.end();
}

Sharing sharing_for(const Abilities& transport) { return transport.shares ? Sharing::processes : Sharing::own; }

}  // namespace

RankMemory::RankMemory(Device& device, Device& host, const Abilities& transport, std::size_t bytes)
    : memory_(device.allocate(bytes, sharing_for(transport))), staged_(!reaches(transport, memory_.region().kind)) {
  const bool hidden = memory_.region().kind == MemoryKind::cuda;
  if (!staged_ && !hidden) return;
  mirror_.emplace(host.allocate(bytes, sharing_for(transport)));
  pinned_.emplace(device.pin(mirror_->region()));
  if (hidden) mover_ = device.compute(Type::uint8, Op::none);
}

std::size_t RankMemory::host_bytes(MemoryKind kind, const Abilities& transport, std::size_t bytes) {
  return kind != MemoryKind::cuda && !reaches(transport, kind) ? 2 * bytes : bytes;
}

const Region& RankMemory::attached() const { return staged_ ? mirror_->region() : memory_.region(); }

Passage RankMemory::passage(std::size_t offset, bool stream_ordered) const {
  return {.stream_ordered = stream_ordered && !staged_, .mirror = staged_ ? mirror_->region().address + offset : nullptr};
}

void RankMemory::write(std::size_t offset, std::size_t bytes, const std::function<void(Bytes)>& fill) {
  const Bytes there(buffers(offset), bytes);
  if (!mover_) return fill(there);
  const Bytes here(mirror_->region().address + offset, bytes);
  fill(here);
  mover_->copy(here, there);
  fence(*mover_);
  // So that a message whose bytes were not copied from the buffers is wrong.
  if (staged_) std::memset(here.data(), 0x5a, bytes);
}

ConstBytes RankMemory::read(std::size_t offset, std::size_t bytes) {
  const ConstBytes there(buffers(offset), bytes);
  if (!mover_) return there;
  const Bytes here(mirror_->region().address + offset, bytes);
  mover_->copy(there, here);
  fence(*mover_);
  return here;
}

}  // namespace railgauge
