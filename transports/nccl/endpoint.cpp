// Connects, and registers memory.
#include "transports/nccl/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "transports/nccl/exchange.hpp"
#include "transports/words.hpp"

namespace railgauge::nccl {
namespace {

// Collective.
void expect_own_gpus(Group& group, const std::string& key) {
  Blob mine(key.size());
  std::memcpy(mine.data(), key.data(), key.size());
  const std::vector<Blob> all = group.allgather(mine);
  std::map<Blob, int> owners;
  for (int rank = 0; rank < group.size(); ++rank) {
    const Blob& its = all[static_cast<std::size_t>(rank)];
    const auto [owner, is_first] = owners.emplace(its, rank);
    if (is_first) continue;
    throw Error(Fault::usage,
                fmt::format("ranks {} and {} have the same {} on {}, which NCCL refuses: start a rank for each GPU, or let them "
                            "speak over sockets with --set nccl.shared_gpu=on",
                            owner->second, rank, std::string_view(reinterpret_cast<const char*>(its.data()), its.size()),
                            group.nodes()[static_cast<std::size_t>(rank)]));
  }
}

}  // namespace

NcclEndpoint::NcclEndpoint(Group& group, const Place& place, const Options& options) : group_(group), buffers_(options.buffers) {
  for (const Place::LaneResources& lane : place.lanes)
    if (lane.stream == nullptr)
      throw Error(Fault::usage,
                  "the nccl transport moves the memory of GPUs: use it with railgauge bench --memory cuda, pinned or managed");
  if (!options.shared_gpu) expect_own_gpus(group, place.device_key);
  expect_known(buffers_);
  apply(options, group);
  const Patience patience = patience_of(options, group);
  ras_ = patience.ras;
  for (const Place::LaneResources& lane : place.lanes) {
    auto communicator = std::make_unique<Communicator>(group, place.device_key, patience);
    auto registrations = std::make_unique<Registrations>(*communicator, buffers_);
    lanes_.push_back({lane.stream, std::move(communicator), std::move(registrations)});
  }
}

// All are ended at once where one must be: each may take its time.
NcclEndpoint::~NcclEndpoint() {
  const bool broken = std::any_of(lanes_.begin(), lanes_.end(), [](const NcclLane& lane) { return lane.communicator->broken(); });
  if (broken)
    for (const NcclLane& lane : lanes_) lane.communicator->give_up();
}

void NcclEndpoint::attach(const Region& region) {
  for (const NcclLane& lane : lanes_) lane.registrations->add(region);
}

Allocated NcclEndpoint::allocate(std::size_t bytes) {
  std::uint64_t most = bytes;
  const std::uint64_t mine[] = {bytes};
  for (const Blob& blob : group_.allgather(to_blob(mine)))
    for (const std::uint64_t its : to_words(blob)) most = std::max(most, its);
  return nccl::allocate(most, group_.rank());
}

std::unique_ptr<Exchange> NcclEndpoint::prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) {
  const NcclLane& its = lanes_.at(lane);
  return std::make_unique<NcclExchange>(*its.communicator, its.stream, std::move(rounds));
}

}  // namespace railgauge::nccl
