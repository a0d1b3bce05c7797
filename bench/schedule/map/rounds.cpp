// Longest chains of waits.
#include "bench/schedule/map/rounds.hpp"

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "bench/schedule/proof/memory.hpp"

namespace railgauge {
namespace {

// Nodes are steps, numbered as in the table, and behind them the messages, by the step that sends each.
struct Order {
  std::uint32_t before = 0, after = 0;
  std::uint8_t rounds = 0;  // that lie between the two at least
  bool releases = false;    // `before` is a message whose block `after` overwrites at its sender
};

struct Access {
  std::uint32_t node = nothing;
  bool of_sender = false;
};

struct LatestAccesses {
  Access write;
  std::vector<Access> reads;  // since that write
};

class Orders {
 public:
  Orders(const Program& program, const StepTable& table, const std::vector<std::uint32_t>& order,
         const std::vector<std::uint8_t>& buffered)
      : program_(program), table_(table), buffered_(buffered) {
    for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
      places_.emplace_back(program, rank, program.in_place);
      cells_.emplace_back(places_.back().size());
    }
    for (const std::uint32_t step : order) {
      waits(step);
      accesses(step);
    }
  }
  std::vector<Order> take() { return std::move(orders_); }

 private:
  [[nodiscard]] std::uint32_t message(std::uint32_t sender) const {
    return static_cast<std::uint32_t>(table_.steps.size()) + sender;
  }
  [[nodiscard]] bool is_message(std::uint32_t node) const { return node >= table_.steps.size(); }

  void waits(std::uint32_t step) {
    const StepTable::Row& row = table_.steps[step];
    const std::uint32_t first = table_.blocks[row.thread_block].first;
    const std::uint32_t awaited = table_.awaited(step), sender = table_.sender_of(step);
    for (const std::uint32_t earlier : {step > first ? step - 1 : nothing, awaited}) {
      if (earlier == nothing) continue;
      orders_.push_back({earlier, step, 0, false});
      if (sender != nothing) orders_.push_back({earlier, message(sender), 0, false});
    }
    if (sender != nothing) orders_.push_back({message(sender), step, 0, false});
    if (sends(row.step->kind)) orders_.push_back({step, message(step), 1, false});
  }

  void accesses(std::uint32_t step) {
    const Step& it = *table_.steps[step].step;
    if (it.kind == StepType::nop) return;
    const std::uint32_t sender = table_.sender_of(step);
    const bool combines = receives(it.kind) && reads_source(it.kind);
    if (sender != nothing && writes_target(it.kind) && (!combines || receives_in_target(program_, table_, step)))
      touch(step, it.target_buffer, it.target, {message(sender), false}, true);
    if (reads_source(it.kind) && it.kind != StepType::s) touch(step, it.source_buffer, it.source, {step, false}, false);
    if (writes_target(it.kind) && (sender == nothing || combines)) touch(step, it.target_buffer, it.target, {step, false}, true);
    if (!sends(it.kind) || sends_unnamed(it.kind)) return;
    const bool copied = buffered_[step] != 0;
    const Access access{copied ? step : message(step), !copied};
    if (writes_target(it.kind))
      touch(step, it.target_buffer, it.target, access, false);
    else
      touch(step, it.source_buffer, it.source, access, false);
  }

  void touch(std::uint32_t step, Buffer buffer, std::uint32_t block, const Access& access, bool writes) {
    const auto rank = static_cast<std::size_t>(table_.rank_of(step));
    for (std::uint32_t i = 0; i < table_.steps[step].step->count; ++i) {
      LatestAccesses& cell = cells_[rank][places_[rank].at(buffer, block + i)];
      keep(cell.write, access);
      if (!writes) {
        cell.reads.push_back(access);
        continue;
      }
      for (const Access& read : cell.reads) keep(read, access);
      cell.reads.clear();
      cell.write = access;
    }
  }
  void keep(const Access& earlier, const Access& later) {
    if (earlier.node == nothing || earlier.node == later.node) return;
    orders_.push_back({earlier.node, later.node, static_cast<std::uint8_t>(is_message(later.node) ? 1 : 0), earlier.of_sender});
  }

  const Program& program_;
  const StepTable& table_;
  const std::vector<std::uint8_t>& buffered_;
  std::vector<Places> places_;
  std::vector<std::vector<LatestAccesses>> cells_;
  std::vector<Order> orders_;
};

// Successors of each node, as places in `orders`.
struct Successors {
  std::vector<std::uint32_t> first, all;
  Successors(std::size_t nodes, const std::vector<Order>& orders, bool backwards) : first(nodes + 1), all(orders.size()) {
    const auto from = [&](const Order& it) { return backwards ? it.after : it.before; };
    for (const Order& it : orders) ++first[from(it) + 1];
    for (std::size_t i = 0; i < nodes; ++i) first[i + 1] += first[i];
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::uint32_t i = 0; i < orders.size(); ++i) all[next[from(orders[i])]++] = i;
  }
};

// Takes away nodes that nothing remaining is before (or after, backwards), one by one. What cannot be taken lies on a circle, or
// behind one.
template <class Taken>
void take_away(const std::vector<Order>& orders, std::vector<std::uint8_t>& remaining, bool backwards, const Taken& taken) {
  const Successors successors(remaining.size(), orders, backwards);
  const auto to = [&](const Order& it) { return backwards ? it.before : it.after; };
  std::vector<std::uint32_t> waiting(remaining.size()), ready;
  for (const Order& it : orders)
    if (remaining[it.before] != 0 && remaining[it.after] != 0) ++waiting[to(it)];
  for (std::uint32_t node = 0; node < remaining.size(); ++node)
    if (remaining[node] != 0 && waiting[node] == 0) ready.push_back(node);
  while (!ready.empty()) {
    const std::uint32_t node = ready.back();
    ready.pop_back();
    remaining[node] = 0;
    for (std::uint32_t i = successors.first[node]; i < successors.first[node + 1]; ++i) {
      const Order& it = orders[successors.all[i]];
      if (remaining[to(it)] == 0) continue;
      taken(it);
      if (--waiting[to(it)] == 0) ready.push_back(to(it));
    }
  }
}

// Locals that nothing of the first messages waits for need not come before those.
void delay_first(const std::vector<Order>& orders, const std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& level) {
  const Successors successors(level.size(), orders, false);
  for (const std::uint32_t step : std::ranges::reverse_view(order)) {
    const auto begin = successors.all.begin() + successors.first[step], end = successors.all.begin() + successors.first[step + 1];
    if (level[step] == 0 &&
        std::all_of(begin, end, [&](std::uint32_t i) { return level[orders[i].after] >= 1U + orders[i].rounds; }))
      level[step] = 1;
  }
}

}  // namespace

bool sends_unnamed(StepType kind) noexcept { return kind == StepType::rrs; }

bool receives_in_target(const Program& program, const StepTable& table, std::uint32_t step) {
  const Step& it = *table.steps[step].step;
  const Places places(program, static_cast<std::size_t>(table.rank_of(step)), program.in_place);
  return writes_target(it.kind) && (!reads_source(it.kind) || places.source(it) != places.target(it));
}

ProgramRounds rounds_of(const Program& program, const StepTable& table) {
  const std::size_t steps = table.steps.size();
  ProgramRounds rounds;
  rounds.order = execute(table, unlimited).order;
  rounds.buffered.resize(steps);
  while (true) {
    const std::vector<Order> orders = Orders(program, table, rounds.order, rounds.buffered).take();
    std::vector<std::uint32_t> level(2 * steps);
    std::vector<std::uint8_t> remaining(2 * steps, 1);
    std::fill(level.begin() + static_cast<std::ptrdiff_t>(steps), level.end(), 1);
    take_away(orders, remaining, false,
              [&](const Order& it) { level[it.after] = std::max(level[it.after], level[it.before] + it.rounds); });
    if (std::all_of(remaining.begin(), remaining.end(), [](std::uint8_t it) { return it == 0; })) {
      delay_first(orders, rounds.order, level);
      rounds.done.assign(level.begin(), level.begin() + static_cast<std::ptrdiff_t>(steps));
      rounds.message.assign(level.begin() + static_cast<std::ptrdiff_t>(steps), level.end());
      for (std::size_t step = 0; step < steps; ++step)
        if (!sends(table.steps[step].step->kind)) rounds.message[step] = 0;
      rounds.received.resize(steps);
      for (std::uint32_t step = 0; step < steps; ++step)
        if (const std::uint32_t sender = table.sender_of(step); sender != nothing) rounds.received[step] = rounds.message[sender];
      return rounds;
    }
    take_away(orders, remaining, true, [](const Order&) {});
    bool any = false;
    for (const Order& it : orders)
      if (it.releases && remaining[it.before] != 0 && remaining[it.after] != 0) {
        rounds.buffered[it.before - steps] = 1;
        any = true;
      }
    if (!any) throw std::logic_error("the waits of a program that completes form a circle");
  }
}

}  // namespace railgauge
