// When a receiver may say that a target is free, and where nobody needs to say so: the credit rule, found from the schedules.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/schedule/resolved.hpp"

namespace railgauge {

// Of one message. A one-sided write of it may land from the moment that the sender posts its round when `elided`, otherwise from
// the moment that the receiver posts `round` (of the same run).
struct Credit {
  bool elided = false;
  std::uint32_t round = 0;
};

// One entry for each message from sender to receiver, in order. Both ends compute the same from the same two schedules.
//
// The target of a receive is free after the last round before it, in this run or the run before, that touches the target. When
// that round is u of this run, the credit is given at the post of u + 1; when it is in the run before, at the first post of
// this one. No credit is needed when the sender, before it posts, has received a message that the receiver posted after u:
// that message proves it. The verifier checks each elision against all ranks (bench/schedule/verify/verify.hpp).
// Precondition: between two runs whose buffers the host touches in between, all ranks pass a barrier.
// The schedules must match (as verified): a message without its counterpart is left out.
[[nodiscard]] std::vector<Credit> credits(const ResolvedSchedule& receiver, std::int32_t receiver_rank,
                                          const ResolvedSchedule& sender, std::int32_t sender_rank);

// The same without that precondition, as the calls of an application need it, which computes in its buffers between two of
// them: only a message of this run proves that the receiver has begun it.
[[nodiscard]] std::vector<Credit> credits_of_calls(const ResolvedSchedule& receiver, std::int32_t receiver_rank,
                                                   const ResolvedSchedule& sender, std::int32_t sender_rank);

}  // namespace railgauge
