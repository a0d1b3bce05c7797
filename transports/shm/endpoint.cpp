// Meets the other ranks of the host and maps what they show.
#include "transports/shm/endpoint.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "transports/gather.hpp"
#include "transports/shm/agreement.hpp"

namespace railgauge::shm {
namespace {

constexpr std::size_t line = 64;
// Only those that are used take memory.
constexpr std::uint64_t counters = std::uint64_t{1} << 22;

// As the contract says; at least 4096, so that small groups need not count.
std::size_t flags_for(std::size_t lanes, int ranks) {
  return std::max<std::size_t>(4096, flags_a_pair(static_cast<std::size_t>(ranks)) * lanes * static_cast<std::size_t>(ranks));
}

struct Hello {
  Handle control;
  std::uint64_t lanes = 0, mapped = 0;
};

void check_one_host(const Group& group) {
  const std::vector<std::string>& nodes = group.nodes();
  for (std::size_t rank = 1; rank < nodes.size(); ++rank)
    if (nodes[rank] != nodes[0])
      throw Error(Fault::usage, fmt::format("the shm transport serves ranks of one host, but rank 0 is on {} and rank {} on {}: "
                                            "use --transport ucx",
                                            nodes[0], rank, nodes[rank]));
}

}  // namespace

ShmEndpoint::ShmEndpoint(Group& group, std::size_t lanes, const ShmSettings& settings)
    : group_(group), lanes_(lanes), mapped_(settings.mapped), slow_rank_(settings.slow_rank), slow_times_(settings.slow_times) {
  check_one_host(group);
  if (slow_rank_ >= group.size())
    throw Error(Fault::usage, fmt::format("shm.rank={}: there are {} ranks, numbered from 0", slow_rank_, group.size()));
  // Where Yama guards processes, memory that is not shared can be read by those only that are allowed to.
  (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  mapping_.flag_count = flags_for(lanes, group.size());
  const std::size_t flag_bytes = mapping_.flag_count * sizeof(Counter);
  peers_.resize(static_cast<std::size_t>(group.size()));
  Window& mine = peers_[static_cast<std::size_t>(group.rank())].control;
  mine = Window(flag_bytes + counters * line);
  std::memset(mine.address(), 0, flag_bytes);  // touched first by the rank that will await them
  const std::vector<Hello> all = gather(group, Hello{mine.handle(), lanes, mapped_ ? 1U : 0U});
  for (int rank = 0; rank < group.size(); ++rank) {
    const Hello& hello = all[static_cast<std::size_t>(rank)];
    if (hello.lanes != lanes || (hello.mapped != 0) != mapped_)
      throw Error(Fault::usage, fmt::format("ranks {} and {} set up the shm transport differently", std::min(rank, group.rank()),
                                            std::max(rank, group.rank())));
    Peer& peer = peers_[static_cast<std::size_t>(rank)];
    peer.process = static_cast<pid_t>(hello.control.process);
    if (rank != group.rank()) peer.control = Window(hello.control, rank, group.rank());
    mapping_.flags.push_back(reinterpret_cast<Counter*>(peer.control.address()));
  }
  mapping_.regions.resize(peers_.size());
  group.barrier();  // nobody closes a descriptor before all have opened it
}

void ShmEndpoint::attach(const Region& region) {
  if (region.kind != MemoryKind::host && region.kind != MemoryKind::pinned)
    throw Error(Fault::usage, "the shm transport moves host memory only");
  regions_.push_back(region);
  Handle mine;
  if (region.fd >= 0 && region.bytes > 0 && mapped_) mine = describe(region.fd, region.fd_offset, region.bytes);
  const std::vector<Handle> all = gather(group_, mine);
  const bool all_named = std::all_of(all.begin(), all.end(), [](const Handle& handle) { return handle.any(); });
  for (int rank = 0; rank < group_.size(); ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    Window& window = peers_[index].windows.emplace_back();
    if (rank != group_.rank() && all[index].any()) window = Window(all[index], rank, group_.rank());
    if (all_named) mapping_.regions[index].push_back(rank == group_.rank() ? region.address : window.address());
  }
  mapped_ = mapped_ && all_named;
  group_.barrier();
}

std::uint64_t ShmEndpoint::new_counter() {
  if (counters_used_ == counters) throw Error(Fault::usage, "the shm transport has no counters left: run fewer points at once");
  return counters_used_++;
}

Counter& ShmEndpoint::counter(int rank, std::uint64_t number) const {
  std::byte* const first = peer(rank).control.address() + mapping_.flag_count * sizeof(Counter);
  return *reinterpret_cast<Counter*>(first + number * line);
}

std::unique_ptr<Exchange> ShmEndpoint::prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) {
  if (lane >= lanes_) throw Error(Fault::usage, fmt::format("lane {}: the endpoint has {}", lane, lanes_));
  PreparedRounds prepared = agree(*this, lane, rounds);
  for (Direction& from : prepared.incoming)
    if (slow_rank_ >= 0 && (slow_rank_ == group_.rank() || slow_rank_ == from.peer)) from.times = slow_times_;
  return std::make_unique<ShmExchange>(std::move(prepared), group_);
}

}  // namespace railgauge::shm
