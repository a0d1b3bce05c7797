// Cases about what goes wrong: two sides that disagree, a rank that dies, an Exchange that is given up.
#include <fmt/format.h>

#include "base/error.hpp"
#include "tests/transports/conformance.hpp"

namespace railgauge::test {
namespace {

constexpr std::uint64_t endless = 1'000'000'000;

// 100 bytes are sent and 64 received: refused at prepare, or an error, or an end; never a byte behind the target.
void unequal_bytes(Rank& rank) {
  Bench bench(rank, 200);
  rank.fill(bench.memory(), std::byte{0x5a});
  rank.group.barrier();
  const auto check = [&] {
    if (rank.number() == 1) rank.expect_all(bench.part(64, 136), std::byte{0x5a}, "bytes behind the target changed");
  };
  try {
    const auto exchange = bench.prepare({{rank.number() == 0 ? send(1, bench.part(0, 100)) : receive(0, bench.part(0, 64), 0)}});
    post_and_wait(rank, *exchange, 0);
  } catch (const Error&) {
    check();
    throw;
  }
  check();
}

// How the two ranks of `unequal_bytes` ended: anyhow, but not with wrong data behind the target.
std::string ends_unharmed(std::span<const Ending> endings) {
  for (std::size_t i = 0; i < endings.size(); ++i)
    if (endings[i].sentence.find("bytes behind") != std::string::npos) return fmt::format("rank {}: {}", i, endings[i].sentence);
  return all_end(endings);
}

// A ring that turns until its last rank is dead.
void turn_until_death(Rank& rank, std::size_t bytes, std::uint64_t last_run) {
  Bench bench(rank, 2 * bytes);
  const int me = rank.number(), size = rank.size(), next = (me + 1) % size, before = (me + size - 1) % size;
  const auto exchange = bench.prepare({{send(next, bench.part(0, bytes)), receive(before, bench.part(bytes, bytes), 0)}});
  for (std::uint64_t n = 0; n < endless; ++n) {
    if (me == size - 1 && n == last_run) rank.die();
    post_and_wait(rank, *exchange, 0);
  }
}

void death_between(Rank& rank) { turn_until_death(rank, 100, std::mt19937(rank.seed)() % 500); }
void death_before_first(Rank& rank) { turn_until_death(rank, 100, 0); }
void death_large(Rank& rank) { turn_until_death(rank, std::size_t{8} << 20, 1 + std::mt19937(rank.seed)() % 4); }

// Posted, and dead before it is complete: what the others still write meets memory that is gone.
void death_posted(Rank& rank) {
  constexpr std::size_t bytes = std::size_t{4} << 20;
  const int me = rank.number(), size = rank.size(), last = size - 1;
  Bench bench(rank, 2 * bytes * static_cast<std::size_t>(size));
  std::vector<std::vector<Message>> plan(1);
  for (int peer = 0; peer < size; ++peer)
    if (peer != me) {
      plan[0].push_back(send(peer, bench.part(2 * bytes * static_cast<std::size_t>(peer), bytes)));
      plan[0].push_back(receive(peer, bench.part(2 * bytes * static_cast<std::size_t>(peer) + bytes, bytes), 0));
    }
  const auto exchange = bench.prepare(plan);
  const std::uint64_t last_run = std::mt19937(rank.seed)() % 3;
  for (std::uint64_t n = 0; n < endless; ++n) {
    exchange->post(0);
    if (me == last && n == last_run) rank.die();
    wait(rank, *exchange, 0);
  }
}

// The others are waiting for it in prepare.
void death_in_prepare(Rank& rank) {
  Bench bench(rank, 200);
  const int me = rank.number(), size = rank.size();
  if (me == size - 1) rank.die();
  const auto exchange =
      bench.prepare({{send((me + 1) % size, bench.part(0, 100)), receive((me + size - 1) % size, bench.part(100, 100), 0)}});
  run(rank, *exchange, 1);
}

// The others are waiting for it in connect, or right behind it: not every transport needs all ranks to connect.
void death_in_connect(Rank& rank) {
  if (rank.number() == rank.size() - 1) rank.die();
  const Bench bench(rank, 200);
  rank.group.barrier();
}

// One rank posts and the other never does; both let go. Their memory is their own again, and new endpoints work.
void given_up(Rank& rank) {
  constexpr std::size_t bytes = 200'000;
  const int me = rank.number(), peer = 1 - me;
  const Memory old = allocate_plain(rank, 2 * bytes);
  {
    Bench given(rank, old.region());
    const auto exchange = given.prepare({{send(peer, span_of(old).first(bytes)), receive(peer, span_of(old).subspan(bytes), 0)}});
    if (me == 0) exchange->post(0);
    if (me == 0) (void)exchange->test(0);
    rank.group.barrier();
  }
  rank.group.barrier();
  rank.fill(span_of(old), std::byte{0x77});
  Bench bench(rank, 2 * bytes);
  const auto out = bench.part(0, bytes), in = bench.part(bytes, bytes);
  const auto exchange = bench.prepare({{send(peer, out), receive(peer, in, 0)}});
  for (std::uint64_t n = 0; n < 3; ++n) {
    rank.fill(out, tag(me, peer, n, 0));
    post_and_wait(rank, *exchange, 0);
    rank.expect_filled(in, tag(peer, me, n, 0), fmt::format("run {}", n));
  }
  rank.expect_all(span_of(old), std::byte{0x77}, "memory changed after its endpoint was gone");
  rank.group.barrier();
}

constexpr Case table[] = {
    {"unequal_bytes", "the two sides disagree on the bytes of a message", 2, unequal_bytes, ends_unharmed},
    {"death_between", "a rank dies between two of many runs", 3, death_between, last_dies},
    {"death_before_first", "a rank dies when all are prepared", 3, death_before_first, last_dies},
    {"death_large", "a rank dies between runs of 8 MiB", 3, death_large, last_dies},
    {"death_posted", "a rank dies with transfers posted", 3, death_posted, last_dies},
    {"death_in_prepare", "a rank dies instead of preparing", 3, death_in_prepare, last_dies},
    {"death_in_connect", "a rank dies instead of connecting", 3, death_in_connect, last_dies},
    {"given_up", "an Exchange is destroyed while posted", 2, given_up, all_return},
};

}  // namespace

std::span<const Case> failure_cases() { return table; }

}  // namespace railgauge::test
