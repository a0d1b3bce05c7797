// What only the memory transport has: settings, refusals at prepare, injected faults, the cost of links.
#include "transports/memory/transport.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/launch/thread_group.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::string usage(const Settings& settings) {
  try {
    (void)memory_transport().open(settings);
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.what();
  }
  FAIL("accepted");
  return {};
}

std::string sentence(const std::exception_ptr& thrown) {
  if (!thrown) return {};
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) { return error.what(); }
}

Fault fault(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) { return error.fault(); }
}

using Rounds = std::vector<std::vector<Message>>;

Message send(int peer, std::byte* address, std::size_t bytes) {
  return {.kind = Message::Kind::send, .elided = false, .peer = peer, .credit = 0, .address = address, .bytes = bytes};
}
Message receive(int peer, std::byte* address, std::size_t bytes, std::uint32_t credit = 0) {
  return {.kind = Message::Kind::receive, .elided = false, .peer = peer, .credit = credit, .address = address, .bytes = bytes};
}

// One rank with 4000 bytes attached.
struct Bench {
  Bench(Group& its_group, const Settings& settings, std::size_t lanes = 1)
      : group(its_group), transport(memory_transport().open(settings)), memory(4000) {
    Place place;
    place.lanes.resize(lanes);
    endpoint = transport->connect(group, place);
    endpoint->attach(Region{.address = memory.data(), .bytes = memory.size()});
  }
  std::unique_ptr<Exchange> prepare(const Rounds& rounds) const { return endpoint->prepare(0, rounds); }
  void run(Exchange& exchange, std::size_t rounds = 1) const {
    for (std::size_t round = 0; round < rounds; ++round) {
      exchange.post(round);
      while (!exchange.test(round)) std::this_thread::yield();
    }
  }

  Group& group;
  std::unique_ptr<Transport> transport;
  std::vector<std::byte> memory;
  std::unique_ptr<Endpoint> endpoint;
};

constexpr Seconds deadline{20};

// Rank 0 sends rank 1 a hundred messages of 1000 zeros, one a run; `see` is given each message at rank 1 after its run.
std::vector<std::exception_ptr> hundred_messages(const Settings& settings,
                                                 const std::function<void(int, std::span<const std::byte>)>& see) {
  return run_as_threads(2, deadline, [&](Group& group) {
    const Bench bench(group, settings);
    auto* data = const_cast<std::byte*>(bench.memory.data());
    const bool sends = group.rank() == 0;
    const auto exchange = bench.prepare({{sends ? send(1, data, 1000) : receive(0, data, 1000)}});
    for (int n = 0; n < 100; ++n) {
      bench.run(*exchange);
      if (!sends) see(n, std::span(bench.memory).first(1000));
    }
    group.barrier();
  });
}

// A Group whose allgather brings what a rank of another process would say.
class ForeignGroup final : public Group {
 public:
  ForeignGroup() : Group(0, {"localhost", "localhost"}) {}
  std::vector<Blob> allgather(const Blob& mine) override {
    Blob other = mine;
    other[0] ^= std::byte{1};  // the first word says which process it is
    return {mine, other};
  }
  void barrier() override {}
  std::vector<Blob> exchange(std::span<const int>, std::span<const Blob>) override { return {}; }
  std::unique_ptr<Group> split(int) override { return nullptr; }
  void check() const override {}
};

}  // namespace

TEST_CASE("unknown settings list the known ones") {
  CHECK_THAT(usage({{"speed", "1"}}),
             ContainsSubstring("no setting 'speed'; it has mapped, latency, bandwidth, fault, rank, round, transfer, seed"));
}

TEST_CASE("bad values of settings are refused") {
  const std::pair<const char*, std::vector<const char*>> bad[] = {
      {"mapped", {"", "yes", "ON", "1"}},
      {"latency", {"", "-1us", "1e400", "fast", "9h", "nan"}},
      {"bandwidth", {"", "0", "-1G", "10Gb", "1e400", "inf", "nan", "0x10", "9999999T", "G"}},
      {"fault", {"", "explode", "none", "Drop"}},
      {"seed", {"-1", "1.5", "99999999999999999999999", "x"}},
      {"rank", {"-1", "9999999999", ""}},
  };
  for (const auto& [name, values] : bad)
    for (const std::string value : values) {
      CAPTURE(name, value);
      CHECK(!usage({{name, value}, {"fault", std::string(name) == "fault" ? value : "drop"}}).empty());
    }
}

TEST_CASE("settings that contradict each other are refused") {
  CHECK_THAT(usage({{"rank", "1"}}), ContainsSubstring("set memory.fault too"));
  CHECK_THAT(usage({{"fault", "die"}, {"transfer", "1"}}), ContainsSubstring("set memory.round"));
  CHECK_THAT(usage({{"fault", "drop"}, {"round", "1"}}), ContainsSubstring("set memory.transfer"));
  CHECK_THAT(usage({{"mapped", "on"}, {"latency", "1us"}}), ContainsSubstring("mapped=off"));
  CHECK(memory_transport().open({})->abilities().maps_peers);
  CHECK(!memory_transport().open({{"mapped", "off"}})->abilities().maps_peers);
  CHECK(!memory_transport().open({{"latency", "1us"}})->abilities().maps_peers);
}

TEST_CASE("a rank of another process is refused") {
  ForeignGroup group;
  try {
    (void)memory_transport().open({})->connect(group, Place{});
    FAIL("connected");
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    CHECK_THAT(std::string(error.what()), ContainsSubstring("the memory transport needs all ranks in one process"));
  }
}

TEST_CASE("what the two sides prepare must agree") {
  struct Row {
    Rounds (*plan)(int rank, std::byte* data);
    const char* sentence;
  };
  const Row rows[] = {
      {[](int rank, std::byte* data) { return Rounds{{}, {rank == 0 ? send(1, data, 100) : receive(0, data, 64)}}; },
       "message 0 from rank 0 to rank 1: 100 bytes are sent, 64 are received"},
      {[](int rank, std::byte* data) {
         return rank == 0 ? Rounds{{send(1, data, 8)}, {send(1, data, 8)}} : Rounds{{receive(0, data, 8)}};
       },
       "rank 0 prepares 2 messages to rank 1, which expects 1"},
      {[](int rank, std::byte* data) {
         Message message = rank == 0 ? send(1, data, 8) : receive(0, data, 8);
         message.elided = rank == 0;
         return Rounds{{message}};
       },
       "message 0 from rank 0 to rank 1 needs a credit at one end only"},
      {[](int rank, std::byte* data) { return Rounds{{rank == 0 ? send(1, data, 8) : receive(0, data + 3990, 8)}}; }, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto thrown = run_as_threads(2, deadline, [&](Group& group) {
      Bench bench(group, {});
      const auto exchange = bench.prepare(row.plan(group.rank(), bench.memory.data()));
    });
    for (const std::exception_ptr& each : thrown) {
      CHECK(sentence(each) == row.sentence);
      if (each) CHECK(fault(each) == Fault::usage);
    }
  }
}

TEST_CASE("messages that no rank could run are refused") {
  struct Row {
    Message message;
    std::size_t lane;
    const char* sentence;
  };
  const auto thrown = run_as_threads(2, deadline, [&](Group& group) {
    Bench bench(group, {});
    std::byte* data = bench.memory.data();
    const Row rows[] = {
        {send(2, data, 8), 0, "it must be another of the 2 ranks"},
        {send(-1, data, 8), 0, "it must be another of the 2 ranks"},
        {send(group.rank(), data, 8), 0, "it must be another of the 2 ranks"},
        {send(1 - group.rank(), data + 3999, 2), 0, "lie in no attached region"},
        {send(1 - group.rank(), data - 1, 2), 0, "lie in no attached region"},
        {send(1 - group.rank(), data, ~std::size_t{0}), 0, "lie in no attached region"},
        {send(1 - group.rank(), data, 8), 1, "lane 1: the endpoint has 1"},
    };
    for (const Row& row : rows) {
      std::string refused;
      try {
        (void)bench.endpoint->prepare(row.lane, {{row.message}});
      } catch (const Error& error) { refused = error.what(); }
      if (refused.find(row.sentence) == std::string::npos)
        throw Error(Fault::wrong_data, "'" + refused + "' does not say '" + row.sentence + "'");
    }
    // A credit that is given after its message is posted would never be given.
    std::string refused;
    try {
      const int peer = 1 - group.rank();
      (void)bench.prepare({{send(peer, data, 8), receive(peer, data + 8, 8, 1)}, {}});
    } catch (const Error& error) { refused = error.what(); }
    if (refused.find("is given at round 1") == std::string::npos) throw Error(Fault::wrong_data, "'" + refused + "'");
  });
  for (const std::exception_ptr& each : thrown) CHECK(sentence(each) == "");
}

TEST_CASE("corrupt inverts one byte of the named transfer, once") {
  std::vector<int> wrong;
  const auto thrown = hundred_messages({{"fault", "corrupt"}, {"rank", "0"}, {"transfer", "37"}, {"seed", "5"}},
                                       [&](int n, std::span<const std::byte> data) {
                                         for (const std::byte byte : data)
                                           if (byte != std::byte{0}) wrong.push_back(byte == std::byte{0xff} ? n : -1);
                                       });
  for (const std::exception_ptr& each : thrown) CHECK(sentence(each) == "");
  CHECK(wrong == std::vector<int>{37});
}

TEST_CASE("corrupt alone draws a transfer from the seed") {
  int wrong = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const auto thrown = hundred_messages({{"fault", "corrupt"}, {"seed", std::to_string(seed)}, {"rank", "0"}},
                                         [&](int, std::span<const std::byte> data) {
                                           wrong += static_cast<int>(std::count(data.begin(), data.end(), std::byte{0xff}));
                                         });
    for (const std::exception_ptr& each : thrown) CHECK(sentence(each) == "");
  }
  CHECK(wrong == 20);
}

TEST_CASE("a rank dies at its named post and is named") {
  const auto thrown = hundred_messages({{"fault", "die"}, {"rank", "1"}, {"round", "7"}}, [](int, std::span<const std::byte>) {});
  CHECK(sentence(thrown[1]) == "rank 1 died at round 7 (injected fault)");
  REQUIRE(thrown[0]);
  CHECK(fault(thrown[0]) == Fault::lost);
  CHECK_THAT(sentence(thrown[0]), ContainsSubstring("rank 1 ended: rank 1 died at round 7 (injected fault)"));
}

TEST_CASE("a fault at a rank that does not exist is refused") {
  const auto thrown = hundred_messages({{"fault", "die"}, {"rank", "2"}, {"round", "7"}}, [](int, std::span<const std::byte>) {});
  for (const std::exception_ptr& each : thrown) CHECK_THAT(sentence(each), ContainsSubstring("memory.rank=2: there are 2 ranks"));
}

TEST_CASE("a message that is dropped or stalls never arrives, and the others do") {
  for (const std::string kind : {"drop", "stall"}) {
    CAPTURE(kind);
    int seen = 0;
    bool sender_done = false;
    const auto thrown = run_as_threads(2, deadline, [&](Group& group) {
      Bench bench(group, {{"fault", kind}, {"rank", "0"}, {"transfer", "3"}});
      const bool sends = group.rank() == 0;
      const auto exchange = bench.prepare({{sends ? send(1, bench.memory.data(), 10) : receive(0, bench.memory.data(), 10)}});
      for (int n = 0; n < 3; ++n) {
        bench.run(*exchange);
        if (!sends) ++seen;
      }
      exchange->post(0);
      group.barrier();
      // Both have posted: whatever would arrive is there after the first tests.
      for (int i = 0; i < 2; ++i) {
        for (int t = 0; t < 1000; ++t) {
          const bool complete = exchange->test(0);
          if (sends)
            sender_done = complete;
          else if (complete)
            ++seen;
        }
        group.barrier();
      }
    });
    for (const std::exception_ptr& each : thrown) CHECK(sentence(each) == "");
    CHECK(seen == 3);
    CHECK(sender_done == (kind == "drop"));
  }
}

TEST_CASE("messages take at least latency and bytes over bandwidth, one after the other on a link") {
  std::chrono::steady_clock::time_point began, ended;
  const auto thrown = run_as_threads(2, deadline, [&](Group& group) {
    Bench bench(group, {{"latency", "5ms"}, {"bandwidth", "100K"}});
    std::byte* data = bench.memory.data();
    Rounds plan(1);
    for (std::size_t i = 0; i < 4; ++i)
      plan[0].push_back(group.rank() == 0 ? send(1, data + 500 * i, 500) : receive(0, data + 500 * i, 500));
    const auto exchange = bench.prepare(plan);
    if (group.rank() == 0) began = std::chrono::steady_clock::now();
    bench.run(*exchange);
    if (group.rank() == 1) ended = std::chrono::steady_clock::now();
    group.barrier();
  });
  for (const std::exception_ptr& each : thrown) CHECK(sentence(each) == "");
  // 5 ms, and four times 500 bytes at 100000 bytes a second: the last cannot be seen earlier, however the threads are scheduled.
  // The 10 us less are for the rounding of four durations to nanoseconds.
  CHECK(ended - began >= std::chrono::microseconds(24990));
}

TEST_CASE("the plain transport keeps no trace of an endpoint that is gone") {
  // Exchanges of ended groups neither hold memory nor meet those of new ones.
  for (int n = 0; n < 50; ++n) {
    const auto thrown = hundred_messages({}, [](int, std::span<const std::byte> data) {
      if (std::any_of(data.begin(), data.end(), [](std::byte b) { return b != std::byte{0}; }))
        throw Error(Fault::wrong_data, "not zero");
    });
    for (const std::exception_ptr& each : thrown) CHECK(sentence(each) == "");
  }
}
