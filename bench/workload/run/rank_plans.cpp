// Connects all ranks, and each communicator; bench/workload/run/rank_plans.hpp.
#include "bench/workload/run/rank_plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "bench/group/nodes.hpp"
#include "bench/group/reordered.hpp"
#include "bench/schedule/algorithms/catalog.hpp"

namespace railgauge {
namespace {

// What passes through memory of the host, where the transport takes none of this kind.
void expect_memory(const Transport& transport, MemoryKind kind) {
  const Abilities abilities = transport.abilities();
  if (may_reach(abilities, kind) || (!abilities.stream_ordered && may_reach(abilities, MemoryKind::host))) return;
  throw Error(Fault::usage,
              fmt::format("the transport {} does not take buffers in this memory: choose --memory {}", transport.name(),
                          may_reach(abilities, MemoryKind::managed) ? "cuda, pinned or managed" : "cuda"));
}

}  // namespace

struct RankPlans::Communicator {
  std::unique_ptr<Group> group;
  std::unique_ptr<ChannelPlans> plans;  // ends before its group
};

RankPlans::RankPlans(Group& group, const ChosenTransport& transport, const ChosenDevice& device, const Workload& workload,
                     const Channels& channels, bool oversubscribed)
    : channels_(channels),
      communicators_(communicators_of(workload, channels)),
      device_(open_device(device, rank_of_node(group))),
      host_(make_host_device()),
      transport_(transport.open()),
      stream_ordered_(transport_->abilities().stream_ordered),
      setup_{.chosen = transport,
             .transport = *transport_,
             .device = *device_,
             .host = *host_,
             .memory = device.memory,
             .memory_name = device.memory_name,
             .most_operands = device.table != nullptr ? device.table->most_operands : 0,
             .streams = 1 + communicators_.streams,
             .oversubscribed = oversubscribed},
      places_(channels.all.size()) {
  expect_memory(*transport_, device.memory);
  connect_all(group);
  if (stream_ordered_) connect_communicators(group);
  make_barrier(group);
}

RankPlans::~RankPlans() { disconnect(); }

void RankPlans::disconnect() noexcept {
  barrier_.reset();
  for (const Communicator& its : own_) its.plans->end_plans();
  all_->disconnect();
  for (const Communicator& its : own_) its.plans->disconnect();
}

void RankPlans::connect_all(Group& group) {
  std::vector<MemberChannel> members;
  for (std::size_t c = 0; c < channels_.all.size() && !stream_ordered_; ++c) {
    const Channel& row = channels_.all[c];
    if (std::find(row.ranks.begin(), row.ranks.end(), group.rank()) != row.ranks.end()) members.push_back({c, &row, row.ranks});
  }
  all_ = std::make_unique<ChannelPlans>(group, setup_, 0, members);
  for (std::size_t i = 0; i < members.size(); ++i) places_[members[i].channel] = {all_.get(), i};
}

// A batch after the other, in which each rank is in one communicator at most.
void RankPlans::connect_communicators(Group& group) {
  for (const std::vector<std::size_t>& batch : communicators_.batches) {
    const auto mine = std::find_if(batch.begin(), batch.end(), [&](std::size_t c) {
      const std::vector<int>& ranks = communicators_.all[c].ranks;
      return std::find(ranks.begin(), ranks.end(), group.rank()) != ranks.end();
    });
    const std::size_t alone = communicators_.all.size() + static_cast<std::size_t>(group.rank());
    std::unique_ptr<Group> part = group.split(static_cast<int>(mine == batch.end() ? alone : *mine));
    if (mine == batch.end()) continue;
    const WorkloadCommunicator& row = communicators_.all[*mine];
    std::vector<int> sorted = row.ranks, order, numbers;
    std::sort(sorted.begin(), sorted.end());
    for (const int rank : row.ranks) {
      order.push_back(static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), rank) - sorted.begin()));
      numbers.push_back(static_cast<int>(numbers.size()));
    }
    std::vector<MemberChannel> members;
    for (std::size_t c = 0; c < channels_.all.size(); ++c)
      if (communicators_.of_channel[c] == *mine) members.push_back({c, &channels_.all[c], numbers});
    Communicator& made = own_.emplace_back();
    made.group = reordered(std::move(part), std::move(order));
    made.plans = std::make_unique<ChannelPlans>(*made.group, setup_, 1 + row.stream, members);
    for (std::size_t i = 0; i < members.size(); ++i) places_[members[i].channel] = {made.plans.get(), i};
  }
}

void RankPlans::make_barrier(Group& group) {
  CollectiveSpec spec;
  spec.algorithm = find_algorithm(Collective::barrier, "dissemination");
  spec.type = Type::uint8;
  spec.shape = {group.size(), group.rank(), 0, 1};
  RankParts parts(spec);
  barrier_compute_ = messenger().compute(Type::uint8, Op::sum);
  barrier_ = make_plan(parts, all_->endpoint(), *barrier_compute_, all_->memory(), empty_messages());
}

Runnable* RankPlans::plan(std::size_t channel) const {
  const PlaceOfChannel& place = places_[channel];
  return place.plans != nullptr ? &place.plans->plan(place.i) : nullptr;
}

std::string RankPlans::why_staged() const { return all_->why_staged(); }

std::string RankPlans::algorithm(std::size_t channel) const {
  const PlaceOfChannel& place = places_[channel];
  if (place.plans == nullptr || !channels_.all[channel].collective) return {};
  return std::string(place.plans->algorithm(place.i).name);
}

void RankPlans::restore(std::uint64_t epoch) {
  for (std::size_t c = 0; c < places_.size(); ++c)
    if (places_[c].plans != nullptr) restore(c, epoch);
}

void RankPlans::restore(std::size_t channel, std::uint64_t epoch) {
  const PlaceOfChannel& place = places_[channel];
  place.plans->restore(place.i, epoch);
}

std::optional<RankPlans::WrongCall> RankPlans::check(std::uint64_t epoch) const {
  for (std::size_t c = 0; c < places_.size(); ++c) {
    if (places_[c].plans == nullptr) continue;
    if (auto wrong = check(c, epoch)) return wrong;
  }
  return std::nullopt;
}

std::optional<RankPlans::WrongCall> RankPlans::check(std::size_t channel, std::uint64_t epoch) const {
  const PlaceOfChannel& place = places_[channel];
  if (auto mistake = place.plans->check(place.i, epoch)) return WrongCall{channel, std::move(*mistake)};
  return std::nullopt;
}

}  // namespace railgauge
