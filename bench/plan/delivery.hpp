// The delivery of each message between two ranks that map each other's memory. Both ends compute the same answer from the same
// two schedules, so they negotiate nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/schedule/resolved.hpp"

namespace railgauge {

enum class Delivery : std::uint8_t {
  get,          // the receiver reads it where it lies at the sender
  inline_data,  // its bytes travel behind the flag that announces it
  put,          // the work that computes it stores it at the receiver, too
};

// The lane of one rank, and the offset of its scratch (units).
struct MappedSide {
  const ResolvedSchedule& schedule;
  std::int32_t rank = 0;
  std::size_t scratch_begin = 0;
};

inline constexpr std::size_t fewest_slots = 8;
// The receiver of inline messages acknowledges them once per half of the slots: a sender that waits for a free slot polls the
// acknowledgement, and each write takes the cache line from it.
inline constexpr std::size_t inline_a_round = fewest_slots - (fewest_slots / 2 - 1);
// Inline messages up to this size; reading a longer message in place is cheaper. The larger limit applies where ranks share
// cores.
inline constexpr std::size_t inline_bytes = 504, most_inline_bytes = 2040;

// One entry for each message from sender to receiver, in order. `unit` in bytes.
//
// A message is inline when it has at most `inline_data` bytes and is among the first `inline_a_round` of its round to that
// receiver: the flags of a pair have so many slots, used round-robin, that the message that was in a slot belongs to an earlier
// round, and the sender will hear that it is taken without doing anything else. A message is put (stored at the receiver) when
// the sender's locals of one earlier round write all of it, it lands in the receiver's input or output (what lands in scratch is
// better read in place), nothing at the receiver touches that place before but a send of it to the very rank whose locals read
// it, as in place, and the sender holds a message of this run from the receiver before those locals: so the receiver has begun
// this run and is done with the one before.
[[nodiscard]] std::vector<Delivery> deliveries(const MappedSide& sender, const MappedSide& receiver, std::size_t unit,
                                               std::size_t inline_data = inline_bytes);

// The round whose locals last write the range before round `end`, when they write all of it, each place by locals of one and the
// same target, and no message lands in it afterwards.
[[nodiscard]] std::optional<std::size_t> written_in(const ResolvedSchedule& schedule, std::size_t end, const Range& range);

// Element j: how many messages of `receiver` the rank of `sender` has certainly taken before it sends its j-th to it.
[[nodiscard]] std::vector<std::uint64_t> taken_before(const MappedSide& sender, const MappedSide& receiver);

}  // namespace railgauge
