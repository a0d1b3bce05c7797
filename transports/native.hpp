// A transport's own operations between two ranks, such as an RDMA write: an operation of the card or library, not a message of a
// plan. They are declared as data, and the loop that measures plans measures them.
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

// One operation as one rank runs it. The memory lies in an attached region. Slot i is i * stride bytes
// behind `source` and behind `target`; messages use the slots round-robin.
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

// Runs the operation: one start() is one sample. For a latency with NativeRow::halves, the last byte of each message is its
// number.
class Native : public Runnable {
 public:
  // Returns when all operations that either rank has begun are complete; both ranks check their data afterwards. Collective over
  // the two ranks, outside the timed region. Throws Error(lost) as test() does.
  virtual void settle() = 0;
  // An operation that completes when both ranks have started it: a barrier of the two. Owned by this object.
  [[nodiscard]] virtual Runnable& rendezvous() = 0;
};

// The native operations in a transport's table.
struct NativeTable {
  std::span<const NativeRow> rows;
  // Collective over the two ranks. `endpoint` is one of this transport and outlives the answer. Throws Error(usage).
  std::unique_ptr<Native> (*make)(Endpoint& endpoint, const NativeRun& run) = nullptr;
};

}  // namespace railgauge
