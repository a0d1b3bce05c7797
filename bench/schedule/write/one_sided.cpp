// Thread block by thread block; what ends a step is followed by a nop, in which its threads meet.
#include "bench/schedule/write/one_sided.hpp"

#include <map>
#include <utility>
#include <vector>

#include "bench/schedule/proof/execution.hpp"
#include "bench/schedule/read/plan_words.hpp"

namespace railgauge {
namespace {

class Lowering {
 public:
  explicit Lowering(const Program& program) : in_(program), table_(program), out_(program) {}

  Program run() {
    out_.format = AlgorithmFormat::mscclpp;
    out_.protocol = "Simple";
    out_.channels = 1;
    out_.in_place = in_.in_place && !in_.out_of_place;
    const BufferBlocks whole = buffer_blocks(in_);
    for (ProgramRank& rank : out_.ranks) {
      rank.input = whole.input;
      rank.output = whole.output;
      rank.line = 0;
      for (ThreadBlock& block : rank.thread_blocks) block = {};
    }
    places();
    semaphores();
    for (std::uint32_t block = 0; block < table_.blocks.size(); ++block) thread_block(block);
    return std::move(out_);
  }

 private:
  struct Connection {
    std::vector<std::uint32_t> slots;   // in the receiver's scratch, by message
    std::uint32_t told = 0, taken = 0;  // counters
  };

  std::uint32_t add_counter() {
    out_.counters.emplace_back();
    return static_cast<std::uint32_t>(out_.counters.size()) - 1;
  }

  void places() {
    for (const PeerConnection& it : table_.connections) {
      Connection connection;
      connection.told = add_counter();
      connection.taken = add_counter();
      for (const std::uint32_t step : it.receives) {
        std::uint32_t& scratch = out_.ranks[static_cast<std::size_t>(it.receiver)].scratch;
        connection.slots.push_back(scratch);
        scratch += table_.steps[step].step->count;
      }
      connections_.push_back(std::move(connection));
    }
  }

  // One for each two thread blocks, whose releases and acquires have one order; what is known already is not waited for again.
  void semaphores() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>> pairs;  // counter, latest step
    for (std::uint32_t step = 0; step < table_.steps.size(); ++step) {
      const std::uint32_t awaited = table_.awaited(step), block = table_.steps[step].thread_block;
      if (awaited == nothing || table_.steps[awaited].thread_block == block) continue;
      const auto [found, added] = pairs.try_emplace({table_.steps[awaited].thread_block, block}, 0U, awaited);
      if (added)
        found->second.first = add_counter();
      else if (found->second.second >= awaited)
        continue;
      found->second.second = awaited;
      acquired_[step] = found->second.first;
      released_[awaited].push_back(found->second.first);
    }
  }

  void thread_block(std::uint32_t id) {
    block_ = &table_.blocks[id];
    number_ = 0;
    for (std::uint32_t step = block_->first; step < block_->end; ++step) {
      if (const auto found = acquired_.find(step); found != acquired_.end()) {
        count(StepType::wait, "sem_acquire", found->second);
        nop();
      }
      work(step);
      const auto found = released_.find(step);
      if (found == released_.end()) continue;
      nop();
      for (const std::uint32_t counter : found->second) count(StepType::signal, "sem_release", counter);
    }
    const auto used = [&](std::uint32_t connection) {
      return connection != nothing && !table_.connections[connection].sends.empty();
    };
    if (used(block_->incoming)) {
      nop();
      count(StepType::signal, "signal", connections_[block_->incoming].taken);
    }
    if (used(block_->outgoing)) count(StepType::wait, "wait", connections_[block_->outgoing].taken);
  }

  void work(std::uint32_t id) {
    const StepTable::Row& row = table_.steps[id];
    const Step& it = *row.step;
    note_ = it.note;
    if (it.kind == StepType::nop) return;
    const Operand source = own(it.source_buffer, it.source), target = own(it.target_buffer, it.target);
    Operand slot, there;
    if (receives(it.kind)) {
      slot = own(Buffer::scratch, connections_[block_->incoming].slots[row.incoming]);
      count(StepType::wait, "wait", connections_[block_->incoming].told);
      nop();
    }
    if (sends(it.kind)) {
      there = own(Buffer::scratch, connections_[block_->outgoing].slots[row.outgoing]);
      there.rank = table_.connections[block_->outgoing].receiver;
    }
    switch (it.kind) {
      case StepType::s:
        move("put", {source}, {there}, it.count);
        break;
      case StepType::r:
        move("copy", {slot}, {target}, it.count);
        break;
      case StepType::cpy:
        move("copy", {source}, {target}, it.count);
        break;
      case StepType::re:
        move("re", {target, source}, {target}, it.count);
        break;
      case StepType::rrc:
        move("re", {source, slot}, {target}, it.count);
        break;
      case StepType::rcs:
        move("copy", {slot}, {target}, it.count);
        move("put", {slot}, {there}, it.count);
        break;
      case StepType::rrs:
        move("res", {source, slot}, {slot, there}, it.count);
        break;
      default:
        move("res", {source, slot}, {target, there}, it.count);
    }
    nop();
    if (sends(it.kind)) count(StepType::signal, "signal", connections_[block_->outgoing].told);
  }

  Operand own(Buffer buffer, std::uint32_t block) const { return {block_->rank, buffer, false, block}; }

  Step step(StepType kind, std::string_view word) {
    Step it;
    it.kind = kind;
    it.place = {static_cast<std::int16_t>(find_plan_word(word, false)), -1, number_++, static_cast<std::int32_t>(block_->number)};
    return it;
  }
  void append(const Step& it) {
    out_.ranks[static_cast<std::size_t>(block_->rank)].thread_blocks[block_->number].steps.push_back(it);
  }
  void nop() { append(step(StepType::nop, "nop")); }
  void count(StepType kind, std::string_view word, std::uint32_t counter) {
    Step it = step(kind, word);
    it.counter = counter;
    append(it);
  }
  void move(std::string_view word, const std::vector<Operand>& sources, const std::vector<Operand>& targets,
            std::uint32_t blocks) {
    Step it = step(StepType::move, word);
    it.count = blocks;
    it.note = note_;
    it.operands = static_cast<std::uint32_t>(out_.operands.size());
    it.sources = static_cast<std::uint8_t>(sources.size());
    it.targets = static_cast<std::uint8_t>(targets.size());
    out_.operands.insert(out_.operands.end(), sources.begin(), sources.end());
    out_.operands.insert(out_.operands.end(), targets.begin(), targets.end());
    append(it);
  }

  const Program& in_;
  StepTable table_;
  Program out_;
  std::vector<Connection> connections_;
  std::map<std::uint32_t, std::uint32_t> acquired_;               // by step: counter
  std::map<std::uint32_t, std::vector<std::uint32_t>> released_;  // by step: counters
  const StepTable::Block* block_ = nullptr;
  std::int32_t number_ = 0;
  StepNote note_;
};

}  // namespace

Program one_sided(const Program& program) {
  return program.format == AlgorithmFormat::mscclpp ? program : Lowering(program).run();
}

}  // namespace railgauge
