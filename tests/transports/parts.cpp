// What the cases of the conformance suite are made of: memory and its patterns, waiting, judging.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/backoff.hpp"
#include "base/error.hpp"
#include "bench/device/queues.hpp"
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

void write_pattern(std::span<std::byte> bytes, std::uint64_t message) {
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const std::uint64_t word = mix(message + i);
    std::memcpy(bytes.data() + i, &word, 8);
  }
  const std::uint64_t rest = mix(message + i);
  if (i < bytes.size()) std::memcpy(bytes.data() + i, &rest, bytes.size() - i);
}

void expect_pattern(std::span<const std::byte> bytes, std::uint64_t message, const std::string& what) {
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t word = mix(message + i);
    const std::size_t length = std::min<std::size_t>(8, bytes.size() - i);
    if (std::memcmp(bytes.data() + i, &word, length) == 0) continue;
    throw Error(Fault::wrong_data, fmt::format("{}: wrong data in bytes {} to {} of {}", what, i, i + length - 1, bytes.size()));
  }
}

// An Exchange that is complete when its stream has come so far.
class StreamedExchange final : public Exchange {
 public:
  StreamedExchange(std::unique_ptr<Exchange> inner, Compute& compute) : inner_(std::move(inner)), compute_(compute) {}
  void post(std::size_t round) override {
    inner_->post(round);
    mark_ = compute_.mark();
  }
  bool test(std::size_t round) override { return inner_->test(round) && compute_.reached(mark_); }

 private:
  std::unique_ptr<Exchange> inner_;
  Compute& compute_;
  std::uint64_t mark_ = 0;
};

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
  const Abilities abilities = rank.transport.abilities();
  return rank.device().allocate(bytes, abilities.fabric ? Sharing::hosts : abilities.shares ? Sharing::processes : Sharing::own);
}

Memory allocate_plain(const Rank& rank, std::size_t bytes) {
  if (rank.hidden()) return allocate(rank, bytes);
  return {{.address = new std::byte[bytes]{}, .bytes = bytes}, [](const Region& region) { delete[] region.address; }};
}

Bench::Bench(Rank& rank, std::size_t bytes, std::size_t lanes) {
  own_.emplace(allocate(rank, bytes));
  connect(rank, lanes);
  attach(own_->region());
}

Bench::Bench(Rank& rank, const Region& region, std::size_t lanes) {
  connect(rank, lanes);
  attach(region);
}

// Lanes have streams that nothing else is in: what is filled and read meanwhile waits for none of them.
void Bench::connect(Rank& rank, std::size_t lanes) {
  Place place;
  place.device_key = rank.device().key();
  place.lanes.resize(lanes);
  for (Place::LaneResources& lane : place.lanes) {
    lane.stream = rank.device().stream();
    if (!rank.transport.abilities().stream_ordered) continue;
    const std::size_t stream = rank.new_stream();
    auto& queues = dynamic_cast<Queues&>(rank.device());
    lane.stream = queues.stream_of(stream);
    streams_.push_back(queues.compute_in(stream, Type::uint8, Op::none));
  }
  endpoint_ = rank.transport.connect(rank.group, place);
}

std::unique_ptr<Exchange> Bench::prepare(std::vector<std::vector<Message>> rounds, std::size_t lane) {
  auto exchange = endpoint_->prepare(lane, std::move(rounds));
  if (streams_.empty()) return exchange;
  return std::make_unique<StreamedExchange>(std::move(exchange), *streams_[lane]);
}

void wait(const Rank& rank, Exchange& exchange, std::size_t round) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(deadline);
  Backoff backoff;
  for (unsigned spins = 0; !exchange.test(round); ++spins) {
    rank.group.check();
    backoff.pause();
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

Rank::Rank(Group& its_group, Transport& its_transport, const Setup& setup, std::function<void()> its_death)
    : group(its_group),
      transport(its_transport),
      seed(setup.seed),
      die(std::move(its_death)),
      device_(setup.device(its_group.rank())) {
  if (device_->stream() != nullptr) mover_ = device_->compute(Type::uint8, Op::none);
}

void Rank::write(std::span<const std::byte> here, std::span<std::byte> there) const {
  mover_->copy(here, there);
  fence(*mover_);
}

std::vector<std::byte> Rank::read(std::span<const std::byte> there) const {
  std::vector<std::byte> here(there.size());
  mover_->copy(there, here);
  fence(*mover_);
  return here;
}

void Rank::fill(std::span<std::byte> bytes, std::uint64_t message) const {
  if (!hidden()) return write_pattern(bytes, message);
  std::vector<std::byte> here(bytes.size());
  write_pattern(here, message);
  write(here, bytes);
}

void Rank::fill(std::span<std::byte> bytes, std::byte value) const {
  if (hidden())
    write(std::vector<std::byte>(bytes.size(), value), bytes);
  else
    std::ranges::fill(bytes, value);
}

void Rank::expect_filled(std::span<const std::byte> bytes, std::uint64_t message, const std::string& what) const {
  if (!hidden()) return expect_pattern(bytes, message, what);
  expect_pattern(read(bytes), message, what);
}

void Rank::expect_all(std::span<const std::byte> bytes, std::byte value, const std::string& sentence) const {
  const std::vector<std::byte> here = hidden() ? read(bytes) : std::vector<std::byte>(bytes.begin(), bytes.end());
  expect(std::ranges::all_of(here, [value](std::byte each) { return each == value; }), sentence);
}

std::vector<std::uint64_t> Rank::load(const std::atomic<std::uint64_t>* first, std::size_t count) const {
  std::vector<std::uint64_t> values(count);
  if (hidden()) {
    const std::vector<std::byte> bytes = read({reinterpret_cast<const std::byte*>(first), count * sizeof(std::uint64_t)});
    std::memcpy(values.data(), bytes.data(), bytes.size());
  } else {
    for (std::size_t i = 0; i < count; ++i) values[i] = first[i].load(std::memory_order_acquire);
  }
  return values;
}

void Rank::store(std::atomic<std::uint64_t>* flag, std::uint64_t value) const {
  if (!hidden()) return flag->store(value, std::memory_order_release);
  write(std::as_bytes(std::span(&value, 1)), {reinterpret_cast<std::byte*>(flag), sizeof value});
}

void dawdle(std::mt19937& random) {
  if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
}

}  // namespace railgauge::test
