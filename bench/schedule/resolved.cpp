// Blocks to ranges, transfer by transfer and local by local.
#include "bench/schedule/resolved.hpp"

#include <stdexcept>
#include <string>

namespace railgauge {
namespace {

void append_messages(std::vector<ResolvedMessage>& messages, const Transfer& transfer, const Layout& layout, std::size_t lane,
                     std::size_t lanes) {
  const std::size_t before = messages.size();
  const std::vector<Range> ranges = lanes == 1 ? layout.resolve(lane, transfer.blocks) : layout.pieces(lane, transfer.blocks);
  for (const Range& range : ranges)
    if (range.size() != 0) messages.push_back({transfer.kind, transfer.peer, range});
  if (messages.size() == before) messages.push_back({transfer.kind, transfer.peer, {}});
}

void append_locals(std::vector<ResolvedLocal>& locals, const Local& local, std::size_t index, const Layout& layout,
                   std::size_t lane) {
  const std::vector<Range> sources = layout.pieces(lane, local.source);
  const std::vector<Range> targets = layout.pieces(lane, local.target);
  if (sources.size() != targets.size())
    throw std::invalid_argument("local " + std::to_string(index) + " has " + std::to_string(sources.size()) + " source and " +
                                std::to_string(targets.size()) + " target blocks");
  std::size_t joined = locals.size();  // pieces before this index belong to earlier locals
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].size() != targets[i].size())
      throw std::invalid_argument("local " + std::to_string(index) + " pairs blocks of " + std::to_string(sources[i].size()) +
                                  " and " + std::to_string(targets[i].size()) + " units");
    if (sources[i].size() == 0 || (local.kind == Local::Kind::copy && sources[i] == targets[i])) continue;
    if (locals.size() > joined && locals.back().source.end == sources[i].begin && locals.back().target.end == targets[i].begin) {
      locals.back().source.end = sources[i].end;
      locals.back().target.end = targets[i].end;
    } else {
      locals.push_back({local.kind, index, sources[i], targets[i]});
    }
  }
}

}  // namespace

ResolvedSchedule resolve(const Schedule& schedule, const Layout& layout, std::size_t lane, std::size_t lanes) {
  ResolvedSchedule resolved;
  resolved.reserve(schedule.rounds.size());
  for (const Round& round : schedule.rounds) {
    ResolvedRound& target = resolved.emplace_back();
    for (const Transfer& transfer : round.transfers) append_messages(target.messages, transfer, layout, lane, lanes);
    for (std::size_t i = 0; i < round.locals.size(); ++i) append_locals(target.locals, round.locals[i], i, layout, lane);
  }
  return resolved;
}

}  // namespace railgauge
