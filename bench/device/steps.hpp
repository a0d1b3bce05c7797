// A plan over mapped peers in the form that a device runs itself: plain data with every address resolved.
// bench/device/cuda/walk.cuh defines the steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

enum class StepKind : std::uint8_t {
  await_ready,  // message `ordinal` of the peer
  await_taken,  // message `ordinal` to the peer
  set_ready,
  set_taken,
  put,   // `bytes` from `source` as packets (bench/device/cuda/packets.cuh) in the message's slot, which announce themselves
  take,  // awaits them, and stores them at `target`; the peer is told now and then, since only its room depends on it
  work,
};

// The counts of a rank for one lane and peer, in memory of the device: messages of all runs so far, and the sends that the peer
// has certainly taken. They stay as they are during a run.
struct PairCounts {
  std::uint64_t sent, received, known_taken;
};

// A flag's value is `ordinal` more than the count of its messages when the run begins.
struct DeviceStep {
  StepKind kind = StepKind::work;
  bool joins = false;  // all blocks of the lane must have done what comes before
  bool meets = false;  // the threads of the first block must have
  // put, take: of two ranks that read or write each other's memory in this lane, too. What the sender did before the message is
  // then visible behind it.
  bool ordered = false;
  // put: a message of this run has come from the peer, which has then taken all of earlier runs, and `proves` of this one.
  bool heard = false;
  // This many steps of the same kind, from here on, wait for nothing of each other. Set in the first of them.
  std::uint32_t together = 1;
  bool of_each = false;  // put, take: those are of different peers
  std::uint32_t peer = 0;
  std::uint32_t bytes = 0;         // put, take
  std::uint32_t work = 0;          // work: index
  std::uint64_t ordinal = 0;       // from 1
  std::uint64_t proves = 0;        // put: see heard
  std::uint64_t* flag = nullptr;   // of the pair's first slot, or where one says what is taken
  std::uint64_t* taken = nullptr;  // put: where the peer says what it has taken; take: where this rank says so
  PairCounts* counts = nullptr;
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
};

// A copy or a reduction (Compute::reduce) whose operands stand in the tables of the program from these places on. Not empty.
struct StepWork {
  std::uint64_t bytes = 0;
  std::uint32_t first_source = 0, sources = 0, first_target = 0, targets = 0;
  std::uint32_t first_factor = 0, factors = 0;  // none, or one a source
  std::uint32_t divisor = 1;
};

// The messages that one run adds to the counts of a pair.
struct PassedMessages {
  PairCounts* counts = nullptr;
  const std::uint64_t* taken = nullptr;  // where the peer says what it has taken
  std::uint64_t sends = 0, receives = 0;
  bool heard = false;        // whether a message has come from the peer
  std::uint64_t proves = 0;  // sends of the run that it has certainly taken, then
};

struct LaneSteps {
  std::vector<DeviceStep> steps;
  std::vector<PassedMessages> passed;
  std::uint64_t busiest_work = 0;  // bytes
  bool joined = false;             // all blocks of the lane join behind the last step that reads the counts
};

// Lanes never wait for each other.
struct StepProgram {
  std::vector<LaneSteps> lanes;
  std::vector<StepWork> works;
  std::vector<const std::byte*> sources;
  std::vector<std::byte*> targets;
  std::vector<double> factors;
  std::uint64_t slots = 0, slot_words = 0;  // of a pair; the first is a power of two
  std::uint32_t slot_bits = 0;              // 2 to their power is `slots`
  std::uint32_t blocks = 0;                 // of each lane, where somebody has chosen; 0: as the device thinks best
  std::uint32_t sharers = 1;                // ranks that have the device together, and wait for each other
  std::uint32_t streams = 1;                // of a rank, whose programs are on the device at the same time
};

// Thread blocks that a device has at once, and its multiprocessors.
struct BlockRoom {
  std::size_t at_once = 0, multiprocessors = 0;
};

// How many blocks run each lane. They wait for each other, so all of all lanes, of all streams and of all ranks that share the
// device, must be on it at once: each stream has an equal part of the room. What was chosen, else one for each 16 KiB of the
// largest work, and together no more than half as many as there are multiprocessors, which fill its links. `device`: its name.
// Throws Error(usage) when there is no room.
[[nodiscard]] std::uint32_t blocks_of_lane(const StepProgram& program, const BlockRoom& room, std::string_view device);

// A LaneSteps, and what all lanes have in common, where the device can read it.
struct LaneView {
  const DeviceStep* steps = nullptr;
  std::uint64_t step_count = 0;
  const PassedMessages* passed = nullptr;
  std::uint64_t passed_count = 0;
  std::uint64_t slots = 0, slot_words = 0;
  std::uint32_t slot_bits = 0;  // 2 to their power is `slots`
  bool joined = false;          // as LaneSteps
};

// The step that a device gave up, and the cause.
struct GivenUp {
  enum class Why : std::uint8_t { told, late };  // by the host; after the time that a wait may take
  Why why = Why::told;
  StepKind kind = StepKind::work;
  std::uint32_t lane = 0, peer = 0;
  std::uint64_t ordinal = 0;
};

// A program that is ready to run on its device. Made by Compute::prepare_steps(), which owns what it needs there; destroying it
// ends runs that are in flight, within seconds.
class StepRunner {
 public:
  StepRunner() = default;
  virtual ~StepRunner() = default;
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;
  // Enqueues one run in the stream of the Compute. Never waits.
  virtual void enqueue() = 0;
  // Throws Error(lost) that names the peer when a run has given up: its results are invalid then, and no mapped plan of the
  // endpoint can run any more.
  virtual void check() = 0;
  // Multiprocessors that a run takes at most.
  [[nodiscard]] virtual std::uint32_t multiprocessors() const = 0;
};

// "waited for message 3 of rank 1, in lane 0, ...": the sentence of a runner's error. `seconds`: the longest wait.
[[nodiscard]] std::string sentence_of(const GivenUp& what, double seconds);

}  // namespace railgauge
