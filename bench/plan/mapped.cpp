// Runs the steps of a plan over mapped peers.
#include "bench/plan/mapped.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace railgauge {
namespace {

// Asks for a line that will be written soon: to be the only one who has it takes as long as a message, unless it is begun early.
inline void want_to_write(void* line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0"
               :
               : "m"(*static_cast<char*>(line)));  // of __builtin_prefetch() compilers make it only for newer CPUs
#else
  __builtin_prefetch(line, 1);
#endif
}

// Between two looks at a flag: without it the core has begun many more by the time the flag changes, and has to take all of them
// back, which makes a message a third slower.
inline void cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// What travels inline is mostly a number or a few; `size` is at most most_inline_bytes. Ends of a word or two overlap.
template <class Word>
inline void copy_ends(void* target, const void* source, std::size_t size) {
  Word first, last;
  std::memcpy(&first, source, sizeof first);
  std::memcpy(&last, static_cast<const std::byte*>(source) + size - sizeof last, sizeof last);
  std::memcpy(target, &first, sizeof first);
  std::memcpy(static_cast<std::byte*>(target) + size - sizeof last, &last, sizeof last);
}
inline void copy_carried(void* target, const void* source, std::size_t size) {
  if (size >= 8 && size <= 16)
    copy_ends<std::uint64_t>(target, source, size);
  else if (size >= 4 && size < 8)
    copy_ends<std::uint32_t>(target, source, size);
  else
    std::memcpy(target, source, size);
}

}  // namespace

void expect_flags(const Mapping& mapping, const MappedSequence& sequence) {
  if (mapping.flag_count < flags_needed(sequence.lanes, sequence.ranks))
    throw Error(Fault::usage, "the transport maps " + std::to_string(mapping.flag_count) + " flags, but " +
                                  std::to_string(sequence.ranks) + " ranks with " + std::to_string(sequence.lanes) +
                                  " lanes need " + std::to_string(flags_needed(sequence.lanes, sequence.ranks)));
}

MappedPlan::MappedPlan(std::vector<MappedLane> lanes, const Mapping& mapping, std::int32_t rank, MappedSequence& sequence,
                       Compute& compute)
    : slots_(slot_geometry(sequence.ranks)),
      looks_(std::max(1, sequence.looks / static_cast<int>(std::max<std::size_t>(lanes.size(), 1)))),
      compute_(compute) {
  expect_flags(mapping, sequence);
  const auto me = static_cast<std::size_t>(rank);
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    LaneProgress& lane = lanes_.emplace_back();
    lane.works = std::move(lanes[l].works);
    for (const MappedStep& step : lanes[l].steps) {
      using Kind = MappedStep::Kind;
      Step made{};
      made.kind = step.kind;
      if (step.kind == Kind::work) {
        made.work = &lane.works[step.work];
      } else {
        const std::size_t pair = l * sequence.ranks + step.peer;
        Flag* const mine = mapping.flags[me] + first_slot(l, step.peer, sequence.ranks);    // what this rank awaits
        Flag* const theirs = mapping.flags[step.peer] + first_slot(l, me, sequence.ranks);  // what the peer awaits
        const bool of_sends = step.kind == Kind::set_ready || step.kind == Kind::put || step.kind == Kind::await_taken;
        const FlagOfStep flag = flag_of(step.kind);
        const std::size_t line = slots_.taken_line();
        made.flag = (flag.awaited ? mine : theirs) + (flag.of_taken ? line : 0);
        made.base = of_sends ? &sequence.sent[pair] : &sequence.received[pair];
        made.ordinal = step.ordinal;
        made.proves = step.proves;
        made.taken = (step.kind == Kind::take ? theirs : mine) + line;
        made.known_taken = &sequence.taken[pair];
        made.sent = &sequence.sent[pair];
        made.source = step.source;
        made.target = step.target;
        made.bytes = static_cast<std::uint32_t>(step.bytes);
      }
      lane.steps.push_back(made);
    }
    for (std::size_t peer = 0; peer < sequence.ranks; ++peer) {
      const std::size_t pair = l * sequence.ranks + peer;
      if (lanes[l].sends[peer] != 0) passed_.push_back({&sequence.sent[pair], lanes[l].sends[peer]});
      if (lanes[l].receives[peer] != 0) passed_.push_back({&sequence.received[pair], lanes[l].receives[peer]});
    }
  }
}

void MappedPlan::start() { running_ = true; }

inline bool MappedPlan::reached(const Step& step, std::uint64_t value) const {
  const Flag* const flag = slot(step, value);
  for (int look = 0;;) {
    if (flag->load(std::memory_order_acquire) >= value) return true;
    if (++look >= looks_) return false;
    cpu_relax();
  }
}

// The slot holds an earlier message, which the peer must have taken.
inline bool MappedPlan::put(const Step& step) const {
  const std::uint64_t value = *step.base + step.ordinal;
  if (value > *step.known_taken + slots_.slots) {
    *step.known_taken = step.taken->load(std::memory_order_acquire);
    if (value > *step.known_taken + slots_.slots) return false;
  }
  Flag* const flag = slot(step, value);
  if (step.bytes != 0) copy_carried(flag + 1, step.source, step.bytes);
  flag->store(value, std::memory_order_release);
  // A peer that has answered is looking at the next slot by now, and would lose it to no end.
  if (value > *step.known_taken + 1) want_to_write(slot(step, value + 1));
  return true;
}

inline bool MappedPlan::take(const Step& step) const {
  const std::uint64_t value = *step.base + step.ordinal;
  if (!reached(step, value)) return false;
  if (step.bytes != 0) copy_carried(step.target, slot(step, value) + 1, step.bytes);
  if ((value & (slots_.slots / 2 - 1)) == 0) step.taken->store(value, std::memory_order_release);
  learn(step);
  return true;
}

bool MappedPlan::try_step(const Step& step) {
  using Kind = MappedStep::Kind;
  switch (step.kind) {
    case Kind::take:
      return take(step);
    case Kind::put:
      return put(step);
    case Kind::await_ready:
      if (!reached(step, *step.base + step.ordinal)) return false;
      learn(step);
      return true;
    case Kind::set_ready: {
      const std::uint64_t value = *step.base + step.ordinal;
      slot(step, value)->store(value, std::memory_order_release);
      return true;
    }
    case Kind::set_taken:
      step.flag->store(*step.base + step.ordinal, std::memory_order_release);
      return true;
    case Kind::await_taken: {
      const std::uint64_t value = *step.base + step.ordinal;
      for (int look = 0;;) {
        *step.known_taken = step.flag->load(std::memory_order_acquire);
        if (*step.known_taken >= value) return true;
        if (++look >= looks_) return false;
        cpu_relax();
      }
    }
    case Kind::work:
      perform(*step.work, compute_);
      if (compute_.stream() != nullptr) fence(compute_);
      return true;
  }
  return true;
}

// What small messages are made of comes first, and without a call.
inline bool MappedPlan::advance(LaneProgress& lane) {
  const Step* const end = lane.steps.data() + lane.steps.size();
  for (const Step* step = lane.steps.data() + lane.next; step != end; ++step) {
    bool done = false;
    if (step->kind == MappedStep::Kind::take)
      done = take(*step);
    else if (step->kind == MappedStep::Kind::put)
      done = put(*step);
    else
      done = try_step(*step);
    if (done) continue;
    lane.next = static_cast<std::size_t>(step - lane.steps.data());
    return false;
  }
  lane.next = lane.steps.size();
  return true;
}

bool MappedPlan::test() {
  if (!running_) return true;
  bool done = true;
  for (LaneProgress& lane : lanes_) done = advance(lane) && done;
  if (!done) return false;
  running_ = false;
  for (LaneProgress& lane : lanes_) lane.next = 0;
  for (const Passed& passed : passed_) *passed.count += passed.by;
  return true;
}

}  // namespace railgauge
