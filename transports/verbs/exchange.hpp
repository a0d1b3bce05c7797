// The prepared messages of one lane as work requests that only have to be posted.
#pragma once

#include <memory>
#include <vector>

#include "transports/verbs/lane.hpp"

namespace railgauge::verbs {

// One work request of a message. A long message has several; its last one has the notice.
struct Send {
  ibv_sge part{};
  ibv_send_wr request{};
  std::uint64_t credit = 0;     // how many credits of this run must have been granted; 0: none is needed
  std::uint32_t direction = 0;  // index in Work::outgoing
  bool notice = false;
};

// One grant of credits to a peer: of all receives whose targets are free from the same round on.
struct Grant {
  Queue* queue = nullptr;
  ibv_sge part{};
  ibv_send_wr request{};
  Counter value;              // what is written, or said in a small message
  std::uint64_t ordinal = 0;  // in a run, from 1
  std::uint64_t grants = 0;   // in a run, to that peer
  bool notice = false;        // said by a notice, not written
};

// What one round does.
struct RoundWork {
  struct Burst {  // sends[first, end) to one queue pair, in order
    Queue* queue = nullptr;
    std::size_t first = 0, end = 0, next = 0;
    bool waits = false;       // the device still reads the sources after they were posted
    std::uint64_t until = 0;  // what the queue must have completed
  };
  struct Await {  // so many messages of this run by that queue pair
    std::size_t source = 0, queue = 0;
    std::uint64_t count = 0;
  };
  std::vector<Burst> bursts;
  std::vector<Await> awaits;
  std::size_t first_grant = 0, end_grant = 0, next_grant = 0;
};

struct Work {
  struct Outgoing {
    explicit Outgoing(VerbsLane& lane) : channel(lane), granted(lane.counters().take()), word(lane.counters().take()) {}
    Channel channel;           // what the peer grants by notices
    Counter granted;           // or writes
    Counter word;              // the peer's channel, for notices that are messages
    std::uint64_t grants = 0;  // of one run
  };
  struct Source {
    explicit Source(VerbsLane& lane) : channel(lane), messages(lane.queue_pairs()) {}
    Channel channel;
    std::vector<std::uint64_t> messages;  // of one run, by queue pair
  };
  std::vector<std::unique_ptr<Outgoing>> outgoing;  // where they are, they stay
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<Send> sends;
  std::vector<Grant> grants;
  std::vector<RoundWork> rounds;
};

class VerbsExchange final : public Exchange {
 public:
  VerbsExchange(VerbsLane& lane, const Group& group, std::unique_ptr<Work> work)
      : lane_(lane), group_(group), work_(std::move(work)) {}

  void post(std::size_t round) override;
  bool test(std::size_t round) override;

 private:
  bool advance(RoundWork& work);
  bool advance(RoundWork::Burst& burst);
  [[nodiscard]] bool arrived(const RoundWork& work) const;

  VerbsLane& lane_;
  const Group& group_;
  std::unique_ptr<Work> work_;
  std::uint64_t run_ = ~std::uint64_t{0};  // the first post of round 0 makes it 0
  bool starved_ = false;                   // of notices: what ends that is written, and wakes nobody
};

}  // namespace railgauge::verbs
