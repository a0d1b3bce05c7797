// Rounds are not kept: each step waits for the accesses that it must follow, and no others.
#include "bench/schedule/write/from_schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/schedule/proof/memory.hpp"

namespace railgauge {
namespace {

constexpr Collective exported[] = {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather,
                                   Collective::broadcast,  Collective::reduce,         Collective::gather,
                                   Collective::scatter,    Collective::all_to_all};

// How many steps of each thread block are known to be done; shorter where the rest is 0.
using Known = std::vector<std::uint32_t>;

void join(Known& mine, const Known& other) {
  if (mine.size() < other.size()) mine.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) mine[i] = std::max(mine[i], other[i]);
}

// The latest accesses to each block of a rank's memory, with input and output in one place or apart.
class LatestAccesses {
 public:
  LatestAccesses(const Program& program, std::size_t rank, bool in_place)
      : places_(program, rank, in_place), cells_(places_.size()) {}

  void needs(Buffer buffer, std::uint32_t block, bool writes, Known& all) const {
    const Cell& cell = cells_[places_.at(buffer, block)];
    join(all, cell.written);
    if (writes) join(all, cell.read);
  }
  void add(Buffer buffer, std::uint32_t block, bool writes, std::size_t thread_block, std::uint32_t steps) {
    Cell& cell = cells_[places_.at(buffer, block)];
    Known& known = writes ? cell.written : cell.read;
    if (writes) {
      cell.written.clear();
      cell.read.clear();
    }
    if (known.size() <= thread_block) known.resize(thread_block + 1);
    known[thread_block] = steps;
  }

 private:
  struct Cell {
    Known written, read;
  };
  Places places_;
  std::vector<Cell> cells_;
};

class RankProgram {
 public:
  RankProgram(Program& program, std::size_t rank, std::uint32_t lanes) : rank_(program.ranks[rank]), lanes_(lanes) {
    for (const bool in_place : {true, false})
      if (in_place ? program.in_place : program.out_of_place) views_.emplace_back(program, rank, in_place);
  }

  void add(const Schedule& schedule) {
    for (round_ = 0; round_ < schedule.rounds.size(); ++round_)
      for (lane_ = 0; lane_ < lanes_; ++lane_) {
        const Round& round = schedule.rounds[round_];
        for (const Transfer& it : round.transfers) {
          const bool sends = it.kind == Transfer::Kind::send;
          const std::size_t block = thread_block(sends ? it.peer : Step::none, sends ? Step::none : it.peer);
          split(it.blocks, it.blocks, [&](Step& step) {
            step.kind = sends ? StepType::s : StepType::r;
            add(block, step);
          });
        }
        for (const Local& it : round.locals)
          split(it.source, it.target, [&](Step& step) {
            step.kind = it.kind == Local::Kind::copy ? StepType::cpy : StepType::re;
            add(thread_block(Step::none, Step::none), step);
          });
      }
  }

 private:
  std::size_t thread_block(std::int32_t send, std::int32_t receive) {
    const auto [found, added] = numbers_.try_emplace({send, receive, lane_}, rank_.thread_blocks.size());
    if (added) {
      rank_.thread_blocks.push_back({send, receive, lane_, {}, 0});
      known_.emplace_back();
      at_.emplace_back();
    }
    return found->second;
  }

  std::uint32_t place(const Blocks& blocks, std::uint32_t i) const {
    return ((blocks.buffer == Buffer::scratch ? blocks.slot : blocks.first) + i) * lanes_ + lane_;
  }

  // As many blocks a step as the format has; those of a lane do not adjoin.
  template <class Use>
  void split(const Blocks& source, const Blocks& target, const Use& use) const {
    const std::uint32_t most = lanes_ > 1 ? 1 : static_cast<std::uint32_t>(most_blocks_a_step);
    for (std::uint32_t i = 0; i < source.count; i += most) {
      Step step;
      step.source_buffer = source.buffer;
      step.source = place(source, i);
      step.target_buffer = target.buffer;
      step.target = place(target, i);
      step.count = std::min(most, source.count - i);
      step.note.round = static_cast<std::int32_t>(round_);
      if (const Blocks& scratch = source.buffer == Buffer::scratch ? source : target; scratch.buffer == Buffer::scratch)
        step.note.data = static_cast<std::int32_t>((scratch.first + i) * lanes_ + lane_);
      use(step);
    }
  }

  template <class Use>  // use(buffer, block, writes)
  static void each_access(const Step& it, const Use& use) {
    for (std::uint32_t i = 0; i < it.count; ++i) {
      if (reads_source(it.kind)) use(it.source_buffer, it.source + i, false);
      if (writes_target(it.kind)) use(it.target_buffer, it.target + i, true);
    }
  }

  void add(std::size_t block, Step it) {
    if (!reads_source(it.kind)) {
      it.source_buffer = Buffer::input;
      it.source = 0;
    }
    if (!writes_target(it.kind)) {
      it.target_buffer = Buffer::input;
      it.target = 0;
    }
    Known needed;
    for (const LatestAccesses& view : views_)
      each_access(it, [&](Buffer buffer, std::uint32_t at, bool writes) { view.needs(buffer, at, writes, needed); });
    std::vector<ThreadBlock>& all = rank_.thread_blocks;
    std::vector<std::pair<std::size_t, std::uint32_t>> awaited;
    for (std::size_t other = needed.size(); other-- > 0;) {
      if (other == block || needed[other] == 0) continue;
      if (other < known_[block].size() && known_[block][other] >= needed[other]) continue;
      awaited.emplace_back(other, needed[other]);
      join(known_[block], at_[other][needed[other] - 1]);
    }
    // One dependency a step: others stand in front of it.
    for (std::size_t i = 0; i < awaited.size(); ++i) {
      Step nop;
      Step& waiting = i + 1 < awaited.size() ? nop : it;
      waiting.awaited_thread_block = static_cast<std::int32_t>(awaited[i].first);
      waiting.awaited_step = static_cast<std::int32_t>(awaited[i].second) - 1;
      all[awaited[i].first].steps[awaited[i].second - 1].announced = true;
      if (&waiting == &nop) append(block, nop);
    }
    append(block, it);
    const auto done = static_cast<std::uint32_t>(all[block].steps.size());
    for (LatestAccesses& view : views_)
      each_access(it, [&](Buffer buffer, std::uint32_t at, bool writes) { view.add(buffer, at, writes, block, done); });
  }

  void append(std::size_t block, const Step& it) {
    std::vector<Step>& steps = rank_.thread_blocks[block].steps;
    steps.push_back(it);
    if (known_[block].size() <= block) known_[block].resize(block + 1);
    known_[block][block] = static_cast<std::uint32_t>(steps.size());
    kept_ += known_[block].size();
    if (kept_ > most_kept)
      throw Error(Fault::usage,
                  "it has so many transfers and thread blocks that their dependencies cannot be kept in reasonable memory");
    at_[block].push_back(known_[block]);
  }

  ProgramRank& rank_;
  std::uint32_t lanes_, lane_ = 0;
  std::size_t round_ = 0;
  std::vector<LatestAccesses> views_;  // in place and apart, where it may be used so
  std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, std::size_t> numbers_;
  std::vector<Known> known_;                                      // of each thread block
  std::vector<std::vector<Known>> at_;                            // of each of its steps
  static constexpr std::size_t most_kept = std::size_t{1} << 26;  // numbers in those of its steps
  std::size_t kept_ = 0;
};

}  // namespace

Program program_of(const ProgramRequest& request, std::span<const Schedule> ranks) {
  if (std::find(std::begin(exported), std::end(exported), request.collective) == std::end(exported))
    throw Error(Fault::usage, fmt::format("MSCCL and MSCCL++ have no collective {}", name(request.collective)));
  for (const Schedule& it : ranks)
    if (std::max<std::uint64_t>(it.blocks, it.slots) * request.lanes > most_cells)
      throw Error(Fault::usage, fmt::format("{} blocks and {} of scratch in {} lanes are more than {} blocks of a rank",
                                            it.blocks, it.slots, request.lanes, most_cells));
  Program program;
  program.name = request.name;
  program.protocol = request.protocol;
  program.collective = request.collective;
  program.blocks = ranks.empty() ? 0 : ranks.front().blocks * request.lanes;
  program.channels = request.lanes;
  program.in_place = request.in_place;
  program.out_of_place = request.out_of_place;
  program.ranks.resize(ranks.size());
  const BufferBlocks whole = buffer_blocks(program);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    program.ranks[rank].input = whole.input;
    program.ranks[rank].output = whole.output;
    program.ranks[rank].scratch = ranks[rank].slots * request.lanes;
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) RankProgram(program, rank, request.lanes).add(ranks[rank]);
  check_program(program, request.name);
  return program;
}

}  // namespace railgauge
