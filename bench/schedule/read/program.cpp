// The table of steps, and what must hold of any program before it can be proved.
#include "bench/schedule/read/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "base/error.hpp"
#include "bench/schedule/read/plan_words.hpp"

namespace railgauge {
namespace {

struct StepRow {
  std::string_view name;
  bool sends, receives, reads_source, reads_target, writes_target;
};
constexpr StepRow step_rows[] = {
    {"nop", false, false, false, false, false},    {"cpy", false, false, true, false, true},
    {"re", false, false, true, true, true},        {"s", true, false, true, false, false},
    {"r", false, true, false, false, true},        {"rcs", true, true, false, false, true},
    {"rrc", false, true, true, false, true},       {"rrs", true, true, true, false, false},
    {"rrcs", true, true, true, false, true},       {"move", false, false, false, false, false},
    {"signal", false, false, false, false, false}, {"wait", false, false, false, false, false},
};
const StepRow& row_of(StepType kind) noexcept { return step_rows[static_cast<std::size_t>(kind)]; }

// "rank 0, thread block 1, step 3 (rrc", of a plan with the place in its file.
std::string place(const Step& step, const std::string& thread_block, std::size_t number) {
  const bool planned = step.place.word >= 0;
  return fmt::format("{}, {} {}{} ({}", thread_block, planned ? "operation" : "step",
                     planned ? static_cast<std::size_t>(step.place.operation) : number,
                     step.place.inner < 0 ? "" : fmt::format(", number {} of its pipeline", step.place.inner), name(step));
}

class Checker {
 public:
  Checker(const Program& program, std::string_view origin) : program_(program), origin_(origin) {}

  void run() {
    sizes();
    for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) {
      const ProgramRank& mine = program_.ranks[rank];
      for (std::size_t block = 0; block < mine.thread_blocks.size(); ++block) {
        where_ = fmt::format("rank {}, thread block {}", rank, block);
        thread_block(static_cast<std::int32_t>(rank), mine.thread_blocks[block]);
        for (std::size_t i = 0; i < mine.thread_blocks[block].steps.size(); ++i) step(mine, mine.thread_blocks[block], i);
      }
    }
    if (moved_ > most_moved) fail(1, fmt::format("its steps name more than {} blocks in all", most_moved));
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", origin_, line, what));
  }

  void sizes() const {
    const std::size_t ranks = program_.ranks.size();
    if (ranks == 0) fail(1, "it has no ranks");
    if (program_.blocks == 0) fail(1, "it cuts the buffer into 0 blocks");
    const BufferBlocks whole = buffer_blocks(program_);
    if (!divides(program_))
      fail(1, fmt::format("{} of {} ranks needs a number of blocks that is a multiple of the ranks, and there are {}",
                          name(program_.collective), ranks, program_.blocks));
    std::size_t cells = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const ProgramRank& mine = program_.ranks[rank];
      if (mine.input > whole.input)
        fail(mine.line, fmt::format("rank {} has {} blocks of input, and {} has {}", rank, mine.input, name(program_.collective),
                                    whole.input));
      if (mine.output > whole.output)
        fail(mine.line, fmt::format("rank {} has {} blocks of output, and {} has {}", rank, mine.output,
                                    name(program_.collective), whole.output));
      cells += std::size_t{whole.input} + whole.output + mine.scratch;
      if (cells > most_cells) fail(mine.line, fmt::format("the buffers of all ranks have more than {} blocks", most_cells));
    }
  }

  void thread_block(std::int32_t rank, const ThreadBlock& block) {
    const auto ranks = static_cast<std::int32_t>(program_.ranks.size());
    for (const bool sending : {true, false}) {
      const std::int32_t peer = sending ? block.send_peer : block.receive_peer;
      const char* const verb = sending ? "sends to" : "receives from";
      if (peer == Step::none) continue;
      if (peer < 0 || peer >= ranks)
        fail(block.line, fmt::format("{} {} rank {}, and ranks are 0 to {}", where_, verb, peer, ranks - 1));
      if (peer == rank) fail(block.line, fmt::format("{} {} its own rank", where_, verb));
      const auto [found, added] = ends_.try_emplace({rank, peer, block.channel, sending}, where_);
      if (!added)
        fail(block.line, fmt::format("{} {} rank {} on channel {}, and so does {}: a connection has one thread block at each end",
                                     where_, verb, peer, block.channel, found->second));
    }
  }

  void step(const ProgramRank& rank, const ThreadBlock& block, std::size_t number) {
    const Step& it = block.steps[number];
    const auto here = [&] { return place(it, where_, number) + ")"; };
    if (sends(it.kind) && block.send_peer == Step::none)
      fail(it.line, here() + " sends, and its thread block has no peer to send to");
    if (receives(it.kind) && block.receive_peer == Step::none)
      fail(it.line, here() + " receives, and its thread block has no peer to receive from");
    const bool counts = it.kind == StepType::nop || it.kind == StepType::signal || it.kind == StepType::wait;
    const std::size_t most = it.kind == StepType::move ? most_blocks : most_blocks_a_step;
    if (!counts && (it.count == 0 || it.count > most))
      fail(it.line, fmt::format("{} names {} blocks, and 1 to {} are possible", here(), it.count, most));
    if (counts && it.kind != StepType::nop && it.counter >= program_.counters.size())
      fail(it.line, fmt::format("{} names counter {}, and there are {}", here(), it.counter, program_.counters.size()));
    if (it.kind == StepType::move) operands(it, here);
    if (reads_source(it.kind)) range(rank, it, it.source_buffer, it.source, here);
    if (reads_target(it.kind) || writes_target(it.kind)) range(rank, it, it.target_buffer, it.target, here);
    moved_ += it.count;
    if (it.awaited_thread_block == Step::none) return;
    const auto awaited = static_cast<std::size_t>(it.awaited_thread_block);
    if (it.awaited_thread_block < 0 || awaited >= rank.thread_blocks.size())
      fail(it.line, fmt::format("{} waits for thread block {}, which its rank does not have", here(), it.awaited_thread_block));
    if (it.awaited_step < 0 || static_cast<std::size_t>(it.awaited_step) >= rank.thread_blocks[awaited].steps.size())
      fail(it.line, fmt::format("{} waits for step {} of thread block {}, which has {} steps", here(), it.awaited_step, awaited,
                                rank.thread_blocks[awaited].steps.size()));
  }

  template <class Here>
  void operands(const Step& it, const Here& here) {
    if (it.sources == 0 || it.targets == 0) fail(it.line, here() + " has no source or no target");
    if (it.operands > program_.operands.size() || std::size_t{it.sources} + it.targets > program_.operands.size() - it.operands)
      fail(it.line, here() + " has operands that do not exist");
    for (const Operand& operand : std::span(program_.operands).subspan(it.operands, std::size_t{it.sources} + it.targets)) {
      if (operand.rank < 0 || static_cast<std::size_t>(operand.rank) >= program_.ranks.size())
        fail(it.line, fmt::format("{} accesses memory of rank {}, and ranks are 0 to {}", here(), operand.rank,
                                  program_.ranks.size() - 1));
      if (operand.packet && operand.buffer != Buffer::scratch)
        fail(it.line, fmt::format("{} has packets in {}: they lie in scratch alone", here(),
                                  buffer_names[static_cast<std::size_t>(operand.buffer)]));
      range(program_.ranks[static_cast<std::size_t>(operand.rank)], it, operand.buffer, operand.block, here);
      moved_ += it.count;
    }
    moved_ -= it.count;
  }

  template <class Here>
  void range(const ProgramRank& rank, const Step& it, Buffer buffer, std::uint32_t first, const Here& here) const {
    const std::uint32_t size = buffer == Buffer::input ? rank.input : buffer == Buffer::output ? rank.output : rank.scratch;
    if (first > size || it.count > size - first)
      fail(it.line, fmt::format("{} names blocks {} to {} of {}, which has {}", here(), first,
                                std::uint64_t{first} + it.count - 1, buffer_names[static_cast<std::size_t>(buffer)], size));
  }

  const Program& program_;
  std::string_view origin_;
  std::string where_;
  std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t, bool>, std::string> ends_;
  std::size_t moved_ = 0;
};

}  // namespace

std::string_view name(const Step& step) noexcept {
  return step.place.word < 0 ? name(step.kind) : plan_words()[static_cast<std::size_t>(step.place.word)].name;
}
std::string text_of(const Step& step, std::int32_t rank, std::size_t thread_block, std::size_t number) {
  const std::size_t block = step.place.word < 0 ? thread_block : static_cast<std::size_t>(step.place.thread_block);
  return place(step, fmt::format("rank {}, thread block {}", rank, block), number) +
         (step.line == 0 ? ")" : fmt::format(", line {})", step.line));
}

std::string_view name(StepType kind) noexcept { return row_of(kind).name; }
bool one_sided(StepType kind) noexcept { return kind == StepType::move || kind == StepType::signal || kind == StepType::wait; }
bool sends(StepType kind) noexcept { return row_of(kind).sends; }
bool receives(StepType kind) noexcept { return row_of(kind).receives; }
bool reads_source(StepType kind) noexcept { return row_of(kind).reads_source; }
bool reads_target(StepType kind) noexcept { return row_of(kind).reads_target; }
bool writes_target(StepType kind) noexcept { return row_of(kind).writes_target; }

bool divides(const Program& program) noexcept {
  const BufferBlocks whole = buffer_blocks(program);
  const bool parts = whole.input != whole.output || program.collective == Collective::all_to_all;
  return !parts || program.blocks % program.ranks.size() == 0;
}

BufferBlocks buffer_blocks(const Program& program) noexcept {
  const auto ranks = static_cast<std::uint32_t>(std::max<std::size_t>(program.ranks.size(), 1));
  switch (program.collective) {
    case Collective::all_gather:
    case Collective::gather:
      return {program.blocks / ranks, program.blocks};
    case Collective::reduce_scatter:
    case Collective::scatter:
      return {program.blocks, program.blocks / ranks};
    default:
      return {program.blocks, program.blocks};
  }
}

std::uint32_t messages_per_connection(const Program& program) noexcept { return program.protocol == "Simple" ? 2 : 8; }

void check_program(const Program& program, std::string_view origin) { Checker(program, origin).run(); }

}  // namespace railgauge
