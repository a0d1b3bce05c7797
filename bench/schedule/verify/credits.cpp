// The search behind bench/schedule/verify/credits.hpp.
#include "bench/schedule/verify/credits.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace railgauge {
namespace {

struct Posted {
  std::size_t round = 0;
  Range range;
};

std::vector<Posted> messages_of(const ResolvedSchedule& schedule, Transfer::Kind kind, std::int32_t peer) {
  std::vector<Posted> found;
  for (std::size_t r = 0; r < schedule.size(); ++r)
    for (const ResolvedMessage& message : schedule[r].messages)
      if (message.kind == kind && message.peer == peer) found.push_back({r, message.range});
  return found;
}

bool touches(const ResolvedRound& round, const Range& range) {
  return std::any_of(round.messages.begin(), round.messages.end(),
                     [&](const ResolvedMessage& message) { return overlap(message.range, range); }) ||
         std::any_of(round.locals.begin(), round.locals.end(),
                     [&](const ResolvedLocal& local) { return overlap(local.source, range) || overlap(local.target, range); });
}

// The last round in [0, end) that touches the range.
std::optional<std::size_t> last_touch(const ResolvedSchedule& schedule, std::size_t end, const Range& range) {
  for (std::size_t r = end; r-- > 0;)
    if (touches(schedule[r], range)) return r;
  return std::nullopt;
}

// `before_proves`: a message of the run before proves what its order says.
std::vector<Credit> find(const ResolvedSchedule& receiver, std::int32_t receiver_rank, const ResolvedSchedule& sender,
                         std::int32_t sender_rank, bool before_proves) {
  const std::vector<Posted> receives = messages_of(receiver, Transfer::Kind::receive, sender_rank);
  const std::vector<Posted> sends = messages_of(sender, Transfer::Kind::send, receiver_rank);
  // The opposite direction: message j is posted by the receiver in round back_sends[j] and is in the sender's hands after
  // its round back_receives[j]. Both never decrease along j.
  const std::vector<Posted> back_sends = messages_of(receiver, Transfer::Kind::send, sender_rank);
  const std::vector<Posted> back_receives = messages_of(sender, Transfer::Kind::receive, receiver_rank);
  const std::size_t back = std::min(back_sends.size(), back_receives.size());

  std::vector<Credit> result(std::min(receives.size(), sends.size()));
  std::uint32_t latest = 0;
  std::size_t held = 0;  // of the messages back, how many the sender has received before it posts send i
  for (std::size_t i = 0; i < result.size(); ++i) {
    while (held < back && back_receives[held].round < sends[i].round) ++held;
    const std::optional<std::size_t> used = last_touch(receiver, receives[i].round, receives[i].range);
    if (receives[i].range.size() == 0) {
      result[i].elided = true;  // nothing is written, so nothing has to be free
    } else if (used) {
      result[i].elided = held > 0 && back_sends[held - 1].round > *used;
      result[i].round = static_cast<std::uint32_t>(*used + 1);
    } else {
      const std::size_t before = *last_touch(receiver, receiver.size(), receives[i].range);  // at least the receive itself
      result[i].elided = held > 0 || (before_proves && back > 0 && back_sends[back - 1].round > before);
      result[i].round = 0;
    }
    if (!result[i].elided) result[i].round = latest = std::max(latest, result[i].round);
  }
  return result;
}

}  // namespace

std::vector<Credit> credits(const ResolvedSchedule& receiver, std::int32_t receiver_rank, const ResolvedSchedule& sender,
                            std::int32_t sender_rank) {
  return find(receiver, receiver_rank, sender, sender_rank, true);
}

std::vector<Credit> credits_of_calls(const ResolvedSchedule& receiver, std::int32_t receiver_rank, const ResolvedSchedule& sender,
                                     std::int32_t sender_rank) {
  return find(receiver, receiver_rank, sender, sender_rank, false);
}

}  // namespace railgauge
