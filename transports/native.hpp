// A transport's own operations between two ranks: what a card or library offers, as itself and not as messages of a plan. They
// are declared as data, and measured by the same loop as everything else.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "transports/transport.hpp"

namespace railgauge {

struct NativeRow {
  std::string_view name;  // of `railgauge bench NAME`
  std::string_view summary;
  std::uint64_t only_bytes = 0;  // the one size that it has; 0: any
  bool fetches = false;          // what is moved comes to the rank that initiates, instead of going to its peer
  bool halves = false;           // latency is half of a round trip, in which both ranks have a part; else of the operation
  bool adds = false;             // adds 1 to a number of the peer, and brings back what it was
  bool takes = false;            // the peer has a part in each message: it takes what is sent
};

// One operation as one rank is to run it. The memory lies in an attached region. A message in slot i goes from `source` to
// `target`
// + i * stride, at either end; slots are taken round-robin.
struct NativeRun {
  std::string_view operation;
  bool latency = false;    // one message after the other; else so many as fit are in flight
  bool both_ways = false;  // of bandwidth: both ranks initiate
  bool initiates = true;
  int peer = 0;
  std::byte *source = nullptr, *target = nullptr;
  std::size_t bytes = 0, stride = 0, slots = 1;
  std::uint64_t messages = 1;  // of one start(); latency: 1
};

// Runs the operation: start() and test() are those of a sample. Of latencies of halves, the last byte of each message is its
// number.
class Native : public Runnable {
 public:
  // What the rank that only gives or takes waits with, and both check data after: returns once all that was begun at either end
  // is over. Collective over the two, outside the timed part. Throws Error(lost) as test() does.
  virtual void settle() = 0;
  // Starts both ranks together: the peer has called start() too. As an operation of its own.
  [[nodiscard]] virtual Runnable& rendezvous() = 0;
};

// What a transport's table offers.
struct NativeTable {
  std::span<const NativeRow> rows;
  // Collective over the two ranks. `endpoint` is one of this transport. Throws Error(usage).
  std::unique_ptr<Native> (*make)(Endpoint& endpoint, const NativeRun& run) = nullptr;
};

}  // namespace railgauge
