// Threads, the stores that others do not see yet, and ranks that begin and end when they like.
#include "tests/schedule/plan_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <deque>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "bench/schedule/read/plan_words.hpp"
#include "tests/schedule/expected.hpp"

namespace railgauge::test {
namespace {

using Number = std::uint64_t;
constexpr int threads = 2;  // of a thread block, each with its part of every block

struct Cell {
  Number number = 0;
  int packet_of = 0;  // the run, counted from 1; 0: plain data
};
struct Address {
  std::size_t rank = 0;
  std::uint32_t cell = 0;
  int part = 0;
  auto operator<=>(const Address&) const = default;
};
using Stores = std::deque<std::pair<Address, Cell>>;

struct Thread {
  std::size_t rank = 0, block = 0;  // block: of all ranks
  int number = 0;
  int run = 0;
  std::size_t step = 0;
  std::uint32_t moved = 0;  // blocks of a move
  Stores unseen;
};

struct Block {
  std::size_t rank = 0, first_thread = 0;
  const ThreadBlock* what = nullptr;
  bool proxy = false;
  std::vector<int> doer;         // of each step: the thread that does it, where it is one's
  Stores unseen;                 // of all threads, before they last met
  std::map<Address, Cell> read;  // ahead of a relaxed wait
};

struct Rank {
  std::uint32_t base[3] = {};
  std::vector<std::array<Cell, threads>> cells;
  std::vector<std::vector<std::array<Number, threads>>> inputs;  // of each run
  std::size_t first_block = 0, end_block = 0;
  int run = 0;  // that it is in, or has been in
  bool running = false;
};

const PlanWord* word_of(const Step& it) {
  return it.place.word < 0 ? nullptr : &plan_words()[static_cast<std::size_t>(it.place.word)];
}

class PlanRun {
 public:
  PlanRun(const Program& program, std::int32_t root, int runs, std::mt19937& random)
      : program_(program), root_(root), runs_(runs), random_(random), ranks_(program.ranks.size()) {
    for (const Counter& it : program.counters) counters_.push_back(it.initial);
    for (std::size_t r = 0; r < ranks_.size(); ++r) add_rank(r);
  }

  std::string run() {
    std::vector<std::size_t> priority(ranks_.size() + threads_.size());
    std::iota(priority.begin(), priority.end(), std::size_t{0});
    std::shuffle(priority.begin(), priority.end(), random_);
    const unsigned order = static_cast<unsigned>(random_() % 3);  // always the same first; any; now and then another
    const bool late = random_() % 2 == 0;                         // stores are seen as late as they can be
    for (;;) {
      if (order == 1 || (order == 2 && random_() % 16 == 0)) std::shuffle(priority.begin(), priority.end(), random_);
      if (!late && random_() % 4 == 0) (void)see_any();
      bool any = false;
      for (const std::size_t actor : priority)
        if (actor < ranks_.size() ? begin_or_end(actor) : advance(threads_[actor - ranks_.size()])) {
          any = true;
          break;
        }
      if (!failure_.empty()) return failure_;
      if (!any && !see_any()) break;
    }
    const bool ended = std::all_of(ranks_.begin(), ranks_.end(), [&](const Rank& it) { return it.run == runs_ && !it.running; });
    return ended ? "" : "it hangs";
  }

 private:
  Number drawn_number() { return Number{random_()} << 32 | random_(); }

  void add_rank(std::size_t r) {
    const BufferBlocks whole = buffer_blocks(program_);
    Rank& mine = ranks_[r];
    const auto own = static_cast<std::uint32_t>(r);
    const std::uint32_t larger = std::max(whole.input, whole.output);
    const bool in_place = program_.in_place;
    mine.base[0] = in_place && whole.input < whole.output ? own * whole.input : 0;
    mine.base[1] = !in_place ? whole.input : whole.output < whole.input ? own * whole.output : 0;
    mine.base[2] = in_place ? larger : whole.input + whole.output;
    mine.cells.resize(mine.base[2] + program_.ranks[r].scratch * (program_.double_scratch ? 2 : 1));
    for (auto& cell : mine.cells)
      for (Cell& part : cell) part.number = drawn_number();
    for (int run = 0; run < runs_; ++run) {
      mine.inputs.emplace_back(whole.input);
      for (auto& block : mine.inputs.back())
        for (Number& part : block) part = drawn_number();
    }
    mine.first_block = blocks_.size();
    for (const ThreadBlock& it : program_.ranks[r].thread_blocks) {
      Block block;
      block.rank = r;
      block.first_thread = threads_.size();
      block.what = &it;
      block.proxy = !it.steps.empty() && it.steps.front().place.word >= 0 &&
                    it.steps.front().place.thread_block != static_cast<std::int32_t>(blocks_.size() - mine.first_block);
      std::map<std::tuple<std::int32_t, std::int16_t, StepType>, int> count;
      for (const Step& step : it.steps)
        block.doer.push_back(count[{step.place.operation, step.place.inner, step.kind}]++ % threads);
      for (int t = 0; t < (block.proxy ? 1 : threads); ++t) {
        threads_.push_back({r, blocks_.size(), t, 0, it.steps.size(), 0, {}});
      }
      blocks_.push_back(std::move(block));
    }
    mine.end_block = blocks_.size();
  }

  // --- ranks
  bool begin_or_end(std::size_t r) {
    Rank& mine = ranks_[r];
    if (!mine.running) {
      if (mine.run == runs_) return false;
      mine.running = true;
      ++mine.run;
      overwrite(mine, true);
      for (std::size_t b = mine.first_block; b < mine.end_block; ++b) {
        for (const Step& it : blocks_[b].what->steps)
          if (it.kind == StepType::signal && program_.counters[it.counter].meeting != 0) counters_[it.counter] = 0;
        if (blocks_[b].proxy) continue;  // it follows at its own pace
        for (int t = 0; t < threads; ++t) {
          Thread& thread = threads_[blocks_[b].first_thread + static_cast<std::size_t>(t)];
          thread.run = mine.run;
          thread.step = 0;
        }
      }
      return true;
    }
    for (std::size_t b = mine.first_block; b < mine.end_block; ++b)
      if (!blocks_[b].proxy)
        for (int t = 0; t < threads; ++t)
          if (threads_[blocks_[b].first_thread + static_cast<std::size_t>(t)].step < blocks_[b].what->steps.size()) return false;
    for (std::size_t b = mine.first_block; b < mine.end_block; ++b)
      if (!blocks_[b].proxy)
        for (int t = 0; t < threads; ++t) {
          see(blocks_[b].unseen);
          see(threads_[blocks_[b].first_thread + static_cast<std::size_t>(t)].unseen);
        }
    check(r);
    overwrite(mine, false);
    mine.running = false;
    return true;
  }

  // What the user does before a run, and after it.
  void overwrite(Rank& rank, bool before) {
    for (std::uint32_t cell = 0; cell < rank.base[2]; ++cell)
      for (Cell& part : rank.cells[cell]) part = {drawn_number(), 0};
    if (!before) return;
    const auto& inputs = rank.inputs[static_cast<std::size_t>(rank.run) - 1];
    for (std::uint32_t block = 0; block < inputs.size(); ++block)
      for (int part = 0; part < threads; ++part)
        rank.cells[rank.base[0] + block][static_cast<std::size_t>(part)].number = inputs[block][static_cast<std::size_t>(part)];
  }

  void check(std::size_t r) {
    const Rank& mine = ranks_[r];
    const BufferBlocks whole = buffer_blocks(program_);
    const auto run = static_cast<std::size_t>(mine.run) - 1;
    OutputBlock it{program_.collective,
                   static_cast<std::uint32_t>(ranks_.size()),
                   static_cast<std::uint32_t>(root_),
                   program_.blocks,
                   static_cast<std::uint32_t>(r),
                   0};
    for (; has_output(it) && it.block < whole.output; ++it.block)
      for (std::size_t p = 0; p < threads; ++p) {
        const Number wanted =
            expected(it, [&](std::uint32_t rank, std::uint32_t block) { return ranks_[rank].inputs[run][block][p]; });
        if (mine.cells[mine.base[1] + it.block][p].number != wanted && failure_.empty())
          failure_ = fmt::format("run {}: rank {}, block {} is wrong", mine.run, r, it.block);
      }
  }

  // --- memory
  void see(Stores& stores) {
    for (const auto& [at, cell] : stores) ranks_[at.rank].cells[at.cell][static_cast<std::size_t>(at.part)] = cell;
    stores.clear();
  }
  // One of them, and before it those to the same place.
  bool see_any() {
    std::vector<Stores*> all;
    for (Block& it : blocks_)
      if (!it.unseen.empty()) all.push_back(&it.unseen);
    for (Thread& it : threads_)
      if (!it.unseen.empty() && blocks_[it.block].unseen.empty()) all.push_back(&it.unseen);
    if (all.empty()) return false;
    Stores& stores = *all[random_() % all.size()];
    const Address at = stores[random_() % stores.size()].first;
    const auto first = std::find_if(stores.begin(), stores.end(), [&](const auto& it) { return it.first == at; });
    ranks_[at.rank].cells[at.cell][static_cast<std::size_t>(at.part)] = first->second;
    stores.erase(first);
    return true;
  }

  Address address(const Operand& operand, std::uint32_t block, int part, int run) const {
    const auto rank = static_cast<std::size_t>(operand.rank);
    std::uint32_t cell = ranks_[rank].base[static_cast<std::size_t>(operand.buffer)] + operand.block + block;
    if (operand.buffer == Buffer::scratch && program_.double_scratch && run % 2 == 0) cell += program_.ranks[rank].scratch;
    return {rank, cell, part};
  }
  Cell load(const Thread& thread, const Address& at) const {
    const Block& block = blocks_[thread.block];
    for (const Stores* const stores : {&thread.unseen, &block.unseen})
      for (auto it = stores->rbegin(); it != stores->rend(); ++it)
        if (it->first == at) return it->second;
    if (const auto ahead = block.read.find(at); ahead != block.read.end()) return ahead->second;
    return ranks_[at.rank].cells[at.cell][static_cast<std::size_t>(at.part)];
  }
  void store(Thread& thread, const Address& at, Number number, int packet_of) {
    thread.unseen.push_back({at, {number, packet_of}});
    blocks_[thread.block].read.erase(at);
  }

  // --- threads
  bool advance(Thread& thread) {
    Block& block = blocks_[thread.block];
    const std::vector<Step>& steps = block.what->steps;
    if (thread.step == steps.size()) {
      if (!block.proxy || thread.run >= ranks_[thread.rank].run || steps.empty()) return false;
      ++thread.run;
      thread.step = 0;
    }
    const Step& step = steps[thread.step];
    if (step.kind == StepType::move) return move(thread, step);
    if (!threads_meet(step)) return alone(thread, block, step);
    // All of them meet.
    if (!all_at(block, thread)) return false;
    if (thread.number != 0) {
      if (step.kind != StepType::nop && threads_[block.first_thread].step <= thread.step) return false;
    } else if (step.kind == StepType::wait) {
      if (counters_[step.counter] < program_.counters[step.counter].meeting) return false;
    } else if (step.kind == StepType::signal) {
      ++counters_[step.counter];
    }
    if (step.awaited_thread_block != Step::none && !awaited(thread, step)) return false;
    for (int t = 0; t < threads; ++t) {
      Thread& other = threads_[block.first_thread + static_cast<std::size_t>(t)];
      if (other.step == thread.step) {
        block.unseen.insert(block.unseen.end(), other.unseen.begin(), other.unseen.end());
        other.unseen.clear();
      }
    }
    if (step.kind == StepType::signal || step.announced) see(block.unseen);
    ++thread.step;
    return true;
  }
  bool all_at(const Block& block, const Thread& thread) const {
    for (int t = 0; t < (block.proxy ? 1 : threads); ++t)
      if (threads_[block.first_thread + static_cast<std::size_t>(t)].step < thread.step) return false;
    return true;
  }
  // Other thread blocks of the rank, or its proxy, or the thread that asks a proxy.
  bool awaited(const Thread& thread, const Step& step) const {
    const Block& other = blocks_[ranks_[thread.rank].first_block + static_cast<std::size_t>(step.awaited_thread_block)];
    const auto number = static_cast<std::size_t>(step.awaited_step);
    const Step& its = other.what->steps[number];
    for (int t = 0; t < (other.proxy ? 1 : threads); ++t) {
      if (!other.proxy && !threads_meet(its) && its.kind != StepType::move && other.doer[number] != t) continue;
      const Thread& it = threads_[other.first_thread + static_cast<std::size_t>(t)];
      if (it.run < thread.run || (it.run == thread.run && it.step <= number)) return false;
    }
    return true;
  }

  // What one thread does.
  bool alone(Thread& thread, Block& block, const Step& step) {
    if (block.proxy || block.doer[thread.step] == thread.number) {
      if (step.awaited_thread_block != Step::none && !awaited(thread, step)) return false;
      if (step.kind == StepType::wait) {
        if (step.relaxed && all_at(block, thread) && random_() % 2 == 0) read_ahead(thread, block);
        if (counters_[step.counter] == 0) return false;
        --counters_[step.counter];
        if (!step.relaxed) block.read.clear();
      } else {
        if (step.announced || (step.kind == StepType::signal && !step.relaxed)) {
          see(block.unseen);
          see(thread.unseen);
        }
        if (step.kind == StepType::signal) ++counters_[step.counter];
      }
    }
    ++thread.step;
    return true;
  }

  // What follows a relaxed wait may be read before it: in ranks that are in this run, whose users have left their data.
  void read_ahead(const Thread& thread, Block& block) {
    const std::vector<Step>& steps = block.what->steps;
    for (std::size_t i = thread.step + 1; i < steps.size(); ++i) {
      const auto sources = sources_of(program_, steps[i]);
      const bool packets = std::any_of(sources.begin(), sources.end(), [](const Operand& it) { return it.packet; });
      const bool waits = steps[i].kind == StepType::wait && (!steps[i].relaxed || threads_meet(steps[i]));
      if (waits || packets || steps[i].awaited_thread_block != Step::none) return;
      if (steps[i].kind != StepType::move) continue;
      for (const Operand& source : sources) {
        const Rank& rank = ranks_[static_cast<std::size_t>(source.rank)];
        if (!rank.running || rank.run != thread.run) continue;
        for (std::uint32_t b = 0; b < steps[i].count; ++b)
          for (int part = 0; part < threads; ++part) {
            const Address at = address(source, b, part, thread.run);
            block.read.try_emplace(at, rank.cells[at.cell][static_cast<std::size_t>(part)]);
          }
      }
    }
  }

  // A block of it.
  bool move(Thread& thread, const Step& step) {
    if (step.awaited_thread_block != Step::none && !awaited(thread, step)) return false;
    const bool whole = blocks_[thread.block].proxy;
    for (int part = whole ? 0 : thread.number; part < (whole ? threads : thread.number + 1); ++part)
      for (const Operand& source : sources_of(program_, step))
        if (source.packet && load(thread, address(source, thread.moved, part, thread.run)).packet_of != thread.run) return false;
    for (int part = whole ? 0 : thread.number; part < (whole ? threads : thread.number + 1); ++part) {
      Number sum = 0;
      for (const Operand& source : sources_of(program_, step)) {
        const Cell cell = load(thread, address(source, thread.moved, part, thread.run));
        sum += cell.packet_of != 0 && !source.packet ? drawn_number() : cell.number;
      }
      for (const Operand& target : targets_of(program_, step))
        store(thread, address(target, thread.moved, part, thread.run), sum, target.packet ? thread.run : 0);
    }
    if (++thread.moved < step.count) return true;
    thread.moved = 0;
    ++thread.step;
    return true;
  }

  const Program& program_;
  std::int32_t root_;
  int runs_;
  std::mt19937& random_;
  std::vector<Rank> ranks_;
  std::vector<Block> blocks_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> counters_;
  std::string failure_;
};

}  // namespace

std::string executed_plan(const Program& program, std::int32_t root, int runs, std::mt19937& random) {
  return PlanRun(program, root, runs, random).run();
}

bool threads_meet(const Step& step) noexcept {
  const PlanWord* const word = word_of(step);
  if (word == nullptr) return true;
  return step.kind == StepType::nop ? word->kind == PlanKind::order : word->kind == PlanKind::barrier;
}

}  // namespace railgauge::test
