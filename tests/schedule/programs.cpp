// Builders of right programs, and their text.
#include "tests/schedule/programs.hpp"

#include <algorithm>
#include <utility>

#include "bench/schedule/write/msccl_xml.hpp"

namespace railgauge::test {
namespace {

using Kind = StepType;

struct Place {
  Buffer buffer = Buffer::input;
  std::uint32_t block = 0;
};
Place in(std::uint32_t block) { return {Buffer::input, block}; }
Place out(std::uint32_t block) { return {Buffer::output, block}; }
Place scratch(std::uint32_t block) { return {Buffer::scratch, block}; }

Step step(Kind kind, Place source, Place target, std::uint32_t count = 1) {
  Step it;
  it.kind = kind;
  // What is no operand of it is a note about the peer, which readers pass over.
  if (reads_source(kind)) {
    it.source_buffer = source.buffer;
    it.source = source.block;
  }
  if (writes_target(kind)) {
    it.target_buffer = target.buffer;
    it.target = target.block;
  }
  it.count = kind == Kind::nop ? 0 : count;
  return it;
}

Program begin(const char* name, Collective collective, std::int32_t ranks, std::uint32_t blocks, bool in_place) {
  Program program;
  program.name = name;
  program.protocol = "Simple";
  program.collective = collective;
  program.blocks = blocks;
  program.channels = 1;
  program.in_place = in_place;
  program.out_of_place = !in_place;
  program.ranks.resize(static_cast<std::size_t>(ranks));
  return program;
}

// Says which steps others wait for, as the format wants it.
Program finished(Program program) {
  const BufferBlocks whole = buffer_blocks(program);
  for (ProgramRank& rank : program.ranks) {
    rank.input = whole.input;
    rank.output = whole.output;
    for (const ThreadBlock& block : rank.thread_blocks)
      for (const Step& it : block.steps)
        if (it.awaited_thread_block != Step::none)
          rank.thread_blocks[static_cast<std::size_t>(it.awaited_thread_block)]
              .steps[static_cast<std::size_t>(it.awaited_step)]
              .announced = true;
  }
  return program;
}

Step after(Step it, std::int32_t thread_block, std::int32_t number) {
  it.awaited_thread_block = thread_block;
  it.awaited_step = number;
  return it;
}

struct Ring {
  std::int32_t ranks, rank;
  [[nodiscard]] std::int32_t next() const { return (rank + 1) % ranks; }
  [[nodiscard]] std::int32_t before() const { return (rank + ranks - 1) % ranks; }
  // The part that stands at this rank after `hops` from its origin.
  [[nodiscard]] std::uint32_t part(std::int32_t hops) const {
    return static_cast<std::uint32_t>((rank + 2 * ranks - hops) % ranks);
  }
};

// rrs on all hops but the last, which stores and sends on; then the sums go round.
Program ring_all_reduce(std::int32_t ranks) {
  constexpr std::uint32_t channels = 2;
  const auto parts = static_cast<std::uint32_t>(ranks);
  Program program = begin("ring", Collective::all_reduce, ranks, parts * channels, true);
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
      const Ring ring{ranks, rank};
      const auto at = [&](std::int32_t hops) { return in(ring.part(hops) * channels + channel); };
      ThreadBlock block{ring.next(), ring.before(), channel, {}, 0};
      block.steps.push_back(step(Kind::s, at(0), at(0)));
      for (std::int32_t hops = 1; hops < ranks - 1; ++hops) block.steps.push_back(step(Kind::rrs, at(hops), at(hops)));
      block.steps.push_back(step(Kind::rrcs, at(ranks - 1), at(ranks - 1)));
      for (std::int32_t hops = 0; hops < ranks - 2; ++hops) block.steps.push_back(step(Kind::rcs, at(hops), at(hops)));
      block.steps.push_back(step(Kind::r, at(ranks - 2), at(ranks - 2)));
      program.ranks[static_cast<std::size_t>(rank)].thread_blocks.push_back(block);
    }
  return finished(std::move(program));
}

// Parts go to their owner's scratch; thread block 0 reduces them, after nops that wait for all; sums go to everybody.
Program pairs_all_reduce(std::int32_t ranks) {
  constexpr std::uint32_t size = 2;
  const auto parts = static_cast<std::uint32_t>(ranks);
  Program program = begin("pairs", Collective::all_reduce, ranks, parts * size, true);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    ProgramRank& mine = program.ranks[static_cast<std::size_t>(rank)];
    mine.scratch = (parts - 1) * size;
    const auto own = static_cast<std::uint32_t>(rank) * size;
    ThreadBlock reducer;
    for (std::int32_t i = 0; i < ranks - 1; ++i) reducer.steps.push_back(after(step(Kind::nop, in(0), in(0)), i + 1, 1));
    for (std::uint32_t i = 0; i < parts - 1; ++i) reducer.steps.push_back(step(Kind::re, scratch(i * size), in(own), size));
    const auto last = static_cast<std::int32_t>(reducer.steps.size()) - 1;
    mine.thread_blocks.push_back(std::move(reducer));
    for (std::int32_t i = 0; i < ranks - 1; ++i) {
      const std::int32_t peer = (rank + 1 + i) % ranks;
      const auto theirs = static_cast<std::uint32_t>(peer) * size;
      ThreadBlock block{peer, peer, 0, {}, 0};
      block.steps.push_back(step(Kind::s, in(theirs), in(theirs), size));
      block.steps.push_back(step(Kind::r, in(own), scratch(static_cast<std::uint32_t>(i) * size), size));
      block.steps.push_back(after(step(Kind::s, in(own), in(own), size), 0, last));
      block.steps.push_back(step(Kind::r, in(theirs), in(theirs), size));
      mine.thread_blocks.push_back(std::move(block));
    }
  }
  return finished(std::move(program));
}

Program direct_all_to_all(std::int32_t ranks) {
  Program program = begin("direct", Collective::all_to_all, ranks, static_cast<std::uint32_t>(ranks) * 2, false);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    ProgramRank& mine = program.ranks[static_cast<std::size_t>(rank)];
    const auto own = static_cast<std::uint32_t>(rank) * 2;
    mine.thread_blocks.push_back({Step::none, Step::none, 0, {step(Kind::cpy, in(own), out(own), 2)}, 0});
    for (std::int32_t i = 1; i < ranks; ++i) {
      const std::int32_t peer = (rank + i) % ranks;
      const auto theirs = static_cast<std::uint32_t>(peer) * 2;
      ThreadBlock block{peer, peer, 0, {}, 0};
      for (std::uint32_t j = 0; j < 2; ++j) block.steps.push_back(step(Kind::s, in(theirs + j), out(own + j)));
      for (std::uint32_t j = 0; j < 2; ++j) block.steps.push_back(step(Kind::r, in(own + j), out(theirs + j)));
      mine.thread_blocks.push_back(std::move(block));
    }
  }
  return finished(std::move(program));
}

// Receivers and senders are thread blocks apart: each block is sent on when the other thread block has it.
Program ring_all_gather(std::int32_t ranks) {
  Program program = begin("apart", Collective::all_gather, ranks, static_cast<std::uint32_t>(ranks), false);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const Ring ring{ranks, rank};
    const auto at = [&](std::int32_t hops) { return out(ring.part(hops)); };
    ThreadBlock receiver{Step::none, ring.before(), 0, {step(Kind::cpy, in(0), at(0))}, 0};
    ThreadBlock sender{ring.next(), Step::none, 0, {}, 0};
    for (std::int32_t hops = 0; hops < ranks - 1; ++hops) {
      receiver.steps.push_back(step(Kind::r, at(hops + 1), at(hops + 1)));
      sender.steps.push_back(after(step(Kind::s, at(hops), at(hops)), 0, hops));
    }
    program.ranks[static_cast<std::size_t>(rank)].thread_blocks = {receiver, sender};
  }
  return finished(std::move(program));
}

Program ring_reduce_scatter(std::int32_t ranks) {
  Program program = begin("scatter", Collective::reduce_scatter, ranks, static_cast<std::uint32_t>(ranks), false);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const Ring ring{ranks, rank};
    ThreadBlock block{ring.next(), ring.before(), 0, {}, 0};
    block.steps.push_back(step(Kind::s, in(ring.part(1)), in(0)));
    for (std::int32_t hops = 2; hops < ranks; ++hops) block.steps.push_back(step(Kind::rrs, in(ring.part(hops)), in(0)));
    block.steps.push_back(step(Kind::rrc, in(ring.part(ranks)), out(0)));
    program.ranks[static_cast<std::size_t>(rank)].thread_blocks.push_back(block);
  }
  return finished(std::move(program));
}

Program chain_broadcast(std::int32_t ranks) {
  Program program = begin("chain", Collective::broadcast, ranks, 2, true);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    ThreadBlock block{rank + 1 < ranks ? rank + 1 : Step::none, rank > 0 ? rank - 1 : Step::none, 0, {}, 0};
    for (std::uint32_t i = 0; i < 2; ++i)
      block.steps.push_back(step(rank == 0 ? Kind::s : rank + 1 < ranks ? Kind::rcs : Kind::r, in(i), in(i)));
    program.ranks[static_cast<std::size_t>(rank)].thread_blocks.push_back(block);
  }
  return finished(std::move(program));
}

}  // namespace

std::vector<Program> right_programs(std::int32_t ranks) {
  return {ring_all_reduce(ranks), pairs_all_reduce(ranks),    direct_all_to_all(ranks),
          ring_all_gather(ranks), ring_reduce_scatter(ranks), chain_broadcast(ranks)};
}

std::string msccl_xml(Program& program) {
  std::size_t line = 1;
  for (ProgramRank& rank : program.ranks) {
    rank.line = ++line;
    for (ThreadBlock& block : rank.thread_blocks) {
      block.line = ++line;
      for (Step& it : block.steps) it.line = ++line;
      ++line;
    }
    ++line;
  }
  return to_msccl_xml(program);
}

}  // namespace railgauge::test
