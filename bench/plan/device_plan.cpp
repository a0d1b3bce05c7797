// Resolves flags, flattens works, and finds where the blocks of a lane must join.
#include "bench/plan/device_plan.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace railgauge {
namespace {

// Each block does its share of a work, and how a work is shared depends on its size and its addresses. So what one block wrote or
// read may be another's to read or write in the next work. Messages are put and taken by the first block alone, each by some of
// its threads.
class Joins {
 public:
  // Whether all blocks, or the threads of the first one, must have done what came before this step. Notes the step.
  void before(const MappedStep& step, const MappedLane& lane, DeviceStep& resolved) {
    resolved.joins = step.kind == StepKind::work ? conflicts(lane.works[step.work]) : tells(step.kind) && worked_;
    resolved.meets = !resolved.joins && meets(step);
    if (resolved.joins) *this = {};
    if (resolved.meets || (step.kind != StepKind::work && !is_packets(step.kind))) put_.clear(), taken_.clear();
    if (step.kind == StepKind::put) put_.emplace_back(step.source, step.bytes);
    if (step.kind == StepKind::take) taken_.emplace_back(step.target, step.bytes);
    if (step.kind == StepKind::work) {
      const Work& work = lane.works[step.work];
      read_.insert(read_.end(), work.sources.begin(), work.sources.end());
      for (const Bytes& target : work.targets) written_.emplace_back(target);
      worked_ = true;
    } else if (step.bytes != 0) {
      carried_ = true;
    }
  }

 private:
  // What the first block alone does, or what tells a peer that something is done.
  static bool tells(StepKind kind) { return kind != StepKind::await_ready && kind != StepKind::await_taken; }
  static bool is_packets(StepKind kind) { return kind == StepKind::put || kind == StepKind::take; }
  // A message says that the ones before it were taken, all of their bytes.
  [[nodiscard]] bool meets(const MappedStep& step) const {
    if (step.kind == StepKind::put) return !taken_.empty();
    const ConstBytes target(step.target, step.bytes);
    return step.kind == StepKind::take && (any_overlap(put_, target) || any_overlap(taken_, target));
  }
  static bool overlap(const ConstBytes& a, const ConstBytes& b) {
    return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
  }
  static bool any_overlap(const std::vector<ConstBytes>& all, const ConstBytes& one) {
    for (const ConstBytes& each : all)
      if (overlap(each, one)) return true;
    return false;
  }
  [[nodiscard]] bool conflicts(const Work& work) const {
    if (carried_) return true;  // into or out of what this work may use, by the first block alone
    for (const ConstBytes& source : work.sources)
      if (any_overlap(written_, source)) return true;
    for (const Bytes& target : work.targets)
      if (any_overlap(written_, target) || any_overlap(read_, target)) return true;
    return false;
  }

  std::vector<ConstBytes> read_, written_;  // by works since the last join
  std::vector<ConstBytes> put_, taken_;     // since the threads of the first block met
  bool worked_ = false, carried_ = false;   // since the last join
};

// Which steps are done together.
void group(std::vector<DeviceStep>& steps) {
  for (auto first = steps.begin(); first != steps.end(); first += first->together) {
    std::set<std::uint32_t> peers{first->peer};
    auto end = first + 1;
    while (first->kind != StepKind::work && end != steps.end() && end->kind == first->kind && !end->joins && !end->meets) {
      // The count that says what is taken must not go back.
      if (!peers.insert(end->peer).second && first->kind == StepKind::set_taken) break;
      ++end;
    }
    first->together = static_cast<std::uint32_t>(end - first);
    first->of_each = peers.size() == first->together;
  }
}

std::uint32_t append(StepProgram& program, const Work& work) {
  const auto place = [](const auto& table) { return static_cast<std::uint32_t>(table.size()); };
  StepWork added;
  added.bytes = work.targets.front().size();
  added.first_source = place(program.sources);
  added.first_target = place(program.targets);
  added.first_factor = place(program.factors);
  added.sources = place(work.sources);
  added.targets = place(work.targets);
  added.factors = place(work.factors);
  added.divisor = work.divisor;
  for (const ConstBytes& source : work.sources) program.sources.push_back(source.data());
  for (const Bytes& target : work.targets) program.targets.push_back(target.data());
  program.factors.insert(program.factors.end(), work.factors.begin(), work.factors.end());
  program.works.push_back(added);
  return place(program.works) - 1;
}

}  // namespace

StepProgram resolve_steps(const std::vector<MappedLane>& lanes, const Mapping& mapping, std::int32_t rank,
                          const MappedSequence& sequence) {
  expect_flags(mapping, sequence);
  const std::size_t ranks = sequence.ranks;
  const SlotGeometry slots = slot_geometry(ranks);
  const auto me = static_cast<std::size_t>(rank);
  // On a device they are words that only it touches.
  const auto table = [&](std::size_t of, std::size_t lane, std::size_t peer) {
    return reinterpret_cast<std::uint64_t*>(mapping.flags[of] + first_slot(lane, peer, ranks));
  };
  const auto counts = [&](std::size_t lane, std::size_t peer) {
    return reinterpret_cast<PairCounts*>(table(me, lane, peer) + slots.taken_line() + 1);
  };
  StepProgram program;
  program.slots = slots.slots;
  program.slot_words = slots.words;
  program.slot_bits = static_cast<std::uint32_t>(std::countr_zero(slots.slots));
  program.blocks = mapping.blocks;
  program.sharers = mapping.sharers;
  program.streams = sequence.streams;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    const MappedLane& lane = lanes[l];
    LaneSteps& made = program.lanes.emplace_back();
    Joins joins;
    for (const MappedStep& step : lane.steps) {
      DeviceStep resolved;
      resolved.kind = step.kind;
      if (step.kind == StepKind::work) {
        const Work& work = lane.works[step.work];
        if (work.targets.front().empty()) continue;
        resolved.work = append(program, work);
        made.busiest_work = std::max(made.busiest_work, program.works.back().bytes);
      } else {
        std::uint64_t* const mine = table(me, l, step.peer);
        std::uint64_t* const theirs = table(step.peer, l, me);
        const FlagOfStep flag = flag_of(step.kind);
        resolved.peer = step.peer;
        resolved.bytes = static_cast<std::uint32_t>(step.bytes);
        resolved.ordinal = step.ordinal;
        resolved.ordered = step.ordered;
        resolved.heard = step.heard;
        resolved.proves = step.kind == StepKind::put ? step.proves : 0;
        resolved.flag = (flag.awaited ? mine : theirs) + (flag.of_taken ? slots.taken_line() : 0);
        resolved.taken = (step.kind == StepKind::take ? theirs : mine) + slots.taken_line();
        resolved.counts = counts(l, step.peer);
        resolved.source = step.source;
        resolved.target = step.target;
      }
      joins.before(step, lane, resolved);
      made.steps.push_back(resolved);
    }
    group(made.steps);
    for (const DeviceStep& step : made.steps) made.joined = step.kind == StepKind::work && (made.joined || step.joins);
    for (std::size_t peer = 0; peer < ranks; ++peer)
      if (lane.sends[peer] != 0 || lane.receives[peer] != 0)
        made.passed.push_back({counts(l, peer), table(me, l, peer) + slots.taken_line(), lane.sends[peer], lane.receives[peer],
                               lane.receives[peer] != 0, peer < lane.proves.size() ? lane.proves[peer] : 0});
  }
  return program;
}

std::string protocol_of(const StepProgram& program) {
  bool packets = false, flags = false;
  for (const LaneSteps& lane : program.lanes)
    for (const DeviceStep& step : lane.steps) {
      packets = packets || step.kind == StepKind::put || step.kind == StepKind::take;
      flags = flags || step.kind == StepKind::set_ready || step.kind == StepKind::await_ready;
    }
  return packets && flags ? "LL, Simple" : packets ? "LL" : flags ? "Simple" : "";
}

}  // namespace railgauge
