// Runs the schedules block by block, knowing of each block only how many contributions it holds and, of one, whose.
#include "bench/schedule/verify/scaling.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "bench/schedule/layout.hpp"
#include "bench/schedule/verify/unbuffered.hpp"

namespace railgauge {
namespace {

struct Content {
  std::int32_t contributions = 0;
  std::int32_t only = -1;  // whose it is, when it is one
};

class Memory {
 public:
  // In place, block 0 of the output is block `*output_in_input` of the input.
  Memory(const Schedule& schedule, std::int32_t rank, std::optional<std::size_t> output_in_input)
      : input_(std::max(schedule.blocks, 1U), Content{1, rank}),
        output_(output_in_input ? 0 : input_.size()),
        scratch_(schedule.slots),
        output_in_input_(output_in_input) {}

  Content& at(const Blocks& blocks, std::uint32_t i) {
    const bool shared = blocks.buffer == Buffer::output && output_in_input_;
    std::vector<Content>& contents = blocks.buffer == Buffer::input || shared ? input_
                                     : blocks.buffer == Buffer::output        ? output_
                                                                              : scratch_;
    std::size_t index = std::size_t{blocks.buffer == Buffer::scratch ? blocks.slot : blocks.first} + i;
    if (shared) index += *output_in_input_;
    if (index >= contents.size())
      throw Error(Fault::usage, "the schedule names block " + std::to_string(index) + " of " + std::to_string(contents.size()) +
                                    " in one of its buffers");
    return contents[index];
  }

 private:
  std::vector<Content> input_, output_, scratch_;
  std::optional<std::size_t> output_in_input_;
};

class Interpreter {
 public:
  Interpreter(Collective collective, std::span<const Schedule> schedules, std::int32_t rank, bool in_place)
      : schedules_(schedules), rank_(rank) {
    ranks_.reserve(schedules.size());
    for (std::size_t r = 0; r < schedules.size(); ++r) {
      std::optional<std::size_t> output_in_input;
      if (in_place)
        output_in_input = collective == Collective::reduce_scatter
                              ? r * parts_of_rank(static_cast<std::int32_t>(schedules.size()), schedules[r].blocks)
                              : 0;
      memories_.emplace_back(schedules[r], static_cast<std::int32_t>(r), output_in_input);
      TransferEnds ends;
      for (const Round& round : schedules[r].rounds) {
        for (const Transfer& transfer : round.transfers) ends.add(transfer.kind, transfer.peer);
        ends.close_round();
      }
      ranks_.push_back(std::move(ends));
    }
    match(ranks_);
  }

  std::vector<std::vector<Scaling>> run() {
    result_.resize(schedules_[static_cast<std::size_t>(rank_)].rounds.size());
    const auto stuck = step_through(ranks_, 1, *this);
    if (!stuck.empty())
      throw Error(Fault::usage, "the schedules of " + std::to_string(schedules_.size()) + " ranks never end: rank " +
                                    std::to_string(stuck.front().first) + " waits in round " +
                                    std::to_string(stuck.front().second.round));
    return std::move(result_);
  }

  void post(std::int32_t, Position) {}

  void meet(std::int32_t sender, std::uint32_t send, std::int32_t receiver, std::uint32_t receive, std::uint32_t) {
    const Blocks& source = blocks_of(sender, send);
    const Blocks& target = blocks_of(receiver, receive);
    if (source.count != target.count)
      throw Error(Fault::usage, "rank " + std::to_string(sender) + " sends " + std::to_string(source.count) +
                                    " blocks where rank " + std::to_string(receiver) + " receives " +
                                    std::to_string(target.count));
    for (std::uint32_t i = 0; i < source.count; ++i) memory(receiver).at(target, i) = memory(sender).at(source, i);
  }

  void complete(std::int32_t rank, Position at) {
    for (const Local& local : schedules_[static_cast<std::size_t>(rank)].rounds[at.round].locals) {
      const Scaling scaling = perform(local, memory(rank), at.round);
      if (rank == rank_) result_[at.round].push_back(scaling);
    }
  }

 private:
  Memory& memory(std::int32_t rank) { return memories_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] const Blocks& blocks_of(std::int32_t rank, std::uint32_t end) const {
    const TransferEnds& ends = ranks_[static_cast<std::size_t>(rank)];
    const std::uint32_t round = ends.ends[end].round;
    return schedules_[static_cast<std::size_t>(rank)].rounds[round].transfers[end - ends.first[round]].blocks;
  }

  Scaling perform(const Local& local, Memory& memory, std::uint32_t round) const {
    std::optional<Scaling> uniform;
    for (std::uint32_t i = 0; i < local.source.count; ++i) {
      const Content source = memory.at(local.source, i);
      Content& target = memory.at(local.target, i);
      if (local.kind == Local::Kind::copy) {
        target = source;
        continue;
      }
      Scaling scaling{source.only, target.only, false};
      target = {source.contributions + target.contributions, -1};
      scaling.last = target.contributions == static_cast<std::int32_t>(schedules_.size());
      if (uniform && *uniform != scaling)
        throw Error(Fault::usage, "a reduction of round " + std::to_string(round) + " mixes blocks that premulsum or avg scale " +
                                      "differently; write it as one local for each kind");
      uniform = scaling;
    }
    return uniform.value_or(Scaling{});
  }

  std::span<const Schedule> schedules_;
  std::int32_t rank_;
  std::vector<TransferEnds> ranks_;
  std::vector<Memory> memories_;
  std::vector<std::vector<Scaling>> result_;
};

}  // namespace

std::vector<std::vector<Scaling>> scaling(Collective collective, std::span<const Schedule> all_ranks, const Shape& shape,
                                          std::int32_t rank, bool in_place) {
  if (all_ranks.size() != static_cast<std::size_t>(shape.ranks))
    throw Error(Fault::usage, std::to_string(all_ranks.size()) + " schedules were given for " + std::to_string(shape.ranks) +
                                  " ranks of " + std::string(name(collective)));
  return Interpreter(collective, all_ranks, rank, in_place).run();
}

}  // namespace railgauge
