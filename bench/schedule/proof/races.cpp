// Vector clocks, for the thread blocks of one rank at a time: first with what its own dependencies say, and only where that
// leaves something open, with what messages carry through other ranks.
#include "bench/schedule/proof/races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "bench/schedule/proof/memory.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_work = std::size_t{1} << 29, most_stored = std::size_t{1} << 25;  // numbers in clocks

// How many steps of each of some thread blocks are known to be done, at the latest step of every thread block.
class Clocks {
 public:
  // Of those blocks alone where not `through_messages`, which are then a range.
  Clocks(const StepTable& table, std::span<const std::uint32_t> blocks, bool through_messages)
      : table_(table),
        width_(static_cast<std::uint32_t>(blocks.size())),
        through_messages_(through_messages),
        first_(through_messages || blocks.empty() ? 0 : blocks.front()),
        component_(table.blocks.size(), nothing),
        now_((through_messages ? table.blocks.size() : blocks.size()) * width_),
        apart_(through_messages ? now_.size() : 0),
        met_(through_messages ? table.blocks.size() : 0) {
    for (std::uint32_t i = 0; i < width_; ++i) component_[blocks[i]] = i;
  }

  void begin(std::uint32_t step) {
    // What one thread waits for the others know when they have met.
    const bool apart = through_messages_ && table_.alone(step);
    std::uint32_t* const mine = apart ? clock(step) - now_.data() + apart_.data() : clock(step);
    if (through_messages_ && table_.meets(step)) meet(table_.steps[step].thread_block);
    join(mine, table_.awaited(step));
    if (!through_messages_) return;
    join(mine, table_.sender_of(step));
    const Step& it = *table_.steps[step].step;
    if (it.kind == StepType::wait && !it.relaxed)
      table_.signals_before(step, true, [&](std::uint32_t signal) { join(mine, signal); });
    for (const std::uint32_t writer : table_.packets(step)) join(mine, writer);
  }
  // `kept`: some step will join this one.
  void end(std::uint32_t step, bool kept) {
    std::uint32_t* const mine = clock(step);
    const std::uint32_t block = table_.steps[step].thread_block;
    const std::uint32_t done = step - table_.blocks[block].first + 1;
    if (component_[block] != nothing) mine[component_[block]] = done;
    if (through_messages_ && table_.meets(step)) met_[block] = done;
    if (kept) keep(step, mine);
    if (through_messages_ && step + 1 == table_.blocks[block].end) meet(block);
  }
  // What a step tells: of a thread that is alone, what it has waited for itself, and what was done before all met.
  void keep(std::uint32_t step, const std::uint32_t* mine) {
    if (place_.empty()) place_.resize(table_.steps.size(), nothing);
    place_[step] = static_cast<std::uint32_t>(stored_.size() / width_);
    stored_.insert(stored_.end(), mine, mine + width_);
    if (!through_messages_ || !table_.alone(step)) return;
    const std::uint32_t block = table_.steps[step].thread_block;
    std::uint32_t* const told = stored_.data() + stored_.size() - width_;
    if (component_[block] != nothing) told[component_[block]] = met_[block];
    const std::uint32_t* const apart = apart_.data() + static_cast<std::size_t>(block) * width_;
    if (table_.passes_on(step))
      for (std::uint32_t i = 0; i < width_; ++i) told[i] = std::max(told[i], apart[i]);
  }
  void meet(std::uint32_t block) {
    std::uint32_t* const mine = clock_of(block);
    std::uint32_t* const apart = apart_.data() + static_cast<std::size_t>(block) * width_;
    for (std::uint32_t i = 0; i < width_; ++i) mine[i] = std::max(mine[i], std::exchange(apart[i], 0));
  }
  // That `earlier` is done before `later` begins, which has begun.
  [[nodiscard]] bool ordered(std::uint32_t earlier, std::uint32_t later) {
    return table_.steps[earlier].thread_block == table_.steps[later].thread_block || knows(clock(later), earlier);
  }
  // That it is done when the thread blocks of `rank`, which have ended, are.
  [[nodiscard]] bool ended(std::uint32_t earlier, std::size_t rank) {
    for (std::uint32_t block = table_.first_block[rank]; block < table_.first_block[rank + 1]; ++block)
      if (!table_.blocks[block].proxy && knows(clock_of(block), earlier)) return true;
    return false;
  }

 private:
  std::uint32_t* clock(std::uint32_t step) { return clock_of(table_.steps[step].thread_block); }
  std::uint32_t* clock_of(std::uint32_t block) { return now_.data() + static_cast<std::size_t>(block - first_) * width_; }
  bool knows(const std::uint32_t* clock, std::uint32_t earlier) const {
    const std::uint32_t block = table_.steps[earlier].thread_block;
    return clock[component_[block]] > earlier - table_.blocks[block].first;
  }
  void join(std::uint32_t* mine, std::uint32_t other) {
    if (other == nothing) return;
    const std::uint32_t* const theirs = stored_.data() + static_cast<std::size_t>(place_[other]) * width_;
    for (std::uint32_t i = 0; i < width_; ++i) mine[i] = std::max(mine[i], theirs[i]);
  }

  const StepTable& table_;
  std::uint32_t width_;
  bool through_messages_;
  std::uint32_t first_;
  std::vector<std::uint32_t> component_;  // of each thread block
  std::vector<std::uint32_t> now_, stored_, place_;
  std::vector<std::uint32_t> apart_, met_;  // what single threads know; steps before the latest meeting
};

// Who last wrote each block of a rank, and who has read it since.
class Accesses {
 public:
  explicit Accesses(std::uint32_t blocks) : first_writer_(blocks, nothing), writer_(blocks, nothing), readers_(blocks, nothing) {}

  template <class Check>  // check(earlier, it writes)
  void read(std::uint32_t block, std::uint32_t step, const Check& check) {
    if (writer_[block] != nothing) check(writer_[block], true);
    list_.emplace_back(step, readers_[block]);
    readers_[block] = static_cast<std::uint32_t>(list_.size() - 1);
  }
  template <class Check>
  void write(std::uint32_t block, std::uint32_t step, const Check& check) {
    if (writer_[block] != nothing) check(writer_[block], true);
    for (std::uint32_t i = readers_[block]; i != nothing; i = list_[i].second) check(list_[i].first, false);
    if (writer_[block] == nothing) first_writer_[block] = step;
    writer_[block] = step;
    readers_[block] = nothing;
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(writer_.size()); }
  // The latest accesses that the first write must follow in another run: check(latest, it writes, first).
  template <class Check>
  void again(std::uint32_t block, const Check& check) const {
    if (writer_[block] == nothing) return;
    check(writer_[block], true, first_writer_[block]);
    for (std::uint32_t i = readers_[block]; i != nothing; i = list_[i].second) check(list_[i].first, false, first_writer_[block]);
  }

 private:
  std::vector<std::uint32_t> first_writer_, writer_, readers_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> list_;
};

class Racing {
 public:
  Racing(const Program& program, const StepTable& table, std::span<const std::uint32_t> order, bool in_place, std::size_t most)
      : program_(program),
        table_(table),
        order_(order),
        in_place_(in_place),
        most_(most),
        awaited_(table.steps.size()),
        of_rank_(program.ranks.size()) {
    for (const std::uint32_t step : order) {
      const Step& it = *table.steps[step].step;
      await(table.awaited(step));
      for (const std::uint32_t writer : table.packets(step)) await(writer);
      if (it.kind == StepType::signal && !it.relaxed) await(step);
      if (it.kind == StepType::wait) signals_looked_at_ += table.counters[it.counter].signals.size();
      of_rank_[static_cast<std::size_t>(table.rank_of(step))].push_back(step);
      if (sends(it.kind)) ++messages_;
      for (const Operand& operand : operands_of(program, it))
        if (operand.rank != table.rank_of(step)) remote_ = true;
    }
  }

  Races run() {
    for (std::size_t rank = 0; rank < program_.ranks.size() && found_.size() < most_; ++rank) {
      std::vector<std::uint32_t> blocks;
      for (std::uint32_t block = table_.first_block[rank]; block < table_.first_block[rank + 1]; ++block) blocks.push_back(block);
      if (!remote_) {
        const auto its_awaited =
            std::count_if(of_rank_[rank].begin(), of_rank_[rank].end(), [&](std::uint32_t step) { return awaited_[step]; });
        check_size(static_cast<std::size_t>(its_awaited), blocks.size());
        if (of(rank, blocks, of_rank_[rank], false).empty()) continue;
      } else {
        add_remote(rank, blocks);
        if (blocks.empty()) continue;  // nobody accesses its memory
        work_ += signals_looked_at_;
      }
      const std::size_t width = blocks.size();
      check_size(table_.blocks.size() + messages_ + awaited_steps_, width);
      work_ += table_.steps.size() + (2 * messages_ + 2 * awaited_steps_) * width;
      if (work_ > most_work) too_large();
      for (Race& race : of(rank, blocks, order_, true)) found_.push_back(race);
    }
    if (found_.size() > most_) found_.resize(most_);
    return {std::move(found_), next_, next_unknown_};
  }

 private:
  [[noreturn]] static void too_large() {
    throw Error(Fault::usage,
                "it has so many thread blocks and messages that its freedom from races cannot be proved in reasonable time");
  }
  static void check_size(std::size_t entries, std::size_t width) {
    if (entries * width > most_stored) too_large();
  }
  void await(std::uint32_t step) {
    if (step == nothing || awaited_[step]) return;
    awaited_[step] = true;
    ++awaited_steps_;
  }

  // The thread blocks of other ranks that access the memory of this one.
  void add_remote(std::size_t rank, std::vector<std::uint32_t>& blocks) const {
    std::set<std::uint32_t> others;
    for (const std::uint32_t step : order_)
      if (static_cast<std::size_t>(table_.rank_of(step)) != rank)
        for (const Operand& operand : operands_of(program_, *table_.steps[step].step))
          if (static_cast<std::size_t>(operand.rank) == rank) others.insert(table_.steps[step].thread_block);
    blocks.insert(blocks.end(), others.begin(), others.end());
  }

  // Of each step: whether it knows that `rank` has begun, be it by a relaxed signal; and of each rank, when it has ended.
  struct Begun {
    std::vector<bool> at, ended;
  };
  const Begun& begun(std::size_t rank) {
    if (begun_.empty()) begun_.resize(program_.ranks.size());
    if (begun_[rank].at.empty()) begun_[rank] = find_begun(rank);
    return begun_[rank];
  }
  Begun find_begun(std::size_t rank) const {
    std::vector<bool> known(table_.steps.size()), all(table_.blocks.size()), one(table_.blocks.size());
    for (const std::uint32_t step : order_) {
      const std::uint32_t block = table_.steps[step].thread_block;
      bool here = static_cast<std::size_t>(table_.rank_of(step)) == rank;
      const auto join = [&](std::uint32_t other) { here = here || (other != nothing && known[other]); };
      if (all[block] || (one[block] && (table_.meets(step) || table_.alone(step)))) here = true;
      join(table_.awaited(step));
      join(table_.sender_of(step));
      for (const std::uint32_t writer : table_.packets(step)) join(writer);
      if (table_.steps[step].step->kind == StepType::wait) table_.signals_before(step, false, join);
      known[step] = here;
      (table_.alone(step) ? one : all)[block] = here;
    }
    std::vector<bool> ended(program_.ranks.size());
    for (std::uint32_t block = 0; block < table_.blocks.size(); ++block)
      if (!table_.blocks[block].proxy && (one[block] || all[block]))
        ended[static_cast<std::size_t>(table_.blocks[block].rank)] = true;
    ended[rank] = true;
    return {std::move(known), std::move(ended)};
  }

  std::vector<Race> of(std::size_t rank, std::span<const std::uint32_t> blocks, std::span<const std::uint32_t> order,
                       bool through_messages) {
    const auto me = static_cast<std::int32_t>(rank);
    const Places places(program_, rank, in_place_);
    const std::uint32_t users = places.at(Buffer::scratch, 0);  // before it: what the user reads and writes
    const std::vector<bool> known = remote_ ? begun(rank).at : std::vector<bool>();
    Clocks clocks(table_, blocks, through_messages);
    Accesses accesses(places.size());
    std::vector<Race> races;
    std::set<std::pair<std::uint32_t, std::uint32_t>> told;  // pairs of thread blocks
    const auto tell = [&](const Race& race) {
      const auto block_of = [&](std::uint32_t step) { return step == nothing ? nothing : table_.steps[step].thread_block; };
      if (told.emplace(block_of(race.earlier), block_of(race.later)).second) races.push_back(race);
    };
    for (const std::uint32_t step : order) {
      const Step& it = *table_.steps[step].step;
      clocks.begin(step);
      const bool mine = table_.rank_of(step) == me;
      const auto touch = [&](Buffer buffer, std::uint32_t block, bool writes) {
        const auto check = [&](std::uint32_t earlier, bool earlier_writes) {
          if (!clocks.ordered(earlier, step)) tell({earlier, step, buffer, block, earlier_writes, writes, me});
        };
        if (!mine && buffer != Buffer::scratch && !known[step]) tell({nothing, step, buffer, block, false, writes, me});
        if (writes)
          accesses.write(places.at(buffer, block), step, check);
        else
          accesses.read(places.at(buffer, block), step, check);
      };
      own_overlap(places, me, step, it, races);
      if (mine) {
        if (reads_source(it.kind))
          for (std::uint32_t i = 0; i < it.count; ++i) touch(it.source_buffer, it.source + i, false);
        if (writes_target(it.kind))
          for (std::uint32_t i = 0; i < it.count; ++i) touch(it.target_buffer, it.target + i, true);
      }
      for (const bool writes : {false, true})
        for (const Operand& operand : writes ? targets_of(program_, it) : sources_of(program_, it))
          for (std::uint32_t i = 0; i < it.count && operand.rank == me; ++i) touch(operand.buffer, operand.block + i, writes);
      clocks.end(step, awaited_[step] || (through_messages && sends(it.kind)));
    }
    if (remote_) {
      for (std::uint32_t cell = 0; cell < users; ++cell)
        accesses.write(cell, nothing, [&](std::uint32_t earlier, bool writes) {
          if (clocks.ended(earlier, rank)) return;
          const Step& it = *table_.steps[earlier].step;
          for (const Operand& operand : writes ? targets_of(program_, it) : sources_of(program_, it))
            if (const std::uint32_t first = places.at(operand.buffer, operand.block);
                operand.rank == me && first <= cell && cell - first < it.count)
              tell({earlier, nothing, operand.buffer, operand.block + cell - first, writes, false, me});
        });
      next_run(accesses, clocks, me, users);
    }
    return races;
  }

  // Scratch of a rank that its next run writes, or the one after that, while this one is not done with it: a rank begins again
  // when it has ended, without asking others.
  void next_run(const Accesses& accesses, Clocks& clocks, std::int32_t me, std::uint32_t scratch) {
    const std::size_t ranks = program_.ranks.size();
    if (next_) return;
    if (ranks * (table_.steps.size() + signals_looked_at_) > most_stored) {
      next_unknown_ = true;
      return;
    }
    const auto ordered = [&](std::uint32_t earlier, std::uint32_t later) {
      for (std::size_t by = 0; by < ranks; ++by) {
        looked_at_next_ += program_.double_scratch ? ranks : 1 + table_.first_block[by + 1] - table_.first_block[by];
        if (!clocks.ended(earlier, by)) continue;
        if (!program_.double_scratch && begun(by).at[later]) return true;
        for (std::size_t other = 0; program_.double_scratch && other < ranks; ++other)
          if (begun(by).ended[other] && begun(other).at[later]) return true;
      }
      return false;
    };
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::uint32_t cell = scratch; cell < accesses.size() && !next_; ++cell) {
      if (looked_at_next_ >= most_stored) {
        next_unknown_ = true;
        return;
      }
      accesses.again(cell, [&](std::uint32_t earlier, bool writes, std::uint32_t later) {
        if (!next_ && seen.emplace(earlier, later).second && !ordered(earlier, later))
          next_ = Race{earlier, later, Buffer::scratch, cell - scratch, writes, true, me};
      });
    }
  }

  // Threads of one step work on all of its blocks at once.
  void own_overlap(const Places& places, std::int32_t rank, std::uint32_t step, const Step& it, std::vector<Race>& races) const {
    const auto check = [&](std::uint32_t source, std::uint32_t target, Buffer buffer, std::uint32_t block) {
      if (source != target && source < target + it.count && target < source + it.count)
        races.push_back({step, step, buffer, block, false, true, rank});
    };
    if (table_.rank_of(step) == rank && reads_source(it.kind) && writes_target(it.kind))
      check(places.source(it), places.target(it), it.target_buffer, it.target);
    if (it.kind != StepType::move) return;
    const std::span<const Operand> all = operands_of(program_, it);
    for (const Operand& target : targets_of(program_, it))
      for (const Operand& other : all) {
        if (target.rank != rank || other.rank != rank) continue;
        check(places.at(other.buffer, other.block), places.at(target.buffer, target.block), target.buffer, target.block);
      }
  }

  const Program& program_;
  const StepTable& table_;
  std::span<const std::uint32_t> order_;
  bool in_place_;
  std::size_t most_;
  std::vector<bool> awaited_;
  std::vector<std::vector<std::uint32_t>> of_rank_;
  std::size_t messages_ = 0, awaited_steps_ = 0, work_ = 0;
  std::size_t signals_looked_at_ = 0;  // by all waits
  bool remote_ = false;                // some step accesses the memory of another rank
  std::vector<Race> found_;
  std::optional<Race> next_;
  std::size_t looked_at_next_ = 0;
  bool next_unknown_ = false;
  std::vector<Begun> begun_;  // of ranks that were asked for
};

}  // namespace

Races races(const Program& program, const StepTable& table, std::span<const std::uint32_t> order, bool in_place,
            std::size_t most) {
  return Racing(program, table, order, in_place, most).run();
}

}  // namespace railgauge
