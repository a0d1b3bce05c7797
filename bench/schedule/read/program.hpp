// An algorithm as others publish it: ranks, their thread blocks and what each does step by step, with the lines of its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// What a step does, in the names of MSCCL's interpreter (msccl_interpreter.h of microsoft/msccl). `message` is the next one of
// the thread block's incoming connection. The last three are of MSCCL++, whose ranks access each other's memory.
enum class StepType : std::uint8_t {
  nop,     // waits for its dependency alone
  cpy,     // target = source
  re,      // target = target op source
  s,       // sends source
  r,       // target = message
  rcs,     // target = message, and sends it on
  rrc,     // target = message op source
  rrs,     // sends message op source; stores nothing
  rrcs,    // as rrc, and sends the result on
  move,    // each of its targets = all of its sources reduced; each is an Operand
  signal,  // adds one to a counter
  wait,    // until the counter lets it go on
};
[[nodiscard]] std::string_view name(StepType) noexcept;
[[nodiscard]] bool one_sided(StepType) noexcept;  // of ranks that access each other's memory: move, signal, wait
[[nodiscard]] bool sends(StepType) noexcept;
[[nodiscard]] bool receives(StepType) noexcept;
[[nodiscard]] bool reads_source(StepType) noexcept;
[[nodiscard]] bool reads_target(StepType) noexcept;  // re
[[nodiscard]] bool writes_target(StepType) noexcept;

// Blocks [block, block + Step::count) of a buffer of `rank`, which need not be the rank of the step.
struct Operand {
  std::int32_t rank = 0;
  Buffer buffer = Buffer::input;
  bool packet = false;  // payload and flag together: who reads it waits until it is there
  std::uint32_t block = 0;
  friend bool operator==(const Operand&, const Operand&) = default;
};

// Where a step stands in a plan of MSCCL++, whose operations are of one step or of several.
struct PlanPlace {
  std::int16_t word = -1;   // the name of the operation, in plan_words(); -1: in no plan
  std::int16_t inner = -1;  // within a pipeline
  std::int32_t operation = 0;
  std::int32_t thread_block = 0;  // a port's proxy does its puts beside it
};

// Of signals and waits: a channel in one direction, a semaphore, or one meeting of a barrier.
struct Counter {
  std::uint32_t initial = 0;
  std::uint32_t meeting = 0;  // 0: each wait takes one; else nothing is taken, and a wait ends after so many signals
};

// What railgauge notes beside a step that it writes, and other readers pass over.
struct StepNote {
  std::int32_t round = -1;  // of the rank's schedule; -1: not noted
  std::int32_t data = -1;   // which data the scratch among its operands holds, as Blocks::first
  friend bool operator==(const StepNote&, const StepNote&) = default;
};

struct Step {
  static constexpr std::int32_t none = -1;
  StepType kind = StepType::nop;
  Buffer source_buffer = Buffer::input, target_buffer = Buffer::input;
  std::uint32_t source = 0, target = 0;  // the first of `count` consecutive blocks
  std::uint32_t count = 0;
  std::int32_t awaited_thread_block = none, awaited_step = none;  // of the same rank: must be finished before
  bool announced = false;                                         // "hasdep": others may wait for this step
  bool relaxed = false;                                           // signal, wait: orders no access to memory
  std::uint8_t sources = 0, targets = 0;                          // of a move: how many of Program::operands, sources first
  std::uint32_t operands = 0;                                     // where they begin
  std::uint32_t counter = 0;                                      // of signal and wait, in Program::counters
  PlanPlace place = {};
  StepNote note = {};
  std::size_t line = 0;  // of the file, counted from 1
};

// As the file names it: "put" of a plan, where the step is a move.
[[nodiscard]] std::string_view name(const Step&) noexcept;
// "rank 0, thread block 1, step 3 (rrc, line 27)", of a plan "... operation 3 (put, line 27)"; without the line where it has
// none.
[[nodiscard]] std::string text_of(const Step&, std::int32_t rank, std::size_t thread_block, std::size_t number);

// Its steps run in order. It has one outgoing and one incoming connection at most.
struct ThreadBlock {
  std::int32_t send_peer = Step::none, receive_peer = Step::none;
  std::uint32_t channel = 0;
  std::vector<Step> steps;
  std::size_t line = 0;
};

struct ProgramRank {
  std::uint32_t input = 0, output = 0, scratch = 0;  // blocks of each buffer
  std::vector<ThreadBlock> thread_blocks;
  std::size_t line = 0;
};

enum class AlgorithmFormat : std::uint8_t { msccl, mscclpp };

// A connection is (sender, receiver, channel); its messages are matched first in, first out.
struct Program {
  AlgorithmFormat format = AlgorithmFormat::msccl;
  std::string name, protocol;  // protocol: Simple, LL or LL128
  Collective collective = Collective::all_reduce;
  std::uint32_t blocks = 0;  // of the whole buffer: the larger one of input and output
  std::uint32_t channels = 0;
  bool in_place = false, out_of_place = false;    // where it may be used
  std::uint64_t least_bytes = 0, most_bytes = 0;  // of the whole buffer; most_bytes 0: no limit
  bool double_scratch = false;                    // successive runs alternate between two halves of scratch
  std::vector<ProgramRank> ranks;
  std::vector<Operand> operands;  // of moves
  std::vector<Counter> counters;
};

[[nodiscard]] inline std::span<const Operand> operands_of(const Program& program, const Step& step) {
  return std::span(program.operands).subspan(step.operands, std::size_t{step.sources} + step.targets);
}
[[nodiscard]] inline std::span<const Operand> sources_of(const Program& program, const Step& step) {
  return std::span(program.operands).subspan(step.operands, step.sources);
}
[[nodiscard]] inline std::span<const Operand> targets_of(const Program& program, const Step& step) {
  return std::span(program.operands).subspan(std::size_t{step.operands} + step.sources, step.targets);
}

// Blocks of a rank's input and output as the collective defines them.
struct BufferBlocks {
  std::uint32_t input = 0, output = 0;
};
[[nodiscard]] BufferBlocks buffer_blocks(const Program&) noexcept;
// Whether each rank has as many of the blocks, where the collective gives each rank a part.
[[nodiscard]] bool divides(const Program&) noexcept;

// Messages that a connection holds before a send must wait: NCCL's buffers have 8 slots, of which a message of Simple takes 4
// (NCCL_STEPS, src/include/nccl_common.h; MSCCL_CHUNKSTEPS, src/include/msccl.h of microsoft/msccl).
[[nodiscard]] std::uint32_t messages_per_connection(const Program&) noexcept;

// Bounds on what is read and proved: larger than any published algorithm, and small enough for a second and 200 MB.
inline constexpr std::size_t most_ranks = 1024, most_steps = 400'000, most_thread_blocks = 65'536, most_blocks = 65'536;
inline constexpr std::size_t most_cells = std::size_t{1} << 21;  // blocks of all buffers of all ranks
inline constexpr std::size_t most_moved = std::size_t{1} << 21;  // blocks that all steps together name
inline constexpr std::size_t most_blocks_a_step = 71;            // the format's own limit
inline constexpr std::size_t most_thread_blocks_a_rank = 1024;

// Throws Error(usage) "ORIGIN:LINE: ..." where the parts of a program do not fit together: blocks or steps that do not exist, a
// step that sends in a thread block without a peer, two thread blocks at one end of a connection, sizes beyond the bounds.
void check_program(const Program&, std::string_view origin);

}  // namespace railgauge
