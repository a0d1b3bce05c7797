// Along one execution, since whatever a step waits for stands before it there: each access gets the earliest round that what it
// follows allows.
#include "bench/schedule/map/plan_map.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "bench/schedule/map/named_blocks.hpp"
#include "bench/schedule/map/timed.hpp"
#include "bench/schedule/proof/execution.hpp"
#include "bench/schedule/proof/memory.hpp"

namespace railgauge {
namespace {

// Blocks that have a name in the plan, or scratch that holds the data of those for one step alone.
struct Spot {
  Operand named;
  std::uint32_t held = nothing;  // which of the rank's uses of added scratch
};

class PlanMapper {
 public:
  PlanMapper(const Program& program, const std::string& origin, std::int32_t root)
      : program_(program),
        table_(program),
        named_(program, table_, origin, root),
        thread_blocks_(table_.blocks.size()),
        known_(table_.steps.size()),
        sent_(table_.steps.size()),
        ranks_(program.ranks.size()) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      places_.emplace_back(program, rank, program.in_place);
      cells_.emplace_back(places_.back().size());
    }
  }

  std::vector<Schedule> run() {
    for (const std::uint32_t step : execute(table_, unlimited).order) add(step);
    std::vector<Schedule> all;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) all.push_back(of(rank));
    return all;
  }

 private:
  // Rounds: 0 has no messages, and locals run after the messages of their round.
  struct Cell {
    std::uint32_t written = 0, read = 0;  // the latest of both
  };
  struct Progress {
    std::uint32_t done = 0;    // all of its steps so far, but for what they have sent
    std::uint32_t synced = 0;  // when it last waited
    std::uint32_t sent = 0;    // the latest of its messages
  };
  struct Held {
    std::uint32_t begin = 0, last = 0, count = 0, slot = 0;
  };
  struct Move {
    std::uint32_t round = 0, step = 0;
    Local::Kind kind = Local::Kind::copy;
    Spot source, target;
  };
  struct Sent {
    std::uint32_t round = 0, number = 0, step = 0;
    Transfer::Kind kind = Transfer::Kind::send;
    std::int32_t peer = 0;
    Spot spot;
  };
  struct OfRank {
    std::vector<Held> held;
    std::vector<Move> moves;
    std::vector<Sent> sent;
  };

  // --- when each step is done
  void add(std::uint32_t step) {
    const Step& it = *table_.steps[step].step;
    Progress& mine = thread_blocks_[table_.steps[step].thread_block];
    if (const std::uint32_t awaited = table_.awaited(step); awaited != nothing) {
      // A port's proxy begins with what it is asked for, whatever else its thread block has sent.
      const bool asked = table_.blocks[table_.steps[step].thread_block].proxy;
      mine.done = std::max({mine.done, known_[awaited], asked ? 0 : sent_[awaited]});
      mine.synced = mine.done;
    }
    known_[step] = mine.done;
    if (it.kind == StepType::move) {
      move(step, it, mine);
      known_[step] = mine.done;
    } else if (it.kind == StepType::signal) {
      if (!it.relaxed) known_[step] = std::max(mine.done, mine.sent);
    } else {
      if (it.kind == StepType::wait)
        table_.signals_before(step, false, [&](std::uint32_t signal) { mine.done = std::max(mine.done, known_[signal]); });
      known_[step] = mine.synced = mine.done;
    }
    sent_[step] = mine.sent;
  }

  std::span<Cell> cells(const Operand& operand, std::uint32_t count) {
    const auto rank = static_cast<std::size_t>(operand.rank);
    return std::span(cells_[rank]).subspan(places_[rank].at(operand.buffer, operand.block), count);
  }
  // The round of the latest access that one of this kind must follow.
  std::uint32_t latest(const Operand& operand, std::uint32_t count, bool writes) {
    std::uint32_t round = 0;
    for (const Cell& it : cells(operand, count)) round = std::max({round, it.written, writes ? it.read : 0});
    return round;
  }
  void touch(const Operand& operand, std::uint32_t count, bool writes, std::uint32_t round) {
    for (Cell& it : cells(operand, count)) {
      std::uint32_t& mark = writes ? it.written : it.read;
      mark = std::max(mark, round);
    }
  }

  [[nodiscard]] bool same_place(const Operand& a, const Operand& b) const {
    if (a.rank != b.rank) return false;
    const Places& places = places_[static_cast<std::size_t>(a.rank)];
    return places.at(a.buffer, a.block) == places.at(b.buffer, b.block);
  }

  OfRank& of_rank(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  Spot hold(std::int32_t rank, const Operand& like, std::uint32_t count, std::uint32_t begin) {
    OfRank& mine = of_rank(rank);
    mine.held.push_back({begin, begin, count, 0});
    return {like, static_cast<std::uint32_t>(mine.held.size() - 1)};
  }
  void keep(std::int32_t rank, const Spot& spot, std::uint32_t round) {
    if (spot.held == nothing) return;
    std::uint32_t& last = of_rank(rank).held[spot.held].last;
    last = std::max(last, round);
  }

  void message(std::uint32_t step, std::uint32_t round, std::int32_t sender, const Spot& from, std::int32_t receiver,
               const Spot& to) {
    of_rank(sender).sent.push_back({round, messages_, step, Transfer::Kind::send, receiver, from});
    of_rank(receiver).sent.push_back({round, messages_, step, Transfer::Kind::receive, sender, to});
    ++messages_;
    keep(sender, from, round);
    keep(receiver, to, round);
  }

  // All sources are reduced in one place, where the targets get it from: the first target of this rank, or scratch; a source of
  // this rank that nothing is to be reduced with is sent from where it lies.
  void move(std::uint32_t step, const Step& it, Progress& mine) {
    const std::int32_t rank = table_.rank_of(step);
    const auto here = [&](const Operand& operand) { return operand.rank == rank; };
    const auto sources = sources_of(program_, it), targets = targets_of(program_, it);
    const auto own = std::find_if(targets.begin(), targets.end(), here);
    const bool as_it_lies = own == targets.end() && sources.size() == 1 && here(sources.front());
    // The source that the others are reduced into.
    auto first = own == targets.end() ? sources.end() : std::find_if(sources.begin(), sources.end(), [&](const Operand& source) {
      return same_place(source, *own);
    });
    const bool in_place = first != sources.end();
    if (!in_place) first = std::find_if(sources.begin(), sources.end(), here);
    const bool received = first == sources.end();
    if (received) first = sources.begin();

    std::vector<Spot> spots(sources.size());
    Spot result{own == targets.end() ? *first : *own, nothing};
    std::uint32_t done = mine.done;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Operand& source = sources[i];
      spots[i].named = source;
      if (here(source)) continue;
      const bool into_result = received && sources.begin() + static_cast<std::ptrdiff_t>(i) == first;
      std::uint32_t round = std::max({mine.done, mine.synced + 1, latest(source, it.count, false) + 1});
      if (into_result && own != targets.end()) round = std::max(round, latest(*own, it.count, true) + 1);
      if (!into_result || own == targets.end()) spots[i] = hold(rank, source, it.count, round);
      if (into_result && own == targets.end()) result = spots[i];
      if (into_result && own != targets.end()) spots[i] = result;
      message(step, round, source.rank, {source, nothing}, rank, spots[i]);
      touch(source, it.count, false, round);
      if (spots[i].held == nothing) touch(*own, it.count, true, round);
      done = std::max(done, round);
    }
    for (const Operand& source : sources)
      if (here(source)) done = std::max(done, latest(source, it.count, false));
    for (const Operand& target : targets)
      if (here(target)) done = std::max(done, latest(target, it.count, true));
    if (own == targets.end() && !as_it_lies && !received) result = hold(rank, *first, it.count, done);

    const auto local = [&](Local::Kind kind, const Spot& source, const Spot& target) {
      of_rank(rank).moves.push_back({done, step, kind, source, target});
      keep(rank, source, done);
      keep(rank, target, done);
    };
    const auto at_first = static_cast<std::size_t>(first - sources.begin());
    if (!received && !in_place && !as_it_lies) local(Local::Kind::copy, spots[at_first], result);
    for (std::size_t i = 0; i < spots.size(); ++i)
      if (i != at_first) local(Local::Kind::reduce, spots[i], result);
    for (auto target = own; target != targets.end(); ++target)
      if (target != own && here(*target) && !same_place(*target, *own)) local(Local::Kind::copy, result, {*target, nothing});
    if (!as_it_lies)
      for (const Operand& source : sources)
        if (here(source)) touch(source, it.count, false, done);
    for (const Operand& target : targets)
      if (here(target)) touch(target, it.count, true, done);
    mine.done = done;

    for (const Operand& target : targets) {
      if (here(target)) continue;
      const std::uint32_t round = std::max(done, latest(target, it.count, true)) + 1;
      message(step, round, rank, result, target.rank, {target, nothing});
      if (result.held == nothing) touch(result.named, it.count, false, round);
      touch(target, it.count, true, round);
      mine.sent = std::max(mine.sent, round);
    }
  }

  // --- the schedule of one rank
  Schedule of(std::size_t rank) {
    OfRank& mine = ranks_[rank];
    Schedule schedule;
    schedule.blocks = program_.blocks;
    schedule.slots = give_slots(mine.held, named_.first_added(rank));
    const auto me = static_cast<std::int32_t>(rank);
    const auto blocks = [&](std::uint32_t step, const Spot& spot) {
      const Operand& named = spot.named;
      const std::uint32_t count = table_.steps[step].step->count;
      if (spot.held != nothing)
        return named_.added(step, named.rank, named.buffer, named.block, count, mine.held[spot.held].slot);
      return named_.at(step, me, named.buffer, named.block, count);
    };
    std::vector<TimedTransfer> transfers;
    for (const Sent& it : mine.sent) transfers.push_back({it.round, 0, it.number, {it.kind, it.peer, blocks(it.step, it.spot)}});
    std::vector<TimedLocals> locals;
    for (std::uint32_t i = 0; i < mine.moves.size(); ++i) {
      const Move& it = mine.moves[i];
      locals.push_back({it.round, i, {{it.kind, blocks(it.step, it.source), blocks(it.step, it.target)}}});
    }
    mine = {};
    assemble(transfers, locals, true, schedule);
    return schedule;
  }

  static std::uint32_t give_slots(std::vector<Held>& held, std::uint32_t first) {
    std::vector<std::uint32_t> order(held.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return std::tie(held[a].begin, a) < std::tie(held[b].begin, b); });
    Slots slots(first);
    for (const std::uint32_t i : order) held[i].slot = slots.take(held[i].count, held[i].begin, held[i].last);
    return slots.end();
  }

  const Program& program_;
  StepTable table_;
  NamedBlocks named_;
  std::vector<Places> places_;
  std::vector<std::vector<Cell>> cells_;
  std::vector<Progress> thread_blocks_;
  std::vector<std::uint32_t> known_, sent_;  // of each step: when others know of it; the messages up to it
  std::vector<OfRank> ranks_;
  std::uint32_t messages_ = 0;
};

}  // namespace

std::vector<Schedule> map_plan(const Program& program, const std::string& origin, std::int32_t root) {
  return PlanMapper(program, origin, root).run();
}

}  // namespace railgauge
