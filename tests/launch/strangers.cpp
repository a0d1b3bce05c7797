// Strangers at the port of a run: garbage, wrong tokens, other versions, silence. The run goes on.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <functional>
#include <random>
#include <stdexcept>
#include <thread>

#include "base/error.hpp"
#include "bench/launch/control_tree.hpp"
#include "tests/launch/run_processes.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

// A connection that has said nothing yet; dial() would greet.
Descriptor knock(const Candidate& candidate) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(candidate.port);
  (void)inet_pton(AF_INET, candidate.host.c_str(), &address.sin_addr);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("connect");
  return socket;
}

void say(const Descriptor& socket, std::span<const std::byte> bytes) {
  (void)!send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// What the other side says before it closes; waits for the close.
Blob answer(const Descriptor& socket) {
  Blob all;
  std::byte bytes[256];
  for (ssize_t count = 0; (count = recv(socket.get(), bytes, sizeof bytes, 0)) > 0;) all.insert(all.end(), bytes, bytes + count);
  return all;
}

wire::Hello hello(const Address& address, std::uint32_t rank) {
  return {wire::protocol, address.token, wire::Hello::Purpose::introduce, rank};
}

// Rank 0 of 2 waits; `strangers` do what they do; then rank 1 comes, and the run must be as ever.
void meet_after(const std::function<void(const Address&)>& strangers) {
  RootListener listener(Reach::machine);
  const std::string text = listener.address();
  const auto run = [&](int rank) {
    const auto tree = join({rank, 2, "n", "a"}, text, test::patient(), rank == 0 ? &listener : nullptr);
    return tree->allgather(Blob(static_cast<std::size_t>(rank + 1))).size();
  };
  std::size_t zero = 0;
  std::thread first([&] { zero = run(0); });
  strangers(parse_address(text));
  CHECK(run(1) == 2);
  first.join();
  CHECK(zero == 2);
}

}  // namespace

TEST_CASE("strangers: garbage, half a greeting and silence are dropped") {
  const std::uint32_t seed = 77;
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::vector<Descriptor> silent;
  meet_after([&](const Address& address) {
    for (int turn = 0; turn < 100; ++turn) {
      const Descriptor socket = knock(address.candidates.front());
      Blob garbage(wire::hello_bytes + random() % 5000);
      for (std::byte& byte : garbage) byte = static_cast<std::byte>(random());
      say(socket, garbage);
      CHECK(answer(socket).empty());
    }
    const auto words = encode(hello(address, 1));
    for (std::size_t length = 0; length < words.size(); ++length) {
      const Descriptor socket = knock(address.candidates.front());
      say(socket, std::span(words).first(length));
    }
    silent.push_back(knock(address.candidates.front()));
  });
}

TEST_CASE("strangers: a wrong token is not answered") {
  meet_after([](const Address& address) {
    for (std::size_t bit = 0; bit < 128; ++bit) {
      Address wrong = address;
      wrong.token[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      const Descriptor socket = knock(address.candidates.front());
      say(socket, encode(hello(wrong, 1)));
      CHECK(answer(socket).empty());
    }
  });
}

TEST_CASE("strangers: another version of the protocol is told so") {
  meet_after([](const Address& address) {
    wire::Hello other = hello(address, 1);
    other.version = 99;
    try {
      (void)dial(address.candidates, other, 0, std::chrono::steady_clock::now() + std::chrono::seconds(60));
      FAIL("was welcome");
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::usage);
      CHECK_THAT(std::string(error.what()), test::ContainsSubstring("version 2 of the control tree and this rank version 99"));
    }
  });
}

TEST_CASE("strangers: ranks that were not expected are told so, and the run goes on") {
  meet_after([](const Address& address) {
    wire::Hello attaching = hello(address, 1);
    attaching.purpose = wire::Hello::Purpose::attach;
    CHECK_THROWS_AS(dial(address.candidates, attaching, 0, std::chrono::steady_clock::now() + std::chrono::seconds(60)), Error);
    try {
      (void)join({7, 8, "n", "a"}, to_text(address), test::patient(), nullptr);
      FAIL("was welcome");
    } catch (const Error& error) {
      CHECK(std::string(error.what()) == "rank 7 was not expected: rank 0 was started as one of 2");
    }
  });
}

TEST_CASE("strangers: with the right token, wrong messages end their own connection alone") {
  const std::uint32_t seed = 4242;
  CAPTURE(seed);
  std::mt19937 random(seed);
  meet_after([&](const Address& address) {
    for (int turn = 0; turn < 60; ++turn) {
      const Descriptor socket = knock(address.candidates.front());
      say(socket, encode(hello(address, 1)));
      // A head that promises 2 GiB, one of no kind, and bodies of noise in place of an introduction.
      wire::Head head{turn % 3 == 1 ? static_cast<wire::Kind>(200) : wire::Kind::introduction, 0, 1, 0, 0, 64};
      if (turn % 3 == 0) head.length = wire::most_bytes;
      say(socket, encode(head));
      Blob body(64);
      for (std::byte& byte : body) byte = static_cast<std::byte>(random() % (turn % 2 == 0 ? 256 : 3));
      body[0] = std::byte{9};  // as rank 9 or more, so that no noise is by chance the rank that is to come
      say(socket, body);
      if (turn % 3 == 0) (void)shutdown(socket.get(), SHUT_WR);
    }
  });
}

}  // namespace railgauge
