// What the steps of a mapped plan mean, as the blocks of one lane walk through them: the one definition that the kernel has, and
// tests on the host (tests/plan/walk.cpp), where __device__ is nothing and threads are blocks.
//
//   all blocks of the lane   await flag ... work (each its share) ... join ... await flag ... work ... join
//   the first one alone      put and take packets; set flag, behind a join, so that what the flag says is true of all blocks
//
// Flags of several peers are awaited and set at once, by a thread each: awaited before a barrier of the block, set behind one.
// The threads of a block are in teams (a GPU's warps). Packets of different peers are put and taken by different ones, so that
// all are in flight together; nothing waits for other threads between a put and a take behind it. Before a put behind a take they
// meet: it tells the peer that all of the other message was taken.
//
// A Block says how the threads of one block act. All of them call each of its functions, but those of flags and of packets:
//   first()                 whether this is the lane's first block
//   thread(), threads()     which of the block's threads this is, of how many
//   begin()                 looks whether an earlier run gave up
//   failed()                whether it did, or this thread: it does nothing any more until the block ends the run
//   meet()                  a barrier of the block; false where a thread has failed
//   join()                  waits until all blocks of the lane have called it; false when one gave up
//   perform(work)           this block's share of it
// of flags, by some of the threads:
//   store(flag, value)      release, for all who can see the memory
//   reached(flag, value)    waits until the flag has the value or more, acquire; false when it gave up
//   fail(step)              notes which step gave up
// of packets, by the threads of one team; store(), reached() and fail() too, by each of them:
//   team(), teams()         which of the block's teams this is, of how many
//   leads(), meet_team()    one thread of the team; a barrier of the team
//   put(step, to, number)   the packets of a message
//   take(step, from, number)  waits for each of them; false when it gave up
// at the end of a run:
//   look(flag)              what it says
#pragma once

#include "bench/device/cuda/packets.cuh"
#include "bench/device/steps.hpp"

namespace railgauge::cuda {

inline __device__ std::uint64_t* slot_of(const LaneView& lane, const DeviceStep& step, std::uint64_t value) {
  return step.flag + (value & (lane.slots - 1)) * lane.slot_words;
}
inline __device__ std::uint32_t number_of(const LaneView& lane, std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> lane.slot_bits) + 1;
}
inline __device__ std::uint64_t larger(std::uint64_t a, std::uint64_t b) { return a < b ? b : a; }
// Messages to the peer, of all runs, that it has certainly taken.
inline __device__ std::uint64_t known(const PairCounts& counts, bool heard, std::uint64_t proves) {
  return heard ? larger(counts.known_taken, counts.sent + proves) : counts.known_taken;
}

template <class Block>
__device__ bool await_flags(const LaneView& lane, const DeviceStep* steps, Block& block) {
  for (std::uint32_t i = block.thread(); i < steps->together && !block.failed(); i += block.threads()) {
    const DeviceStep& step = steps[i];
    const bool of_message = step.kind == StepKind::await_ready;
    const std::uint64_t value = (of_message ? step.counts->received : step.counts->sent) + step.ordinal;
    if (!block.reached(of_message ? slot_of(lane, step, value) : step.flag, value)) block.fail(step);
  }
  return block.meet();
}

template <class Block>
__device__ bool set_flags(const LaneView& lane, const DeviceStep* steps, Block& block) {
  if (!steps->joins && !block.meet()) return false;
  for (std::uint32_t i = block.thread(); i < steps->together; i += block.threads()) {
    const DeviceStep& step = steps[i];
    const bool of_message = step.kind == StepKind::set_ready;
    const std::uint64_t value = (of_message ? step.counts->sent : step.counts->received) + step.ordinal;
    block.store(of_message ? slot_of(lane, step, value) : step.flag, value);
  }
  return true;
}

template <class Block>
__device__ void put(const LaneView& lane, const DeviceStep& step, Block& block) {
  const std::uint64_t value = step.counts->sent + step.ordinal;
  // The slot holds an earlier message, which the peer must have taken.
  const std::uint64_t taken = known(*step.counts, step.heard, step.proves);
  if (value > taken + lane.slots && !block.reached(step.taken, value - lane.slots)) return block.fail(step);
  block.put(step, slot_of(lane, step, value) + 1, number_of(lane, value));
}

template <class Block>
__device__ void take(const LaneView& lane, const DeviceStep& step, Block& block) {
  const std::uint64_t value = step.counts->received + step.ordinal;
  if (!block.failed() && !block.take(step, slot_of(lane, step, value) + 1, number_of(lane, value))) block.fail(step);
  if ((value & (lane.slots / 2 - 1)) != 0) return;
  block.meet_team();  // those that have failed, too
  if (block.leads()) block.store(step.taken, value);
}

// Messages to or from several peers: a team goes to its own at once where it can, and those of one peer are in their order.
template <class Block>
__device__ void exchange_packets(const LaneView& lane, const DeviceStep* steps, Block& block) {
  const std::uint32_t first = steps->of_each ? block.team() : 0, stride = steps->of_each ? block.teams() : 1;
  for (std::uint32_t i = first; i < steps->together; i += stride) {
    const DeviceStep& step = steps[i];
    if (stride == 1 && step.peer % block.teams() != block.team()) continue;
    if (step.kind == StepKind::take)
      take(lane, step, block);
    else if (!block.failed())
      put(lane, step, block);
  }
}

template <class Block>
__device__ bool walk_steps_together(const LaneView& lane, const DeviceStep* steps, Block& block) {
  switch (steps->kind) {
    case StepKind::await_ready:
    case StepKind::await_taken:
      return await_flags(lane, steps, block);
    case StepKind::put:
    case StepKind::take:
      if (block.first()) exchange_packets(lane, steps, block);
      return true;
    case StepKind::set_ready:
    case StepKind::set_taken:
      return !block.first() || set_flags(lane, steps, block);
    case StepKind::work:
      break;
  }
  if (!block.failed()) block.perform(steps->work);
  return true;
}

// One run of a lane. False when it gave up; the counts are as they were then, so that runs behind it, which are in the queue
// already, would send the same messages once more: they do nothing.
template <class Block>
__device__ bool walk(const LaneView& lane, Block& block) {
  block.begin();
  for (std::uint64_t i = 0; i < lane.step_count; i += lane.steps[i].together) {
    const DeviceStep& step = lane.steps[i];
    if (step.joins && !block.join()) return false;
    if (step.meets && block.first() && !block.meet()) return false;
    if (!walk_steps_together(lane, &step, block)) return false;
  }
  if (!lane.joined && !block.join()) return false;  // all have read the counts
  if (!block.first()) return true;
  for (std::uint64_t i = block.thread(); i < lane.passed_count; i += block.threads()) {
    const PassedMessages& passed = lane.passed[i];
    PairCounts& counts = *passed.counts;
    counts.known_taken = larger(known(counts, passed.heard, passed.proves), block.look(passed.taken));
    counts.sent += passed.sends;
    counts.received += passed.receives;
  }
  return true;
}

}  // namespace railgauge::cuda
