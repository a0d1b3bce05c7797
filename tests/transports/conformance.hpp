// The suite that accepts a transport: cases that are run by ranks of any kind (threads, processes) over any transport, with
// memory of the host or of a device whose memory the host must not touch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "bench/device/device.hpp"
#include "transports/group.hpp"
#include "transports/transport.hpp"

namespace railgauge::test {

// What the ranks of a case have. Transports and devices are opened by each rank for itself.
struct Setup {
  std::function<std::unique_ptr<Transport>()> transport;
  std::function<std::unique_ptr<Device>(int rank)> device;
  std::uint32_t seed = 1;
};

// What one rank of a case has in hand.
class Rank {
 public:
  Rank(Group& its_group, Transport& its_transport, const Setup& setup, std::function<void()> its_death);

  Group& group;
  Transport& transport;
  std::uint32_t seed;
  std::function<void()> die;  // ends this rank without a word to the others; does not return

  [[nodiscard]] int number() const { return group.rank(); }
  [[nodiscard]] int size() const { return group.size(); }
  [[nodiscard]] Device& device() const { return *device_; }
  // The number of a stream of the device that nothing else is in (bench/device/queues.hpp).
  [[nodiscard]] std::size_t new_stream() { return ++streams_; }
  // Whether the host must not touch the memory of this rank and of its peers: the device does it.
  [[nodiscard]] bool hidden() const { return mover_ != nullptr; }

  // Of memory that an endpoint may have. Expecting throws Error(wrong_data).
  void fill(std::span<std::byte> bytes, std::uint64_t message) const;  // with bytes that say which message they are
  void fill(std::span<std::byte> bytes, std::byte value) const;
  void expect_filled(std::span<const std::byte> bytes, std::uint64_t message, const std::string& what) const;
  void expect_all(std::span<const std::byte> bytes, std::byte value, const std::string& sentence) const;
  // Of flags of a Mapping.
  [[nodiscard]] std::vector<std::uint64_t> load(const std::atomic<std::uint64_t>* first, std::size_t count) const;
  void store(std::atomic<std::uint64_t>* flag, std::uint64_t value) const;

 private:
  void write(std::span<const std::byte> here, std::span<std::byte> there) const;
  [[nodiscard]] std::vector<std::byte> read(std::span<const std::byte> there) const;

  std::size_t streams_ = 0;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Compute> mover_;  // null where the host touches memory
};

// How a rank ended. `sentence` is what it threw; empty when it returned.
struct Ending {
  enum class Kind : std::uint8_t { returned, lost, other_error, died } kind = Kind::returned;
  std::string sentence;
};

struct Case {
  std::string_view name;
  std::string_view summary;
  int ranks;
  void (*body)(Rank&);
  // What is wrong with how the ranks ended; empty when nothing is.
  std::string (*judge)(std::span<const Ending>);
};

[[nodiscard]] std::span<const Case> cases();

// Judges: all ranks return; the last rank dies and all others end with Error(lost); all ranks end, with an error or not.
[[nodiscard]] std::string all_return(std::span<const Ending> endings);
[[nodiscard]] std::string last_dies(std::span<const Ending> endings);
[[nodiscard]] std::string all_end(std::span<const Ending> endings);

// The tables of cases, by subject.
[[nodiscard]] std::span<const Case> transfer_cases();
[[nodiscard]] std::span<const Case> credit_cases();
[[nodiscard]] std::span<const Case> failure_cases();

// One kind of ranks.
struct Harness {
  std::string_view name;
  // Whether a transport of these abilities can serve such ranks.
  bool (*serves)(const Abilities& abilities);
  std::vector<Ending> (*run)(const Case& what, const Setup& setup);
};
[[nodiscard]] std::span<const Harness> harnesses();

// What a process of its own says, so that this one can be forked afterwards, even where a driver was asked.
[[nodiscard]] std::string ask_aside(const std::function<std::string()>& ask);

// Seconds after which a case is ended by SIGALRM: RAILGAUGE_CASE_SECONDS, or 100. UCX polls, which two ranks on one core pay for
// in slices of 10 ms.
[[nodiscard]] unsigned longest_case();

// Each wait of a group in the suite; far above what a healthy run needs on a loaded machine.
inline constexpr Seconds deadline{20};

// ---- What bodies of cases are made of. All of them throw Error(wrong_data) when something is not as it must be.

void expect(bool condition, const std::string& sentence);

[[nodiscard]] Message send(int peer, std::span<std::byte> bytes, bool elided = false);
[[nodiscard]] Message receive(int peer, std::span<std::byte> bytes, std::uint32_t credit, bool elided = false);

// Zeroed memory of the rank's device, of the kind that the transport wants.
[[nodiscard]] Memory allocate(const Rank& rank, std::size_t bytes);
// The same, but of the host without anything by which others could map it, wherever it starts.
[[nodiscard]] Memory allocate_plain(const Rank& rank, std::size_t bytes);
[[nodiscard]] inline std::span<std::byte> span_of(const Memory& memory) {
  return {memory.region().address, memory.region().bytes};
}

// An endpoint of one rank that has memory attached. Where the transport is stream-ordered, each lane has a stream, and Exchanges
// are complete when it has come so far. Collective.
class Bench {
 public:
  Bench(Rank& rank, std::size_t bytes, std::size_t lanes = 1);  // with memory of its own
  Bench(Rank& rank, const Region& region, std::size_t lanes = 1);
  void attach(const Region& region) { endpoint_->attach(region); }
  [[nodiscard]] std::span<std::byte> memory() const { return span_of(*own_); }
  [[nodiscard]] std::span<std::byte> part(std::size_t offset, std::size_t bytes) const { return memory().subspan(offset, bytes); }
  [[nodiscard]] Endpoint& endpoint() { return *endpoint_; }
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::vector<std::vector<Message>> rounds, std::size_t lane = 0);

 private:
  void connect(Rank& rank, std::size_t lanes);

  // In the order in which they must go, from the last.
  std::optional<Memory> own_;
  std::vector<std::unique_ptr<Compute>> streams_;  // by lane; none where the transport knows no stream
  std::unique_ptr<Endpoint> endpoint_;
};

// Tests until the round is complete; throws what the group knows of deaths, or Error(inconclusive) at the deadline.
void wait(const Rank& rank, Exchange& exchange, std::size_t round);
void post_and_wait(const Rank& rank, Exchange& exchange, std::size_t round);
void run(const Rank& rank, Exchange& exchange, std::size_t rounds);

// Names a message of a case.
[[nodiscard]] constexpr std::uint64_t tag(int from, int to, std::uint64_t run, std::uint64_t message) {
  return ((run * 4096 + message) * 64 + static_cast<std::uint64_t>(from)) * 64 + static_cast<std::uint64_t>(to) + 1;
}

// Now and then holds the rank up for a moment, so that ranks meet in ever new orders.
void dawdle(std::mt19937& random);

}  // namespace railgauge::test
