// What two ranks tell each other while they prepare an Exchange, and the check that their messages meet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "transports/verbs/address.hpp"

namespace railgauge::verbs {

// One rank's side of a pair.
struct Offer {
  struct Sent {
    std::uint64_t bytes = 0, elided = 0;
  };
  struct Received {
    std::uint64_t bytes = 0, elided = 0;
    std::uint64_t credit = 0;            // the round at which it is granted
    std::uint64_t address = 0, key = 0;  // of the target
  };
  std::uint64_t lane = 0;
  std::uint64_t channel = 0;                   // names what comes from the peer: messages, and grants for messages to it
  std::uint64_t grants = 0;                    // the number of the channel for grants by notices
  std::uint64_t granted = 0, granted_key = 0;  // where the peer writes what it grants
  std::vector<Sent> sends;
  std::vector<Received> receives;
  std::optional<Address> address;  // where the pair is not connected yet
};

[[nodiscard]] Blob pack(const Offer& offer);
// Throws Error(usage) when the blob is no offer: then ranks prepare in different orders.
[[nodiscard]] Offer unpack(const Blob& blob, int peer);

// Throws Error(usage) that names both ranks when lane, counts, bytes or elision differ.
void check_match(const Offer& mine, int rank, const Offer& theirs, int peer);

// The ordinals of grants, from 1, by the round that gives them: credits of one round are one grant.
class Grants {
 public:
  explicit Grants(const std::vector<Offer::Received>& receives);
  [[nodiscard]] std::uint64_t count() const noexcept { return by_round_.size(); }
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& by_round() const noexcept { return by_round_; }
  // 0 where the message needs no credit.
  [[nodiscard]] std::uint64_t of(const Offer::Received& receive) const;

 private:
  std::map<std::uint64_t, std::uint64_t> by_round_;
};

}  // namespace railgauge::verbs
