// Changes at random, and the plain execution that they are judged by.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <tuple>

#include "tests/schedule/expected.hpp"
#include "tests/schedule/programs.hpp"

namespace railgauge::test {
namespace {

std::uint32_t drawn(std::mt19937& random, std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }

using Number = std::uint64_t;

class Run {
 public:
  Run(const Program& program, bool in_place, std::size_t capacity, std::mt19937& random)
      : program_(program), capacity_(capacity), random_(random), memory_(program.ranks.size()) {
    const BufferBlocks whole = buffer_blocks(program);
    for (std::size_t rank = 0; rank < memory_.size(); ++rank) {
      Memory& mine = memory_[rank];
      const auto own = static_cast<std::uint32_t>(rank);
      // In place the smaller buffer is this rank's part of the larger one.
      const std::uint32_t larger = std::max(whole.input, whole.output);
      mine.base[0] = in_place && whole.input < whole.output ? own * whole.input : 0;
      mine.base[1] = !in_place ? whole.input : whole.output < whole.input ? own * whole.output : 0;
      mine.base[2] = in_place ? larger : whole.input + whole.output;
      mine.cells.resize(mine.base[2] + program.ranks[rank].scratch);
      for (Number& cell : mine.cells) cell = drawn_number();
      for (std::uint32_t i = 0; i < whole.input; ++i) mine.before.push_back(mine.cells[mine.base[0] + i]);
      for (const ThreadBlock& block : program.ranks[rank].thread_blocks) blocks_.push_back({rank, &block, 0});
      mine.first = blocks_.size() - program.ranks[rank].thread_blocks.size();
    }
  }

  std::string run(std::int32_t root) {
    std::vector<std::size_t> priority(blocks_.size());
    std::iota(priority.begin(), priority.end(), std::size_t{0});
    std::shuffle(priority.begin(), priority.end(), random_);
    const bool strict = drawn(random_, 2) == 0;  // always the same ones first, or any
    for (;;) {
      if (!strict) std::shuffle(priority.begin(), priority.end(), random_);
      const auto next = std::find_if(priority.begin(), priority.end(), [&](std::size_t i) { return can_go(blocks_[i]); });
      if (next == priority.end()) break;
      if (!advance(blocks_[*next])) return "the ends of a message have different sizes";
    }
    for (const Block& it : blocks_)
      if (it.done < it.what->steps.size()) return "it hangs";
    for (const auto& [ends, queue] : queues_)
      if (!queue.empty()) return "a message was never received";
    return outcome(root);
  }

 private:
  struct Memory {
    std::uint32_t base[3] = {};
    std::vector<Number> cells, before;
    std::size_t first = 0;  // of its thread blocks
  };
  struct Block {
    std::size_t rank;
    const ThreadBlock* what;
    std::size_t done;
  };
  using Queue = std::deque<std::vector<Number>>;

  Number drawn_number() { return Number{random_()} << 32 | random_(); }
  Queue& queue(std::size_t from, std::size_t to, std::uint32_t channel) { return queues_[{from, to, channel}]; }
  Queue& incoming(const Block& it) { return queue(static_cast<std::size_t>(it.what->receive_peer), it.rank, it.what->channel); }
  Queue& outgoing(const Block& it) { return queue(it.rank, static_cast<std::size_t>(it.what->send_peer), it.what->channel); }

  bool can_go(const Block& it) {
    if (it.done == it.what->steps.size()) return false;
    const Step& step = it.what->steps[it.done];
    if (step.awaited_thread_block != Step::none) {
      const Block& awaited = blocks_[memory_[it.rank].first + static_cast<std::size_t>(step.awaited_thread_block)];
      if (awaited.done <= static_cast<std::size_t>(step.awaited_step)) return false;
    }
    const bool takes = step.kind == StepType::r || step.kind == StepType::rcs || step.kind == StepType::rrc ||
                       step.kind == StepType::rrs || step.kind == StepType::rrcs;
    const bool gives =
        step.kind == StepType::s || step.kind == StepType::rcs || step.kind == StepType::rrs || step.kind == StepType::rrcs;
    return (!takes || !incoming(it).empty()) && (!gives || outgoing(it).size() < capacity_);
  }

  bool advance(Block& it) {
    const Step& step = it.what->steps[it.done++];
    Memory& memory = memory_[it.rank];
    const auto cell = [&](Buffer buffer, std::uint32_t block) -> Number& {
      return memory.cells[memory.base[static_cast<std::size_t>(buffer)] + block];
    };
    std::vector<Number> message, source;
    if (step.kind == StepType::nop) return true;
    if (step.kind != StepType::s && step.kind != StepType::cpy && step.kind != StepType::re) {
      message = incoming(it).front();
      incoming(it).pop_front();
      if (message.size() != step.count) return false;
    }
    if (step.kind != StepType::r && step.kind != StepType::rcs)
      for (std::uint32_t i = 0; i < step.count; ++i) source.push_back(cell(step.source_buffer, step.source + i));
    std::vector<Number> result(step.count);
    for (std::uint32_t i = 0; i < step.count; ++i) {
      if (!message.empty()) result[i] += message[i];
      if (!source.empty()) result[i] += source[i];
      if (step.kind == StepType::re) result[i] += cell(step.target_buffer, step.target + i);
    }
    if (step.kind != StepType::s && step.kind != StepType::rrs)
      for (std::uint32_t i = 0; i < step.count; ++i) cell(step.target_buffer, step.target + i) = result[i];
    if (step.kind == StepType::s || step.kind == StepType::rcs || step.kind == StepType::rrs || step.kind == StepType::rrcs)
      outgoing(it).push_back(result);
    return true;
  }

  std::string outcome(std::int32_t root) const {
    OutputBlock it{
        program_.collective, static_cast<std::uint32_t>(memory_.size()), static_cast<std::uint32_t>(root), program_.blocks, 0, 0};
    for (; it.rank < it.ranks; ++it.rank)
      for (it.block = 0; has_output(it) && it.block < buffer_blocks(program_).output; ++it.block)
        if (memory_[it.rank].cells[memory_[it.rank].base[1] + it.block] !=
            expected(it, [&](std::uint32_t rank, std::uint32_t block) { return memory_[rank].before[block]; }))
          return fmt::format("rank {}, block {} is wrong", it.rank, it.block);
    return "";
  }

  const Program& program_;
  std::size_t capacity_;
  std::mt19937& random_;
  std::vector<Memory> memory_;
  std::vector<Block> blocks_;
  std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, Queue> queues_;
};

}  // namespace

std::string executed(const Program& program, bool in_place, std::int32_t root, std::size_t capacity, std::mt19937& random) {
  return Run(program, in_place, capacity, random).run(root);
}

std::string mutate(Program& program, std::mt19937& random) {
  const auto ranks = static_cast<std::uint32_t>(program.ranks.size());
  const std::uint32_t r = drawn(random, ranks);
  ProgramRank& rank = program.ranks[r];
  const std::uint32_t b = drawn(random, static_cast<std::uint32_t>(rank.thread_blocks.size()));
  ThreadBlock& block = rank.thread_blocks[b];
  if (block.steps.empty()) return "";
  const std::uint32_t s = drawn(random, static_cast<std::uint32_t>(block.steps.size()));
  Step& step = block.steps[s];
  const std::string where = fmt::format("rank {}, thread block {}, step {}", r, b, s);
  switch (drawn(random, 10)) {
    case 0: {
      Step nop;  // others may wait for this number
      nop.announced = step.announced;
      step = nop;
      return where + " removed";
    }
    case 1: {
      const std::uint32_t other = drawn(random, static_cast<std::uint32_t>(block.steps.size()));
      if (other == s) return "";
      std::swap(step, block.steps[other]);
      std::swap(step.announced, block.steps[other].announced);
      return fmt::format("{} swapped with step {}", where, other);
    }
    case 2:
      block.send_peer = static_cast<std::int32_t>(drawn(random, ranks));
      return where + ": another peer to send to";
    case 3:
      block.receive_peer = static_cast<std::int32_t>(drawn(random, ranks));
      return where + ": another peer to receive from";
    case 4:
      step.source = drawn(random, program.blocks);
      return where + ": another source";
    case 5:
      step.target = drawn(random, program.blocks);
      return where + ": another target";
    case 6:
      if (step.awaited_thread_block == Step::none) return "";
      step.awaited_thread_block = step.awaited_step = Step::none;
      return where + ": dependency dropped";
    case 7:
      if (step.awaited_thread_block == Step::none || step.awaited_step == 0) return "";
      --step.awaited_step;
      return where + ": dependency on the step before";
    case 8:
      if (step.kind == StepType::nop) return "";
      step.kind = static_cast<StepType>(1 + drawn(random, 8));
      return where + ": another kind";
    default:
      if (step.kind == StepType::nop) return "";
      step.count = 1 + drawn(random, 2);
      return where + ": another count";
  }
}

}  // namespace railgauge::test
