// From a spec to a plan: schedules, layouts and credits of the ranks that this rank talks to.
#include "bench/plan/collective_spec.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "bench/plan/device_plan.hpp"
#include "bench/plan/stream_plan.hpp"

namespace railgauge {
namespace {

// Beyond this many ranks a peer's schedule is not built to find early credits and elisions: it would cost the square of the
// ranks. Each credit is then given when the receive is posted, on both ends alike.
constexpr std::int32_t largest_analysed = 512;
constexpr std::int32_t largest_scaled = 1024;

std::vector<std::int32_t> peers_of(const ResolvedSchedule& schedule) {
  std::set<std::int32_t> peers;
  for (const ResolvedRound& round : schedule)
    for (const ResolvedMessage& message : round.messages) peers.insert(message.peer);
  return {peers.begin(), peers.end()};
}

// The credits of the messages between this rank and a peer, in order.
struct PairCredits {
  std::vector<Credit> sends, receives;
  std::size_t next_send = 0, next_receive = 0;
};

std::map<std::int32_t, PairCredits> pair_credits(RankParts& parts, std::size_t lane) {
  std::map<std::int32_t, PairCredits> pairs;
  const std::int32_t me = parts.spec().shape.rank;
  if (parts.spec().shape.ranks > largest_analysed) return pairs;
  const ResolvedSchedule& mine = parts.mine().lanes[lane];
  const auto rule = parts.spec().touched_between ? credits_of_calls : credits;
  for (const std::int32_t peer : peers_of(mine)) {
    const ResolvedSchedule& theirs = parts.of(peer).lanes[lane];
    pairs[peer] = {rule(theirs, peer, mine, me), rule(mine, me, theirs, peer)};
  }
  return pairs;
}

std::vector<std::vector<Message>> make_messages(RankParts& parts, std::size_t lane, std::byte* memory) {
  const std::size_t unit = bytes_of(parts.spec().type);
  std::map<std::int32_t, PairCredits> pairs = pair_credits(parts, lane);
  const ResolvedSchedule& schedule = parts.mine().lanes[lane];
  std::vector<std::vector<Message>> rounds(schedule.size());
  for (std::size_t r = 0; r < schedule.size(); ++r) {
    for (const ResolvedMessage& resolved : schedule[r].messages) {
      Message message;
      const bool sends = resolved.kind == Transfer::Kind::send;
      message.kind = sends ? Message::Kind::send : Message::Kind::receive;
      message.peer = resolved.peer;
      message.address = memory + resolved.range.begin * unit;
      message.bytes = resolved.range.size() * unit;
      message.credit = static_cast<std::uint32_t>(r);
      message.elided = message.bytes == 0;
      if (const auto found = pairs.find(resolved.peer); found != pairs.end()) {
        PairCredits& pair = found->second;
        const Credit credit = sends ? pair.sends.at(pair.next_send++) : pair.receives.at(pair.next_receive++);
        message.elided = credit.elided;
        message.credit = credit.round;
      }
      rounds[r].push_back(message);
    }
  }
  return rounds;
}

std::size_t scratch_begin(const RankPart& part) { return std::max(part.layout.input().end, part.layout.output().end); }

// `memory` is the peer's, in this process.
PeerView view_of(RankParts& parts, std::size_t lane, std::int32_t peer, std::byte* memory, std::size_t unit,
                 std::size_t inline_data) {
  const RankPart& mine = parts.mine();
  const RankPart& theirs = parts.of(peer);
  const std::int32_t me = parts.spec().shape.rank;
  const MappedSide here{mine.lanes[lane], me, scratch_begin(mine)};
  const MappedSide there{theirs.lanes[lane], peer, scratch_begin(theirs)};
  PeerView view;
  view.sends = deliveries(here, there, unit, inline_data);
  view.receives = deliveries(there, here, unit, inline_data);
  view.taken = taken_before(there, here);
  for (const ResolvedRound& round : there.schedule)
    for (const ResolvedMessage& message : round.messages) {
      if (message.peer != me) continue;
      std::byte* const address = memory + message.range.begin * unit;
      if (message.kind == Transfer::Kind::send)
        view.sources.push_back(address);
      else
        view.targets.push_back(address);
    }
  return view;
}

// One rank alone has no reduction in which premulsum's factor could be applied: its copy is one.
void scale_single_rank(const RankParts& parts, std::vector<Work>& works) {
  if (parts.spec().shape.ranks != 1 || parts.spec().op != Op::premulsum) return;
  for (Work& work : works) {
    work.reduces = true;
    work.factors.assign(1, premulsum_factor(0));
  }
}

// Copies of what the messages of a round send or receive; of what several of them send, one.
void stage(const ResolvedRound& round, Transfer::Kind kind, const std::byte* from, std::byte* to, std::size_t unit,
           std::vector<Work>& works) {
  std::set<std::pair<std::size_t, std::size_t>> staged;
  for (const ResolvedMessage& message : round.messages) {
    const Range& range = message.range;
    if (message.kind != kind || range.size() == 0 || !staged.emplace(range.begin, range.end).second) continue;
    Work copy;
    copy.sources.emplace_back(from + range.begin * unit, range.size() * unit);
    copy.targets.emplace_back(to + range.begin * unit, range.size() * unit);
    works.push_back(std::move(copy));
  }
}

}  // namespace

std::size_t RankPart::set_bytes(Type type) const {
  const std::size_t bytes = layout.size() * bytes_of(type);
  return std::max<std::size_t>(1, (bytes + buffer_alignment - 1) / buffer_alignment) * buffer_alignment;
}

RankPart RankParts::make_part(std::int32_t rank) const {
  Shape shape = spec_.shape;
  shape.rank = rank;
  Schedule schedule = schedule_of_(shape);
  const Collective collective = spec_.algorithm->collective;
  const std::vector<Schedule> lanes(spec_.lanes, schedule);
  Layout layout(collective, shape, divide(collective, shape, schedule.blocks, spec_.elements, spec_.counts), lanes,
                spec_.in_place, buffer_alignment / bytes_of(spec_.type));
  std::vector<ResolvedSchedule> resolved;
  for (std::size_t lane = 0; lane < spec_.lanes; ++lane) resolved.push_back(resolve(schedule, layout, lane, spec_.lanes));
  return {std::move(schedule), std::move(layout), std::move(resolved)};
}

const RankPart& RankParts::of(std::int32_t rank) {
  const auto found = parts_.find(rank);
  return found != parts_.end() ? found->second : parts_.emplace(rank, make_part(rank)).first->second;
}

const Scaled& RankParts::scaled() {
  if (scaled_) return *scaled_;
  scaled_ = std::make_unique<Scaled>();
  scaled_->ranks = spec_.shape.ranks;
  scaled_->premultiply = spec_.op == Op::premulsum;
  scaled_->divide = spec_.op == Op::avg;
  if ((scaled_->premultiply || scaled_->divide) && spec_.shape.ranks > 1) {
    if (spec_.shape.ranks > largest_scaled)
      throw Error(Fault::usage, std::string(name(spec_.op)) + " is available up to " + std::to_string(largest_scaled) +
                                    " ranks, and there are " + std::to_string(spec_.shape.ranks));
    std::vector<Schedule> all;
    for (std::int32_t rank = 0; rank < spec_.shape.ranks; ++rank) {
      Shape shape = spec_.shape;
      shape.rank = rank;
      all.push_back(schedule_of_(shape));
    }
    scaled_->rounds = scaling(spec_.algorithm->collective, all, spec_.shape, spec_.shape.rank, spec_.in_place);
  }
  return *scaled_;
}

std::unique_ptr<Runnable> make_plan(RankParts& parts, Endpoint& endpoint, Compute& compute, std::byte* memory,
                                    const DataPath& data_path) {
  const std::size_t unit = bytes_of(parts.spec().type);
  std::byte* const mirror = data_path.mirror;
  std::vector<PlannedLane> lanes;
  for (std::size_t l = 0; l < parts.spec().lanes; ++l) {
    PlannedLane lane;
    lane.exchange = endpoint.prepare(l, make_messages(parts, l, mirror != nullptr ? mirror : memory));
    const ResolvedSchedule& schedule = parts.mine().lanes[l];
    if (mirror != nullptr && !schedule.empty()) stage(schedule[0], Transfer::Kind::send, memory, mirror, unit, lane.works);
    lane.before = lane.works.size();
    for (std::size_t r = 0; r < schedule.size(); ++r) {
      if (mirror != nullptr) stage(schedule[r], Transfer::Kind::receive, mirror, memory, unit, lane.works);
      for (Work& work : make_work(schedule[r], r, parts.scaled(), memory, unit)) lane.works.push_back(std::move(work));
      if (mirror != nullptr && r + 1 < schedule.size())
        stage(schedule[r + 1], Transfer::Kind::send, memory, mirror, unit, lane.works);
      lane.ends.push_back(lane.works.size());
    }
    scale_single_rank(parts, lane.works);
    lanes.push_back(std::move(lane));
  }
  if (data_path.stream_ordered) return std::make_unique<StreamPlan>(std::move(lanes), compute, data_path.queues);
  return std::make_unique<Plan>(std::move(lanes), compute, compute.stream() == nullptr ? Order::host : Order::device);
}

std::unique_ptr<Runnable> make_mapped_plan(RankParts& parts, Endpoint& endpoint, Compute& compute, MappedSequence& sequence,
                                           std::size_t region, std::size_t set, std::size_t offset) {
  const CollectiveSpec& spec = parts.spec();
  const std::size_t unit = bytes_of(spec.type);
  const Mapping& mapping = *endpoint.mapping();
  const auto memory_of = [&](std::int32_t rank) {
    return mapping.regions[static_cast<std::size_t>(rank)][region] + offset + set * parts.of(rank).set_bytes(spec.type);
  };
  const RankPart& mine = parts.mine();
  std::byte* const memory = memory_of(spec.shape.rank);
  const std::size_t inline_data = mapping.on_device ? slot_geometry(sequence.ranks).room_for_packets() : sequence.inline_data;
  std::vector<MappedLane> lanes;
  for (std::size_t l = 0; l < spec.lanes; ++l) {
    std::vector<PeerView> views(static_cast<std::size_t>(spec.shape.ranks));
    for (const std::int32_t peer : peers_of(mine.lanes[l]))
      views[static_cast<std::size_t>(peer)] = view_of(parts, l, peer, memory_of(peer), unit, inline_data);
    MappedLane lane = lower(mine.lanes[l], parts.scaled(), memory, unit, scratch_begin(mine), views,
                            mapping.on_device ? StepOrder::grouped : StepOrder::by_message);
    scale_single_rank(parts, lane.works);
    lanes.push_back(std::move(lane));
  }
  if (!mapping.on_device) return std::make_unique<MappedPlan>(std::move(lanes), mapping, spec.shape.rank, sequence, compute);
  const StepProgram program = resolve_steps(lanes, mapping, spec.shape.rank, sequence);
  std::unique_ptr<StepRunner> runner = compute.prepare_steps(program);
  if (!runner)
    throw Error(Fault::usage,
                "the transport maps memory of a device, but the buffers are not on one: choose them by --memory cuda");
  return std::make_unique<DevicePlan>(std::move(runner), protocol_of(program), compute);
}

}  // namespace railgauge
