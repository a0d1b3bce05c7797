// Rounds are levels along one execution; the rest is a sum over sends.
#include "bench/schedule/proof/counts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/bandwidth.hpp"
#include "bench/schedule/proof/execution.hpp"
#include "bench/schedule/shares.hpp"
#include "bench/schedule/verify/times.hpp"

namespace railgauge {
namespace {

std::uint32_t least_rounds(std::uint64_t ranks, std::uint64_t peers) {
  std::uint32_t rounds = 0;
  for (std::uint64_t reached = 1; reached < ranks && peers > 0; reached *= 1 + peers) ++rounds;
  return rounds;
}

bool goes_inward(Collective collective) { return collective == Collective::reduce || collective == Collective::gather; }

// Of each step: messages in the longest chain that it is at the end of.
class Levels {
 public:
  Levels(const Program& program, const StepTable& table)
      : program_(program), table_(table), level_(table.steps.size()), written_(table.steps.size()) {}

  // The steps before it have been added. Returns how many messages there are in a chain with its own.
  std::uint32_t add(std::uint32_t step) {
    const Step& it = *table_.steps[step].step;
    const bool first = step == table_.blocks[table_.steps[step].thread_block].first;
    std::uint32_t here = first ? 0 : level_[step - 1], written = first ? 0 : written_[step - 1];
    if (const std::uint32_t awaited = table_.awaited(step); awaited != nothing) {
      here = std::max(here, level_[awaited]);
      written = std::max(written, written_[awaited]);
    }
    if (const std::uint32_t sender = table_.sender_of(step); sender != nothing) here = std::max(here, level_[sender] + 1);
    for (const std::uint32_t writer : table_.packets(step)) here = std::max(here, written_[writer]);
    if (it.kind == StepType::wait)
      table_.signals_before(step, false,
                            [&](std::uint32_t signal) { here = std::max({here, level_[signal], written_[signal]}); });
    const std::int32_t rank = table_.rank_of(step);
    const auto elsewhere = [&](const Operand& operand) { return operand.rank != rank; };
    if (it.kind == StepType::move) {
      const auto sources = sources_of(program_, it), targets = targets_of(program_, it);
      if (std::any_of(sources.begin(), sources.end(), elsewhere)) ++here;
      if (std::any_of(targets.begin(), targets.end(), elsewhere)) written = std::max(written, here + 1);
    }
    level_[step] = here;
    written_[step] = std::max(written, here);
    return written_[step];
  }

 private:
  const Program& program_;
  const StepTable& table_;
  std::vector<std::uint32_t> level_, written_;  // what it knows; what those know who wait for what it has written
};

}  // namespace

bool has_bounds(Collective collective) noexcept {
  switch (collective) {
    case Collective::all_reduce:
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::gather:
    case Collective::scatter:
    case Collective::all_to_all:
    case Collective::send_receive:
    case Collective::hypercube:
    case Collective::barrier:
      return true;
    default:
      return false;
  }
}

void add_bounds(Counts& counts, Collective collective, std::size_t ranks) {
  if (!has_bounds(collective)) return;
  counts.least_rounds = collective == Collective::send_receive ? (ranks > 1 ? 1 : 0) : least_rounds(ranks, counts.peers);
  counts.least_share = ranks > 1 ? bandwidth_factors(collective, static_cast<int>(ranks)).busbw : 0;
}

Counts count(const Program& program) {
  const StepTable table(program);
  Counts counts;
  counts.steps = table.steps.size();
  counts.thread_blocks = table.blocks.size();
  counts.inward = goes_inward(program.collective);
  counts.whole = program.blocks;
  std::map<std::pair<std::int32_t, std::int32_t>, LinkTraffic> links;
  std::vector<std::uint64_t> sent(program.ranks.size()), received(program.ranks.size());
  std::vector<std::uint32_t> peers(program.ranks.size());
  const auto message = [&](std::int32_t sender, std::int32_t receiver, std::uint32_t blocks) {
    LinkTraffic& link = links[{sender, receiver}];
    if (link.messages == 0) ++peers[static_cast<std::size_t>(counts.inward ? receiver : sender)];
    ++link.messages;
    link.blocks += blocks;
    ++counts.messages;
    counts.blocks += blocks;
    sent[static_cast<std::size_t>(sender)] += blocks;
    received[static_cast<std::size_t>(receiver)] += blocks;
  };
  for (std::uint32_t step = 0; step < table.steps.size(); ++step) {
    const StepTable::Row& row = table.steps[step];
    const std::int32_t rank = table.rank_of(step);
    if (row.step->kind == StepType::move) {
      for (const Operand& it : sources_of(program, *row.step))
        if (it.rank != rank) message(it.rank, rank, row.step->count);
      for (const Operand& it : targets_of(program, *row.step))
        if (it.rank != rank) message(rank, it.rank, row.step->count);
    }
    if (!sends(row.step->kind)) continue;
    const PeerConnection& connection = table.connections[table.blocks[row.thread_block].outgoing];
    message(connection.sender, connection.receiver, row.step->count);
  }
  for (auto& [ends, link] : links) {
    link.from = ends.first;
    link.to = ends.second;
    counts.links.push_back(link);
  }
  counts.busiest = std::max(*std::max_element(sent.begin(), sent.end()), *std::max_element(received.begin(), received.end()));
  counts.peers = *std::max_element(peers.begin(), peers.end());
  const Execution execution = execute(table, unlimited);
  counts.complete = execution.stuck.empty();
  Levels levels(program, table);
  for (const std::uint32_t step : execution.order) counts.rounds = std::max(counts.rounds, levels.add(step));
  add_bounds(counts, program.collective, program.ranks.size());
  return counts;
}

Counts count(Collective collective, std::int32_t root, std::span<const Schedule> ranks) {
  Counts counts;
  counts.inward = goes_inward(collective);
  std::map<std::pair<std::int32_t, std::int32_t>, LinkTraffic> links;
  std::vector<std::uint64_t> sent(ranks.size()), received(ranks.size());
  std::vector<std::uint32_t> peers(ranks.size());
  Shape shape;
  shape.ranks = static_cast<std::int32_t>(ranks.size());
  shape.root = root;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    shape.rank = static_cast<std::int32_t>(rank);
    const Shares shares(collective, shape, ranks[rank]);
    counts.whole = shares.whole();
    for (const Round& round : ranks[rank].rounds)
      for (const Transfer& it : round.transfers) {
        if (it.kind != Transfer::Kind::send) continue;
        LinkTraffic& link = links[{shape.rank, it.peer}];
        const std::uint64_t units = shares.units(it.blocks);
        if (link.messages == 0) ++peers[static_cast<std::size_t>(counts.inward ? it.peer : shape.rank)];
        ++link.messages;
        ++counts.messages;
        link.blocks += units;
        counts.blocks += units;
        sent[rank] += units;
        received[static_cast<std::size_t>(it.peer)] += units;
      }
  }
  for (auto& [ends, link] : links) {
    link.from = ends.first;
    link.to = ends.second;
    counts.links.push_back(link);
  }
  counts.busiest = std::max(*std::max_element(sent.begin(), sent.end()), *std::max_element(received.begin(), received.end()));
  counts.peers = *std::max_element(peers.begin(), peers.end());
  const RoundTimes times = round_times(ranks, false);
  counts.rounds = times.steps;
  counts.complete = times.stuck.empty();
  add_bounds(counts, collective, ranks.size());
  return counts;
}

}  // namespace railgauge
