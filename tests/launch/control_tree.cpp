// The control tree between threads and between processes: every call, deadlines, deaths.
#include "bench/launch/control_tree.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "base/error.hpp"
#include "bench/launch/process_state.hpp"
#include "tests/launch/group_checks.hpp"
#include "tests/launch/run_processes.hpp"
#include "tests/test.hpp"
#include "transports/gather.hpp"

namespace railgauge {
namespace {

using test::patient;
using test::run_as_processes;
using test::run_over_tcp;

void expect_none(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) CHECK(sentence.empty());
}

// Waits for ever, by every means that a rank has, for a barrier that cannot come.
void wait_for_news(ControlTree& tree) {
  if (tree.rank() % 3 == 0) {
    while (true) tree.check(), usleep(100);
  }
  tree.barrier();
}

}  // namespace

TEST_CASE("control tree: allgather, exchange and split between threads") {
  for (const int ranks : {1, 2, 5}) {
    CAPTURE(ranks);
    expect_none(run_over_tcp(ranks, patient(), [](ControlTree& tree) {
      test::check_allgather(tree);
      test::check_exchange(tree);
      test::check_split(tree);
    }));
  }
}

TEST_CASE("control tree: allgather, exchange and split between processes", "[long]") {
  for (const int ranks : {1, 2, 5, 40, 70}) {
    CAPTURE(ranks);
    expect_none(run_as_processes(ranks, patient(), [](ControlTree& tree) {
      test::check_allgather(tree);
      test::check_exchange(tree);
      test::check_split(tree);
    }));
  }
}

TEST_CASE("control tree: nodes are as each rank said") {
  expect_none(run_over_tcp(6, patient(), [](ControlTree& tree) {
    test::expect(tree.nodes() == std::vector<std::string>{"node0", "node0", "node0", "node0", "node1", "node1"}, "nodes");
    test::expect(tree.split(tree.rank() % 2)->nodes() == std::vector<std::string>{"node0", "node0", "node1"}, "nodes of a half");
  }));
}

TEST_CASE("control tree: a blob of megabytes") {
  expect_none(run_over_tcp(3, patient(), [](ControlTree& tree) {
    const auto all = tree.allgather(Blob(std::size_t{5'000'001}, static_cast<std::byte>(tree.rank() + 1)));
    for (std::size_t rank = 0; rank < 3; ++rank)
      test::expect(all[rank] == Blob(std::size_t{5'000'001}, static_cast<std::byte>(rank + 1)), "megabytes");
  }));
}

TEST_CASE("control tree: a killed process is named by all survivors") {
  // A leaf of the second level, an inner rank, a child of rank 0, and rank 0.
  for (const int victim : {39, 1, 20, 0}) {
    CAPTURE(victim);
    const auto sentences = run_as_processes(40, patient(), [&](ControlTree& tree) {
      tree.barrier();
      if (tree.rank() == victim) raise(SIGKILL);
      wait_for_news(tree);
    });
    for (std::size_t rank = 0; rank < sentences.size(); ++rank) {
      CAPTURE(rank);
      if (static_cast<int>(rank) == victim) {
        CHECK(sentences[rank] == "signal 9");
      } else {
        CHECK_THAT(sentences[rank], test::ContainsSubstring("rank " + std::to_string(victim) + " on node" +
                                                            std::to_string(victim / 4) + " was lost: its connection "));
      }
    }
  }
}

TEST_CASE("control tree: a rank that fails is quoted by all others") {
  for (const int failing : {0, 1, 39}) {
    CAPTURE(failing);
    const auto sentences = run_as_processes(40, patient(), [&](ControlTree& tree) {
      tree.barrier();
      if (tree.rank() == failing) throw Error(Fault::wrong_data, "element 7 is wrong");
      wait_for_news(tree);
    });
    for (int rank = 0; rank < 40; ++rank) {
      CAPTURE(rank);
      CHECK(sentences[static_cast<std::size_t>(rank)] ==
            (rank == failing ? "element 7 is wrong" : "rank " + std::to_string(failing) + " ended: element 7 is wrong"));
    }
  }
}

// The deadlines of the two below are long enough for a rank whose thread gets no processor for a second.
TEST_CASE("control tree: a rank that leaves alone is named by those that still need it") {
  const auto sentences = run_over_tcp(4, {Seconds{100}, Seconds{2}}, [](ControlTree& tree) {
    if (tree.rank() == 2) return;
    tree.barrier();
  });
  CHECK(sentences[2].empty());
  for (const std::size_t rank : {0U, 1U, 3U}) CHECK_THAT(sentences[rank], test::ContainsSubstring("rank 2"));
}

TEST_CASE("control tree: the deadline names the absent ranks", "[long]") {
  for (const bool by_exchange : {false, true}) {
    std::atomic<int> left{3};
    const auto sentences = run_over_tcp(5, {Seconds{100}, Seconds{2}}, [&](ControlTree& tree) {
      std::string sentence;
      if (tree.rank() != 1 && tree.rank() != 3) {
        try {
          const std::vector<int> peers{3, 1};
          if (by_exchange)
            (void)tree.exchange(peers, std::vector<Blob>(2));
          else
            tree.barrier();
        } catch (const Error& error) { sentence = error.what(); }
        if (--left == 0) left.notify_all();
      }
      // All stay until all have their sentence.
      for (int now = left; now > 0; now = left) left.wait(now);
      if (!sentence.empty()) throw std::runtime_error(sentence);
    });
    for (const std::size_t rank : {0U, 2U, 4U})
      CHECK(sentences[rank] ==
            std::string("ranks 1 and 3 did not come to the ") + (by_exchange ? "exchange" : "barrier") + " within 2 s");
  }
}

TEST_CASE("control tree: deaths outside a group of some ranks do not stop it") {
  const auto sentences = run_over_tcp(6, patient(), [&](ControlTree& tree) {
    const auto half = tree.split(tree.rank() / 3);
    if (tree.rank() == 4) throw Error(Fault::wrong_data, "four");
    if (tree.rank() > 2) half->barrier();
    // The group of all has the news, the lower half goes on.
    try {
      while (true) tree.check(), usleep(100);
    } catch (const Error&) {}
    for (int turn = 0; turn < 20; ++turn) test::check_exchange(*half);
    half->check();
    half->barrier();
  });
  // A neighbour of the lower half may leave a little before the others do; that is news too late to matter.
  CHECK(sentences[3] == "rank 4 ended: four");
  CHECK(sentences[5] == "rank 4 ended: four");
  CHECK(sentences[0].empty());
}

TEST_CASE("control tree: ranks with other arguments are refused by all in one sentence") {
  struct Row {
    int rank;
    const char* arguments;
    const char* sentence;
  };
  const Row rows[] = {
      {3, "bench --bytes 1K",
       "rank 3 was started with '--bytes 1K' and rank 0 with '--bytes 4K'; give every rank the same arguments"},
      {1, "bench", "rank 1 was started with 'nothing' and rank 0 with '--bytes'; give every rank the same arguments"},
      {2, "bench --bytes 4K -o x", "rank 2 was started with '-o' and rank 0 with 'nothing'; give every rank the same arguments"},
      {4, "list --bytes 4K", "rank 4 was started with 'list' and rank 0 with 'bench'; give every rank the same arguments"},
  };
  for (const Row& row : rows) {
    const auto sentences = run_over_tcp(
        5, patient(), [](ControlTree& tree) { tree.barrier(); },
        [&](Introduction& me) {
          if (me.rank == row.rank) me.arguments = row.arguments;
        });
    for (const std::string& sentence : sentences) CHECK(sentence == row.sentence);
  }
}

TEST_CASE("control tree: absent ranks are named when the ranks meet") {
  RootListener listener(Reach::machine);
  try {
    (void)join({0, 4, "n", "a"}, listener.address(), {Seconds{0.2}, Seconds{1}}, &listener);
    FAIL("met nobody, and went on");
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::lost);
    CHECK(std::string(error.what()) == "ranks 1 to 3 did not come to the rendezvous within 0.2 s");
  }
}

namespace {

// One of five ranks stops; the others say what they learn of it. Ranks 0 to 3 are on one node and rank 4 on another.
std::vector<std::string> sentences_of_a_stop(int victim) {
  return run_as_processes(5, {Seconds{100}, Seconds{100}, Seconds{2}}, [&](ControlTree& tree) {
    const std::vector<std::int64_t> processes = gather<std::int64_t>(tree, getpid());
    if (tree.rank() == victim) raise(SIGSTOP);
    try {
      tree.barrier();
    } catch (const Error&) {
      kill(static_cast<pid_t>(processes[static_cast<std::size_t>(victim)]), SIGKILL);  // or nobody could await its end
      throw;
    }
  });
}

}  // namespace

TEST_CASE("control tree: a stopped rank is named by all others, with its state where it is seen", "[long]") {
  const std::vector<std::string> near = sentences_of_a_stop(2);
  CHECK(near[2] == "signal 9");
  for (const std::size_t rank : {0U, 1U, 3U, 4U})
    CHECK_THAT(near[rank], test::ContainsSubstring("rank 2 on node0 has not answered for 2 s: it is stopped (process "));
  // All paths lead through rank 0: some may hear first that it was ended.
  for (const std::string& sentence : sentences_of_a_stop(0))
    CHECK((sentence == "signal 9" || sentence.starts_with("rank 0 on node0 ")));
  const std::vector<std::string> far = sentences_of_a_stop(4);
  for (const std::size_t rank : {0U, 1U, 2U, 3U})
    CHECK(far[rank] == "rank 4 on node1 has not answered for 2 s: it is stopped, or its host hangs");
}

TEST_CASE("control tree: the state of a process is the kernel's") {
  CHECK_FALSE(is_stopped(state_of_process(getpid()).value_or('T')));
  CHECK_FALSE(state_of_process(-1).has_value());
}

}  // namespace railgauge
