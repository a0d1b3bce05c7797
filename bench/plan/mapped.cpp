// Runs the steps of a plan over mapped peers.
#include "bench/plan/mapped.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace railgauge {
namespace {

// How often a flag is looked at before the loop around is asked whether the run shall go on.
constexpr int looks = 64;

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

}  // namespace

MappedPlan::MappedPlan(std::vector<MappedLane> lanes, const Mapping& mapping, std::int32_t rank, MappedSequence& sequence,
                       Compute& compute)
    : sends_(sequence.sent.size()), receives_(sequence.received.size()), sequence_(sequence), compute_(compute) {
  if (mapping.flag_count < flags_needed(sequence.lanes, sequence.ranks))
    throw Error(Fault::usage, "the transport maps " + std::to_string(mapping.flag_count) + " flags, but " +
                                  std::to_string(sequence.ranks) + " ranks with " + std::to_string(sequence.lanes) +
                                  " lanes need " + std::to_string(flags_needed(sequence.lanes, sequence.ranks)));
  const auto me = static_cast<std::size_t>(rank);
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    Lane& lane = lanes_.emplace_back();
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
        const bool awaits = step.kind == Kind::await_ready || step.kind == Kind::take || step.kind == Kind::await_taken;
        const bool of_sends = step.kind == Kind::set_ready || step.kind == Kind::put || step.kind == Kind::await_taken;
        const bool of_taken =
            step.kind == Kind::set_taken || step.kind == Kind::set_carried_taken || step.kind == Kind::await_taken;
        made.flag = (awaits ? mine : theirs) + (of_taken ? taken_line : 0);
        made.base = of_sends ? &sequence.sent[pair] : &sequence.received[pair];
        made.ordinal = step.ordinal;
        made.proves = step.proves;
        made.taken = mine + taken_line;
        made.known_taken = &sequence.taken[pair];
        made.sent = &sequence.sent[pair];
        made.source = step.source;
        made.target = step.target;
        made.bytes = static_cast<std::uint32_t>(step.bytes);
      }
      lane.steps.push_back(made);
    }
    for (std::size_t peer = 0; peer < sequence.ranks; ++peer) {
      sends_[l * sequence.ranks + peer] = lanes[l].sends[peer];
      receives_[l * sequence.ranks + peer] = lanes[l].receives[peer];
    }
  }
}

void MappedPlan::start() {
  for (Lane& lane : lanes_) lane.next = 0;
  running_ = true;
}

bool MappedPlan::reached(const Step& step, std::uint64_t value) {
  const Flag* const flag = slot(step, value);
  for (int look = 0; look < looks; ++look)
    if (flag->load(std::memory_order_acquire) >= value) return true;
  return false;
}

// The slot holds an earlier message, which the peer must have taken.
bool MappedPlan::put(const Step& step) {
  const std::uint64_t value = *step.base + step.ordinal;
  if (value > *step.known_taken + slots) {
    *step.known_taken = step.taken->load(std::memory_order_acquire);
    if (value > *step.known_taken + slots) return false;
  }
  Flag* const flag = slot(step, value);
  if (step.bytes != 0) std::memcpy(static_cast<void*>(flag + 1), step.source, step.bytes);
  flag->store(value, std::memory_order_release);
  want_to_write(slot(step, value + 1));
  return true;
}

bool MappedPlan::take(const Step& step) {
  const std::uint64_t value = *step.base + step.ordinal;
  if (!reached(step, value)) return false;
  if (step.bytes != 0) std::memcpy(step.target, static_cast<const void*>(slot(step, value) + 1), step.bytes);
  return true;
}

bool MappedPlan::try_step(const Step& step) {
  using Kind = MappedStep::Kind;
  switch (step.kind) {
    case Kind::take:
    case Kind::await_ready:
      if (!(step.kind == Kind::take ? take(step) : reached(step, *step.base + step.ordinal))) return false;
      // The peer began this run after all of the one before.
      if (*step.known_taken < *step.sent + step.proves) *step.known_taken = *step.sent + step.proves;
      return true;
    case Kind::put:
      return put(step);
    case Kind::set_ready: {
      const std::uint64_t value = *step.base + step.ordinal;
      slot(step, value)->store(value, std::memory_order_release);
      return true;
    }
    case Kind::set_taken:
      step.flag->store(*step.base + step.ordinal, std::memory_order_release);
      return true;
    case Kind::set_carried_taken: {
      const std::uint64_t value = *step.base + step.ordinal;
      if (value % carried_between_words == 0) step.flag->store(value, std::memory_order_release);
      return true;
    }
    case Kind::await_taken: {
      const std::uint64_t value = *step.base + step.ordinal;
      for (int look = 0; look < looks; ++look) {
        *step.known_taken = step.flag->load(std::memory_order_acquire);
        if (*step.known_taken >= value) return true;
      }
      return false;
    }
    case Kind::work:
      perform(*step.work, compute_);
      compute_.fence();
      return true;
  }
  return true;
}

bool MappedPlan::advance(Lane& lane) {
  for (; lane.next != lane.steps.size(); ++lane.next)
    if (!try_step(lane.steps[lane.next])) return false;
  return true;
}

bool MappedPlan::test() {
  bool done = true;
  for (Lane& lane : lanes_) done = advance(lane) && done;
  if (done && running_) {
    running_ = false;
    for (std::size_t i = 0; i < sends_.size(); ++i) sequence_.sent[i] += sends_[i];
    for (std::size_t i = 0; i < receives_.size(); ++i) sequence_.received[i] += receives_[i];
  }
  return done;
}

}  // namespace railgauge
