// What two ranks tell each other while they prepare an Exchange, and the check that their messages meet.
#pragma once

#include <cstdint>
#include <vector>

#include "transports/transport.hpp"

namespace railgauge::ucx {

// One rank's side of a pair. `number` is the tag number that the rank gave to its receives of this Exchange.
struct Offer {
  std::uint64_t lane = 0;
  std::uint64_t number = 0;
  std::vector<std::uint64_t> send_bytes, receive_bytes;  // of the messages of this pair, in their order
  Blob address;                                          // of the worker; empty when the pair is connected already
};

[[nodiscard]] Blob pack(const Offer& offer);
// Throws Error(usage) when the blob is no offer: then ranks prepare in different orders.
[[nodiscard]] Offer unpack(const Blob& blob, int peer);

// Throws Error(usage) that names both ranks when lane, counts or bytes differ.
void check_match(const Offer& mine, int rank, const Offer& theirs, int peer);

}  // namespace railgauge::ucx
