// Chooses an algorithm for each channel, lays their buffers side by side, and prepares their plans.
#include "bench/workload/run/channel_plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "bench/device/queues.hpp"
#include "bench/plan/native.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/schedule/algorithms/native.hpp"
#include "bench/select/choose.hpp"
#include "bench/select/width.hpp"
#include "bench/session/places.hpp"
#include "bench/workload/run/group_endpoint.hpp"
#include "transports/words.hpp"

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

}  // namespace

struct ChannelPlans::Prepared {
  MemberChannel member;
  CollectiveSpec spec;
  std::unique_ptr<RankParts> parts;
  std::unique_ptr<Check> check;
  std::size_t offset = 0, bytes = 0;  // in the rank's memory
  std::unique_ptr<GroupEndpoint> endpoint;
  std::unique_ptr<Compute> compute;
  std::unique_ptr<Runnable> plan;
};

ChannelPlans::ChannelPlans(Group& group, const RankSetup& setup, std::size_t stream, const std::vector<MemberChannel>& channels)
    : group_(group), setup_(setup), stream_(stream), abilities_(setup.transport.abilities()) {
  Place place = make_place(group, setup.transport, setup.device, 1, false);
  if (auto* const queues = dynamic_cast<Queues*>(&setup.device)) place.lanes[0].stream = queues->stream_of(stream);
  place.oversubscribed = setup.oversubscribed;
  endpoint_ = setup.transport.connect(group, place);
  for (const MemberChannel& member : channels) prepared_.push_back(specify(member));
  choose_algorithms();
  const std::size_t bytes = lay_out();
  expect_room(group, RankMemory::host_bytes(setup.memory, abilities_, bytes));
  memory_ = std::make_unique<RankMemory>(group, *endpoint_, RankMemory::Devices{setup.device, setup.memory, setup.host},
                                         abilities_, bytes, RankMemory::Direct::where_it_can);
  endpoint_->attach(memory_->attached());
  const Mapping* const mapping = endpoint_->mapping();
  mapped_ = mapping != nullptr && mapping->on_device && setup.memory == MemoryKind::cuda;
  if (mapped_) {
    sequence_ = std::make_unique<MappedSequence>(1, static_cast<std::size_t>(group.size()));
    sequence_->streams = static_cast<std::uint32_t>(setup.streams);
  }
  // In the order of the channels, which is the same on all ranks: those that a channel names prepare it at the same time.
  for (const std::unique_ptr<Prepared>& its : prepared_) make(*its);
}

ChannelPlans::~ChannelPlans() = default;

void ChannelPlans::end_plans() noexcept { prepared_.clear(); }

void ChannelPlans::disconnect() noexcept {
  end_plans();
  endpoint_.reset();
}

std::unique_ptr<ChannelPlans::Prepared> ChannelPlans::specify(const MemberChannel& member) const {
  const Channel& channel = *member.row;
  auto prepared = std::make_unique<Prepared>();
  prepared->member = member;
  CollectiveSpec& spec = prepared->spec;
  spec.type = channel.type;
  spec.op = channel.op;
  spec.elements = channel.elements;
  spec.touched_between = true;  // a training step computes in the buffers of its calls, and so does their check
  const auto me = std::find(member.ranks.begin(), member.ranks.end(), group_.rank());
  spec.shape.ranks = static_cast<int>(member.ranks.size());
  spec.shape.rank = static_cast<int>(me - member.ranks.begin());
  spec.shape.root = channel.root;
  spec.shape.window = 1;
  spec.shape.ranks_per_node = ranks_per_node(member.ranks, group_.nodes());
  for (const std::vector<std::uint64_t>& from : channel.counts) spec.counts.insert(spec.counts.end(), from.begin(), from.end());
  return prepared;
}

// Which of the channels the library serves itself, on all ranks.
std::vector<bool> ChannelPlans::served_by_library() {
  std::vector<bool> served(prepared_.size());
  const CollectiveTable* const library = abilities_.stream_ordered ? setup_.chosen.library() : nullptr;
  if (library == nullptr) return served;
  std::vector<std::uint64_t> mine;
  for (const std::unique_ptr<Prepared>& its : prepared_) {
    CollectiveSpec native = its->spec;
    native.algorithm = &native_algorithm(its->member.row->what);
    const CollectiveCall call = native_call(native);
    const bool can = its->member.row->collective && its->spec.counts.empty() && library->refusal(call).empty() &&
                     (library->refusal_here == nullptr || library->refusal_here(*endpoint_, call).empty());
    mine.push_back(can ? 1 : 0);
  }
  served.assign(served.size(), true);
  for (const Blob& blob : group_.allgather(to_blob(mine))) {
    const std::vector<std::uint64_t> theirs = to_words(blob);
    for (std::size_t i = 0; i < served.size(); ++i) served[i] = served[i] && theirs.at(i) != 0;
  }
  return served;
}

// The library's own where it serves, as in frameworks; else one of the catalog.
void ChannelPlans::choose_algorithms() {
  const std::vector<bool> native = served_by_library();
  for (std::size_t i = 0; i < prepared_.size(); ++i) {
    CollectiveSpec& spec = prepared_[i]->spec;
    const MemberChannel& member = prepared_[i]->member;
    if (native[i]) {
      spec.algorithm = &native_algorithm(member.row->what);
      continue;
    }
    const Situation situation{
        std::string(setup_.transport.name()), count_nodes_of(member.ranks, group_.nodes()), {}, setup_.memory_name};
    const std::size_t unit = bytes_of(spec.type);
    const Algorithm* const best =
        Chooser().choose(member.row->what, spec.shape, spec.elements * unit, unit, spec.in_place, situation);
    spec.algorithm = narrow_enough(best, spec.shape, spec.in_place, setup_.most_operands);
    if (spec.algorithm == nullptr)
      throw Error(Fault::usage, fmt::format("no algorithm serves {} over {} ranks", name(member.row->what), spec.shape.ranks));
  }
}

// Where a peer may look for a buffer, it lies at the same place on all ranks. Returns the size of all.
std::size_t ChannelPlans::lay_out() {
  std::vector<std::uint64_t> sizes;
  for (const std::unique_ptr<Prepared>& its : prepared_) {
    its->parts = std::make_unique<RankParts>(its->spec);
    const RankPart& mine = its->parts->mine();
    its->check = std::make_unique<Check>(its->member.row->what, its->spec.type, its->spec.op, its->spec.shape, mine.layout);
    its->bytes = mine.set_bytes(its->spec.type);
    sizes.push_back(its->bytes);
  }
  if (abilities_.stream_ordered)
    for (const Blob& blob : group_.allgather(to_blob(sizes))) {
      const std::vector<std::uint64_t> theirs = to_words(blob);
      for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = std::max(sizes[i], theirs.at(i));
    }
  std::size_t bytes = buffer_alignment;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    prepared_[i]->offset = bytes;
    bytes += sizes[i];
  }
  return bytes;
}

void ChannelPlans::make(Prepared& its) {
  const CollectiveSpec& spec = its.spec;
  auto* const queues = dynamic_cast<Queues*>(&setup_.device);
  its.compute = queues != nullptr ? queues->compute_in(stream_, spec.type, spec.op) : setup_.device.compute(spec.type, spec.op);
  std::byte* const buffers = memory_->buffers(its.offset);
  if (is_native(*spec.algorithm)) {
    its.plan = make_native_plan(*its.parts, *endpoint_, *setup_.chosen.library(), *its.compute, buffers, true);
    return;
  }
  if (mapped_) {
    its.plan = make_mapped_plan(*its.parts, *endpoint_, *its.compute, *sequence_, 0, 0, its.offset);
    return;
  }
  its.endpoint = std::make_unique<GroupEndpoint>(*endpoint_, its.member.ranks, 0);
  its.plan = make_plan(*its.parts, *its.endpoint, *its.compute, buffers,
                       memory_->data_path(its.offset, abilities_.stream_ordered, nullptr));
}

Runnable& ChannelPlans::plan(std::size_t i) const { return *prepared_[i]->plan; }

const Algorithm& ChannelPlans::algorithm(std::size_t i) const { return *prepared_[i]->spec.algorithm; }

void ChannelPlans::restore(std::size_t i, std::uint64_t epoch) {
  const Prepared& its = *prepared_[i];
  memory_->write(its.offset, its.bytes, [&](Bytes bytes) { its.check->restore(bytes, seed_of(1, its.member.channel, epoch)); });
}

std::optional<Mistake> ChannelPlans::check(std::size_t i, std::uint64_t epoch) const {
  const Prepared& its = *prepared_[i];
  return its.check->check(memory_->read(its.offset, its.bytes), seed_of(1, its.member.channel, epoch));
}

}  // namespace railgauge
