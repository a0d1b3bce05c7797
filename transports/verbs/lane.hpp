// One lane of an endpoint: the queue pairs to the ranks that it has met so far, and the completions of all of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transports/verbs/port_watch.hpp"
#include "transports/verbs/queue.hpp"

namespace railgauge::verbs {

class VerbsLane;

// What has come for one Exchange from one peer. Counts grow over all runs.
struct Channel {
  explicit Channel(VerbsLane& lane);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  std::uint32_t number;                // by which the peer's notices name it
  std::vector<std::uint64_t> arrived;  // messages, by queue pair
  std::uint64_t granted = 0;           // grants that came as notices

 private:
  VerbsLane& lane_;
};

// A connected rank. Stays where it is while the lane lives.
struct Connection {
  int rank = 0;
  std::vector<std::unique_ptr<Queue>> queues;
  Address theirs;
  Counter left;      // not zero once the peer has no more to say or to hear
  Counter farewell;  // what is written there
  bool met = false;  // the queue pairs are connected
};

class VerbsLane {
 public:
  using Clock = std::chrono::steady_clock;

  // `port` and `group` outlive the lane.
  VerbsLane(Group& group, Port& port, const Options& options);
  ~VerbsLane();
  VerbsLane(const VerbsLane&) = delete;
  VerbsLane& operator=(const VerbsLane&) = delete;

  // Makes what these ranks must know of this lane's queue pairs to them, in that order.
  [[nodiscard]] std::vector<Address> introduce(std::span<const int> ranks);
  // Both ends of each pair call it at the same time. Where rdma_cm does not connect, a message may be sent only when the peer has
  // said that its end is connected too.
  void connect(std::span<const int> ranks, std::span<const Address> theirs);

  [[nodiscard]] Connection* find(int rank) const noexcept;
  [[nodiscard]] Port& port() const noexcept { return port_; }
  [[nodiscard]] Notice notice() const noexcept { return notice_; }
  [[nodiscard]] bool events() const noexcept { return events_ != nullptr; }
  [[nodiscard]] Counters& counters() noexcept { return counters_; }
  [[nodiscard]] std::uint32_t queue_pairs() const noexcept { return options_.queue_pairs; }

  // The number of a channel, which is not used again.
  [[nodiscard]] std::uint32_t add(Channel& channel);
  void remove(std::uint32_t number) noexcept { channels_[number] = nullptr; }

  // Takes what the device reports, and says how much it was. Throws Error(lost) that names call, port, peer and cause; after that
  // only close() is of use.
  std::size_t progress();
  // Nothing has come since: looks now and then whether the port is still there. Throws Error(lost) when it is not.
  void waiting() {
    if (++idle_ % 64 == 0) watch_.look();
  }
  // Sleeps until the device reports something, a few milliseconds at most. Only with events. Throws as waiting() does.
  void sleep();

  static constexpr std::uint32_t grant_mark = std::uint32_t{1} << 31;  // in a notice, above the channel's number

 private:
  [[nodiscard]] ibv_cq* make_completions(std::size_t queue_pairs);
  void meet_by_cm(std::span<const int> ranks, std::span<const Address> theirs);
  void take(const ibv_wc& completion);
  void fail(const ibv_wc& completion);
  // A queue pair whose requests up to `until` must be over.
  struct Draining {
    const Connection* connection;
    const Queue* queue;
    std::uint64_t until;
  };
  [[nodiscard]] bool broken() const noexcept;
  void close() noexcept;
  [[nodiscard]] bool drained(Clock::time_point deadline, std::span<const Draining> queues);

  Group& group_;
  Port& port_;
  const Options& options_;
  Notice notice_;
  Counters counters_;
  PortWatch watch_;
  std::uint32_t idle_ = 0;
  Events events_;  // null when polling
  std::vector<Completions> completions_;
  std::vector<Channel*> channels_;
  bool reports_due_ = false;
  std::optional<Error> failed_;
  std::map<int, std::unique_ptr<Connection>> peers_;  // go first
};

}  // namespace railgauge::verbs
