// The search behind bench/plan/delivery.hpp.
#include "bench/plan/delivery.hpp"

#include <algorithm>

namespace railgauge {
namespace {

struct Posted {
  std::size_t round = 0;
  std::size_t place = 0;  // among those of the round with that peer
  Range range;
};

std::vector<Posted> messages_of(const ResolvedSchedule& schedule, Transfer::Kind kind, std::int32_t peer) {
  std::vector<Posted> found;
  for (std::size_t r = 0; r < schedule.size(); ++r) {
    std::size_t place = 0;
    for (const ResolvedMessage& message : schedule[r].messages)
      if (message.kind == kind && message.peer == peer) found.push_back({r, place++, message.range});
  }
  return found;
}

// Where `receiver` has sent the range to `sender` before round `end`, and done nothing else with it: which messages those are, by
// their number from 0. Nothing when anything else in rounds before, or another message of round `end`, touches the range.
std::optional<std::vector<std::size_t>> only_sent_before(const MappedSide& receiver, std::int32_t sender, std::size_t end,
                                                         const Range& range) {
  std::size_t here = 0;
  for (const ResolvedMessage& message : receiver.schedule[end].messages) here += overlap(message.range, range) ? 1 : 0;
  if (here != 1) return std::nullopt;
  std::vector<std::size_t> found;
  std::size_t sent = 0;
  for (std::size_t r = 0; r < end; ++r) {
    for (const ResolvedMessage& message : receiver.schedule[r].messages) {
      const bool to_sender = message.kind == Transfer::Kind::send && message.peer == sender;
      if (overlap(message.range, range)) {
        if (!to_sender || !(message.range == range)) return std::nullopt;
        found.push_back(sent);
      }
      sent += to_sender ? 1 : 0;
    }
    for (const ResolvedLocal& local : receiver.schedule[r].locals)
      if (overlap(local.source, range) || overlap(local.target, range)) return std::nullopt;
  }
  return found;
}

// Whether the sender has read a message from the receiver when its locals of round `written` store into `result`, or reads it
// there element by element while it does: the same place may then be read and written.
bool read_by_then(const ResolvedSchedule& sender, const Posted& receive, std::size_t written, const Range& result) {
  if (receive.round != written) return receive.round < written;
  return std::all_of(sender[written].locals.begin(), sender[written].locals.end(), [&](const ResolvedLocal& local) {
    return !overlap(local.source, receive.range) || (local.source == receive.range && local.target == result);
  });
}

}  // namespace

std::optional<std::size_t> written_in(const ResolvedSchedule& schedule, std::size_t end, const Range& range) {
  for (std::size_t r = end; r-- > 0;) {
    std::vector<Range> targets;
    for (const ResolvedLocal& local : schedule[r].locals) {
      if (!overlap(local.target, range)) continue;
      if (local.target.begin < range.begin || local.target.end > range.end) return std::nullopt;
      if (std::find(targets.begin(), targets.end(), local.target) == targets.end()) targets.push_back(local.target);
    }
    if (targets.empty()) {
      for (const ResolvedMessage& message : schedule[r].messages)
        if (message.kind == Transfer::Kind::receive && overlap(message.range, range)) return std::nullopt;
      continue;
    }
    std::sort(targets.begin(), targets.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    std::size_t at = range.begin;
    for (const Range& target : targets) {
      if (target.begin != at) return std::nullopt;
      at = target.end;
    }
    return at == range.end ? std::optional(r) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<Delivery> deliveries(const MappedSide& sender, const MappedSide& receiver, std::size_t unit,
                                 std::size_t inline_data) {
  const std::vector<Posted> sends = messages_of(sender.schedule, Transfer::Kind::send, receiver.rank);
  const std::vector<Posted> receives = messages_of(receiver.schedule, Transfer::Kind::receive, sender.rank);
  const std::vector<Posted> back = messages_of(sender.schedule, Transfer::Kind::receive, receiver.rank);
  std::vector<Delivery> result;
  for (std::size_t i = 0; i < std::min(sends.size(), receives.size()); ++i) {
    const Posted& send = sends[i];
    const Posted& receive = receives[i];
    result.push_back(Delivery::get);
    if (send.range.size() * unit <= inline_data) {
      if (send.place < inline_a_round) result.back() = Delivery::inline_data;
      continue;
    }
    if (receive.range.begin >= receiver.scratch_begin) continue;
    const auto sent = only_sent_before(receiver, sender.rank, receive.round, receive.range);
    const std::optional<std::size_t> written = written_in(sender.schedule, send.round, send.range);
    if (!sent || !written || back.empty() || back.front().round > *written) continue;
    if (std::all_of(sent->begin(), sent->end(), [&](std::size_t number) {
          return number < back.size() && read_by_then(sender.schedule, back[number], *written, send.range);
        }))
      result.back() = Delivery::put;
  }
  return result;
}

std::vector<std::uint64_t> taken_before(const MappedSide& sender, const MappedSide& receiver) {
  const std::vector<Posted> sends = messages_of(sender.schedule, Transfer::Kind::send, receiver.rank);
  const std::vector<Posted> receives = messages_of(sender.schedule, Transfer::Kind::receive, receiver.rank);
  std::vector<std::uint64_t> counts;
  std::uint64_t taken = 0;
  for (const Posted& send : sends) {
    while (taken < receives.size() && receives[taken].round < send.round) ++taken;
    counts.push_back(taken);
  }
  return counts;
}

}  // namespace railgauge
