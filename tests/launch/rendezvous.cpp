// Ranks that are lost, or stay away, before the tree stands.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "base/error.hpp"
#include "bench/launch/acceptor.hpp"
#include "bench/launch/control_tree.hpp"
#include "tests/launch/run_processes.hpp"
#include "tests/test.hpp"

namespace railgauge {
namespace {

std::string sentence_of_join(const Introduction& me, const std::string& address, const Deadlines& deadlines, RootListener* own) {
  try {
    (void)join(me, address, deadlines, own);
    return "";
  } catch (const Error& error) { return error.what(); }
}

}  // namespace

TEST_CASE("rendezvous: absent ranks are named to all who came") {
  RootListener listener(Reach::machine);
  const std::string address = listener.address();
  const Deadlines deadlines{Seconds{3}, Seconds{1}};
  std::string zero, three;
  std::thread first([&] { zero = sentence_of_join({0, 5, "n", "a"}, address, deadlines, &listener); });
  std::thread second([&] { three = sentence_of_join({3, 5, "n", "a"}, address, deadlines, nullptr); });
  first.join();
  second.join();
  CHECK(zero == "ranks 1, 2 and 4 did not come to the rendezvous within 3 s");
  CHECK(three == zero);
}

TEST_CASE("rendezvous: a rank that introduced itself and died is named") {
  RootListener listener(Reach::machine);
  const std::string text = listener.address();
  std::thread rank_two([&] {
    const Address address = parse_address(text);
    const wire::Hello hello{wire::protocol, address.token, wire::Hello::Purpose::introduce, 2};
    const Descriptor socket = dial(address.candidates, hello, 0, std::chrono::steady_clock::now() + std::chrono::seconds(60));
    wire::Writer writer;
    writer.u32(2);
    writer.u32(4);
    writer.text("n7");
    writer.text("a");
    writer.u32(0);
    writer.u32(0);
    wire::Head head{wire::Kind::introduction, 0, 0, 0, 0, static_cast<std::uint32_t>(writer.bytes().size())};
    const auto bytes = encode(head);
    (void)!write(socket.get(), bytes.data(), bytes.size());
    (void)!write(socket.get(), writer.bytes().data(), writer.bytes().size());
  });
  CHECK(sentence_of_join({0, 4, "n", "a"}, text, test::patient(), &listener) ==
        "rank 2 on n7 was lost before the ranks had found each other: its connection closed");
  rank_two.join();
}

TEST_CASE("rendezvous: rank 0 lost is named") {
  RootListener listener(Reach::machine);
  const std::string address = listener.address();
  const pid_t zero = fork();
  if (zero == 0) {
    (void)sentence_of_join({0, 3, "n", "a"}, address, test::patient(), &listener);
    _exit(0);
  }
  listener.close();
  std::string one;
  std::thread rank_one([&] { one = sentence_of_join({1, 3, "n", "a"}, address, test::patient(), nullptr); });
  kill(zero, SIGKILL);
  (void)waitpid(zero, nullptr, 0);
  rank_one.join();
  // Before or after it was reached.
  CHECK_THAT(one, test::ContainsSubstring("rank 0"));
}

TEST_CASE("rendezvous: of all that lose rank 0 the first alone is to say so") {
  RootListener listener(Reach::machine);
  const std::string address = listener.address();
  std::vector<std::string> sentences(4);
  std::array<bool, 4> silent{}, stands_in{};  // not of bits: threads write to it
  std::vector<std::thread> ranks;
  for (int rank = 1; rank <= 3; ++rank)
    ranks.emplace_back([&, rank] {
      const auto index = static_cast<std::size_t>(rank);
      try {
        (void)join({rank, 4, "n", "a"}, address, test::patient(), nullptr);
      } catch (const Refused& refused) {
        silent[index] = true;
        stands_in[index] = refused.stands_in();
        sentences[index] = refused.what();
      } catch (const Error& error) { sentences[index] = error.what(); }
    });
  boost::asio::io_context context;
  std::vector<Descriptor> introduced;
  Acceptor zero(
      context, listener.release(), parse_address(address).token, 0, [](const wire::Hello&) { return true; },
      [&](Descriptor socket, const wire::Hello&) { introduced.push_back(std::move(socket)); });
  while (introduced.size() < 3) context.run_one();
  introduced.clear();
  for (std::thread& rank : ranks) rank.join();
  for (std::size_t rank = 1; rank <= 3; ++rank)
    CHECK_THAT(sentences[rank],
               Catch::Matchers::StartsWith("rank 0 was lost before the ranks had found each other: its connection "));
  CHECK(silent == std::array{false, false, true, true});
  CHECK(stands_in == std::array{false, false, true, false});
}

TEST_CASE("rendezvous: ranks that count themselves otherwise are refused") {
  const auto sentences = test::run_over_tcp(
      3, test::patient(), [](ControlTree&) {},
      [](Introduction& me) {
        if (me.rank == 2) me.size = 4;
      });
  for (const std::string& sentence : sentences) CHECK(sentence == "rank 2 was started as one of 4 ranks and rank 0 as one of 3");
}

TEST_CASE("rendezvous: a rank that is there twice is told so") {
  RootListener listener(Reach::machine);
  const std::string address = listener.address();
  std::string zero, one, again;
  std::thread rank_zero([&] { zero = sentence_of_join({0, 3, "n", "a"}, address, test::patient(), &listener); });
  std::thread rank_one([&] { one = sentence_of_join({1, 3, "n", "a"}, address, test::patient(), nullptr); });
  std::thread twin([&] { again = sentence_of_join({1, 3, "n", "a"}, address, test::patient(), nullptr); });
  // Whichever of the two came second; then rank 2 completes the run.
  std::thread rank_two([&] { (void)sentence_of_join({2, 3, "n", "a"}, address, test::patient(), nullptr); });
  for (std::thread* each : {&rank_zero, &rank_one, &twin, &rank_two}) each->join();
  CHECK(zero.empty());
  CHECK(one.empty() != again.empty());
}

TEST_CASE("rendezvous: over the interfaces of this machine") {
  RootListener listener;
  const std::string address = listener.address();
  CHECK(parse_address(address).candidates.back().host == "127.0.0.1");
  std::string zero, one;
  std::thread rank_zero([&] { zero = sentence_of_join({0, 2, "n", "a"}, address, test::patient(), &listener); });
  std::thread rank_one([&] { one = sentence_of_join({1, 2, "m", "a"}, address, test::patient(), nullptr); });
  rank_zero.join();
  rank_one.join();
  CHECK(zero.empty());
  CHECK(one.empty());
}

TEST_CASE("rendezvous: two tokens are never the same") {
  CHECK(RootListener(Reach::machine).address().substr(0, 32) != RootListener(Reach::machine).address().substr(0, 32));
}

}  // namespace railgauge
