// Chooses an algorithm for each channel, lays their buffers side by side, and prepares their plans.
#include "bench/workload/run/rank_plans.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/select/choose.hpp"
#include "bench/session/places.hpp"
#include "bench/session/rank_memory.hpp"
#include "bench/workload/run/group_endpoint.hpp"

namespace railgauge {
namespace {

// As many ranks on each node, node by node; else 1.
int ranks_per_node(const std::vector<int>& ranks, const std::vector<std::string>& nodes) {
  const auto node_of = [&](std::size_t i) -> const std::string& { return nodes[static_cast<std::size_t>(ranks[i])]; };
  std::size_t run = 1;
  while (run < ranks.size() && node_of(run) == node_of(0)) ++run;
  if (ranks.size() % run != 0) return 1;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (node_of(i) != node_of(i / run * run)) return 1;
  return static_cast<int>(run);
}

int count_nodes_of(const std::vector<int>& ranks, const std::vector<std::string>& nodes) {
  std::vector<std::string> its;
  for (const int rank : ranks) its.push_back(nodes[static_cast<std::size_t>(rank)]);
  std::sort(its.begin(), its.end());
  return static_cast<int>(std::unique(its.begin(), its.end()) - its.begin());
}

bool takes_host_memory(const Abilities& abilities) {
  return std::find(abilities.memory.begin(), abilities.memory.end(), MemoryKind::host) != abilities.memory.end();
}

}  // namespace

struct RankPlans::Prepared {
  CollectiveSpec spec;
  std::unique_ptr<RankParts> parts;
  std::unique_ptr<Check> check;
  std::size_t offset = 0, bytes = 0;  // in the rank's memory
  std::byte* memory = nullptr;
  std::unique_ptr<GroupEndpoint> endpoint;
  std::unique_ptr<Compute> compute;
  std::unique_ptr<Runnable> plan;
};

std::unique_ptr<RankPlans::Prepared> RankPlans::prepare(const Channel& channel, int me) const {
  auto prepared = std::make_unique<Prepared>();
  CollectiveSpec& spec = prepared->spec;
  spec.type = channel.type;
  spec.op = channel.op;
  spec.elements = channel.elements;
  spec.touched_between = true;  // a training step computes in the buffers of its calls, and so does their check
  spec.shape.ranks = static_cast<int>(channel.ranks.size());
  spec.shape.rank = me;
  spec.shape.root = channel.root;
  spec.shape.window = 1;
  spec.shape.ranks_per_node = ranks_per_node(channel.ranks, group_.nodes());
  const Situation situation{std::string(transport_->name()), count_nodes_of(channel.ranks, group_.nodes()), {}};
  spec.algorithm = Chooser().choose(channel.what, spec.shape, channel.elements * bytes_of(channel.type), bytes_of(channel.type),
                                    false, situation);
  if (spec.algorithm == nullptr)
    throw Error(Fault::usage, fmt::format("no algorithm serves {} over {} ranks", name(channel.what), spec.shape.ranks));
  for (const std::vector<std::uint64_t>& from : channel.counts) spec.counts.insert(spec.counts.end(), from.begin(), from.end());
  prepared->parts = std::make_unique<RankParts>(spec);
  const RankPart& mine = prepared->parts->mine();
  prepared->check = std::make_unique<Check>(channel.what, spec.type, spec.op, spec.shape, mine.layout);
  prepared->bytes = mine.set_bytes(spec.type);
  return prepared;
}

RankPlans::RankPlans(Group& group, const ChosenTransport& transport, const Channels& channels, bool oversubscribed)
    : group_(group), channels_(channels), device_(make_host_device()), transport_(transport.open()) {
  const Abilities abilities = transport_->abilities();
  if (!takes_host_memory(abilities) || abilities.stream_ordered)
    throw Error(Fault::usage, fmt::format("the transport {} works in memory of a GPU alone, and a workload runs in memory of the "
                                          "host: choose shm, ucx or verbs",
                                          transport.name));
  std::size_t bytes = buffer_alignment;
  for (const Channel& channel : channels.all) {
    const auto found = std::find(channel.ranks.begin(), channel.ranks.end(), group.rank());
    prepared_.push_back(found == channel.ranks.end() ? nullptr
                                                     : prepare(channel, static_cast<int>(found - channel.ranks.begin())));
    if (!prepared_.back()) continue;
    prepared_.back()->offset = bytes;
    bytes += prepared_.back()->bytes;
  }
  expect_room(group, bytes);
  Place place = make_place(group, *transport_, *device_, 1, false);
  place.oversubscribed = oversubscribed;
  endpoint_ = transport_->connect(group, place);
  memory_ = std::make_unique<Memory>(device_->allocate(bytes, abilities.shares ? Sharing::processes : Sharing::own));
  endpoint_->attach(memory_->region());
  // In the order of the channels, which is the same on all ranks: those that a channel names prepare it at the same time.
  for (std::size_t c = 0; c < prepared_.size(); ++c) {
    if (!prepared_[c]) continue;
    Prepared& its = *prepared_[c];
    its.memory = memory_->region().address + its.offset;
    its.endpoint = std::make_unique<GroupEndpoint>(*endpoint_, channels.all[c].ranks, 0);
    its.compute = device_->compute(its.spec.type, its.spec.op);
    its.plan = make_plan(*its.parts, *its.endpoint, *its.compute, its.memory);
  }
  CollectiveSpec spec;
  spec.algorithm = find_algorithm(Collective::barrier, "dissemination");
  spec.type = Type::uint8;
  spec.shape = {group.size(), group.rank(), 0, 1};
  RankParts parts(spec);
  barrier_compute_ = device_->compute(Type::uint8, Op::sum);
  barrier_ = make_plan(parts, *endpoint_, *barrier_compute_, memory_->region().address);
}

RankPlans::~RankPlans() = default;

Runnable* RankPlans::plan(std::size_t channel) const { return prepared_[channel] ? prepared_[channel]->plan.get() : nullptr; }

std::string RankPlans::algorithm(std::size_t channel) const {
  if (!prepared_[channel] || !channels_.all[channel].collective) return {};
  return std::string(prepared_[channel]->spec.algorithm->name);
}

void RankPlans::restore(std::uint64_t epoch) {
  for (std::size_t c = 0; c < prepared_.size(); ++c)
    if (prepared_[c]) restore(c, epoch);
}

void RankPlans::restore(std::size_t channel, std::uint64_t epoch) {
  const Prepared& its = *prepared_[channel];
  its.check->restore(Bytes(its.memory, its.bytes), seed_of(1, channel, epoch));
}

std::optional<RankPlans::WrongCall> RankPlans::check(std::uint64_t epoch) const {
  for (std::size_t c = 0; c < prepared_.size(); ++c) {
    if (!prepared_[c]) continue;
    if (auto wrong = check(c, epoch)) return wrong;
  }
  return std::nullopt;
}

std::optional<RankPlans::WrongCall> RankPlans::check(std::size_t channel, std::uint64_t epoch) const {
  const Prepared& its = *prepared_[channel];
  if (auto mistake = its.check->check(ConstBytes(its.memory, its.bytes), seed_of(1, channel, epoch)))
    return WrongCall{channel, std::move(*mistake)};
  return std::nullopt;
}

}  // namespace railgauge
