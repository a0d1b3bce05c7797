// From names and lists of lists to operands, counters and steps.
#include "bench/schedule/read/mscclpp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "bench/schedule/read/plan_channels.hpp"
#include "bench/schedule/read/plan_file.hpp"
#include "bench/schedule/read/plan_slices.hpp"
#include "bench/schedule/read/plan_words.hpp"

namespace railgauge {
namespace {

struct PlanSpelling {
  std::string_view spelling;
  Collective collective;
};
constexpr PlanSpelling plan_spellings[] = {
    {"allreduce", Collective::all_reduce},
    {"allgather", Collective::all_gather},
    {"alltoall", Collective::all_to_all},
    {"reducescatter", Collective::reduce_scatter},
    {"reduce_scatter", Collective::reduce_scatter},
    {"broadcast", Collective::broadcast},
    {"reduce", Collective::reduce},
    {"gather", Collective::gather},
    {"scatter", Collective::scatter},
    {"sendrecv", Collective::send_receive},
};

class PlanResolver {
 public:
  PlanResolver(ExecutionPlan plan, std::string_view origin) : plan_(std::move(plan)), origin_(origin) {}

  Program run() {
    head();
    for (rank_ = 0; rank_ < plan_.ranks.size(); ++rank_) {
      const auto blocks = plan_.ranks[rank_].thread_blocks.size();
      program_.ranks[rank_].thread_blocks.resize(blocks);
      last_.assign(blocks, {});
      for (block_ = 0; block_ < blocks; ++block_) thread_block();
      await_operations();
      met_.clear();
      // What was read is no longer needed.
      plan_.ranks[rank_].thread_blocks = {};
    }
    if (const std::uint32_t parts = cut_blocks(program_, slices_); parts > most_plan_parts)
      fail(1, fmt::format("its groups of thread blocks would cut each block into more than {} parts", most_plan_parts));
    sizes();
    check_program(program_, origin_);
    return std::move(program_);
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw Error(Fault::usage, fmt::format("{}:{}: {}", origin_, line, what));
  }
  [[noreturn]] void refuse(const std::string& what) const {
    Step at;
    at.place = place_;
    fail(operation_->line, text_of(at, static_cast<std::int32_t>(rank_), block_, 0) + " " + what);
  }

  void head() {
    const auto* const found = std::find_if(std::begin(plan_spellings), std::end(plan_spellings),
                                           [&](const PlanSpelling& it) { return it.spelling == plan_.collective; });
    if (found == std::end(plan_spellings))
      fail(1, fmt::format("collective \"{}\": what it must give is not known; known are allreduce, allgather, alltoall, "
                          "reducescatter, broadcast, reduce, gather, scatter and sendrecv",
                          plan_.collective.substr(0, 40)));
    program_.format = AlgorithmFormat::mscclpp;
    program_.collective = found->collective;
    program_.name = plan_.name;
    if (plan_.protocol != "Simple" && plan_.protocol != "LL")
      fail(1, fmt::format("protocol \"{}\" is none of Simple and LL", plan_.protocol.substr(0, 40)));
    program_.protocol = plan_.protocol;
    program_.in_place = plan_.in_place;
    program_.out_of_place = !plan_.in_place;
    program_.double_scratch = plan_.double_scratch;
    program_.least_bytes = plan_.least_bytes;
    program_.most_bytes = plan_.most_bytes;
    program_.ranks.resize(plan_.ranks.size());
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      const PlanRank& it = plan_.ranks[rank];
      program_.ranks[rank] = {it.input, it.output, it.scratch, {}, it.line};
      if (const std::string why = channels_.add(plan_, rank); !why.empty()) fail(it.line, why);
    }
    program_.channels = channels_.most();
  }

  PeerChannel channel(PlanChannel type, PlanJoin join, std::uint32_t id) const {
    const auto found = channels_.find(rank_, plan_.ranks[rank_].thread_blocks[block_], type, join, id);
    if (!found) refuse(fmt::format("names channel {} of its thread block, which has none of that number and type", id));
    return *found;
  }

  std::uint32_t counter(std::size_t rank, int kind, std::uint64_t a, std::uint64_t b, Counter made) {
    const auto [found, added] = counters_.try_emplace({rank, kind, a, b}, static_cast<std::uint32_t>(program_.counters.size()));
    if (added) program_.counters.push_back(made);
    return found->second;
  }
  // That counts what `from` tells `to` on their nth channel of that type.
  std::uint32_t channel_counter(std::size_t from, std::size_t to, PlanChannel type, std::uint32_t nth) {
    return counter(to, static_cast<int>(type), from, nth, {});
  }

  void thread_block() {
    const PlanThreadBlock& it = plan_.ranks[rank_].thread_blocks[block_];
    mine().line = it.line;
    meetings_.clear();
    proxies_.clear();
    for (std::size_t i = 0; i < it.operations.size(); ++i) {
      const PlanOperation& outer = it.operations[i];
      place_ = {outer.word, -1, static_cast<std::int32_t>(i), static_cast<std::int32_t>(block_)};
      if (plan_words()[static_cast<std::size_t>(outer.word)].kind != PlanKind::pipeline) {
        add(outer);
      } else {
        for (std::size_t inner = 0; inner < outer.inner.size(); ++inner) {
          place_.word = outer.inner[inner].word;
          place_.inner = static_cast<std::int16_t>(inner);
          add(outer.inner[inner]);
        }
      }
      last_[block_].push_back(static_cast<std::int32_t>(mine().steps.size()) - 1);
    }
  }

  ThreadBlock& mine() { return program_.ranks[rank_].thread_blocks[block_]; }

  Step step(StepType kind) const {
    Step it;
    it.kind = kind;
    it.place = place_;
    it.note = operation_->note;
    it.line = operation_->line;
    return it;
  }

  void count(StepType kind, std::uint32_t counter, bool relaxed = false) {
    Step it = step(kind);
    it.counter = counter;
    it.relaxed = relaxed;
    append(block_, it);
  }
  void append(std::size_t block, const Step& it) {
    if (++steps_ > most_steps) fail(it.line, fmt::format("its operations are more than {} steps", most_steps));
    program_.ranks[rank_].thread_blocks[block].steps.push_back(it);
  }

  void add(const PlanOperation& operation) {
    operation_ = &operation;
    const PlanWord& word = plan_words()[static_cast<std::size_t>(operation.word)];
    switch (word.kind) {
      case PlanKind::order:
        order();
        break;
      case PlanKind::pairs:
      case PlanKind::reduces:
        move(word);
        break;
      case PlanKind::signal:
      case PlanKind::wait:
        if (operation.channels.empty()) refuse("names no channel");
        for (const std::uint32_t id : operation.channels) tell(id, word.kind == PlanKind::signal, word.relaxed);
        break;
      case PlanKind::flush:
        for (const std::uint32_t id : operation.channels) flush(channel(operation.channel_type, operation.join, id).peer);
        break;
      case PlanKind::acquire:
      case PlanKind::release:
        for (const std::uint32_t id : operation.semaphores) semaphore(id, word.kind == PlanKind::release);
        break;
      case PlanKind::barrier:
        meet();
        break;
      case PlanKind::network:
        through_network();
      case PlanKind::pipeline:
        break;
    }
  }

  // A former nop waits for operations; awaited_step is theirs until await_operations().
  void order() {
    Step it = step(StepType::nop);
    if (operation_->awaited.empty()) append(block_, it);
    for (const auto& [block, number] : operation_->awaited) {
      it.awaited_thread_block = static_cast<std::int32_t>(block);
      it.awaited_step = static_cast<std::int32_t>(number);
      append(block_, it);
    }
  }
  void await_operations() {
    ProgramRank& rank = program_.ranks[rank_];
    for (std::size_t block = 0; block < last_.size(); ++block)
      for (Step& it : rank.thread_blocks[block].steps) {
        if (it.awaited_thread_block == Step::none || it.awaited_thread_block >= static_cast<std::int32_t>(last_.size())) continue;
        const std::vector<std::int32_t>& operations = last_[static_cast<std::size_t>(it.awaited_thread_block)];
        if (static_cast<std::size_t>(it.awaited_step) >= operations.size() ||
            operations[static_cast<std::size_t>(it.awaited_step)] < 0)
          fail(it.line, fmt::format("{} waits for operation {} of thread block {}, which has {}",
                                    text_of(it, static_cast<std::int32_t>(rank_), block, 0), it.awaited_step,
                                    it.awaited_thread_block, operations.size()));
        it.awaited_step = operations[static_cast<std::size_t>(it.awaited_step)];
        rank.thread_blocks[static_cast<std::size_t>(it.awaited_thread_block)]
            .steps[static_cast<std::size_t>(it.awaited_step)]
            .announced = true;
      }
  }

  void tell(std::uint32_t id, bool signal, bool relaxed) {
    const PlanChannel type = operation_->channel_type;
    const PeerChannel it = channel(type, operation_->join, id);
    const std::uint32_t counter =
        signal ? channel_counter(rank_, it.peer, type, it.nth) : channel_counter(it.peer, rank_, type, it.nth);
    if (signal && type == PlanChannel::port) {
      Step later = step(StepType::signal);
      later.counter = counter;
      by_proxy(it.peer, later);
    } else {
      count(signal ? StepType::signal : StepType::wait, counter, relaxed);
    }
  }

  void semaphore(std::uint32_t id, bool release) {
    const std::vector<std::uint32_t>& all = plan_.ranks[rank_].semaphores;
    if (id >= all.size()) refuse(fmt::format("names semaphore {}, and its rank has {}", id, all.size()));
    count(release ? StepType::signal : StepType::wait, counter(rank_, -1, id, 0, {all[id], 0}));
  }

  void meet() {
    if (operation_->meeting == 0) refuse("is for no thread block");
    const std::uint32_t nth = meetings_[operation_->barrier]++;
    const std::uint32_t meeting = counter(rank_, -2, operation_->barrier, nth, {0, operation_->meeting});
    if (program_.counters[meeting].meeting != operation_->meeting)
      refuse(fmt::format("is for {} thread blocks, and {} at another", operation_->meeting, program_.counters[meeting].meeting));
    if (++met_[meeting] > operation_->meeting)
      refuse(fmt::format("is for {} thread blocks, and more come to barrier {}", operation_->meeting, operation_->barrier));
    count(StepType::signal, meeting);
    count(StepType::wait, meeting);
  }

  [[noreturn]] void through_network() const {
    std::string ranks;
    for (const std::uint32_t rank : plan_.ranks[rank_].network_ranks)
      ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ", rank);
    refuse(
        fmt::format("reduces or stores inside the NVLink switch{}, which is not done here: export the plan with memory channels",
                    ranks.empty() ? "" : fmt::format(" (ranks {})", ranks)));
  }

  Operand resolved(const PlanOperand& it, bool packet) const {
    Operand operand{static_cast<std::int32_t>(rank_), it.buffer, packet, it.index};
    const PlanRank& rank = plan_.ranks[rank_];
    if (it.where == PlanOperand::Where::network) through_network();
    if (it.where == PlanOperand::Where::channel) {
      operand.rank = static_cast<std::int32_t>(channel(operation_->channel_type, it.join, it.number).peer);
      operand.buffer = it.join.target;
    }
    if (it.where == PlanOperand::Where::remote) {
      const auto number =
          plan_entry(rank.thread_blocks[block_].remote_buffers, operation_->channel_type, PlanJoin::none, it.number);
      if (!number)
        refuse(fmt::format("names remote buffer {} of its thread block, which has none of that number and type", it.number));
      if (*number >= rank.remote_buffers.size())
        refuse(fmt::format("names remote buffer {}, which is number {} of its rank, which has {}", it.number, *number,
                           rank.remote_buffers.size()));
      const PlanRank::Remote& remote = rank.remote_buffers[*number];
      if (remote.rank == rank_) refuse("has a remote buffer that is of its own rank");
      operand.rank = static_cast<std::int32_t>(remote.rank);
      operand.buffer = remote.buffer;
    }
    return operand;
  }

  void move(const PlanWord& word) {
    const std::vector<PlanOperand>&sources = operation_->sources, &targets = operation_->targets;
    const bool pairs = word.kind == PlanKind::pairs;
    const bool one_to_all = pairs && sources.size() == 1 && targets.size() > 1;
    if (sources.empty() || targets.empty()) refuse("has no source or no target");
    if (pairs && !one_to_all && sources.size() != targets.size())
      refuse(fmt::format("has {} sources and {} targets", sources.size(), targets.size()));
    if (sources.size() > 255 || targets.size() > 255) refuse("has more than 255 operands");
    const auto packet = [](Packets which, std::size_t i) {
      return which == Packets::all || (which == Packets::but_first && i > 0);
    };
    std::vector<Operand> from, to;
    for (std::size_t i = 0; i < sources.size(); ++i) from.push_back(resolved(sources[i], packet(word.sources, i)));
    for (std::size_t i = 0; i < targets.size(); ++i) to.push_back(resolved(targets[i], packet(word.targets, i)));
    // The kernel takes the buffer of the first for all.
    if (word.name == "put" && operation_->channel_type == PlanChannel::memory)
      for (Operand& it : from) it.buffer = from.front().buffer;
    const std::uint32_t size = targets.front().size;
    if (!pairs) {
      for (const std::vector<PlanOperand>* const all : {&sources, &targets})
        for (const PlanOperand& it : *all)
          if (it.size != size) refuse(fmt::format("has operands of {} and {} blocks", size, it.size));
      moved(from, to, size);
    } else {
      for (std::size_t i = 0; i < to.size(); ++i) {
        const std::size_t source = one_to_all ? 0 : i;
        if (sources[source].size != targets[i].size)
          refuse(fmt::format("has a source of {} blocks and a target of {}", sources[source].size, targets[i].size));
        moved({from[source]}, {to[i]}, targets[i].size);
      }
    }
    if (operation_->channel_type != PlanChannel::port) return;  // on memory they are mere copies
    if (word.signals)
      for (const std::uint32_t id : operation_->channels) tell(id, true, false);
    if (word.flushes)
      for (const Operand& it : to) flush(static_cast<std::uint32_t>(it.rank));
  }

  void moved(const std::vector<Operand>& from, const std::vector<Operand>& to, std::uint32_t size) {
    Step it = step(StepType::move);
    it.count = size;
    it.operands = static_cast<std::uint32_t>(program_.operands.size());
    it.sources = static_cast<std::uint8_t>(from.size());
    it.targets = static_cast<std::uint8_t>(to.size());
    program_.operands.insert(program_.operands.end(), from.begin(), from.end());
    program_.operands.insert(program_.operands.end(), to.begin(), to.end());
    if (operation_->slices > 1) slices_.push_back({rank_, 0, 0, operation_->slice, operation_->slices});
    std::size_t block = block_;
    const auto rank = static_cast<std::int32_t>(rank_);
    if (operation_->channel_type == PlanChannel::port && to.front().rank != rank)
      block = by_proxy(static_cast<std::uint32_t>(to.front().rank), it);
    else
      append(block, it);
    if (operation_->slices > 1) {
      slices_.back().thread_block = block;
      slices_.back().step = program_.ranks[rank_].thread_blocks[block].steps.size() - 1;
    }
  }

  // A port's proxy does it when the thread block has asked for it, in the order asked for.
  std::size_t by_proxy(std::uint32_t peer, Step it) {
    std::vector<ThreadBlock>& all = program_.ranks[rank_].thread_blocks;
    const auto [found, added] = proxies_.try_emplace(peer, all.size());
    if (added) {
      all.emplace_back();
      all.back().line = mine().line;
    }
    Step ask = step(StepType::nop);
    ask.announced = true;
    append(block_, ask);
    it.awaited_thread_block = static_cast<std::int32_t>(block_);
    it.awaited_step = static_cast<std::int32_t>(mine().steps.size()) - 1;
    append(found->second, it);
    return found->second;
  }
  void flush(std::uint32_t peer) {
    const auto found = proxies_.find(peer);
    if (found == proxies_.end()) return;
    std::vector<Step>& asked = program_.ranks[rank_].thread_blocks[found->second].steps;
    asked.back().announced = true;
    Step it = step(StepType::nop);
    it.awaited_thread_block = static_cast<std::int32_t>(found->second);
    it.awaited_step = static_cast<std::int32_t>(asked.size()) - 1;
    append(block_, it);
  }

  void sizes() {
    const std::size_t ranks = plan_.ranks.size();
    std::size_t blocks = 0;
    const bool gathers = program_.collective == Collective::all_gather || program_.collective == Collective::gather;
    const bool scatters = program_.collective == Collective::reduce_scatter || program_.collective == Collective::scatter;
    for (const ProgramRank& it : program_.ranks)
      blocks = std::max({blocks, it.input * (gathers ? ranks : 1), it.output * (scatters ? ranks : 1)});
    if (blocks > most_blocks) fail(1, fmt::format("it cuts the buffer into {} blocks, and {} are the most", blocks, most_blocks));
    program_.blocks = static_cast<std::uint32_t>(blocks);
  }

  ExecutionPlan plan_;
  std::string_view origin_;
  Program program_;
  std::size_t rank_ = 0, block_ = 0, steps_ = 0;
  PlanPlace place_;
  const PlanOperation* operation_ = nullptr;
  PlanChannels channels_;
  std::map<std::tuple<std::size_t, int, std::uint64_t, std::uint64_t>, std::uint32_t> counters_;
  std::map<std::uint32_t, std::uint32_t> meetings_, met_;  // of the thread block by barrier; of the rank by counter
  std::map<std::uint32_t, std::size_t> proxies_;           // of the thread block by peer: their thread blocks
  std::vector<std::vector<std::int32_t>> last_;            // of each operation: the last step
  std::vector<PlanSlice> slices_;
};

}  // namespace

Program read_mscclpp(std::string_view text, std::string_view origin) {
  return PlanResolver(read_plan(text, origin), origin).run();
}

}  // namespace railgauge
