// Connecting threads, lending memory, and leaving.
#include "transports/memory/endpoint.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/backoff.hpp"
#include "base/error.hpp"
#include "transports/matching.hpp"
#include "transports/memory/agreement.hpp"
#include "transports/memory/directory.hpp"
#include "transports/words.hpp"

namespace railgauge::memory {
namespace {

// As the contract says; at least 4096 (32 KiB), so that small groups need not count.
std::size_t flags_for(std::size_t lanes, int ranks) {
  return std::max<std::size_t>(4096, flags_a_pair(static_cast<std::size_t>(ranks)) * lanes * static_cast<std::size_t>(ranks));
}

}  // namespace

FlagTable::FlagTable(std::size_t count) : bytes_(count * sizeof(std::atomic<std::uint64_t>)) {
  void* const zeros = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (zeros == MAP_FAILED) throw Error(Fault::usage, fmt::format("mmap of {} bytes of flags: {}", bytes_, std::strerror(errno)));
  flags_ = static_cast<std::atomic<std::uint64_t>*>(zeros);
}

FlagTable::~FlagTable() { munmap(flags_, bytes_); }

MemoryEndpoint::MemoryEndpoint(Group& group, std::size_t lanes, bool mapped, std::unique_ptr<Wire> wire)
    : group_(group), lanes_(lanes), mapped_(mapped), wire_(std::move(wire)) {
  mapping_.flag_count = flags_for(lanes, group.size());
  const std::shared_ptr<FlagTable> mine = mapped ? std::make_shared<FlagTable>(mapping_.flag_count) : nullptr;
  const std::uint64_t here[] = {directory().process(), static_cast<std::uint64_t>(getpid()), lanes,
                                mapped ? directory().publish(mine) : 0};
  const std::vector<Blob> all = group.allgather(to_blob(here));
  for (int rank = 0; rank < group.size(); ++rank) {
    const std::vector<std::uint64_t> there = to_words(all[static_cast<std::size_t>(rank)]);
    if (there.size() != std::size(here) || there[0] != here[0] || there[1] != here[1])
      throw Error(Fault::usage, fmt::format("the memory transport needs all ranks in one process, but ranks {} and {} are two: "
                                            "start them as threads, or take a transport between processes",
                                            std::min(rank, group.rank()), std::max(rank, group.rank())));
    if (there[2] != lanes || (there[3] != 0) != mapped)
      throw Error(Fault::usage, fmt::format("ranks {} and {} set up the memory transport differently",
                                            std::min(rank, group.rank()), std::max(rank, group.rank())));
    if (!mapped) continue;
    tables_.push_back(directory().take<FlagTable>(there[3]));
    if (!tables_.back()) throw Error(Fault::lost, fmt::format("rank {} ended while the ranks were being connected", rank));
    mapping_.flags.push_back(tables_.back()->flags());
  }
  mapping_.regions.resize(static_cast<std::size_t>(group.size()));
  if (mapped) group.barrier();  // nobody lets go of a table before all have it
}

// Peers read this rank's memory for as long as they run a plan over it. A peer that fails or is failed upon learns of it only
// at its next wait, so the memory stays until then, also where its core was taken away meanwhile; peers that leave in order are
// not waited for.
MemoryEndpoint::~MemoryEndpoint() {
  if (tables_.size() != static_cast<std::size_t>(group_.size())) return;
  tables_[static_cast<std::size_t>(group_.rank())]->left.store(true, std::memory_order_release);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto has_left = [](const auto& table) { return table->left.load(std::memory_order_acquire); };
  for (Backoff backoff; !std::all_of(tables_.begin(), tables_.end(), has_left) && std::chrono::steady_clock::now() < until;)
    backoff.pause();
}

void MemoryEndpoint::attach(const Region& region) {
  if (region.kind != MemoryKind::host && region.kind != MemoryKind::pinned)
    throw Error(Fault::usage, "the memory transport moves host memory only");
  regions_.push_back(region);
  if (!mapped_) return;
  const std::uint64_t address[] = {reinterpret_cast<std::uintptr_t>(region.address)};
  const std::vector<Blob> all = group_.allgather(to_blob(address));
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    mapping_.regions[rank].push_back(reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(to_words(all[rank]).at(0))));
}

std::unique_ptr<Exchange> MemoryEndpoint::prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) {
  if (lane >= lanes_) throw Error(Fault::usage, fmt::format("lane {}: the endpoint has {}", lane, lanes_));
  for (std::size_t round = 0; round < rounds.size(); ++round)
    for (const Message& message : rounds[round]) (void)locate(message, round, group_, regions_);
  const bool timed = wire_ && (wire_->seconds_per_byte > 0 || wire_->latency_nanoseconds > 0);
  return make_exchange(agree(group_, lane, rounds, timed), group_, wire_.get());
}

}  // namespace railgauge::memory
