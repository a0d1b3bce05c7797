// What the steps of a mapped plan mean, as the blocks of one lane walk through them: the one definition that the kernel has, and
// tests on the host (tests/plan/walk.cpp), where __device__ is nothing and threads are blocks.
//
//   all blocks of the lane   await flag ... work (each its share) ... join ... await flag ... work ... join
//   the first one alone      put, set flag, take's bytes: behind a join, so that what the flag says is true of all blocks
//
// A Block says how the threads of one block act. All of them call each of its functions, but those of one() are called within it:
//   first()                whether this is the lane's first block
//   ended()                whether an earlier run gave up; within one()
//   one(call)              call() in one thread of the block, between two barriers of the block; what it returned, to all
//   store(flag, value)     release, for all who can see the memory; within one()
//   reached(flag, value)   waits until the flag has the value or more, acquire; false when it gave up; within one()
//   give_up(step)          notes which step it was; within one()
//   join()                 waits until all blocks of the lane have called it; false when one gave up
//   copy(to, from, bytes)  by all threads of this block; a few hundred bytes
//   perform(work)          this block's share of it
#pragma once

#include "bench/device/steps.hpp"

namespace railgauge::cuda {

inline __device__ std::uint64_t* slot_of(const LaneView& lane, const DeviceStep& step, std::uint64_t value) {
  return step.flag + (value & (lane.slots - 1)) * lane.slot_words;
}

// What a message of the peer proves of those to it. The first block alone needs to know.
inline __device__ void learn(const DeviceStep& step) {
  const std::uint64_t taken = step.counts->sent + step.proves;
  if (step.counts->known_taken < taken) step.counts->known_taken = taken;
}

template <class Block>
__device__ bool await(const DeviceStep& step, std::uint64_t* flag, std::uint64_t value, bool learns, Block& block) {
  return block.one([&] {
    if (!block.reached(flag, value)) {
      block.give_up(step);
      return false;
    }
    if (learns && block.first()) learn(step);
    return true;
  });
}

template <class Block>
__device__ bool put(const LaneView& lane, const DeviceStep& step, Block& block) {
  const std::uint64_t value = step.counts->sent + step.ordinal;
  std::uint64_t* const slot = slot_of(lane, step, value);
  const bool room = block.one([&] {  // the slot holds an earlier message, which the peer must have taken
    if (value <= step.counts->known_taken + lane.slots) return true;
    if (!block.reached(step.taken, value - lane.slots)) {
      block.give_up(step);
      return false;
    }
    step.counts->known_taken = value - lane.slots;
    return true;
  });
  if (!room) return false;
  block.copy(reinterpret_cast<std::byte*>(slot + 1), step.source, step.bytes);
  return block.one([&] {
    block.store(slot, value);
    return true;
  });
}

template <class Block>
__device__ bool take(const LaneView& lane, const DeviceStep& step, Block& block) {
  const std::uint64_t value = step.counts->received + step.ordinal;
  std::uint64_t* const slot = slot_of(lane, step, value);
  if (!await(step, slot, value, true, block)) return false;
  if (!block.first()) return true;
  block.copy(step.target, reinterpret_cast<const std::byte*>(slot + 1), step.bytes);
  if ((value & (lane.slots / 2 - 1)) != 0) return true;
  return block.one([&] {
    block.store(step.taken, value);
    return true;
  });
}

template <class Block>
__device__ bool walk_step(const LaneView& lane, const DeviceStep& step, Block& block) {
  switch (step.kind) {
    case StepKind::await_ready: {
      const std::uint64_t value = step.counts->received + step.ordinal;
      return await(step, slot_of(lane, step, value), value, true, block);
    }
    case StepKind::await_taken:
      return await(step, step.flag, step.counts->sent + step.ordinal, false, block);
    case StepKind::take:
      return take(lane, step, block);
    case StepKind::put:
      return !block.first() || put(lane, step, block);
    case StepKind::set_ready:
      return !block.first() || block.one([&] {
        const std::uint64_t value = step.counts->sent + step.ordinal;
        block.store(slot_of(lane, step, value), value);
        return true;
      });
    case StepKind::set_taken:
      return !block.first() || block.one([&] {
        block.store(step.flag, step.counts->received + step.ordinal);
        return true;
      });
    case StepKind::work:
      break;
  }
  block.perform(step.work);
  return true;
}

// One run of a lane. False when it gave up; the counts are as they were then, so that runs behind it, which are in the queue
// already, would send the same messages once more: they do nothing.
template <class Block>
__device__ bool walk(const LaneView& lane, Block& block) {
  if (!block.one([&] { return !block.ended(); })) return false;
  for (std::uint64_t i = 0; i < lane.step_count; ++i) {
    const DeviceStep& step = lane.steps[i];
    if (step.joins && !block.join()) return false;
    if (!walk_step(lane, step, block)) return false;
  }
  if (!block.join()) return false;  // the others have read the counts
  return !block.first() || block.one([&] {
    for (std::uint64_t i = 0; i < lane.passed_count; ++i) {
      const PassedMessages& passed = lane.passed[i];
      passed.counts->sent += passed.sends;
      passed.counts->received += passed.receives;
    }
    return true;
  });
}

}  // namespace railgauge::cuda
