// What each sender knows, and whether that is enough for its writes.
#include "bench/schedule/verify/credit_check.hpp"

#include <algorithm>

namespace railgauge {

CreditCheck::CreditCheck(const std::vector<TransferEnds>& ranks, const std::vector<std::size_t>& memory_sizes)
    : ranks_(ranks), known_(ranks.size(), Clock(ranks.size())), arrived_(known_), readings_(1) {
  for (const TransferEnds& rank : ranks) rounds_.push_back(rank.rounds());
  for (const std::size_t size : memory_sizes) memory_.emplace_back(size);
}

void CreditCheck::post(std::int32_t rank, Position at) {
  known_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(rank)] = number(rank, at);
}

std::string CreditCheck::meet(std::int32_t sender, std::uint32_t send, const Range& source, std::int32_t receiver,
                              std::uint32_t receive, const Range& target, const Credit& credit, std::uint32_t run) {
  const auto p = static_cast<std::size_t>(sender);
  const auto q = static_cast<std::size_t>(receiver);
  const std::uint32_t sent = number(sender, {run, ranks_[p].ends[send].round});
  const std::uint32_t received = number(receiver, {run, ranks_[q].ends[receive].round});
  const std::uint32_t granted = credit.elided ? 0 : number(receiver, {run, credit.round});
  std::string wrong;
  if (!credit.elided && granted > received) wrong = "is given its credit only after the round that waits for it";

  // A post of round r says that everything before round r is done.
  const std::uint32_t receiver_posted = std::max(known_[p][q], granted);
  for (std::size_t i = target.begin; i < target.end; ++i) {
    Unit& unit = memory_[q][i];
    if (unit.touched >= receiver_posted && unit.touched != 0)
      wrong = "may land while round " + std::to_string((unit.touched - 1) % rounds_[q]) + " is not done with its target";
    for (std::uint32_t r = unit.readings; r != 0; r = readings_[r].next) {
      const Reading& reading = readings_[r];
      if (reading.posted >= received || reading.posted < receiver_posted) continue;
      if (reading.reader_posted < known_[p][static_cast<std::size_t>(reading.reader)]) continue;
      wrong = "may land while rank " + std::to_string(reading.reader) + " is still sent what stands there";
    }
    unit = {received, 0};
  }

  for (std::size_t i = source.begin; i < source.end; ++i) {
    Unit& unit = memory_[p][i];
    readings_.push_back({sent, receiver, received, unit.readings});
    unit.readings = static_cast<std::uint32_t>(readings_.size() - 1);
  }
  for (std::size_t r = 0; r < known_.size(); ++r) arrived_[q][r] = std::max(arrived_[q][r], known_[p][r]);
  arrived_[p][q] = std::max(arrived_[p][q], granted);
  return wrong;
}

void CreditCheck::touch(std::int32_t rank, Position at, const Range& range) {
  const std::uint32_t now = number(rank, at);
  std::vector<Unit>& memory = memory_[static_cast<std::size_t>(rank)];
  for (std::size_t i = range.begin; i < range.end; ++i) memory[i] = {now, 0};
}

void CreditCheck::complete(std::int32_t rank) {
  Clock& known = known_[static_cast<std::size_t>(rank)];
  const Clock& arrived = arrived_[static_cast<std::size_t>(rank)];
  for (std::size_t r = 0; r < known.size(); ++r) known[r] = std::max(known[r], arrived[r]);
}

std::int32_t CreditCheck::known_to_have_begun(std::int32_t rank) const {
  const Clock& known = known_[static_cast<std::size_t>(rank)];
  return static_cast<std::int32_t>(std::count_if(known.begin(), known.end(), [](std::uint32_t posts) { return posts != 0; }));
}

}  // namespace railgauge
