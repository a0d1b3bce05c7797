// The suite that accepts a transport: cases that are run by ranks of any kind (threads, processes) over any transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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

// What one rank of a case has in hand.
struct Rank {
  Group& group;
  Transport& transport;
  std::uint32_t seed;
  std::function<void()> die;  // ends this rank without a word to the others; does not return

  [[nodiscard]] int number() const { return group.rank(); }
  [[nodiscard]] int size() const { return group.size(); }
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

using Opener = std::function<std::unique_ptr<Transport>()>;

// One way to have ranks.
struct Harness {
  std::string_view name;
  // Whether a transport of these abilities can serve such ranks.
  bool (*serves)(const Abilities& abilities);
  std::vector<Ending> (*run)(const Case& what, const Opener& open, std::uint32_t seed);
};
[[nodiscard]] std::span<const Harness> harnesses();

// Seconds after which a case is ended by SIGALRM: RAILGAUGE_CASE_SECONDS, or 100. UCX polls, which two ranks on one core pay for
// in slices of 10 ms.
[[nodiscard]] unsigned longest_case();

// Each wait of a group in the suite; far above what a healthy run needs on a loaded machine.
inline constexpr Seconds deadline{20};

// ---- What bodies of cases are made of. All of them throw Error(wrong_data) when something is not as it must be.

void expect(bool condition, const std::string& sentence);

[[nodiscard]] Message send(int peer, std::span<std::byte> bytes, bool elided = false);
[[nodiscard]] Message receive(int peer, std::span<std::byte> bytes, std::uint32_t credit, bool elided = false);

// Zeroed memory of the kind that the transport wants.
[[nodiscard]] Memory allocate(const Rank& rank, std::size_t bytes);

// Memory of one rank with an endpoint that has it attached, in the order in which they must go. Collective.
class Bench {
 public:
  Bench(Rank& rank, std::size_t bytes, std::size_t lanes = 1);
  [[nodiscard]] std::span<std::byte> memory() { return {memory_.region().address, memory_.region().bytes}; }
  [[nodiscard]] std::span<std::byte> part(std::size_t offset, std::size_t bytes) { return memory().subspan(offset, bytes); }
  [[nodiscard]] Endpoint& endpoint() { return *endpoint_; }
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::vector<std::vector<Message>> rounds, std::size_t lane = 0) {
    return endpoint_->prepare(lane, std::move(rounds));
  }

 private:
  Memory memory_;
  std::unique_ptr<Endpoint> endpoint_;
};

// Tests until the round is complete; throws what the group knows of deaths, or Error(inconclusive) at the deadline.
void wait(const Rank& rank, Exchange& exchange, std::size_t round);
void post_and_wait(const Rank& rank, Exchange& exchange, std::size_t round);
void run(const Rank& rank, Exchange& exchange, std::size_t rounds);

// Bytes that say which message they are.
void fill(std::span<std::byte> bytes, std::uint64_t message);
void expect_filled(std::span<const std::byte> bytes, std::uint64_t message, const std::string& what);
[[nodiscard]] constexpr std::uint64_t tag(int from, int to, std::uint64_t run, std::uint64_t message) {
  return ((run * 4096 + message) * 64 + static_cast<std::uint64_t>(from)) * 64 + static_cast<std::uint64_t>(to) + 1;
}

// Now and then holds the rank up for a moment, so that ranks meet in ever new orders.
void dawdle(std::mt19937& random);

}  // namespace railgauge::test
