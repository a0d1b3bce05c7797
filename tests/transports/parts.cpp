// What the cases of the conformance suite are made of: waiting, patterns, judging.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "tests/transports/conformance.hpp"

namespace railgauge::test {
namespace {

// A good mix of the bits of a number (splitmix64).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::string name_of(Ending::Kind kind) {
  constexpr const char* names[] = {"returned", "ended with Error(lost)", "ended with another error", "died"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace

std::span<const Case> cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> joined;
    for (const auto& part : {transfer_cases(), credit_cases(), failure_cases()})
      joined.insert(joined.end(), part.begin(), part.end());
    return joined;
  }();
  return all;
}

std::string all_return(std::span<const Ending> endings) {
  for (std::size_t i = 0; i < endings.size(); ++i)
    if (endings[i].kind != Ending::Kind::returned) return fmt::format("rank {} {}", i, name_of(endings[i].kind));
  return {};
}

std::string last_dies(std::span<const Ending> endings) {
  for (std::size_t i = 0; i < endings.size(); ++i) {
    const auto wanted = i + 1 == endings.size() ? Ending::Kind::died : Ending::Kind::lost;
    if (endings[i].kind != wanted)
      return fmt::format("rank {} {}, but it should have {}", i, name_of(endings[i].kind), name_of(wanted));
  }
  return {};
}

std::string all_end(std::span<const Ending> endings) {
  for (std::size_t i = 0; i < endings.size(); ++i)
    if (endings[i].kind == Ending::Kind::died) return fmt::format("rank {} died", i);
  return {};
}

void expect(bool condition, const std::string& sentence) {
  if (!condition) throw Error(Fault::wrong_data, sentence);
}

Message send(int peer, std::span<std::byte> bytes, bool elided) {
  return {
      .kind = Message::Kind::send, .elided = elided, .peer = peer, .credit = 0, .address = bytes.data(), .bytes = bytes.size()};
}

Message receive(int peer, std::span<std::byte> bytes, std::uint32_t credit, bool elided) {
  return {.kind = Message::Kind::receive,
          .elided = elided,
          .peer = peer,
          .credit = credit,
          .address = bytes.data(),
          .bytes = bytes.size()};
}

Memory allocate(const Rank& rank, std::size_t bytes) {
  return make_host_device()->allocate(bytes, rank.transport.abilities().shares ? Sharing::processes : Sharing::own);
}

Bench::Bench(Rank& rank, std::size_t bytes, std::size_t lanes) : memory_(allocate(rank, bytes)) {
  Place place;
  place.lanes.resize(lanes);
  endpoint_ = rank.transport.connect(rank.group, place);
  endpoint_->attach(memory_.region());
}

void wait(const Rank& rank, Exchange& exchange, std::size_t round) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(deadline);
  for (unsigned spins = 0; !exchange.test(round); ++spins) {
    rank.group.check();
    std::this_thread::yield();
    if (spins % 64 == 0 && std::chrono::steady_clock::now() > until)
      throw Error(Fault::inconclusive, fmt::format("rank {} waited {} s for round {}", rank.number(), deadline.count(), round));
  }
}

void post_and_wait(const Rank& rank, Exchange& exchange, std::size_t round) {
  exchange.post(round);
  wait(rank, exchange, round);
}

void run(const Rank& rank, Exchange& exchange, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round) post_and_wait(rank, exchange, round);
}

void fill(std::span<std::byte> bytes, std::uint64_t message) {
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const std::uint64_t word = mix(message + i);
    std::memcpy(bytes.data() + i, &word, 8);
  }
  const std::uint64_t rest = mix(message + i);
  if (i < bytes.size()) std::memcpy(bytes.data() + i, &rest, bytes.size() - i);
}

void expect_filled(std::span<const std::byte> bytes, std::uint64_t message, const std::string& what) {
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t word = mix(message + i);
    const std::size_t length = std::min<std::size_t>(8, bytes.size() - i);
    if (std::memcmp(bytes.data() + i, &word, length) == 0) continue;
    throw Error(Fault::wrong_data, fmt::format("{}: wrong data in bytes {} to {} of {}", what, i, i + length - 1, bytes.size()));
  }
}

void dawdle(std::mt19937& random) {
  if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
}

}  // namespace railgauge::test
