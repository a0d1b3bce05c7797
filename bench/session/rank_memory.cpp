// Copies between buffers and their mirror.
#include "bench/session/rank_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "bench/device/host/available.hpp"
#include "bench/device/queues.hpp"
#include "bench/group/gather_json.hpp"
#include "transports/allocator.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

bool contains(const std::vector<MemoryKind>& kinds, MemoryKind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

Sharing sharing_for(const Abilities& transport) {
  return transport.fabric ? Sharing::hosts : transport.shares ? Sharing::processes : Sharing::own;
}

// Why this rank's messages cannot leave from its buffers; empty where they can.
std::string obstacle(const Abilities& transport, Endpoint& endpoint, const Region& region) {
  if (contains(transport.memory, region.kind)) return {};
  if (!contains(transport.tries, region.kind)) return "the transport sends no memory of this kind";
  return endpoint.refusal(region);
}

// Why these ranks' messages pass through memory of the host, the same on all; empty where they do not.
std::string why_staged(Group& group, Endpoint& endpoint, const Abilities& transport, const Region& region,
                       RankMemory::Direct direct) {
  if (direct == RankMemory::Direct::never) return "--path staged asks for it";
  const std::string mine = obstacle(transport, endpoint, region);
  const std::vector<Json> all = gather_json(group, mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto reason = all[rank].get<std::string>();
    if (reason.empty()) continue;
    if (direct == RankMemory::Direct::always)
      throw Error(Fault::usage,
                  fmt::format("--path exchange: messages cannot leave from the buffers of rank {}: {}", rank, reason));
    if (contains(transport.tries, region.kind) && !may_reach(transport, MemoryKind::host))
      throw Error(Fault::usage, fmt::format("messages cannot leave from the buffers of rank {}: {}; nor can they pass through "
                                            "memory of the host, which a part of the transport does not send: use another, "
                                            "as --transport shm+ucx",
                                            rank, reason));
    return all.size() > 1 ? fmt::format("rank {}: {}", rank, reason) : reason;
  }
  return {};
}

Memory allocate(Endpoint& endpoint, const RankMemory::Devices& devices, const Abilities& transport, std::size_t bytes,
                RankMemory::Direct direct) {
  auto* const allocator = dynamic_cast<Allocator*>(&endpoint);
  if (allocator == nullptr || direct == RankMemory::Direct::never || !allocator->allocates(devices.kind))
    return devices.device.allocate(bytes, sharing_for(transport));
  const Allocated its = allocator->allocate(bytes);
  return {its.region, its.release};
}

// To a tenth: exact bytes of gigabytes tell nobody anything.
std::string gibibytes(std::size_t bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30)); }

}  // namespace

bool may_reach(const Abilities& transport, MemoryKind kind) {
  return contains(transport.memory, kind) || contains(transport.tries, kind);
}

void expect_room(Group& group, std::size_t bytes) {
  const std::vector<Json> all = gather_json(group, Json{{"bytes", bytes}, {"available", host::available_memory()}});
  const std::vector<std::string>& hosts = group.nodes();
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    std::size_t together = 0;
    for (std::size_t other = 0; other < all.size(); ++other)
      if (hosts[other] == hosts[rank])
        together += std::min(all[other].at("bytes").get<std::size_t>(), std::numeric_limits<std::size_t>::max() - together);
    const auto available = all[rank].at("available").get<std::size_t>();
    if (together > available)
      throw Error(Fault::usage, "the ranks on " + hosts[rank] + " would need " + gibibytes(together) +
                                    " for their buffers, and " + gibibytes(available) +
                                    " are free: choose smaller --bytes or fewer ranks");
  }
}

RankMemory::RankMemory(Group& group, Endpoint& endpoint, const Devices& devices, const Abilities& transport, std::size_t bytes,
                       Direct direct)
    : device_(devices.device),
      held_(std::make_unique<Held>(allocate(endpoint, devices, transport, bytes, direct))),
      reason_(why_staged(group, endpoint, transport, held_->buffers.region(), direct)) {
  const bool hidden = devices.kind == MemoryKind::cuda;
  if (!staged() && !hidden) return;
  held_->mirror.emplace(devices.host.allocate(bytes, sharing_for(transport)));
  held_->pinned.emplace(device_.pin(held_->mirror->region()));
  if (hidden) mover_ = device_.compute(Type::uint8, Op::none);
}

RankMemory::~RankMemory() {
  auto* const queues = dynamic_cast<Queues*>(&device_);
  if (queues != nullptr && !comes_to_rest([&] { return queues->idle(); })) (void)held_.release();
}

std::size_t RankMemory::host_bytes(MemoryKind kind, const Abilities& transport, std::size_t bytes) {
  return kind != MemoryKind::cuda && !may_reach(transport, kind) ? 2 * bytes : bytes;
}

const Region& RankMemory::attached() const { return staged() ? held_->mirror->region() : held_->buffers.region(); }

DataPath RankMemory::data_path(std::size_t offset, bool stream_ordered, LaneQueues* queues) const {
  return {.stream_ordered = stream_ordered && !staged(),
          .mirror = staged() ? held_->mirror->region().address + offset : nullptr,
          .queues = staged() ? nullptr : queues};
}

void RankMemory::write(std::size_t offset, std::size_t bytes, const std::function<void(Bytes)>& fill) {
  const Bytes there(buffers(offset), bytes);
  if (!mover_) return fill(there);
  const Bytes here(held_->mirror->region().address + offset, bytes);
  fill(here);
  mover_->copy(here, there);
  fence(*mover_);
  // So that a message whose bytes were not copied from the buffers is wrong.
  if (staged()) std::memset(here.data(), 0x5a, bytes);
}

ConstBytes RankMemory::read(std::size_t offset, std::size_t bytes) {
  const ConstBytes there(buffers(offset), bytes);
  if (!mover_) return there;
  const Bytes here(held_->mirror->region().address + offset, bytes);
  mover_->copy(there, here);
  fence(*mover_);
  return here;
}

}  // namespace railgauge
