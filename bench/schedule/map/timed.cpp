// Sorting, and lists of slots by their number.
#include "bench/schedule/map/timed.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace railgauge {

void assemble(std::vector<TimedTransfer>& transfers, std::vector<TimedLocals>& locals, bool joined, Schedule& schedule) {
  std::sort(transfers.begin(), transfers.end(), [](const TimedTransfer& a, const TimedTransfer& b) {
    return std::tie(a.round, a.channel, a.number) < std::tie(b.round, b.channel, b.number);
  });
  std::sort(locals.begin(), locals.end(), [](const TimedLocals& a, const TimedLocals& b) {
    return std::tie(a.round, a.position) < std::tie(b.round, b.position);
  });
  std::uint32_t last = 0;  // the round that the schedule ends with
  const auto round_of = [&](std::uint32_t round, bool new_one) -> Round& {
    if (schedule.rounds.empty() || (new_one && last != round)) {
      schedule.rounds.emplace_back();
      last = round;
    }
    return schedule.rounds.back();
  };
  std::size_t local = 0;
  const auto locals_before = [&](std::uint32_t round, bool all) {
    for (; local < locals.size() && (all || locals[local].round < round); ++local) {
      std::vector<Local>& into = round_of(locals[local].round, !joined).locals;
      into.insert(into.end(), locals[local].locals.begin(), locals[local].locals.end());
    }
  };
  for (const TimedTransfer& it : transfers) {
    locals_before(it.round, false);
    round_of(it.round, true).transfers.push_back(it.transfer);
  }
  locals_before(0, true);
}

std::uint32_t Slots::take(std::uint32_t count, std::uint32_t begin, std::uint32_t last) {
  auto& used = used_[count];
  std::uint32_t slot = end_;
  if (!used.empty() && used.top().first < begin) {
    slot = used.top().second;
    used.pop();
  } else {
    end_ += count;
  }
  used.emplace(last, slot);
  return slot;
}

}  // namespace railgauge
