// Cases about the credit rule: a target is reused while its receiver is slow, with credits given late, early and not at all.
#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "tests/transports/conformance.hpp"

namespace railgauge::test {
namespace {

using Rounds = std::vector<std::vector<Message>>;

// A sender that never waits for anything but the transport, and a receiver that takes its time before it looks.
void slow_receiver(Rank& rank) {
  constexpr std::size_t bytes = 6000;
  Bench bench(rank, bytes);
  std::mt19937 random(rank.seed);
  const auto data = bench.part(0, bytes);
  const bool sends = rank.number() == 0;
  const auto exchange = bench.prepare({{sends ? send(1, data) : receive(0, data, 0)}});
  for (std::uint64_t n = 0; n < 400; ++n) {
    if (sends) rank.fill(data, tag(0, 1, n, 0));
    post_and_wait(rank, *exchange, 0);
    if (sends) continue;
    dawdle(random);
    rank.expect_filled(data, tag(0, 1, n, 0), fmt::format("run {}", n));
  }
  rank.group.barrier();
}

// The same with the ranks of a ring, each slow differently, and the target copied on: what a pipeline does.
void slow_ring(Rank& rank) {
  constexpr std::size_t bytes = 2500;
  constexpr std::uint32_t rounds = 4;
  Bench bench(rank, 2 * bytes);
  const int me = rank.number(), size = rank.size(), next = (me + 1) % size, before = (me + size - 1) % size;
  std::mt19937 random(rank.seed + static_cast<std::uint32_t>(me));
  const auto out = bench.part(0, bytes), in = bench.part(bytes, bytes);
  Rounds plan;
  for (std::uint32_t r = 0; r < rounds; ++r) plan.push_back({send(next, out), receive(before, in, r)});
  const auto exchange = bench.prepare(plan);
  for (std::uint64_t n = 0; n < 100; ++n)
    for (std::uint32_t r = 0; r < rounds; ++r) {
      rank.fill(out, tag(me, next, n, r));
      post_and_wait(rank, *exchange, r);
      dawdle(random);
      rank.expect_filled(in, tag(before, me, n, r), fmt::format("run {}, round {}", n, r));
    }
  rank.group.barrier();
}

// Two slots that alternate: the credit of a round is given one round ahead, while the other slot is still in use.
void early_credits(Rank& rank) {
  constexpr std::size_t bytes = 3000;
  constexpr std::uint32_t rounds = 8;
  Bench bench(rank, 2 * bytes);
  const bool sends = rank.number() == 0;
  std::mt19937 random(rank.seed);
  const auto slot = [&](std::uint32_t round) { return bench.part((round % 2) * bytes, bytes); };
  Rounds plan;
  for (std::uint32_t r = 0; r < rounds; ++r) plan.push_back({sends ? send(1, slot(r)) : receive(0, slot(r), r == 0 ? 0 : r - 1)});
  const auto exchange = bench.prepare(plan);
  for (std::uint64_t n = 0; n < 60; ++n)
    for (std::uint32_t r = 0; r < rounds; ++r) {
      if (sends) rank.fill(slot(r), tag(0, 1, n, r));
      post_and_wait(rank, *exchange, r);
      if (sends) continue;
      dawdle(random);
      rank.expect_filled(slot(r), tag(0, 1, n, r), fmt::format("run {}, round {}", n, r));
    }
  rank.group.barrier();
}

// Ping-pong: each message proves the target of the next one free, so no credit is given at all.
void elided_credits(Rank& rank) {
  constexpr std::size_t bytes = 700;
  Bench bench(rank, 2 * bytes);
  const int me = rank.number(), peer = 1 - me;
  std::mt19937 random(rank.seed + static_cast<std::uint32_t>(me));
  const auto out = bench.part(0, bytes), in = bench.part(bytes, bytes);
  Rounds plan(2);
  plan[static_cast<std::size_t>(me)] = {send(peer, out, true)};
  plan[static_cast<std::size_t>(peer)] = {receive(peer, in, 0, true)};
  const auto exchange = bench.prepare(plan);
  rank.group.barrier();  // before the first run nothing has been received that could prove anything
  for (std::uint64_t n = 0; n < 500; ++n)
    for (int r = 0; r < 2; ++r) {
      if (r == me) rank.fill(out, tag(me, peer, n, 0));
      post_and_wait(rank, *exchange, static_cast<std::size_t>(r));
      if (r == me) continue;
      dawdle(random);
      rank.expect_filled(in, tag(peer, me, n, 0), fmt::format("run {}", n));
    }
  rank.group.barrier();
}

// One pair whose messages partly need credits and partly do not, all into one target:
//   rank 0: A with credit, receives B, C without credit (B was sent after A was used)
void mixed_credits(Rank& rank) {
  constexpr std::size_t bytes = 900;
  Bench bench(rank, 2 * bytes);
  std::mt19937 random(rank.seed);
  const auto there = bench.part(0, bytes), back = bench.part(bytes, bytes);
  const auto plan = rank.number() == 0 ? Rounds{{send(1, there)}, {receive(1, back, 1)}, {send(1, there, true)}}
                                       : Rounds{{receive(0, there, 0)}, {send(0, back)}, {receive(0, there, 2, true)}};
  const auto exchange = bench.prepare(plan);
  for (std::uint64_t n = 0; n < 300; ++n)
    for (std::uint64_t r = 0; r < 3; ++r) {
      const bool sends = plan[r][0].kind == Message::Kind::send;
      const std::span<std::byte> data(plan[r][0].address, plan[r][0].bytes);
      const std::uint64_t message = tag(static_cast<int>(r % 2), static_cast<int>(1 - r % 2), n, r);
      if (sends) rank.fill(data, message);
      post_and_wait(rank, *exchange, r);
      if (sends) continue;
      dawdle(random);
      rank.expect_filled(data, message, fmt::format("run {}, round {}", n, r));
    }
  rank.group.barrier();
}

// In one round a short message whose target is free from that round on, and behind it a long one whose target was free before,
// which needs no credit: they stay in order.
void elided_behind_credit(Rank& rank) {
  constexpr std::size_t shorter = 300, longer = 1500;
  Bench bench(rank, 2 * (shorter + longer));
  std::mt19937 random(rank.seed);
  const auto proof = bench.part(shorter + longer, longer), first = bench.part(0, shorter), second = bench.part(shorter, longer);
  const bool sends = rank.number() == 0;
  const auto exchange = bench.prepare(sends ? Rounds{{receive(1, proof, 0)}, {send(1, first), send(1, second, true)}}
                                            : Rounds{{send(0, proof)}, {receive(0, first, 1), receive(0, second, 0, true)}});
  for (std::uint64_t n = 0; n < 200; ++n) {
    if (!sends) rank.fill(proof, tag(1, 0, n, 0));
    post_and_wait(rank, *exchange, 0);
    if (sends) {
      rank.expect_filled(proof, tag(1, 0, n, 0), fmt::format("run {}", n));
      rank.fill(first, tag(0, 1, n, 1));
      rank.fill(second, tag(0, 1, n, 2));
    } else {
      dawdle(random);
    }
    post_and_wait(rank, *exchange, 1);
    if (sends) continue;
    rank.expect_filled(first, tag(0, 1, n, 1), fmt::format("run {}, the first", n));
    rank.expect_filled(second, tag(0, 1, n, 2), fmt::format("run {}, the second", n));
  }
  rank.group.barrier();
}

// Rounds of messages drawn at random between four ranks, run at four random paces. Every rank draws the same messages.
void random_rounds(Rank& rank) {
  constexpr std::uint32_t rounds = 12;
  constexpr std::size_t slot = 400;
  struct Drawn {
    int from, to;
    std::size_t bytes, place;
  };
  std::mt19937 random(rank.seed), pace(rank.seed * 7 + static_cast<std::uint32_t>(rank.number()));
  std::vector<std::vector<Drawn>> drawn(rounds);
  std::size_t places = 0;
  for (auto& round : drawn)
    for (auto count = random() % 9; count > 0; --count) {
      const int from = static_cast<int>(random() % 4), to = (from + 1 + static_cast<int>(random() % 3)) % 4;
      const std::size_t bytes = random() % 5 == 0 ? 0 : random() % slot;
      round.push_back({from, to, bytes, places++});
    }
  Bench bench(rank, 2 * places * slot + 1);
  Rounds plan(rounds);
  const int me = rank.number();
  const auto out = [&](const Drawn& m) { return bench.part(2 * m.place * slot, m.bytes); };
  const auto in = [&](const Drawn& m) { return bench.part((2 * m.place + 1) * slot, m.bytes); };
  for (std::uint32_t r = 0; r < rounds; ++r)
    for (const Drawn& m : drawn[r]) {
      if (m.from == me) plan[r].push_back(send(m.to, out(m)));
      if (m.to == me) plan[r].push_back(receive(m.from, in(m), 0));
    }
  const auto exchange = bench.prepare(plan);
  for (std::uint64_t n = 0; n < 60; ++n) {
    for (std::uint32_t r = 0; r < rounds; ++r) {
      for (const Drawn& m : drawn[r])
        if (m.from == me) rank.fill(out(m), tag(m.from, m.to, n, m.place));
      post_and_wait(rank, *exchange, r);
      dawdle(pace);
    }
    for (const auto& round : drawn)
      for (const Drawn& m : round)
        if (m.to == me) rank.expect_filled(in(m), tag(m.from, m.to, n, m.place), fmt::format("run {}, message {}", n, m.place));
  }
  rank.group.barrier();
}

// Peers' regions and flags as plain data: each rank writes into the next one's second region and sets its flag.
void mapping(Rank& rank) {
  if (!rank.transport.abilities().maps_peers) return;
  const int me = rank.number(), size = rank.size(), next = (me + 1) % size, before = (me + size - 1) % size;
  const auto index = [](int r) { return static_cast<std::size_t>(r); };
  const Memory memory[] = {allocate(rank, 1000), allocate(rank, 3000)};
  const std::span<std::byte> second = span_of(memory[1]);
  Bench bench(rank, memory[0].region());
  bench.attach(memory[1].region());
  const Mapping* mapped = bench.endpoint().mapping();
  expect(mapped != nullptr, "maps_peers, but mapping() is null");
  expect(mapped->on_device == rank.hidden(), "on_device says whose memory it is");
  expect(mapped->regions.size() == index(size) && mapped->flags.size() == index(size), "one entry a rank");
  expect(mapped->flag_count >= index(size) * flags_a_pair(index(size)), "enough flags for each pair");
  expect(mapped->regions[index(me)] == std::vector<std::byte*>{memory[0].region().address, second.data()},
         "own regions are where they were");
  for (const std::uint64_t flag : rank.load(mapped->flags[index(me)], mapped->flag_count))
    expect(flag == 0, "flags are zero at first");
  rank.group.barrier();
  const std::size_t data_flag = 8 * index(me), taken_flag = mapped->flag_count - 1;
  for (std::uint64_t n = 1; n <= 300; ++n) {
    rank.fill(std::span(mapped->regions[index(next)][1], second.size()), tag(me, next, n, 0));
    rank.store(&mapped->flags[index(next)][data_flag], n);
    const auto await = [&](std::size_t flag) {
      while (rank.load(&mapped->flags[index(me)][flag], 1).front() < n) {
        rank.group.check();
        std::this_thread::yield();
      }
    };
    await(8 * index(before));
    rank.expect_filled(second, tag(before, me, n, 0), fmt::format("run {}", n));
    rank.store(&mapped->flags[index(before)][taken_flag], n);
    await(taken_flag);
  }
  rank.group.barrier();
}

constexpr Case table[] = {
    {"slow_receiver", "a fast sender and a slow receiver over one target", 2, slow_receiver, all_return},
    {"slow_ring", "a ring of ranks that are slow by turns", 4, slow_ring, all_return},
    {"early_credits", "credits given a round ahead, two slots that alternate", 2, early_credits, all_return},
    {"elided_credits", "ping-pong without credits", 2, elided_credits, all_return},
    {"mixed_credits", "messages with and without credit into one target", 2, mixed_credits, all_return},
    {"elided_behind_credit", "a message without credit behind one of the same round that needs it", 2, elided_behind_credit,
     all_return},
    {"random_rounds", "messages drawn at random between four ranks of four paces", 4, random_rounds, all_return},
    {"mapping", "peers' regions and flags, where the transport maps them", 3, mapping, all_return},
};

}  // namespace

std::span<const Case> credit_cases() { return table; }

}  // namespace railgauge::test
