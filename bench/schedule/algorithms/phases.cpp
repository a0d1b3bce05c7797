// The small pieces that every phase uses; the phases themselves stand with the algorithms they come from.
#include "bench/schedule/algorithms/phases.hpp"

#include <bit>

namespace railgauge::phases {

Blocks input(std::uint32_t first, std::uint32_t count) { return {Buffer::input, first, count, 0}; }
Blocks output(std::uint32_t first, std::uint32_t count) { return {Buffer::output, first, count, 0}; }
Blocks scratch(std::uint32_t slot, std::uint32_t first, std::uint32_t count) { return {Buffer::scratch, first, count, slot}; }
Blocks in(Buffer buffer, std::uint32_t first, std::uint32_t count) { return {buffer, first, count, 0}; }
Transfer send(std::int32_t peer, const Blocks& blocks) { return {Transfer::Kind::send, peer, blocks}; }
Transfer receive(std::int32_t peer, const Blocks& blocks) { return {Transfer::Kind::receive, peer, blocks}; }
Local copy(const Blocks& source, const Blocks& target) { return {Local::Kind::copy, source, target}; }
Local reduce(const Blocks& source, const Blocks& target) { return {Local::Kind::reduce, source, target}; }

Subset everyone(const Shape& shape, std::int32_t first) {
  return {.size = shape.ranks, .me = (shape.rank - first + shape.ranks) % shape.ranks, .ranks = shape.ranks, .first = first};
}

std::uint32_t reserve(Schedule& schedule, std::uint32_t count) {
  const std::uint32_t first = schedule.slots;
  schedule.slots += count;
  return first;
}

void copy_only(Schedule& schedule, const Blocks& source, const Blocks& target) {
  if (source != target) schedule.rounds.push_back({{}, {copy(source, target)}});
}

Fold fold(std::int32_t ranks) {
  const auto power = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(ranks)));
  return {power, ranks - power};
}

Subset participants(std::int32_t ranks, std::int32_t rank) {
  const Fold it = fold(ranks);
  return {.size = it.power,
          .me = it.stands_for_two(rank) ? rank / 2 : rank - it.extra,
          .ranks = ranks,
          .first = it.extra,
          .folded = it.extra};
}

bool is_power_of_two(std::int32_t n) { return n > 0 && (n & (n - 1)) == 0; }
std::int32_t floor_log2(std::int32_t n) { return std::bit_width(static_cast<std::uint32_t>(n)) - 1; }
std::int32_t ceiling_log2(std::int32_t n) { return std::bit_width(static_cast<std::uint32_t>(n) - 1); }

}  // namespace railgauge::phases
