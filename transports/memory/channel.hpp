// What sender and receiver of one directed pair share during one Exchange: two counters that never go back, on own cache lines.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace railgauge::memory {

struct Channel {
  // `due_times`: messages of one run where messages take time, else 0.
  explicit Channel(std::uint64_t due_times)
      : due(due_times == 0 ? nullptr : std::make_unique<std::atomic<std::int64_t>[]>(due_times)) {}

  alignas(64) std::atomic<std::uint64_t> credits{0};  // given by the receiver, counted over all runs
  alignas(64) std::atomic<std::uint64_t> arrived{0};  // messages that the sender has written, counted over all runs
  // While a receiver may end at any moment, the sender says that it is about to write and then looks whether it still may;
  // the receiver says that it ends and then waits until nobody writes. Both in one total order, so that one sees the other.
  alignas(64) std::atomic<bool> writing{false};
  alignas(64) std::atomic<bool> closed{false};
  // due[n % messages of a run]: when message n may be seen, in nanoseconds of the steady clock. A slot is used again only when
  // the target of its message is, which the credit rule allows after the message was seen.
  alignas(64) std::unique_ptr<std::atomic<std::int64_t>[]> due;
};

// The receiver's end. Its destructor returns when no peer writes into this rank's memory any more, and none will.
class Incoming {
 public:
  explicit Incoming(std::uint64_t due_times) : channel_(std::make_shared<Channel>(due_times)) {}
  ~Incoming();
  Incoming(Incoming&&) noexcept = default;
  Incoming& operator=(Incoming&&) = delete;
  [[nodiscard]] Channel& channel() const { return *channel_; }
  [[nodiscard]] std::uint64_t publish() const;  // the number by which the sender takes the channel from the directory

 private:
  std::shared_ptr<Channel> channel_;  // shared, because either end may be the last; null when moved from
};

}  // namespace railgauge::memory
