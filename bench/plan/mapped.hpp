// A plan over mapped peers: a list of steps {await flag, work, set flag}. A work reads the peer's block where it lies, so a
// receive that is only reduced is never copied, and stores a result to every rank that wants it. One host loop interprets the
// list; it is plain data, so that a kernel can too.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/device/steps.hpp"
#include "bench/plan/delivery.hpp"
#include "bench/plan/work.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// Flags count messages and never go back, so that plans can be run in any order and again. What a rank awaits of one peer in one
// lane lies in its table:
//   slots, each of several lines: message n of the peer is announced by the first word of slot n modulo their number, with its
//                                 bytes behind that when it is inline; on a device, inline bytes announce themselves there
//   one `taken` line:             how many messages of this rank the peer has taken, or a few less; on a device, behind that,
//                                 what the rank counts for itself (PairCounts)
inline constexpr std::size_t line_words = 8;
// Both are powers of two: slots that lie an odd number of lines apart are slower.
struct SlotGeometry {
  std::size_t slots, words;
  [[nodiscard]] constexpr std::size_t room() const { return (words - 1) * sizeof(std::uint64_t); }
  // On a device, half of each word says which message it belongs to.
  [[nodiscard]] constexpr std::size_t room_for_packets() const { return room() / 2; }
  [[nodiscard]] constexpr std::size_t taken_line() const { return slots * words; }  // behind the first slot
};
[[nodiscard]] constexpr SlotGeometry slot_geometry(std::size_t ranks) {
  return ranks <= 8 ? SlotGeometry{32, 32 * line_words} : SlotGeometry{fewest_slots, 8 * line_words};
}
static_assert(sizeof(PairCounts) < line_words * sizeof(std::uint64_t));
static_assert(slot_geometry(2).taken_line() + line_words <= flags_a_pair(2) && slot_geometry(2).room() >= most_inline_bytes);
static_assert(slot_geometry(9).taken_line() + line_words <= flags_a_pair(9) && slot_geometry(9).room() >= inline_bytes);
[[nodiscard]] constexpr std::size_t flags_needed(std::size_t lanes, std::size_t ranks) {
  return lanes * ranks * flags_a_pair(ranks);
}
// Where the slots of `peer` begin in the table of the rank that awaits it.
[[nodiscard]] constexpr std::size_t first_slot(std::size_t lane, std::size_t peer, std::size_t ranks) {
  return (lane * ranks + peer) * flags_a_pair(ranks);
}

// How many messages of each lane and peer the plans of one endpoint have run through so far: this rank's sends to the peer, its
// receives from it, and how many of its sends it knows to be taken. One for each endpoint.
struct MappedSequence {
  MappedSequence(std::size_t lane_count, std::size_t rank_count)
      : lanes(lane_count), ranks(rank_count), sent(lane_count * rank_count), received(sent), taken(sent) {}
  // Sets whether ranks share cores: they then poll a flag once per call and send more bytes inline, since a saved time slice is
  // worth more than a copy. Applies to plans made after the call; must be the same on all ranks.
  void share_cores(bool shared) {
    looks = shared ? 1 : usual_looks;
    inline_data = shared ? std::min(most_inline_bytes, slot_geometry(ranks).room()) : inline_bytes;
  }

  static constexpr int usual_looks = 32;
  std::size_t lanes, ranks;
  std::vector<std::uint64_t> sent, received, taken;  // [lane * ranks + peer]
  int looks = usual_looks;                           // at a flag before the loop around is asked whether the run shall go on
  std::uint32_t streams = 1;                         // of the rank's device in which mapped plans run at the same time
  std::size_t inline_data = inline_bytes;            // messages up to this travel with their flag
};

struct MappedStep {
  using Kind = StepKind;
  Kind kind = Kind::work;
  std::uint32_t peer = 0;
  std::uint64_t ordinal = 0;  // the flag's value beyond the run's start
  std::uint64_t proves = 0;   // await_ready, take: so many messages of this run to the peer, and all of earlier runs, are then
                              // known to be taken; put: are known to be before it
  bool heard = false;         // put: whether a message of this run has come from the peer before it
  bool ordered = false;       // put, take: not all messages between the two ranks are inline
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::size_t bytes = 0;
  std::size_t work = 0;  // work: index
};

struct MappedLane {
  std::vector<MappedStep> steps;
  std::vector<Work> works;
  std::vector<std::uint64_t> sends, receives;  // messages a run, by peer
  std::vector<std::uint64_t> proves;           // sends of a run that are known to be taken at its end, by peer
};

// The view of one peer in one lane; entry n belongs to the n-th message in that direction.
struct PeerView {
  std::vector<Delivery> sends, receives;
  std::vector<const std::byte*> sources;  // where its messages lie in this process
  std::vector<std::byte*> targets;        // where messages to it land, in this process
  std::vector<std::uint64_t> taken;       // taken_before(it, this rank)
};

// The order of the steps of a round.
enum class StepOrder : std::uint8_t {
  by_message,  // each message is copied as soon as it is there
  grouped,     // all are awaited, then copied, then said to be taken: what is of one kind can be done at once
};

// Lowers one lane of this rank. Scratch starts `scratch_begin` units into its memory. `views` by rank, empty where there is no
// message.
[[nodiscard]] MappedLane lower(const ResolvedSchedule& schedule, const Scaled& scaled, std::byte* memory, std::size_t unit,
                               std::size_t scratch_begin, const std::vector<PeerView>& views, StepOrder order);

// The flag of a step: one that this rank awaits or one that it sets, and a slot or the taken line.
struct FlagOfStep {
  bool awaited, of_taken;
};
[[nodiscard]] constexpr FlagOfStep flag_of(StepKind kind) {
  return {.awaited = kind == StepKind::await_ready || kind == StepKind::take || kind == StepKind::await_taken,
          .of_taken = kind == StepKind::set_taken || kind == StepKind::await_taken};
}

// Throws Error(usage) when the mapping has too few flags.
void expect_flags(const Mapping& mapping, const MappedSequence& sequence);

class MappedPlan final : public Runnable {
 public:
  // `mapping`, `sequence` and `compute` outlive the plan. Throws Error(usage) when the mapping has too few flags.
  MappedPlan(std::vector<MappedLane> lanes, const Mapping& mapping, std::int32_t rank, MappedSequence& sequence,
             Compute& compute);
  void start() override;
  bool test() override;

 private:
  using Flag = std::atomic<std::uint64_t>;
  struct Step {
    MappedStep::Kind kind;
    std::uint32_t bytes;
    Flag* flag;           // of a pair's first slot, or its taken line
    std::uint64_t* base;  // this rank's count of the messages that the flag counts, at the run's start
    std::uint64_t ordinal;
    std::uint64_t proves;
    Flag* taken;                 // put: where the peer says what it has taken; take: where this rank says so
    std::uint64_t* known_taken;  // put, take, awaits: this rank's knowledge of that
    const std::uint64_t* sent;   // take, await_ready: base of the messages to the peer
    const std::byte* source;
    std::byte* target;
    const Work* work;
  };
  struct LaneProgress {
    std::vector<Step> steps;
    std::vector<Work> works;
    std::size_t next = 0;
  };
  bool advance(LaneProgress& lane);
  bool try_step(const Step& step);
  // The peer began this run after all of the one before.
  static void learn(const Step& step) {
    if (*step.known_taken < *step.sent + step.proves) *step.known_taken = *step.sent + step.proves;
  }
  [[nodiscard]] Flag* slot(const Step& step, std::uint64_t value) const {
    return step.flag + (value & (slots_.slots - 1)) * slots_.words;
  }
  [[nodiscard]] bool reached(const Step& step, std::uint64_t value) const;
  [[nodiscard]] bool put(const Step& step) const;
  [[nodiscard]] bool take(const Step& step) const;

  struct Passed {  // messages of a run
    std::uint64_t *count, by;
  };
  std::vector<LaneProgress> lanes_;
  std::vector<Passed> passed_;
  SlotGeometry slots_;
  int looks_;  // lanes take turns
  Compute& compute_;
  bool running_ = false;
};

}  // namespace railgauge
