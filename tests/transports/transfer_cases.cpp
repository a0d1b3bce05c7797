// Cases about data: order, sizes, lanes, directions, repetition, who takes part, where memory lies.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/transports/conformance.hpp"

namespace railgauge::test {
namespace {

using Rounds = std::vector<std::vector<Message>>;

// One message from rank 0 to rank 1 in one round, `runs` times.
void one_way(Rank& rank, std::size_t bytes, std::size_t offset, std::uint64_t runs) {
  Bench bench(rank, bytes + offset + 16);
  const std::span<std::byte> data = bench.part(offset, bytes);
  const bool sends = rank.number() == 0;
  const auto exchange = bench.prepare({{sends ? send(1, data) : receive(0, data, 0)}});
  for (std::uint64_t n = 0; n < runs; ++n) {
    if (sends) rank.fill(data, tag(0, 1, n, bytes));
    post_and_wait(rank, *exchange, 0);
    if (!sends) rank.expect_filled(data, tag(0, 1, n, bytes), fmt::format("{} bytes at offset {}, run {}", bytes, offset, n));
  }
  rank.group.barrier();
}

// The n-th send meets the n-th receive, whatever their sizes and addresses: five messages a round, four rounds, three runs.
void order(Rank& rank) {
  constexpr std::size_t messages = 5, rounds = 4, largest = 3000;
  Bench bench(rank, messages * rounds * largest);
  const bool sends = rank.number() == 0;
  const auto size_of = [](std::size_t n) { return (n * 701) % largest; };
  Rounds plan(rounds);
  std::vector<std::span<std::byte>> parts;
  for (std::size_t n = 0; n < messages * rounds; ++n) {
    const std::size_t slot = sends ? n : messages * rounds - 1 - n;  // addresses descend at the receiver
    parts.push_back(bench.part(slot * largest, size_of(n)));
    plan[n / messages].push_back(sends ? send(1, parts[n]) : receive(0, parts[n], 0));
  }
  const auto exchange = bench.prepare(plan);
  for (std::uint64_t n = 0; n < 3; ++n) {
    if (sends)
      for (std::size_t i = 0; i < parts.size(); ++i) rank.fill(parts[i], tag(0, 1, n, i));
    run(rank, *exchange, rounds);
    if (!sends)
      for (std::size_t i = 0; i < parts.size(); ++i)
        rank.expect_filled(parts[i], tag(0, 1, n, i), fmt::format("message {}, run {}", i, n));
  }
  rank.group.barrier();
}

void sizes(Rank& rank) {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{63}, std::size_t{255}, std::size_t{1021},
        std::size_t{4096}, std::size_t{4097}, std::size_t{8191}, std::size_t{65536}, std::size_t{65537}, std::size_t{1048573}})
    one_way(rank, bytes, 0, 3);
}

void huge(Rank& rank) { one_way(rank, std::size_t{64} << 20, 0, 2); }

void odd_addresses(Rank& rank) {
  for (const std::size_t offset : {1U, 3U, 7U, 13U})
    for (const std::size_t bytes : {1U, 5U, 17U, 4099U, 70001U}) one_way(rank, bytes, offset, 2);
}

// Sixteen lanes that never wait for each other, each with its own pace.
void lanes(Rank& rank) {
  constexpr std::size_t count = 16, rounds = 6, bytes = 5000;
  Bench bench(rank, 2 * count * bytes, count);
  const int peer = 1 - rank.number();
  std::mt19937 random(rank.seed + static_cast<std::uint32_t>(rank.number()));
  struct Lane {
    std::unique_ptr<Exchange> exchange;
    std::span<std::byte> out, in;
    std::size_t step = 0;  // rounds posted
  };
  std::vector<Lane> all(count);
  for (std::size_t l = 0; l < count; ++l) {
    Lane& lane = all[l];
    lane.out = bench.part(2 * l * bytes, bytes - l);
    lane.in = bench.part((2 * l + 1) * bytes, bytes - l);
    Rounds plan;
    for (std::uint32_t r = 0; r < rounds; ++r) plan.push_back({send(peer, lane.out), receive(peer, lane.in, r)});
    lane.exchange = bench.prepare(plan, l);
  }
  constexpr std::size_t steps = 5 * rounds;
  const auto begin = [&](std::size_t l) {
    rank.fill(all[l].out, tag(rank.number(), peer, all[l].step, l));
    all[l].exchange->post(all[l].step++ % rounds);
  };
  std::vector<std::size_t> busy(count);
  std::iota(busy.begin(), busy.end(), std::size_t{0});
  std::shuffle(busy.begin(), busy.end(), random);
  for (const std::size_t l : busy) begin(l);
  while (!busy.empty()) {
    const std::size_t at = random() % busy.size(), l = busy[at];
    Lane& lane = all[l];
    rank.group.check();
    if (!lane.exchange->test((lane.step - 1) % rounds)) continue;
    rank.expect_filled(lane.in, tag(peer, rank.number(), lane.step - 1, l), fmt::format("lane {}, step {}", l, lane.step - 1));
    if (lane.step < steps)
      begin(l);
    else
      busy.erase(busy.begin() + static_cast<std::ptrdiff_t>(at));
  }
  rank.group.barrier();
}

// Both ends send and receive in the same round, so that neither may wait for the other to receive first.
void both_directions(Rank& rank) {
  constexpr std::size_t bytes = (std::size_t{4} << 20) + 3;
  Bench bench(rank, 2 * bytes);
  const int me = rank.number(), peer = 1 - me;
  const auto out = bench.part(0, bytes), in = bench.part(bytes, bytes);
  const auto exchange = bench.prepare({{send(peer, out), receive(peer, in, 0)}});
  for (std::uint64_t n = 0; n < 5; ++n) {
    rank.fill(out, tag(me, peer, n, 0));
    post_and_wait(rank, *exchange, 0);
    rank.expect_filled(in, tag(peer, me, n, 0), fmt::format("run {}", n));
  }
  rank.group.barrier();
}

// A ring step of 64 bytes, 3000 times through the same Exchange.
void repeat(Rank& rank) {
  constexpr std::size_t bytes = 64;
  Bench bench(rank, 2 * bytes);
  const int me = rank.number(), next = (me + 1) % rank.size(), before = (me + rank.size() - 1) % rank.size();
  const auto out = bench.part(0, bytes), in = bench.part(bytes, bytes);
  const auto exchange = bench.prepare({{send(next, out), receive(before, in, 0)}});
  for (std::uint64_t n = 0; n < 3000; ++n) {
    rank.fill(out, tag(me, next, n, 0));
    post_and_wait(rank, *exchange, 0);
    rank.expect_filled(in, tag(before, me, n, 0), fmt::format("run {}", n));
  }
  rank.group.barrier();
}

void many_rounds(Rank& rank) {
  constexpr std::uint32_t rounds = 2000;
  constexpr std::size_t bytes = 24;
  Bench bench(rank, bytes * rounds);
  const int peer = 1 - rank.number();
  Rounds plan;
  for (std::uint32_t r = 0; r < rounds; ++r) {
    const auto part = bench.part(r * bytes, bytes);
    const bool sends = (r + static_cast<std::uint32_t>(rank.number())) % 2 == 0;
    plan.push_back({sends ? send(peer, part) : receive(peer, part, 0)});
  }
  const auto exchange = bench.prepare(plan);
  for (std::uint64_t n = 0; n < 2; ++n) {
    for (std::uint32_t r = 0; r < rounds; ++r)
      if (plan[r][0].kind == Message::Kind::send) rank.fill(bench.part(r * bytes, bytes), tag(rank.number(), peer, n, r));
    run(rank, *exchange, rounds);
    for (std::uint32_t r = 0; r < rounds; ++r)
      rank.expect_filled(bench.part(r * bytes, bytes),
                         plan[r][0].kind == Message::Kind::send ? tag(rank.number(), peer, n, r) : tag(peer, rank.number(), n, r),
                         fmt::format("round {}, run {}", r, n));
    rank.group.barrier();
  }
}

// Every rank sends to every other in one round; sizes tell pairs apart.
void all_pairs(Rank& rank) {
  constexpr std::size_t slot = 20000;
  const int me = rank.number(), size = rank.size();
  Bench bench(rank, 2 * slot * static_cast<std::size_t>(size));
  const auto bytes_of = [&](int from, int to) { return static_cast<std::size_t>(from * 3001 + to * 701); };
  const auto out = [&](int peer) { return bench.part(2 * slot * static_cast<std::size_t>(peer), bytes_of(me, peer)); };
  const auto in = [&](int peer) { return bench.part(2 * slot * static_cast<std::size_t>(peer) + slot, bytes_of(peer, me)); };
  Rounds plan(2);
  for (std::uint32_t r = 0; r < 2; ++r)
    for (int peer = 0; peer < size; ++peer)
      if (peer != me) {
        plan[r].push_back(send(peer, out(peer)));
        plan[r].push_back(receive(peer, in(peer), r));
      }
  const auto exchange = bench.prepare(plan);
  for (std::uint64_t n = 0; n < 40; ++n) {
    const std::size_t round = n % 2;
    for (int peer = 0; peer < size; ++peer)
      if (peer != me) rank.fill(out(peer), tag(me, peer, n, 0));
    post_and_wait(rank, *exchange, round);
    for (int peer = 0; peer < size; ++peer)
      if (peer != me) rank.expect_filled(in(peer), tag(peer, me, n, 0), fmt::format("from rank {}, run {}", peer, n));
  }
  rank.group.barrier();
}

// Only ranks 1 and 3 prepare, then 0 and 3 and 2 and 1; nobody else is waited for.
void some_ranks(Rank& rank) {
  constexpr std::size_t bytes = 3000;
  Bench bench(rank, 2 * bytes);
  const int me = rank.number();
  const std::pair<int, int> pairs[] = {{1, 3}, {0, 3}, {2, 1}};
  for (const auto& [from, to] : pairs) {
    if (me != from && me != to) continue;
    const int peer = me == from ? to : from;
    const auto out = bench.part(0, bytes), in = bench.part(bytes, bytes);
    const auto exchange = bench.prepare({{send(peer, out), receive(peer, in, 0)}});
    rank.fill(out, tag(me, peer, 0, 0));
    post_and_wait(rank, *exchange, 0);
    rank.expect_filled(in, tag(peer, me, 0, 0), fmt::format("pair {} and {}", from, to));
  }
  rank.group.barrier();
}

// Rounds with no transfer, and an Exchange with none at all, are complete at once.
void empty_rounds(Rank& rank) {
  Bench bench(rank, 128);
  const auto nothing = bench.prepare({});
  const auto data = bench.part(0, 64);
  const auto exchange = bench.prepare({{}, {rank.number() == 0 ? send(1, data) : receive(0, data, 1)}, {}});
  for (std::uint64_t n = 0; n < 3; ++n) {
    if (rank.number() == 0) rank.fill(data, tag(0, 1, n, 0));
    run(rank, *exchange, 3);
    if (rank.number() == 1) rank.expect_filled(data, tag(0, 1, n, 0), fmt::format("run {}", n));
  }
  rank.group.barrier();
}

// Two plans over the same ranks and lane, run in an order of their own.
void two_exchanges(Rank& rank) {
  constexpr std::size_t bytes = 900;
  Bench bench(rank, 4 * bytes);
  const int me = rank.number(), peer = 1 - me;
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (std::size_t i = 0; i < 2; ++i)
    exchanges.push_back(bench.prepare(
        {{send(peer, bench.part(2 * i * bytes, bytes - i)), receive(peer, bench.part((2 * i + 1) * bytes, bytes - i), 0)}}));
  const std::size_t sequence[] = {1, 0, 0, 1, 1, 1, 0};
  for (std::uint64_t n = 0; n < std::size(sequence); ++n) {
    const std::size_t i = sequence[n];
    rank.fill(bench.part(2 * i * bytes, bytes - i), tag(me, peer, n, i));
    post_and_wait(rank, *exchanges[i], 0);
    rank.expect_filled(bench.part((2 * i + 1) * bytes, bytes - i), tag(peer, me, n, i), fmt::format("exchange {}, run {}", i, n));
  }
  rank.group.barrier();
}

// Three regions, attached one after the other, with an Exchange in between; messages go from any to any.
void regions(Rank& rank) {
  const int me = rank.number(), peer = 1 - me;
  std::vector<Memory> memory;
  for (const std::size_t bytes : {4096U, 10001U, 333U}) memory.push_back(allocate_plain(rank, bytes));
  const auto part = [&](std::size_t region, std::size_t offset, std::size_t bytes) {
    return span_of(memory[region]).subspan(offset, bytes);
  };
  Bench bench(rank, memory[0].region());
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (std::size_t k = 0; k < memory.size(); ++k) {
    if (k != 0) bench.attach(memory[k].region());
    Rounds plan(1);
    for (std::size_t j = 0; j <= k; ++j) {
      plan[0].push_back(send(peer, part(j, 0, 100 + j)));
      plan[0].push_back(receive(peer, part(k - j, 150, 100 + j), 0));
    }
    exchanges.push_back(bench.prepare(plan));
    for (std::size_t j = 0; j <= k; ++j) rank.fill(part(j, 0, 100 + j), tag(me, peer, k, j));
    post_and_wait(rank, *exchanges.back(), 0);
    for (std::size_t j = 0; j <= k; ++j)
      rank.expect_filled(part(k - j, 150, 100 + j), tag(peer, me, k, j), fmt::format("regions {}, message {}", k + 1, j));
    rank.group.barrier();
  }
}

// Endpoints come and go over one group; two live side by side.
void connect_again(Rank& rank) {
  constexpr std::size_t bytes = 2000;
  const int me = rank.number(), peer = 1 - me;
  for (std::uint64_t n = 0; n < 5; ++n) {
    Bench first(rank, 2 * bytes), second(rank, 2 * bytes);
    for (Bench* bench : {&second, &first}) {
      const auto out = bench->part(0, bytes), in = bench->part(bytes, bytes);
      const auto exchange = bench->prepare({{send(peer, out), receive(peer, in, 0)}});
      rank.fill(out, tag(me, peer, n, 0));
      post_and_wait(rank, *exchange, 0);
      rank.expect_filled(in, tag(peer, me, n, 0), fmt::format("connection {}", n));
    }
  }
}

constexpr Case table[] = {
    {"order", "several messages of one pair in one round and over rounds meet in order", 2, order, all_return},
    {"sizes", "0, 1, odd sizes and powers of two up to 1 MiB", 2, sizes, all_return},
    {"huge", "64 MiB", 2, huge, all_return},
    {"odd_addresses", "messages that start anywhere", 2, odd_addresses, all_return},
    {"lanes", "sixteen lanes at once, each at its own pace", 2, lanes, all_return},
    {"both_directions", "4 MiB in each direction in one round", 2, both_directions, all_return},
    {"repeat", "one Exchange run 3000 times around a ring", 3, repeat, all_return},
    {"many_rounds", "2000 rounds in one Exchange", 2, many_rounds, all_return},
    {"all_pairs", "every rank to every other in one round", 4, all_pairs, all_return},
    {"some_ranks", "only the ranks that messages name take part in prepare", 4, some_ranks, all_return},
    {"empty_rounds", "rounds and Exchanges without transfers", 2, empty_rounds, all_return},
    {"two_exchanges", "two Exchanges of one lane, run in any order", 2, two_exchanges, all_return},
    {"regions", "regions attached one after the other", 2, regions, all_return},
    {"connect_again", "endpoints that come and go, and two at once", 2, connect_again, all_return},
};

}  // namespace

std::span<const Case> transfer_cases() { return table; }

}  // namespace railgauge::test
