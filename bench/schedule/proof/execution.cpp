// Everything that a step can wait for is the progress of one thread block, so an execution is a walk with a heap of waiters each.
#include "bench/schedule/proof/execution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "bench/schedule/read/plan_words.hpp"

namespace railgauge {
namespace {

// The thread block must have made `progress`, counted in phases; a step has as many of them as the walk says. Counters follow the
// thread blocks: the progress of one is its signals.
struct Requirement {
  WaitsFor what = WaitsFor::dependency;
  std::uint32_t thread_block = nothing;
  std::uint32_t progress = nothing;
};
using Requirements = std::vector<Requirement>;

// `requirements(step, phase, all)` appends what must be before that phase of the step.
template <class Asks>
Execution walk(const StepTable& table, std::uint32_t phases, const Asks& requirements) {
  using Waiter = std::pair<std::uint32_t, std::uint32_t>;  // progress, and who waits for it
  using Waiters = std::priority_queue<Waiter, std::vector<Waiter>, std::greater<>>;
  const std::size_t counted = table.blocks.size() + table.counters.size();
  std::vector<std::uint32_t> progress(counted);
  std::vector<Waiters> waiters(counted);
  // Of the step that each thread block stands before: those that are met stay so.
  struct Pending {
    std::uint32_t progress = nothing;
    std::size_t met = 0;
    Requirements all;
  };
  std::vector<Pending> pending(table.blocks.size());
  const auto unmet = [&](const Requirement& it) { return it.thread_block == nothing || progress[it.thread_block] < it.progress; };
  const auto first_unmet = [&](std::uint32_t block) {
    Pending& mine = pending[block];
    if (mine.progress != progress[block]) {
      mine.progress = progress[block];
      mine.met = 0;
      mine.all.clear();
      requirements(table.blocks[block].first + progress[block] / phases, progress[block] % phases, mine.all);
    }
    while (mine.met < mine.all.size() && !unmet(mine.all[mine.met])) ++mine.met;
    const bool blocked = mine.met < mine.all.size();
    return std::pair(blocked, blocked ? mine.all[mine.met] : Requirement{});
  };
  const auto finished = [&](std::uint32_t block) {
    return progress[block] == phases * (table.blocks[block].end - table.blocks[block].first);
  };
  Execution execution;
  execution.order.reserve(table.steps.size());
  std::vector<std::uint32_t> ready;
  const auto advance = [&](std::uint32_t index) {
    ++progress[index];
    while (!waiters[index].empty() && waiters[index].top().first <= progress[index]) {
      ready.push_back(waiters[index].top().second);
      waiters[index].pop();
    }
  };
  for (auto block = static_cast<std::uint32_t>(table.blocks.size()); block-- > 0;) ready.push_back(block);
  while (!ready.empty()) {
    const std::uint32_t block = ready.back();
    ready.pop_back();
    while (!finished(block)) {
      const auto [blocked, by] = first_unmet(block);
      if (blocked) {
        if (by.thread_block != nothing) waiters[by.thread_block].emplace(by.progress, block);
        break;
      }
      if (progress[block] % phases == phases - 1) {
        const std::uint32_t step = table.blocks[block].first + progress[block] / phases;
        execution.order.push_back(step);
        const Step& it = *table.steps[step].step;
        if (it.kind == StepType::signal) advance(static_cast<std::uint32_t>(table.blocks.size()) + it.counter);
      }
      advance(block);
    }
  }
  for (std::uint32_t block = 0; block < table.blocks.size(); ++block)
    if (!finished(block)) {
      Requirement by = first_unmet(block).second;
      if (by.what == WaitsFor::signal) {  // whoever could still signal
        const std::vector<std::uint32_t>& signals = table.counters[by.thread_block - table.blocks.size()].signals;
        const auto left = std::find_if(signals.begin(), signals.end(), [&](std::uint32_t step) {
          const StepTable::Block& other = table.blocks[table.steps[step].thread_block];
          return step - other.first >= progress[table.steps[step].thread_block] / phases;
        });
        by.thread_block = left == signals.end() ? nothing : table.steps[*left].thread_block;
      }
      execution.stuck.push_back({table.blocks[block].first + progress[block] / phases, by.what, by.thread_block});
    }
  return execution;
}

// Its place in its thread block, from 0.
std::uint32_t place(const StepTable& table, std::uint32_t step) {
  return step - table.blocks[table.steps[step].thread_block].first;
}

// That `step` of its thread block is done, where a step has `phases`; `nothing` is never done.
Requirement done(const StepTable& table, WaitsFor what, std::uint32_t thread_block, std::uint32_t step, std::uint32_t phases) {
  return {what, thread_block, step == nothing ? nothing : phases * (place(table, step) + 1)};
}

// What its thread block's program, its rank and the memory of its rank demand before it begins.
void add_local(const StepTable& table, std::uint32_t step, std::uint32_t phases, Requirements& all) {
  if (const std::uint32_t awaited = table.awaited(step); awaited != nothing)
    all.push_back(done(table, WaitsFor::dependency, table.steps[awaited].thread_block, awaited, phases));
  if (const StepTable::Row& row = table.steps[step]; row.needed != 0)
    all.push_back({WaitsFor::signal, static_cast<std::uint32_t>(table.blocks.size()) + row.step->counter, row.needed});
  for (const std::uint32_t writer : table.packets(step))
    all.push_back(done(table, WaitsFor::packet, writer == nothing ? nothing : table.steps[writer].thread_block, writer, phases));
}

std::uint32_t entry(const std::vector<std::uint32_t>& all, std::uint32_t index) {
  return index < all.size() ? all[index] : nothing;
}

}  // namespace

StepTable::StepTable(const Program& program) {
  std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, std::uint32_t> numbers;
  const auto connection = [&](std::int32_t sender, std::int32_t receiver, std::uint32_t channel) {
    const auto [found, added] = numbers.try_emplace({sender, receiver, channel}, static_cast<std::uint32_t>(connections.size()));
    if (added) {
      connections.emplace_back();
      connections.back().sender = sender;
      connections.back().receiver = receiver;
      connections.back().channel = channel;
    }
    return found->second;
  };
  for (std::size_t r = 0; r < program.ranks.size(); ++r) {
    const auto rank = static_cast<std::int32_t>(r);
    first_block.push_back(static_cast<std::uint32_t>(blocks.size()));
    for (const ThreadBlock& source : program.ranks[r].thread_blocks) {
      const auto number = static_cast<std::uint32_t>(blocks.size());
      Block block;
      block.rank = rank;
      block.number = number - first_block.back();
      block.first = static_cast<std::uint32_t>(steps.size());
      if (source.send_peer != Step::none) {
        block.outgoing = connection(rank, source.send_peer, source.channel);
        connections[block.outgoing].sending = number;
      }
      if (source.receive_peer != Step::none) {
        block.incoming = connection(source.receive_peer, rank, source.channel);
        connections[block.incoming].receiving = number;
      }
      for (const Step& step : source.steps) {
        Row row{&step, number, nothing, nothing};
        const auto id = static_cast<std::uint32_t>(steps.size());
        if (receives(step.kind)) {
          row.incoming = static_cast<std::uint32_t>(connections[block.incoming].receives.size());
          connections[block.incoming].receives.push_back(id);
        }
        if (sends(step.kind)) {
          row.outgoing = static_cast<std::uint32_t>(connections[block.outgoing].sends.size());
          connections[block.outgoing].sends.push_back(id);
        }
        steps.push_back(row);
      }
      block.end = static_cast<std::uint32_t>(steps.size());
      if (!source.steps.empty() && source.steps.front().place.word >= 0)
        block.proxy = source.steps.front().place.thread_block != static_cast<std::int32_t>(block.number);
      blocks.push_back(block);
    }
  }
  first_block.push_back(static_cast<std::uint32_t>(blocks.size()));
  add_counters(program);
  add_packets(program);
}

// A wait ends at the latest when all other thread blocks have taken theirs, and not before so many signals as its own thread
// block has taken.
void StepTable::add_counters(const Program& program) {
  counters.resize(program.counters.size());
  for (std::uint32_t id = 0; id < steps.size(); ++id) {
    const Step& it = *steps[id].step;
    if (it.kind == StepType::signal) counters[it.counter].signals.push_back(id);
    if (it.kind == StepType::wait) counters[it.counter].waits.push_back(id);
  }
  for (std::size_t c = 0; c < counters.size(); ++c) {
    const Counter& it = program.counters[c];
    const std::vector<std::uint32_t>& waits = counters[c].waits;
    const auto there = [&](std::size_t taken) { return static_cast<std::uint32_t>(taken > it.initial ? taken - it.initial : 0); };
    for (std::size_t begin = 0, end = 0; begin < waits.size(); begin = end) {
      while (end < waits.size() && steps[waits[end]].thread_block == steps[waits[begin]].thread_block) ++end;
      for (std::size_t i = begin; i < end; ++i) {
        Row& row = steps[waits[i]];
        row.needed = it.meeting != 0 ? it.meeting : there(waits.size() - end + i + 1);
        row.seen = it.meeting != 0 ? it.meeting : there(i - begin + 1);
        row.seen = std::min(row.seen, static_cast<std::uint32_t>(counters[c].signals.size()));
      }
    }
  }
}

void StepTable::add_packets(const Program& program) {
  std::vector<std::vector<std::uint32_t>> writers(program.ranks.size());
  bool any = false;
  const auto packets_among = [&](std::span<const Operand> operands, const Step& it, const auto& use) {
    for (const Operand& operand : operands)
      for (std::uint32_t i = 0; operand.packet && i < it.count; ++i) use(operand.rank, operand.block + i);
  };
  for (std::uint32_t id = 0; id < steps.size(); ++id) {
    const Step& it = *steps[id].step;
    if (it.kind != StepType::move) continue;
    packets_among(targets_of(program, it), it, [&](std::int32_t rank, std::uint32_t block) {
      std::vector<std::uint32_t>& mine = writers[static_cast<std::size_t>(rank)];
      mine.resize(program.ranks[static_cast<std::size_t>(rank)].scratch, nothing);
      any = true;
      if (mine[block] == nothing)
        mine[block] = id;
      else if (double_packets.empty() || double_packets.back().second != id)
        double_packets.push_back({mine[block], id, rank, block});
    });
    any = any || std::any_of(sources_of(program, it).begin(), sources_of(program, it).end(),
                             [](const Operand& operand) { return operand.packet; });
  }
  if (!any) return;
  // A packet is payload and flags: who takes it for data, or stores data over it, breaks both.
  for (std::uint32_t id = 0; id < steps.size(); ++id) {
    const Step& it = *steps[id].step;
    for (const Operand& operand : operands_of(program, it)) {
      if (operand.packet || operand.buffer != Buffer::scratch) continue;
      const std::vector<std::uint32_t>& mine = writers[static_cast<std::size_t>(operand.rank)];
      for (std::uint32_t block = operand.block; block < operand.block + it.count && block < mine.size(); ++block)
        if (mine[block] != nothing && (plain_packets.empty() || plain_packets.back().second != id))
          plain_packets.push_back({mine[block], id, operand.rank, block});
    }
  }
  for (const Row& row : steps) {
    first_packet_.push_back(static_cast<std::uint32_t>(packets_.size()));
    if (row.step->kind != StepType::move) continue;
    packets_among(sources_of(program, *row.step), *row.step, [&](std::int32_t rank, std::uint32_t block) {
      const std::vector<std::uint32_t>& mine = writers[static_cast<std::size_t>(rank)];
      const std::uint32_t writer = mine.empty() ? nothing : mine[block];
      if (packets_.size() == first_packet_.back() || packets_.back() != writer) packets_.push_back(writer);
    });
  }
  first_packet_.push_back(static_cast<std::uint32_t>(packets_.size()));
}

namespace {

PlanKind kind_of(const Step& it) { return plan_words()[static_cast<std::size_t>(it.place.word)].kind; }

}  // namespace

bool StepTable::meets(std::uint32_t step) const {
  const Step& it = *steps[step].step;
  if (it.place.word < 0 || blocks[steps[step].thread_block].proxy) return true;
  const PlanKind kind = kind_of(it);
  return kind == PlanKind::barrier || (kind == PlanKind::order && it.kind == StepType::nop);
}

bool StepTable::passes_on(std::uint32_t step) const {
  const Step& it = *steps[step].step;
  return it.kind == StepType::signal || (it.place.word >= 0 && kind_of(it) == PlanKind::signal);
}

bool StepTable::alone(std::uint32_t step) const { return !meets(step) && steps[step].step->kind != StepType::move; }

std::span<const std::uint32_t> StepTable::packets(std::uint32_t step) const {
  if (first_packet_.empty()) return {};
  return std::span(packets_).subspan(first_packet_[step], first_packet_[step + 1] - first_packet_[step]);
}

std::string StepTable::text(std::uint32_t step) const {
  const Block& block = blocks[steps[step].thread_block];
  return text_of(*steps[step].step, block.rank, block.number, step - block.first);
}

std::string StepTable::text_of_block(std::uint32_t thread_block) const {
  const Block& block = blocks[thread_block];
  const PlanPlace place = block.first < block.end ? steps[block.first].step->place : PlanPlace{};
  if (place.word >= 0) return fmt::format("rank {}, thread block {}", block.rank, place.thread_block);
  return fmt::format("rank {}, thread block {}", blocks[thread_block].rank, blocks[thread_block].number);
}

std::uint32_t StepTable::awaited(std::uint32_t step) const {
  const Step& it = *steps[step].step;
  if (it.awaited_thread_block == Step::none) return nothing;
  const std::uint32_t block =
      first_block[static_cast<std::size_t>(rank_of(step))] + static_cast<std::uint32_t>(it.awaited_thread_block);
  return blocks[block].first + static_cast<std::uint32_t>(it.awaited_step);
}

std::uint32_t StepTable::sender_of(std::uint32_t step) const {
  const Row& row = steps[step];
  if (row.incoming == nothing) return nothing;
  return entry(connections[blocks[row.thread_block].incoming].sends, row.incoming);
}

Execution execute(const StepTable& table, std::uint32_t capacity) {
  return walk(table, 1, [&](std::uint32_t step, std::uint32_t, Requirements& all) {
    const StepTable::Row& row = table.steps[step];
    const StepTable::Block& block = table.blocks[row.thread_block];
    add_local(table, step, 1, all);
    if (row.incoming != nothing)
      all.push_back(done(table, WaitsFor::message, table.connections[block.incoming].sending, table.sender_of(step), 1));
    if (row.outgoing != nothing && capacity != unlimited && row.outgoing >= capacity) {
      const PeerConnection& connection = table.connections[block.outgoing];
      all.push_back(done(table, WaitsFor::room, connection.receiving, entry(connection.receives, row.outgoing - capacity), 1));
    }
  });
}

bool runs_unbuffered(const StepTable& table) {
  // The receive is posted; it is complete; the send is posted; it is complete.
  constexpr std::uint32_t phases = 4;
  return walk(table, phases,
              [&](std::uint32_t step, std::uint32_t phase, Requirements& all) {
                const StepTable::Row& row = table.steps[step];
                const StepTable::Block& block = table.blocks[row.thread_block];
                const auto posted = [&](std::uint32_t other, std::uint32_t phase_of_it) {
                  return other == nothing ? nothing : phases * place(table, other) + phase_of_it + 1;
                };
                if (phase == 0) add_local(table, step, phases, all);
                if (phase == 1 && row.incoming != nothing)
                  all.push_back({WaitsFor::message, table.connections[block.incoming].sending, posted(table.sender_of(step), 2)});
                if (phase == 3 && row.outgoing != nothing) {
                  const PeerConnection& connection = table.connections[block.outgoing];
                  all.push_back({WaitsFor::room, connection.receiving, posted(entry(connection.receives, row.outgoing), 0)});
                }
              })
      .stuck.empty();
}

std::vector<Wait> reason(const StepTable& table, const Execution& execution) {
  std::vector<Wait> chain;
  if (execution.stuck.empty()) return chain;
  std::vector<std::uint32_t> wait_of(table.blocks.size(), nothing), seen(table.blocks.size(), nothing);
  for (std::uint32_t i = 0; i < execution.stuck.size(); ++i) wait_of[table.steps[execution.stuck[i].step].thread_block] = i;
  std::uint32_t block = table.steps[execution.stuck.front().step].thread_block;
  while (block != nothing && wait_of[block] != nothing && seen[block] == nothing) {
    seen[block] = static_cast<std::uint32_t>(chain.size());
    chain.push_back(execution.stuck[wait_of[block]]);
    block = chain.back().thread_block;
  }
  const bool circle = block != nothing && seen[block] != nothing;
  // Without a circle the last wait alone is the cause.
  chain.erase(chain.begin(), circle ? chain.begin() + seen[block] : chain.end() - 1);
  return chain;
}

std::string text(const StepTable& table, const Wait& wait) {
  const StepTable::Block& block = table.blocks[table.steps[wait.step].thread_block];
  const std::string begin = table.text(wait.step);
  const auto whose = [&](std::int32_t rank) {
    return wait.thread_block == nothing ? fmt::format("rank {}", rank) : table.text_of_block(wait.thread_block);
  };
  switch (wait.what) {
    case WaitsFor::dependency:
      return fmt::format("{} waits for {}", begin, table.text(table.awaited(wait.step)));
    case WaitsFor::message:
      return fmt::format("{} waits for a message of {}", begin, whose(table.connections[block.incoming].sender));
    case WaitsFor::signal:
      return fmt::format("{} waits for a signal{}", begin,
                         wait.thread_block == nothing ? "" : " of " + table.text_of_block(wait.thread_block));
    case WaitsFor::packet:
      return fmt::format("{} waits for a packet{}", begin,
                         wait.thread_block == nothing ? "" : " of " + table.text_of_block(wait.thread_block));
    case WaitsFor::room:
      break;
  }
  return fmt::format("{} waits until {} has taken a message", begin, whose(table.connections[block.outgoing].receiver));
}

}  // namespace railgauge
