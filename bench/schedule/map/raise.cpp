// A guess from the names of the operations, which is right if the same plan can be made of it.
#include "bench/schedule/map/raise.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/schedule/read/plan_words.hpp"
#include "bench/schedule/write/mscclpp.hpp"

namespace railgauge {
namespace {

class Raising {
 public:
  explicit Raising(const Program& plan) : plan_(plan), program_(plan) {}

  Program run() {
    program_.format = AlgorithmFormat::msccl;
    program_.operands.clear();
    program_.counters.clear();
    signaller_.assign(plan_.counters.size(), Step::none);
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank)
      for (const ThreadBlock& block : plan_.ranks[rank].thread_blocks)
        for (const Step& it : block.steps)
          if (it.kind == StepType::signal) signaller_[it.counter] = static_cast<std::int32_t>(rank);
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) of_rank(rank);
    return std::move(program_);
  }

 private:
  using Release = std::pair<std::size_t, std::size_t>;  // thread block, step
  struct Acquire {
    std::size_t block, step;
    std::uint32_t counter;
  };

  void of_rank(std::size_t rank) {
    releases_.clear();
    acquires_.clear();
    channels_.clear();
    first_slot_ = plan_.ranks[rank].scratch;
    ProgramRank& mine = program_.ranks[rank];
    for (std::size_t block = 0; block < mine.thread_blocks.size(); ++block) thread_block(rank, block);
    mine.scratch = first_slot_;
    std::map<std::uint32_t, std::size_t> taken;
    for (const Acquire& it : acquires_) {
      const std::vector<Release>& releases = releases_[it.counter];
      const std::size_t nth = taken[it.counter]++;
      if (nth >= releases.size()) continue;
      const auto [block, step] = releases[nth];
      Step& waiting = mine.thread_blocks[it.block].steps[it.step];
      waiting.awaited_thread_block = static_cast<std::int32_t>(block);
      waiting.awaited_step = static_cast<std::int32_t>(step);
      mine.thread_blocks[block].steps[step].announced = true;
    }
  }

  void thread_block(std::size_t rank, std::size_t number) {
    ThreadBlock& block = program_.ranks[rank].thread_blocks[number];
    block = {};
    std::int32_t received = Step::none;  // from whom, where the step before is a wait
    std::vector<std::uint32_t> acquired;
    for (const Step& it : plan_.ranks[rank].thread_blocks[number].steps) {
      const std::string_view word = name(it);
      if (it.kind == StepType::wait) {
        if (word == "sem_acquire") acquired.push_back(it.counter);
        received = word == "wait" ? signaller_[it.counter] : Step::none;
      } else if (it.kind == StepType::signal && word == "sem_release" && !block.steps.empty()) {
        releases_[it.counter].emplace_back(number, block.steps.size() - 1);
      } else if (it.kind == StepType::move) {
        // One dependency a step: others stand in front of it.
        for (std::size_t i = 0; i < acquired.size(); ++i) {
          acquires_.push_back({number, block.steps.size(), acquired[i]});
          if (i + 1 < acquired.size()) block.steps.emplace_back();
        }
        acquired.clear();
        block.steps.push_back(step(it, received, block));
        received = Step::none;
      }
    }
    const auto peers = std::pair(block.send_peer, block.receive_peer);
    if (peers != std::pair(Step::none, Step::none)) block.channel = channels_[peers]++;
  }

  Step step(const Step& it, std::int32_t received, ThreadBlock& block) {
    const Operand &source = sources_of(plan_, it).back(), &target = targets_of(plan_, it).front();
    Step made;
    made.count = it.count;
    made.note = it.note;
    made.line = it.line;
    made.source_buffer = source.buffer;
    made.source = source.block;
    made.target_buffer = target.buffer;
    made.target = target.block;
    const std::string_view word = name(it);
    made.kind = word == "put" ? StepType::s : word == "re" ? StepType::re : received != Step::none ? StepType::r : StepType::cpy;
    if (made.kind == StepType::s) {
      block.send_peer = target.rank;
      made.target_buffer = Buffer::input;
      made.target = 0;
    }
    if (made.kind == StepType::r) {
      block.receive_peer = received;
      first_slot_ = std::min(first_slot_, source.block);
      made.source_buffer = Buffer::input;
      made.source = 0;
    }
    return made;
  }

  const Program& plan_;
  Program program_;
  std::vector<std::int32_t> signaller_;                     // of each counter
  std::uint32_t first_slot_ = 0;                            // of the messages in scratch
  std::map<std::uint32_t, std::vector<Release>> releases_;  // by counter
  std::vector<Acquire> acquires_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> channels_;
};

}  // namespace

std::optional<Program> raised(const Program& plan) {
  for (const ProgramRank& rank : plan.ranks)
    for (const ThreadBlock& block : rank.thread_blocks)
      for (const Step& it : block.steps)
        if (it.kind == StepType::move && it.note.round == Step::none) return std::nullopt;
  try {
    Program program = Raising(plan).run();
    check_program(program, plan.name);
    if (to_mscclpp(program) == to_mscclpp(plan)) return program;
  } catch (const Error&) {}  // what cannot be written is no plan of ours
  return std::nullopt;
}

}  // namespace railgauge
