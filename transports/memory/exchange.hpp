// Runs prepared transfers between threads: the sender copies straight into the receiver's target when it holds the credit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transports/memory/channel.hpp"
#include "transports/memory/injection.hpp"
#include "transports/transport.hpp"

namespace railgauge::memory {

// The sender's end of a channel.
struct Outgoing {
  std::shared_ptr<Channel> channel;
  int peer = 0;
  std::uint64_t messages = 0;  // of one run
  std::uint64_t credits = 0;   // of one run
  bool severed = false;        // a message was dropped: nothing behind it arrives either, as order is kept
};

struct Sender {
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::size_t bytes = 0;
  std::uint64_t credit = 0;  // how many credits of this run must have been given; 0: none is needed
};

// What one round does. Ordinals and credits count from 1 within a run, so "so many must have come".
struct RoundWork {
  struct Burst {  // sends to one peer: senders[first, last)
    std::size_t outgoing = 0, first = 0, last = 0, next = 0;
    std::uint64_t before = 0;  // messages of this run to that peer in earlier rounds
  };
  struct Count {
    std::size_t incoming = 0;
    std::uint64_t count = 0;
  };
  std::vector<Burst> bursts;
  std::vector<Count> grants;  // credits given when the round is posted
  std::vector<Count> awaits;  // messages that must have arrived for the round to be complete
};

struct PreparedRounds {
  std::vector<RoundWork> rounds;
  std::vector<Sender> senders;
  std::vector<Outgoing> outgoing;
  struct Source {
    Incoming incoming;
    std::uint64_t messages = 0, credits = 0;  // of one run
  };
  std::vector<Source> sources;
};

// What messages cost and meet in flight; owned by the endpoint. Chosen at prepare: without it nothing is asked in the loop.
struct Wire {
  double seconds_per_byte = 0;
  std::int64_t latency_nanoseconds = 0;
  std::vector<std::int64_t> busy_until;  // by peer, steady clock, nanoseconds: messages of one directed pair follow each other
  std::shared_ptr<Injection> injection;  // shared with the Transport, which counts over several endpoints
};

// `group` and `wire` (null: plain copies) outlive the Exchange.
[[nodiscard]] std::unique_ptr<Exchange> make_exchange(PreparedRounds prepared, const Group& group, Wire* wire);

}  // namespace railgauge::memory
